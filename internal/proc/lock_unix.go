//go:build unix

package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func flock(f *os.File, shared, wait bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errHeld
		default:
			return err
		}
	}
}

// relock exchanges the lock of a file.
func relock(f *os.File, shared, wait bool) error { return flock(f, shared, wait) }

func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// Remove frees the lock and removes its file, which only the holder of an
// exclusive lock may do. The file may be gone already.
func (l *Lock) Remove() error {
	err := os.Remove(l.file.Name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.Unlock())
}
