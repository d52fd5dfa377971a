package bare

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockAlone takes an exclusive lock if nobody holds any.
func lockAlone(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// lockShared takes a shared lock, in exchange for an exclusive one if held. It
// waits while another process cleans up.
func lockShared(f *os.File) error {
	h, o := windows.Handle(f.Fd()), new(windows.Overlapped)
	if err := windows.UnlockFileEx(h, 0, 1, 0, o); err != nil && !errors.Is(err, windows.ERROR_NOT_LOCKED) {
		return err
	}
	return windows.LockFileEx(h, 0, 0, 1, 0, o)
}

// syncFolder does nothing: Windows flushes names with the files they belong to.
func syncFolder(*os.File) error { return nil }
