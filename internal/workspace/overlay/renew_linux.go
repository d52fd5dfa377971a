package overlay

import (
	"bytes"
	"maps"
	"strings"

	"golang.org/x/sys/unix"
)

// A nature is what a command can change of an empty folder that it may write.
type nature struct {
	mode     uint32
	uid, gid uint32
	flags    uint32            // chattr(1)
	attrs    map[string]string // without the kernel's notes about overlays
}

// likeNew reports whether an empty folder is as when it was made, that is like
// its parent, which no command could reach. The kernel's notes are removed.
func likeNew(dir, parent string) bool {
	is, ok := natureOf(dir)
	was, also := natureOf(parent)
	return ok && also && is.mode == was.mode && is.uid == was.uid && is.gid == was.gid &&
		is.flags == was.flags && maps.Equal(is.attrs, was.attrs)
}

func natureOf(dir string) (n nature, ok bool) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return n, false
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return n, false
	}
	n.mode, n.uid, n.gid = st.Mode, st.Uid, st.Gid
	flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	if err == nil {
		n.flags = flags
	}
	n.attrs, ok = attrsOf(fd)
	return n, ok
}

// attrsOf reads a folder's extended attributes, and removes those that the
// kernel made for an overlay.
func attrsOf(fd int) (attrs map[string]string, ok bool) {
	names := make([]byte, 1<<10)
	size, err := unix.Flistxattr(fd, names)
	if err == unix.EOPNOTSUPP {
		return nil, true
	} else if err != nil {
		return nil, false
	}
	attrs = map[string]string{}
	for raw := range bytes.SplitSeq(names[:size], []byte{0}) {
		name := string(raw)
		if name == "" {
			continue
		}
		if strings.HasPrefix(name, "user.overlay.") {
			if unix.Fremovexattr(fd, name) != nil {
				return nil, false
			}
			continue
		}
		value := make([]byte, 1<<10)
		n, err := unix.Fgetxattr(fd, name, value)
		if err != nil {
			return nil, false
		}
		attrs[name] = string(value[:n])
	}
	return attrs, true
}
