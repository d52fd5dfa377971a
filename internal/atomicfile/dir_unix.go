//go:build unix

package atomicfile

import (
	"errors"
	"os"
)

// SyncDir returns once the names in dir are on disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
