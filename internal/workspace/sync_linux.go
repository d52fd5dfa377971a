package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFiles has everything below dir on disk when it returns: one call for the
// whole file system, where one for each file would take minutes.
func syncFiles(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
