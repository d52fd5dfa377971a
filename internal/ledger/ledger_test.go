package ledger_test

import (
	"io/fs"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

func TestModeOf(t *testing.T) {
	t.Parallel()
	for m, want := range map[fs.FileMode]ledger.Mode{
		0o644:                    ledger.ModeFile,
		0:                        ledger.ModeFile,
		0o755:                    ledger.ModeExec,
		0o610:                    ledger.ModeExec,
		fs.ModeSymlink | 0o777:   ledger.ModeSymlink,
		fs.ModeDir | 0o755:       "",
		fs.ModeNamedPipe | 0o644: "",
		fs.ModeSocket | 0o755:    "",
		fs.ModeDevice | 0o644:    "",
		fs.ModeSetuid | 0o755:    ledger.ModeExec,
	} {
		if got, ok := ledger.ModeOf(m); got != want || ok != (want != "") {
			t.Errorf("ModeOf(%v) = %q, %v, want %q", m, got, ok, want)
		}
	}
}
