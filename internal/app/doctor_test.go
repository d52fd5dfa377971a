package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cladehq/clade/internal/control"
)

// F17: doctor says of a folder that cannot be written that it cannot, by writing.
func TestF17DoctorWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		dir: "ok", filepath.Join(dir, "not", "there"): "ok", file: "bad", filepath.Join(file, "below"): "bad", "/proc/clade/state": "bad",
	} {
		if _, err := os.Stat("/proc"); err != nil && want == "bad" && at[1] == 'p' {
			continue
		}
		if got := usable(control.Check{Name: "state", State: "ok"}, at, stateVariable); got.State != want || (got.Hint != "") != (want == "bad") {
			t.Errorf("%s: %+v", at, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".clade-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
