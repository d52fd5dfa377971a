package namespace

import (
	"syscall"
	_ "unsafe" // for linkname

	"golang.org/x/sys/unix"
)

// The runtime is told around a fork as package syscall tells it: signals are
// blocked meanwhile, growing the stack is a fatal error, and the child has no
// handlers. These names are kept for gVisor, see go.dev/issue/67401.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// An op is one system call of a program.
type op struct {
	nr      uintptr
	args    [6]uintptr
	want    uintptr // the result it must have, or anyResult
	forgive [2]syscall.Errno
	what    string // for the error of it failing
}

const (
	anyResult = ^uintptr(0)
	anyErrno  = ^syscall.Errno(0)
)

// A report is what PID 1 or the command before its exec writes to the
// supervisor, whole, in one write.
type report struct {
	kind   int64 // one of the constants below
	index  int64 // of the op that failed
	errno  int64
	status int64
	strays int64
	usage  syscall.Rusage // of all the command's processes
}

const (
	reportEnded = 1 + iota
	reportInit  // an op of init failed
	reportMain  // an op of main failed
	reportExec  // no candidate could be executed
)

// A program is everything PID 1 does, prepared so that nothing is allocated in
// it. Its memory does not move: it is all on the heap and kept by keep.
type program struct {
	flags uintptr // of clone
	init  []op    // PID 1, before the command's process is forked
	main  []op    // the command's process, before exec
	paths []uintptr
	argv  uintptr
	envv  uintptr

	report report
	status int32
	waits  uint64 // signal set
	info   [128]byte
	keep   []any
}

// fork starts PID 1 and returns its number. The calling goroutine must be
// locked to its thread: PID 1 is told to die with it.
//
//go:noinline
//go:norace
//go:nocheckptr
func (p *program) fork() (int, syscall.Errno) {
	beforeFork()
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, p.flags, 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		afterForkInChild()
		p.runInit()
	}
	afterFork()
	return int(pid), errno
}

// runInit is PID 1. It never returns.
//
//go:nosplit
//go:noinline
//go:norace
//go:nocheckptr
func (p *program) runInit() {
	if i, errno := perform(p.init); errno != 0 {
		p.fail(reportInit, i, errno)
	}
	main, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		p.fail(reportInit, -1, errno)
	}
	if main == 0 {
		p.runMain()
	}
	p.await(main)
	p.sweep()
	p.report.kind = reportEnded
	p.tell()
	exit(0)
}

// await reaps until the main process has ended, and passes SIGTERM on to all.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *program) await(main uintptr) {
	for {
		for {
			pid, errno := p.wait(unix.WNOHANG)
			if pid == main && errno == 0 {
				p.report.status = int64(p.status)
				return
			}
			if pid == 0 || errno != 0 {
				break
			}
		}
		sig, _, _ := syscall.RawSyscall6(unix.SYS_RT_SIGTIMEDWAIT, addr(&p.waits), addr(&p.info[0]), 0, 8, 0, 0)
		if sig == uintptr(unix.SIGTERM) {
			syscall.RawSyscall6(unix.SYS_KILL, everyone, uintptr(unix.SIGTERM), 0, 0, 0, 0)
		}
	}
}

// sweep kills and counts what outlived the main process. Children that had
// ended already are no strays.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *program) sweep() {
	for {
		if pid, errno := p.wait(unix.WNOHANG); pid == 0 || errno != 0 {
			break
		}
	}
	syscall.RawSyscall6(unix.SYS_KILL, everyone, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	for {
		if _, errno := p.wait(0); errno == syscall.ECHILD {
			break
		}
		p.report.strays++
	}
	syscall.RawSyscall6(unix.SYS_GETRUSAGE, children, addr(&p.report.usage), 0, 0, 0, 0)
}

// Arguments that mean all: kill(-1), wait4(-1), getrusage(RUSAGE_CHILDREN).
const (
	everyone = ^uintptr(0)
	children = ^uintptr(0)
)

//go:nosplit
//go:norace
//go:nocheckptr
func (p *program) wait(flags uintptr) (uintptr, syscall.Errno) {
	for {
		pid, _, errno := syscall.RawSyscall6(unix.SYS_WAIT4, everyone, addr(&p.status), flags|unix.WALL, 0, 0, 0)
		if errno != syscall.EINTR {
			return pid, errno
		}
	}
}

// runMain becomes the command. It never returns.
//
//go:nosplit
//go:noinline
//go:norace
//go:nocheckptr
func (p *program) runMain() {
	if i, errno := perform(p.main); errno != 0 {
		p.fail(reportMain, i, errno)
	}
	failure := syscall.ENOENT
	for _, path := range p.paths {
		_, _, errno := syscall.RawSyscall6(unix.SYS_EXECVE, path, p.argv, p.envv, 0, 0, 0)
		switch errno {
		case syscall.ENOENT, syscall.ENOTDIR:
		case syscall.EACCES: // execvp looks on and remembers it
			failure = errno
		default:
			p.fail(reportExec, 0, errno)
		}
	}
	p.fail(reportExec, 0, failure)
}

// perform makes the calls in order until one fails.
//
//go:nosplit
//go:norace
//go:nocheckptr
func perform(ops []op) (int, syscall.Errno) {
	for i := range ops {
		o := &ops[i]
		r, _, errno := syscall.RawSyscall6(o.nr, o.args[0], o.args[1], o.args[2], o.args[3], o.args[4], o.args[5])
		switch {
		case errno == 0 && (o.want == anyResult || r == o.want):
		case errno == 0:
			return i, syscall.EBADMSG
		case o.forgive[0] == anyErrno || errno == o.forgive[0] || errno == o.forgive[1]:
		default:
			return i, errno
		}
	}
	return 0, 0
}

//go:nosplit
//go:norace
//go:nocheckptr
func (p *program) fail(kind int64, index int, errno syscall.Errno) {
	p.report.kind, p.report.index, p.report.errno = kind, int64(index), int64(errno)
	p.tell()
	exit(127)
}

//go:nosplit
//go:norace
//go:nocheckptr
func (p *program) tell() {
	syscall.RawSyscall6(unix.SYS_WRITE, reportFD, addr(&p.report), reportSize, 0, 0, 0)
}

//go:nosplit
//go:norace
func exit(code uintptr) {
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, code, 0, 0, 0, 0, 0)
	}
}
