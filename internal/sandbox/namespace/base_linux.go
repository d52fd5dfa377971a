package namespace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// The supervisor's own root, a tmpfs that nothing else sees.
const (
	hostDir  = "/host" // the machine's root
	newRoot  = "/root" // what commands see
	maskDir  = "/mask" // an empty folder nobody may enter
	maskFile = "/blank"
)

// A base is the root that all commands of a supervisor share, read-only.
type base struct {
	setup     *setup
	fresh     []string // folders of the root that are empty and new for each command
	procLocks []string // parts of /proc that the machine's root may write
}

const plain = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// newBase builds the root in the supervisor's mount namespace.
func newBase(s *setup) (*base, error) {
	b := &base{setup: s}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"closing cgroups", b.closeCgroups},
		{"making mounts private", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"moving into an own root", b.moveIn},
		{"building the root", b.build},
		{"building /dev", b.dev},
		{"masking", b.mask},
		{"making the root read-only", func() error { return setAttr(newRoot, unix.MOUNT_ATTR_RDONLY|plain, 0) }},
		{"reading /proc", b.lockProc},
	} {
		if err := step.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return b, nil
}

// closeCgroups forbids cgroup namespaces from here on. Whoever owns one may
// mount cgroup2 writable; ours belongs to a user namespace in which commands
// have no power, theirs would not, and root's cgroups are root's to write, as
// those that clade made are the user's. Where neither is the case cgroups are
// nobody's here to write, and programs that want a namespace may have one.
func (b *base) closeCgroups() error {
	if !b.setup.Root && !b.setup.Groups {
		return nil
	}
	f, err := os.OpenFile("/proc/sys/user/max_cgroup_namespaces", os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("0")
	return errors.Join(err, f.Close())
}

// moveIn makes a tmpfs the root and the machine's root a folder of it. It is
// mounted over /tmp for a moment only, which no other process sees.
func (b *base) moveIn() error {
	const at = "/tmp"
	if err := unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("mounting a tmpfs: %w", err)
	}
	if err := os.Mkdir(at+hostDir, 0o755); err != nil {
		return err
	}
	if err := unix.PivotRoot(at, at+hostDir); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return errors.Join(
		os.Mkdir(newRoot, 0o755),
		os.Mkdir(maskDir, 0),
		os.WriteFile(maskFile, nil, 0),
		bind(maskDir, maskDir, unix.MOUNT_ATTR_RDONLY|plain), // what is bound from here is read-only too
		bind(maskFile, maskFile, unix.MOUNT_ATTR_RDONLY|plain),
		unix.Mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"),
	)
}

// build mirrors the machine's root folder by folder.
func (b *base) build() error {
	entries, err := os.ReadDir(hostDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := b.entry(e); err != nil {
			return fmt.Errorf("/%s: %w", e.Name(), err)
		}
	}
	for _, dir := range append([]string{"/proc", "/dev", ownDir}, fresh...) {
		err := os.Mkdir(newRoot+dir, 0o755)
		own := filepath.Dir(dir) == "/" || dir == "/dev/shm"
		if err != nil && !errors.Is(err, fs.ErrExist) && own {
			return err
		}
		if info, err := os.Lstat(newRoot + dir); err == nil && info.IsDir() && slices.Contains(fresh, dir) {
			b.fresh = append(b.fresh, dir)
		}
	}
	return nil
}

func (b *base) entry(e fs.DirEntry) error {
	from, to := filepath.Join(hostDir, e.Name()), filepath.Join(newRoot, e.Name())
	switch name := "/" + e.Name(); {
	case name == "/proc" || name == "/dev" || name == ownDir || slices.Contains(fresh, name):
		return nil
	case e.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case e.IsDir():
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
	case e.Type().IsRegular():
		if err := os.WriteFile(to, nil, 0o644); err != nil {
			return err
		}
	default:
		return nil // a socket, pipe or device in the root is nobody's business
	}
	return bind(from, to, unix.MOUNT_ATTR_RDONLY|plain)
}

func bind(from, to string, attr uint64) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mounting: %w", err)
	}
	return setAttr(to, attr, unix.AT_RECURSIVE)
}

func setAttr(at string, attr uint64, flags uint) error {
	if err := unix.MountSetattr(unix.AT_FDCWD, at, flags, &unix.MountAttr{Attr_set: attr}); err != nil {
		return fmt.Errorf("setting mount attributes (needs Linux 5.12): %w", err)
	}
	return nil
}

// dev gives the devices that harm nobody, and terminals of its own.
func (b *base) dev() error {
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		to := newRoot + "/dev/" + name
		if err := os.WriteFile(to, nil, 0o644); err != nil {
			return err
		}
		if err := bind(hostDir+"/dev/"+name, to, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return fmt.Errorf("/dev/%s: %w", name, err)
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(target, newRoot+"/dev/"+name); err != nil {
			return err
		}
	}
	pts := newRoot + "/dev/pts"
	if err := os.Mkdir(pts, 0o755); err != nil {
		return err
	}
	return unix.Mount("devpts", pts, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
}

// mask makes the sights, outer before inner, so that a shown path may lie in a
// hidden one and the other way round, and then makes masks read-only.
func (b *base) mask() error {
	for _, s := range b.setup.Sights {
		do := map[sightKind]func(sight) error{hidden: hide, shown: show, linked: link}[s.Kind]
		if err := do(s); err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	for _, s := range b.setup.Sights {
		if s.Kind != hidden {
			continue
		}
		if err := setAttr(newRoot+s.Path, unix.MOUNT_ATTR_RDONLY|plain, 0); err != nil && !absent(err) {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	return nil
}

// absent says that something is not there, or nobody may reach it.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, fs.ErrPermission)
}

func hide(s sight) error {
	info, err := os.Lstat(newRoot + s.Path)
	switch {
	case err != nil && absent(err):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it has become a symlink meanwhile")
	case info.IsDir():
		return unix.Mount("tmpfs", newRoot+s.Path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=64k")
	}
	return unix.Mount(maskFile, newRoot+s.Path, "", unix.MS_BIND, "")
}

func show(s sight) error {
	info, err := os.Lstat(hostDir + s.Path)
	if err != nil && absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	to := newRoot + s.Path
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else {
		err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), touch(to))
	}
	if err != nil {
		return err
	}
	return bind(hostDir+s.Path, to, unix.MOUNT_ATTR_RDONLY|plain)
}

func touch(p string) error {
	if _, err := os.Lstat(p); err == nil {
		return nil
	}
	return os.WriteFile(p, nil, 0o644)
}

func link(s sight) error {
	if err := os.MkdirAll(filepath.Dir(newRoot+s.Path), 0o755); err != nil {
		return err
	}
	return os.Symlink(s.To, newRoot+s.Path)
}

// lockProc finds the parts of /proc that root could write.
func (b *base) lockProc() error {
	if !b.setup.Root {
		return nil
	}
	names, err := sandbox.MachineProc(hostDir + "/proc")
	for _, n := range names {
		b.procLocks = append(b.procLocks, "/proc/"+n)
	}
	return err
}
