package workspace

import (
	"errors"
	"io/fs"
	"os"
)

// ReadDir lists a folder that commands wrote to, also where they took away the
// permission to read it.
func ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		if err := grant(dir, 0o500); err != nil {
			return nil, err
		}
		entries, err = os.ReadDir(dir)
	}
	return entries, err
}

// grant gives the owner permissions and leaves the others as they are.
func grant(path string, perm fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()|perm)
}
