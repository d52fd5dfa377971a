package sqlite

import (
	"errors"
	"io/fs"
	"strings"
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
