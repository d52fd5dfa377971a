package landlock

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// abi is the version of Landlock that the kernel has, 0 for none.
func abi() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

// Kinds of access, as later versions of Landlock know more.
const (
	readFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	readDir  = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR

	// Of version 1, for files and for folders.
	writeFile1 = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	writeDir1  = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM

	bindTCP    = 1 << 0
	connectTCP = 1 << 1

	scopeAbstract = 1 << 0 // sockets without a path
	scopeSignal   = 1 << 1
)

// devices is the right to control devices that are no terminals or disks.
const devices = 1 << 15

// accesses are the rights that a version of Landlock knows.
type accesses struct{ read, writeFile, writeDir, device, all uint64 }

func known(version int) accesses {
	a := accesses{read: readDir, writeFile: writeFile1, writeDir: writeDir1}
	if version >= 2 {
		a.writeDir |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		a.writeFile |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		a.device = devices
	}
	a.all = a.read | a.writeFile | a.writeDir | a.device
	return a
}

// losses say what holds only from a version on.
var losses = []struct {
	before int
	text   string
}{
	{2, "files cannot be moved between folders"},
	{3, "files of yours can be emptied"},
	{4, "TCP is not cut"},
	{5, "devices that you may open can be controlled"},
	{6, "your other processes can be signalled"},
}

// lacks says what a version of Landlock does not hold.
func lacks(version int) (out []string) {
	for _, l := range losses {
		if version < l.before {
			out = append(out, l.text)
		}
	}
	return out
}

// rulesetAttr is struct landlock_ruleset_attr.
type rulesetAttr struct{ fs, net, scoped uint64 }

// pathAttr is struct landlock_path_beneath_attr, which is packed: the kernel
// reads its first 12 bytes.
type pathAttr struct {
	access uint64
	parent int32
	_      int32
}

// portAttr is struct landlock_net_port_attr.
type portAttr struct{ access, port uint64 }

// newRuleset makes a ruleset that allows nothing of what version knows; network
// leaves TCP out.
func newRuleset(version int, network bool) (*os.File, error) {
	attr := rulesetAttr{fs: known(version).all}
	size := unsafe.Sizeof(attr.fs)
	if version >= 4 {
		size += unsafe.Sizeof(attr.net)
		if !network {
			attr.net = bindTCP | connectTCP
		}
	}
	if version >= 6 {
		size += unsafe.Sizeof(attr.scoped)
		attr.scoped = scopeAbstract | scopeSignal
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("making a Landlock ruleset: %w", errno)
	}
	return os.NewFile(fd, "landlock"), nil
}

// allow allows access to a path and what lies below it. What is not there needs
// no rule.
func allow(rules *os.File, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // what cannot be reached now cannot be read either
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= readFile | writeFile1 | unix.LANDLOCK_ACCESS_FS_TRUNCATE | devices
	}
	attr := pathAttr{access: access, parent: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	runtime.KeepAlive(rules)
	if errno != 0 {
		return fmt.Errorf("allowing %s: %w", path, errno)
	}
	return nil
}

func allowPort(rules *os.File, port uint16) error {
	attr := portAttr{access: connectTCP, port: uint64(port)}
	const rulePort = 2
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules.Fd(), rulePort, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	runtime.KeepAlive(rules)
	if errno != 0 {
		return fmt.Errorf("allowing port %d: %w", port, errno)
	}
	return nil
}

// confine puts rules on the calling thread for good, and takes its capabilities.
func confine(rules *os.File) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %v", err)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // only who has some may drop them
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&head, &none[0]); err != nil {
		return fmt.Errorf("giving up capabilities: %v", err)
	}
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules.Fd(), 0, 0)
	runtime.KeepAlive(rules)
	if errno != 0 {
		return fmt.Errorf("putting Landlock's rules in force: %v", errno)
	}
	return nil
}

// onThread runs f on a thread that nothing else uses, before or after.
func onThread(f func() error) error {
	answer := make(chan error)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The first thread does not end, and is what others see of this
			// process. While this goroutine has it, another gets another.
			answer <- onThread(f)
			runtime.UnlockOSThread()
			return
		}
		answer <- f() // never unlocked: the thread ends with the goroutine
	}()
	return <-answer
}
