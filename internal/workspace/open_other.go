//go:build !linux

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// openBeneath opens a file below dir. Every part of the path is looked at first,
// and os.Root keeps a link that appears meanwhile from leading out of dir.
func openBeneath(dir, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for p := path; p != ""; p = parent(p) {
		info, err := root.Lstat(filepath.FromSlash(p))
		if err != nil {
			return nil, err
		}
		if p == path && !info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0 {
			return nil, errNotRegular
		}
	}
	return root.Open(filepath.FromSlash(path))
}
