package namespace

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// Descriptors of PID 1. Standard ones are the command's; sources of mounts
// follow.
const (
	reportFD  = 3 // where reports are written, closed on exec
	rootFD    = 4 // the supervisor's root, to leave the command's root again
	noDirFD   = 5 // an empty folder, for masks
	noFileFD  = 6 // an empty file, for masks
	machineFD = 7 // the machine's root, to find sources of mounts in
	firstFree = 8
)

// Folders as commands see them.
const (
	ownDir  = "/clade"
	workDir = ownDir + "/work"
	homeDir = ownDir + "/home"
)

// fresh are folders that every command has for itself, in memory.
var fresh = sandbox.OwnFolders

// assemble writes the program of one command. std are its three standard
// descriptors, tell the pipe for reports; both are the supervisor's numbers,
// tell above all that PID 1 uses.
func (b *base) assemble(r *run, std [3]int, tell int) (*program, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	p := &program{flags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
		uintptr(unix.SIGCHLD)}
	p.waits = 1<<(unix.SIGCHLD-1) | 1<<(unix.SIGTERM-1)
	a := &assembler{p: p, ops: &p.init}
	a.attach(std, tell)
	sources := a.sources(r.Mounts)
	a.enter()
	a.ownFolders(b, r)
	for i, m := range r.Mounts {
		if err := a.mount(m, sources[i]); err != nil {
			return nil, err
		}
	}
	a.leave()
	a.limits(r)
	a.renounce(b.setup.Root)
	a.command(r)
	return p, nil
}

func check(r *run) error {
	for _, list := range [][]string{r.Args, r.Env, {r.Dir}} {
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return fmt.Errorf("a NUL byte in %q", s)
			}
		}
	}
	return nil
}

// attach takes the descriptors, ties PID 1's life to the supervisor's and
// closes everything else.
func (a *assembler) attach(std [3]int, tell int) {
	all := ^uint64(0)
	a.add("block signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, keep(a, all), 0, 8)
	a.add("die with the supervisor", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	for i, fd := range std {
		a.add("take standard streams", unix.SYS_DUP3, uintptr(fd), uintptr(i), 0)
	}
	a.add("take the report pipe", unix.SYS_DUP3, uintptr(tell), reportFD, unix.O_CLOEXEC)
	a.add("close descriptors", unix.SYS_CLOSE_RANGE, rootFD, uintptr(^uint32(0)), 0)
	// Whoever reads reports is gone: so was the death signal. POLLERR says so.
	poll := unix.PollFd{Fd: reportFD}
	a.add("find the supervisor", unix.SYS_PPOLL, keep(a, poll), 1, keep(a, unix.Timespec{}), 0, 8).want = 0
	a.add("leave the session's keys", unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0).forgive[0] = anyErrno
	a.add("set umask", unix.SYS_UMASK, 0o022)
	a.add("set host name", unix.SYS_SETHOSTNAME, a.str("clade"), 5)
	a.next = rootFD
	a.open("open the root", "/", unix.O_PATH|unix.O_DIRECTORY)
	a.open("open a mask", maskDir, unix.O_PATH)
	a.open("open a mask", maskFile, unix.O_PATH)
	a.open("open the machine's root", hostDir, unix.O_PATH|unix.O_DIRECTORY)
}

// enter makes the command's root the root of every later path.
func (a *assembler) enter() {
	a.add("enter the root", unix.SYS_CHROOT, a.str(newRoot))
	a.add("enter the root", unix.SYS_CHDIR, a.str("/"))
}

// leave makes it the only root there is, and lets go of the host's.
func (a *assembler) leave() {
	a.add("leave the root", unix.SYS_FCHDIR, rootFD)
	a.add("leave the root", unix.SYS_CHROOT, a.str("."))
	a.add("find the root", unix.SYS_CHDIR, a.str(newRoot))
	a.add("change the root", unix.SYS_PIVOT_ROOT, a.str("."), a.str("."))
	a.add("find the old root", unix.SYS_FCHDIR, rootFD)
	a.add("detach the old root", unix.SYS_UMOUNT2, a.str("."), unix.MNT_DETACH)
	a.add("find the root", unix.SYS_CHDIR, a.str("/"))
	a.add("close descriptors", unix.SYS_CLOSE_RANGE, rootFD, uintptr(^uint32(0)), 0)
}

// ownFolders mounts what every command has for itself.
func (a *assembler) ownFolders(b *base, r *run) {
	const flags = unix.MS_NOSUID | unix.MS_NODEV
	a.add("mount /proc", unix.SYS_MOUNT, a.str("proc"), a.str("/proc"), a.str("proc"), flags|unix.MS_NOEXEC, 0)
	for _, p := range b.procLocks {
		a.add("lock "+p, unix.SYS_MOUNT, a.str(p), a.str(p), 0, unix.MS_BIND, 0).forgive = [2]syscall.Errno{syscall.ENOENT}
		a.add("lock "+p, unix.SYS_MOUNT, 0, a.str(p), 0, unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|flags|unix.MS_NOEXEC, 0).
			forgive = [2]syscall.Errno{syscall.ENOENT}
	}
	most := b.setup.Scratch
	if r.Disk > 0 {
		most = min(most, r.Disk)
	}
	size := strconv.FormatInt(most, 10)
	for _, dir := range b.fresh {
		a.add("mount "+dir, unix.SYS_MOUNT, a.str("tmpfs"), a.str(dir), a.str("tmpfs"), flags, a.str("mode=1777,size="+size))
	}
	a.add("mount "+ownDir, unix.SYS_MOUNT, a.str("tmpfs"), a.str(ownDir), a.str("tmpfs"), flags, a.str("mode=0755,size="+size))
	a.add("make "+workDir, unix.SYS_MKDIRAT, atCWD, a.str(workDir), 0o755)
	a.add("make "+homeDir, unix.SYS_MKDIRAT, atCWD, a.str(homeDir), 0o755)
}

// limits sets what every process of the command is bound by. The kernel rather
// kills it than the engine when the machine's memory is short.
func (a *assembler) limits(r *run) {
	set := func(what int, cur, hard uint64) {
		a.add("set limits", unix.SYS_PRLIMIT64, 0, uintptr(what), keep(a, unix.Rlimit{Cur: cur, Max: hard}), 0)
	}
	set(unix.RLIMIT_CORE, 0, 0)
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil { // the runtime raised the soft limit
		set(unix.RLIMIT_NOFILE, min(files.Max, openFiles), files.Max)
	}
	if r.Disk > 0 {
		set(unix.RLIMIT_FSIZE, uint64(r.Disk), uint64(r.Disk))
	}
	if r.Data > 0 {
		set(unix.RLIMIT_DATA, r.Data, r.Data)
	}
	if r.Tasks > 0 {
		set(unix.RLIMIT_NPROC, r.Tasks, r.Tasks)
	}
	fd := a.next
	a.next = rootFD
	o := a.add("choose the victim", unix.SYS_OPENAT, atCWD, a.str("/proc/self/oom_score_adj"), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	o.forgive[0] = anyErrno
	a.add("choose the victim", unix.SYS_WRITE, rootFD, a.str("900"), 3).forgive[0] = anyErrno
	a.add("choose the victim", unix.SYS_CLOSE, rootFD).forgive[0] = anyErrno
	a.next = fd
}

// openFiles is the soft limit of open files, whatever the user's shell has.
const openFiles = 16384

// rootCaps are what root of a container is used to, within the user namespace.
// None of them reaches a mount, the network or another user's process.
var rootCaps = []uint{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID,
	unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE, unix.CAP_SYS_CHROOT,
	unix.CAP_SETFCAP, // without it root cannot map itself into user namespaces of its own
}

// renounce gives up every privilege for good, and bars the command from PID 1's
// memory, where other commands' environments may lie.
func (a *assembler) renounce(root bool) {
	var kept uint64
	if root {
		for _, c := range rootCaps {
			kept |= 1 << c
		}
	}
	for c := uint(0); c <= unix.CAP_LAST_CAP; c++ {
		if kept&(1<<c) == 0 {
			a.add("drop capabilities", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, uintptr(c)).forgive[0] = syscall.EINVAL
		}
	}
	a.add("drop capabilities", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	lo, hi := uint32(kept), uint32(kept>>32)
	data := [2]unix.CapUserData{{Effective: lo, Permitted: lo}, {Effective: hi, Permitted: hi}}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	a.add("drop capabilities", unix.SYS_CAPSET, keep(a, header), keep(a, data))
	a.add("forbid new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	a.add("close PID 1's memory", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// command is what the command's own process does, and what it executes.
func (a *assembler) command(r *run) {
	a.ops = &a.p.main
	a.add("make a session", unix.SYS_SETSID)
	a.add("unblock signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, keep(a, uint64(0)), 0, 8)
	a.add("enter folder "+r.Dir, unix.SYS_CHDIR, a.str(r.Dir))
	for _, p := range sandbox.Programs(r.Args[0], r.Env) {
		a.p.paths = append(a.p.paths, a.str(p))
	}
	a.p.argv, a.p.envv = a.vector(r.Args), a.vector(r.Env)
}
