package sandbox

import (
	"os"
	"path/filepath"
)

// Unseal makes what an overlay left in its Work folder removable. The kernel
// makes those folders without any permission, which stops everyone but root.
func Unseal(work string) {
	for _, dir := range []string{"work", "work/incompat", "work/incompat/volatile"} {
		_ = os.Chmod(filepath.Join(work, dir), 0o700) // what is not there needs nothing
	}
}
