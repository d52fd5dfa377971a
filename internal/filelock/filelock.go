// Package filelock holds a lock of the operating system on a file. The lock ends
// with the process, however that ends, so a lock file left behind means nothing.
package filelock

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrHeld reports a lock that another holder has.
var ErrHeld = errors.New("lock is held")

// A Lock is held until Release.
type Lock struct{ f *os.File }

// Take waits for the exclusive lock on the file at path, made if need be.
func Take(path string) (*Lock, error) { return open(path, true) }

// Try takes the lock or returns ErrHeld.
func Try(path string) (*Lock, error) { return open(path, false) }

func open(path string, wait bool) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f, wait); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

// Release gives the lock up. The file stays: removing it would let two holders
// lock two files of one name.
func (l *Lock) Release() error { return l.f.Close() }
