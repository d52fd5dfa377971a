package overlay

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// whiteout makes what the kernel takes for a deletion: a character device with
// number 0:0, which needs no privilege.
func whiteout(path string) error {
	if err := unix.Mknod(path, unix.S_IFCHR, 0); err != nil {
		return &os.PathError{Op: "mknod", Path: path, Err: err}
	}
	return nil
}

func isWhiteout(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Rdev == 0
}

// prefixes are where the kernel keeps its attributes: the second when the
// overlay was mounted in a user namespace.
var prefixes = [...]string{"trusted.overlay.", "user.overlay."}

// attributes tells what the kernel noted of a folder of an upper layer: that it
// hides the lower ones, and that it stands for one with another name.
func attributes(dir string) (opaque, redirected bool, err error) {
	for _, prefix := range prefixes {
		value := make([]byte, 1)
		n, err := unix.Lgetxattr(dir, prefix+"opaque", value)
		if err := unlessAbsent(dir, err); err != nil {
			return false, false, err
		}
		opaque = opaque || n == 1 && value[0] == 'y'
		_, err = unix.Lgetxattr(dir, prefix+"redirect", nil)
		if aerr := unlessAbsent(dir, err); aerr != nil {
			return false, false, aerr
		}
		redirected = redirected || err == nil
	}
	return opaque, redirected, nil
}

func unlessAbsent(dir string, err error) error {
	if err == nil || errors.Is(err, unix.ENODATA) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EPERM) {
		return nil
	}
	return &os.PathError{Op: "getxattr", Path: dir, Err: err}
}
