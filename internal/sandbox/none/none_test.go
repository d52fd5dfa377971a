package none_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

// engineVar makes this test program an engine that runs one command for ever.
const engineVar = "NONETEST_ENGINE"

func TestMain(m *testing.M) {
	sandboxtest.Main()
	if os.Getenv(engineVar) != "" {
		const stay = "echo up; while :; do sleep 1000; done"
		c := sandbox.Command{Args: []string{"sh", "-c", "setsid sh -c '" + stay + "' & " + stay},
			Env: []string{"PATH=/usr/bin:/bin"}, Output: os.Stdout}
		s, _ := none.New(none.Options{})
		_, _ = s.Run(context.Background(), c)
		os.Exit(4)
	}
	goleak.VerifyTestMain(m)
}

func TestSuite(t *testing.T) {
	s, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.Run(t, s, sandboxtest.Holds{Processes: runtime.GOOS == "linux" && os.Geteuid() > 0})
}

// F8: processes are bounded for everyone but root.
func TestF8AsNobody(t *testing.T) {
	t.Parallel()
	sandboxtest.AsNobody(t, "^TestSuite$/^all$/^(F8|F9|F7|a_gateway|lent|readable)")
}

// F10: what an engine killed with -9 leaves behind is found by its mark at the
// next start.
func TestF10EngineKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("environments are not visible here")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), engineVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for range 2 {
		if line, err := lines.ReadString('\n'); line != "up\n" {
			t.Fatalf("the engine said %q, %v", line, err)
		}
	}
	engine, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	// Another clade that starts meanwhile may end them first.
	if n := owned(t, engine); n == 1 {
		t.Errorf("%d orphan, want the shell and what it started", n)
	}
	if n, err := proc.KillOrphans(t.Context()); err != nil {
		t.Errorf("KillOrphans = %d, %v", n, err)
	}
	if n := owned(t, engine); n != 0 {
		t.Errorf("%d orphans are left", n)
	}
}

func owned(t *testing.T, by proc.Identity) (n int) {
	t.Helper()
	strays, err := proc.Orphans()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strays {
		if owner, err := s.Mark.Owner(); err == nil && owner == by {
			n++
		}
	}
	return n
}

func TestRefusesMounts(t *testing.T) {
	t.Parallel()
	s, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := sandbox.Command{Args: []string{"true"}, Mounts: []sandbox.Mount{{Kind: sandbox.MountTmpfs, Target: "/x"}}}
	if r, err := s.Run(t.Context(), c); err == nil {
		t.Errorf("ran without its mounts: %+v", r)
	}
}

func BenchmarkTrue(b *testing.B) {
	s, err := none.New(none.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err := s.Run(b.Context(), sandbox.Command{Args: []string{"/bin/true"}}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
}
