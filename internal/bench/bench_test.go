package bench_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/app"
	"github.com/cladehq/clade/internal/bench"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/namespace"
)

// asProgram makes this test binary the program.
const asProgram = "CLADE_BENCH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	namespace.Main()
	sandbox.Main()
	if os.Getenv(asProgram) != "" {
		os.Exit(app.Main())
	}
	os.Exit(m.Run())
}

// Every measurement works and says what it should; the figures are not looked at.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a dozen searches")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "bench", "--quick", "--json")
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got bench.Report
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if c := got.Conditions; !c.Quick || c.Isolation == "" || c.Workspaces == "" || c.Processors < 1 || c.SyncMS <= 0 {
		t.Errorf("conditions %+v", c)
	}
	targets := 0
	for _, r := range got.Rows {
		if r.Name == "" || r.N < 1 {
			t.Errorf("row %+v", r)
		}
		if r.Target != "" && !strings.HasPrefix(r.Name, "true, by ") { // as many as work here
			targets++
		}
	}
	// Workspace and fallback; overhead; the rate twice and its
	// flatness; decisions; memory; disk; status; resume; busy; version.
	if targets != 15 {
		t.Errorf("%d rows have a target, want 15", targets)
	}
}

func TestUnknownMeasurement(t *testing.T) {
	c := bench.Command(bench.Program{})
	c.SetArgs([]string{"--only", "nonsense"})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.Execute(); err == nil {
		t.Error("an unknown measurement was accepted")
	}
}
