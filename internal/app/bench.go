package app

import (
	"os"
	"path/filepath"

	"github.com/cladehq/clade/internal/bench"
	"github.com/cladehq/clade/internal/control"
)

// benchmark is this program as what is measured.
func benchmark() bench.Program {
	return bench.Program{
		Parts: func(dir string) control.Parts {
			return parts(dirs{
				state: filepath.Join(dir, "home", "clade"), cache: filepath.Join(dir, "cache", "clade"),
				stateFor: filepath.Join(dir, "state"),
			}, nil)
		},
		Environ: func(dir string) []string {
			return []string{
				"XDG_STATE_HOME=" + filepath.Join(dir, "home"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"),
				"CLADE_DIR=" + filepath.Join(dir, "state"),
			}
		},
		Cache: func() (string, error) {
			d, err := folders()
			return d.cache, err
		},
		Stdout: os.Stdout, Stderr: os.Stderr,
	}
}
