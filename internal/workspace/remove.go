package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes a folder and what is below it, also where a command took away
// the permission to do so (a module cache is read-only; overlayfs leaves a
// folder of mode 000).
func Remove(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			return nil
		}
		if cerr := os.Chmod(p, 0o700); cerr != nil {
			return cerr
		}
		return nil
	})
	return errors.Join(os.RemoveAll(dir), ignoreGone(err))
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeCounted is Remove that says how many bytes the files had.
func removeCounted(dir string) (int64, error) {
	n := Size(dir)
	return n, Remove(dir)
}

// Size is the number of bytes of the files below dir; what cannot be read is
// not counted.
func Size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
