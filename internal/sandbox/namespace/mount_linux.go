package namespace

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// A source is the opened folders of one mount.
type source struct {
	bind, upper, work uintptr
	lower             []uintptr
}

// sources opens host paths while the host's file system can be seen.
func (a *assembler) sources(mounts []sandbox.Mount) []source {
	out := make([]source, len(mounts))
	for i, m := range mounts {
		open := func(p string) uintptr { return a.openHost("open "+p, p) }
		switch m.Kind {
		case sandbox.MountBind:
			out[i].bind = open(m.Source)
		case sandbox.MountOverlay:
			for _, l := range m.Lower {
				out[i].lower = append(out[i].lower, open(l))
			}
			if m.Upper != "" {
				out[i].upper, out[i].work = open(m.Upper), open(m.Work)
			}
		}
	}
	return out
}

// mount makes one mount of a command.
func (a *assembler) mount(m sandbox.Mount, from source) error {
	if !path.IsAbs(m.Target) || path.Clean(m.Target) != m.Target || m.Target == "/" {
		return fmt.Errorf("mount target %q is not a clean absolute path", m.Target)
	}
	switch m.Kind {
	case sandbox.MountOverlay:
		return a.overlay(m, from)
	case sandbox.MountBind:
		a.bind(m, from.bind)
	case sandbox.MountTmpfs:
		a.makeTarget(m.Target, false)
		opts := "mode=0755"
		if m.Size > 0 {
			opts += ",size=" + strconv.FormatInt(m.Size, 10)
		}
		a.add("mount tmpfs on "+m.Target, unix.SYS_MOUNT, a.str("tmpfs"), a.str(m.Target), a.str("tmpfs"),
			unix.MS_NOSUID|unix.MS_NODEV|readOnly(m), a.str(opts))
	case sandbox.MountHide:
		a.hide(m.Target)
	case mountLink:
		a.makeTarget(path.Dir(m.Target), false)
		a.add("link "+m.Target, unix.SYS_SYMLINKAT, a.str(m.Source), atCWD, a.str(m.Target)).forgive[0] = syscall.EEXIST
	case mountOpen:
		a.attr("open "+m.Target, m.Target, 0, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}).forgive = noMask
	case mountSeal:
		a.attr("seal "+m.Target, m.Target, 0, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}).forgive = noMask
	default:
		return fmt.Errorf("unknown kind of mount %q", m.Kind)
	}
	return nil
}

// noMask is what the kernel says where there was nothing to hide.
var noMask = [2]syscall.Errno{syscall.EINVAL, syscall.ENOENT}

func readOnly(m sandbox.Mount) uintptr {
	if m.ReadOnly {
		return unix.MS_RDONLY
	}
	return 0
}

func (a *assembler) bind(m sandbox.Mount, from uintptr) {
	a.makeTarget(m.Target, isFile(m.Source))
	what := "mount " + m.Source + " on " + m.Target
	a.add(what, unix.SYS_MOUNT, a.str(fdPath(from)), a.str(m.Target), 0, unix.MS_BIND|unix.MS_REC, 0)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if m.ReadOnly {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	a.attr(what, m.Target, unix.AT_RECURSIVE, attr)
}

func (a *assembler) attr(what, target string, flags uintptr, attr unix.MountAttr) *op {
	return a.add(what, unix.SYS_MOUNT_SETATTR, atCWD, a.str(target), flags, keep(a, attr), unsafe.Sizeof(attr))
}

// isFile reports whether a path of the machine is there and no folder.
func isFile(p string) bool {
	root, err := unix.Open(hostDir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(root) }()
	fd, err := unix.Openat2(root, p, &machine)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR
}

// overlay mounts layers. Layers are named by descriptors: short, and no
// character of a path needs escaping. The upper layer is not synced
// ("volatile"): it is read only after everything has ended, on the same boot;
// the mark that forbids mounting it again after a crash is removed first.
func (a *assembler) overlay(m sandbox.Mount, from source) error {
	if len(from.lower) == 0 {
		return fmt.Errorf("overlay on %s has no lower layer", m.Target)
	}
	if from.upper == 0 && len(from.lower) == 1 { // the kernel wants two
		a.bind(sandbox.Mount{Source: m.Lower[0], Target: m.Target, ReadOnly: true}, from.lower[0])
		return nil
	}
	a.makeTarget(m.Target, false)
	opts := "userxattr,lowerdir="
	for i, fd := range from.lower {
		if i > 0 {
			opts += ":"
		}
		opts += fdPath(fd)
	}
	if from.upper != 0 {
		incompat := path.Join(fdPath(from.work), "work", "incompat")
		a.add("clean "+m.Work, unix.SYS_UNLINKAT, atCWD, a.str(incompat+"/volatile/dirty"), 0).forgive[0] = anyErrno
		a.add("clean "+m.Work, unix.SYS_UNLINKAT, atCWD, a.str(incompat+"/volatile"), unix.AT_REMOVEDIR).forgive[0] = anyErrno
		a.add("clean "+m.Work, unix.SYS_UNLINKAT, atCWD, a.str(incompat), unix.AT_REMOVEDIR).forgive[0] = anyErrno
		opts += ",volatile,upperdir=" + fdPath(from.upper) + ",workdir=" + fdPath(from.work)
	}
	if len(opts) >= os.Getpagesize() {
		return fmt.Errorf("overlay on %s has too many layers: %d", m.Target, len(from.lower))
	}
	a.add("mount an overlay on "+m.Target, unix.SYS_MOUNT, a.str("overlay"), a.str(m.Target), a.str("overlay"),
		unix.MS_NOSUID|unix.MS_NODEV|readOnly(m), a.str(opts))
	return nil
}

// hide masks what is at target, if anything is: by a folder, and where that
// does not fit by a file.
func (a *assembler) hide(target string) {
	forgive := [2]syscall.Errno{syscall.ENOENT, syscall.ENOTDIR}
	a.verify(target, forgive)
	for _, fd := range []uintptr{noDirFD, noFileFD} {
		a.add("hide "+target, unix.SYS_MOUNT, a.str(fdPath(fd)), a.str(target), 0, unix.MS_BIND, 0).forgive = forgive
	}
}

func fdPath(fd uintptr) string { return "/proc/self/fd/" + strconv.Itoa(int(fd)) }

// makeTarget makes the folders that lead to target, and target, where they are
// missing and can be made. Nothing is made or mounted through a symlink: the
// workspace chose where it leads.
func (a *assembler) makeTarget(target string, file bool) {
	for i := 1; i <= len(target); i++ {
		if i < len(target) && target[i] != '/' {
			continue
		}
		dir := target[:i]
		if i == len(target) && file {
			a.add("make "+dir, unix.SYS_MKNODAT, atCWD, a.str(dir), unix.S_IFREG|0o644, 0).forgive[0] = anyErrno
		} else {
			a.add("make "+dir, unix.SYS_MKDIRAT, atCWD, a.str(dir), 0o755).forgive[0] = anyErrno
		}
		a.verify(dir, [2]syscall.Errno{})
	}
}

// verify fails when a path leads through a symlink.
func (a *assembler) verify(p string, forgive [2]syscall.Errno) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	o := a.add("find "+p, unix.SYS_OPENAT2, atCWD, a.str(p), keep(a, how), unix.SizeofOpenHow)
	o.want, o.forgive = a.next, forgive
	a.add("close "+p, unix.SYS_CLOSE, a.next).forgive[0] = syscall.EBADF
}
