//go:build !linux

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// syncFiles has every regular file below dir on disk when it returns.
func syncFiles(dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.OpenFile(p, os.O_RDWR, 0)
		if err != nil {
			return nil //nolint:nilerr // read-only files cannot be flushed by name everywhere
		}
		err = f.Sync()
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	})
}
