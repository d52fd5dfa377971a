// Package atomicfile writes a file whole or not at all: readers see the old
// bytes or the new ones, also after a crash or a loss of power.
package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces the file at path by one with exactly this content and these
// permissions (the umask does not apply). The content is on disk before the
// name points to it, and the name is on disk when Write returns. A symbolic link at path is
// replaced, not followed. On an error the file is as it was, unless the error
// comes from syncing the folder: then it may be either.
func Write(path string, data []byte, perm os.FileMode) error {
	if err := write(path, data, perm); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func write(path string, data []byte, perm os.FileMode) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return err
	}
	if err := fill(f, data, perm); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(dir)
}

func fill(f *os.File, data []byte, perm os.FileMode) error {
	_, err := f.Write(data)
	return errors.Join(err, f.Chmod(perm), f.Sync(), f.Close())
}
