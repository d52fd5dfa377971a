package workspace

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openBeneath opens a file below dir without following any link. A pipe without
// a writer does not block.
func openBeneath(dir, path string) (*os.File, error) {
	root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(root) //nolint:errcheck // O_PATH
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(root, path, &how)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENXIO): // a link; a socket
			return nil, errNotRegular
		case errors.Is(err, unix.ENOTDIR):
			return nil, os.ErrNotExist
		case err != nil:
			return nil, err
		}
		return os.NewFile(uintptr(fd), filepath.Join(dir, path)), nil
	}
}
