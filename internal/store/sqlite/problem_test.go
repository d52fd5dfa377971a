package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cladehq/clade"
)

// F17: the hint names the variable that moves the file.
func TestF17HintMovesTheFile(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/home/u/.local/state/clade/index.db": "XDG_STATE_HOME", "/t/.clade/runs/a/run.db": "CLADE_DIR"} {
		var p *clade.Problem
		if err := problem(path, fs.ErrPermission); !errors.As(err, &p) || !strings.Contains(p.Hint, "set "+want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What a person can do about a folder that cannot be written depends on what is
// in it: a run goes on only where it is kept.
func TestHintsOnFoldersThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := filepath.Join(dir, "runs", "r")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(run, "lease.lock"):            "make the run's folder writable: a run goes on where it is kept",
		filepath.Join(run, "run.db"):                "make the run's folder writable: a run goes on where it is kept",
		filepath.Join(dir, "runs", "new", "run.db"): "make the folder writable, or set CLADE_DIR to one that is",
		filepath.Join(dir, ".gitignore"):            "make the folder writable, or set CLADE_DIR to one that is",
		filepath.Join(dir, "index.db"):              "make the folder writable, or set XDG_STATE_HOME to one that is",
	} {
		var p *clade.Problem
		if err := problem(path, syscall.EROFS); !errors.As(err, &p) || p.Hint != want {
			t.Errorf("%s: %+v, want %q", path, p, want)
		}
	}
}
