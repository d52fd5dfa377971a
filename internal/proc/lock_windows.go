package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func flock(f *os.File, shared, wait bool) error {
	var how uint32
	if !shared {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return err
}

// relock exchanges the lock of a file. A file's own lock would stand in the way
// of its next one.
func relock(f *os.File, shared, wait bool) error {
	if err := unlock(f); err != nil && !errors.Is(err, windows.ERROR_NOT_LOCKED) {
		return err
	}
	return flock(f, shared, wait)
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

// Remove frees the lock and removes its file, which only the holder of an
// exclusive lock may do. The file stays where another process has it open.
func (l *Lock) Remove() error {
	if err := l.Unlock(); err != nil {
		return err
	}
	err := os.Remove(l.file.Name())
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
