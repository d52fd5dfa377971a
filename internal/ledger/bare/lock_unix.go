//go:build unix

package bare

import (
	"errors"
	"os"
	"syscall"
)

// lockAlone takes an exclusive lock if nobody holds any.
func lockAlone(f *os.File) (bool, error) {
	err := retry(func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) })
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// lockShared takes a shared lock, in exchange for an exclusive one if held. It
// waits while another process cleans up.
func lockShared(f *os.File) error {
	return retry(func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_SH) })
}

func retry(f func() error) error {
	for {
		if err := f(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// syncFolder flushes the names in a folder to the disk.
func syncFolder(d *os.File) error { return d.Sync() }
