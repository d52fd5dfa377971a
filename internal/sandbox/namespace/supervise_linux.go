package namespace

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socketFD is where a supervisor finds its socket.
const socketFD = 3

// Main turns the program into a supervisor, and does not return, when it was
// started as one. It must be the first thing that main and TestMain do.
func Main() {
	if len(os.Args) != 2 || os.Args[1] != SupervisorArg {
		return
	}
	runtime.LockOSThread() // PID 1s die with this thread
	if err := supervise(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func supervise() error {
	// Again, since changes of credentials clear it; the end of the socket says
	// so if the engine died before.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("tying a supervisor to its engine: %w", err)
	}
	unix.CloseOnExec(socketFD)
	w, err := newWire(os.NewFile(socketFD, "socket"))
	if err != nil {
		return err
	}
	first, _, err := w.receive()
	if err != nil || first.Setup == nil {
		return fmt.Errorf("starting a supervisor: no setup: %w", err)
	}
	s := &supervisor{wire: w}
	if s.base, err = newBase(first.Setup); err != nil {
		return w.send(message{Ended: &ended{Err: err.Error()}})
	}
	if err := w.send(message{Ended: &ended{}}); err != nil {
		return fmt.Errorf("answering the engine: %w", err)
	}
	open, cut := make(chan job), make(chan job)
	go s.listen(open, cut)
	for range isolators {
		go s.isolate(cut)
	}
	for j := range open {
		s.answer(s.run(j))
	}
	return nil
}

type job struct {
	run *run
	fds []int
}

// isolators is how many threads have a network of their own ready for a
// command. To make one takes as long as everything else, so the second is made
// while the first is used.
const isolators = 2

// isolate runs the commands that have no network. What a thread forks is born
// into the thread's network, which is used once.
func (s *supervisor) isolate(jobs <-chan job) {
	runtime.LockOSThread() // PID 1s die with this thread: it never ends
	for {
		err := newNetwork()
		j := <-jobs
		if err == nil {
			err = s.openGates(j.run.Gateways)
		}
		if err != nil {
			s.answer(&ended{Err: errors.Join(err, closeAll(j.fds)).Error()})
			continue
		}
		s.answer(s.run(j))
	}
}

// newNetwork gives this thread a network with nothing but a loopback.
func newNetwork() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("making a network: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bringing loopback up: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err == nil {
		lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
	}
	if err != nil {
		return fmt.Errorf("bringing loopback up: %w", err)
	}
	return nil
}

// answer tells the engine. Without one there is nothing left to do.
func (s *supervisor) answer(e *ended) {
	if err := s.wire.send(message{Ended: e}); err != nil {
		os.Exit(1)
	}
}

type supervisor struct {
	wire *wire
	base *base

	mu      sync.Mutex
	pid     int            // of the running PID 1, 0 if there is none
	pending syscall.Signal // came before there was one
}

// listen takes what the engine says, also while a command runs.
func (s *supervisor) listen(open, cut chan<- job) {
	for {
		m, fds, err := s.wire.receive()
		switch {
		case err != nil: // the engine is gone, and so must be everything
			s.signal(unix.SIGKILL)
			os.Exit(0)
		case m.Run != nil && len(fds) == streams:
			s.mu.Lock()
			s.pending = 0
			s.mu.Unlock()
			jobs := cut
			if m.Run.Network {
				jobs = open
			}
			jobs <- job{m.Run, fds}
		case m.Signal != nil && m.Signal.Kill:
			s.signal(unix.SIGKILL)
		case m.Signal != nil:
			s.signal(unix.SIGTERM)
		}
	}
}

func (s *supervisor) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pid == 0 {
		if s.pending != unix.SIGKILL {
			s.pending = sig
		}
		return
	}
	_ = unix.Kill(s.pid, sig)
}

// run runs one command to its end.
func (s *supervisor) run(j job) *ended {
	reports, pid, p, err := s.start(j)
	if err != nil {
		return &ended{Err: err.Error()}
	}
	defer func() { _ = unix.Close(reports) }()
	told := readReports(reports)
	s.mu.Lock() // its number is still its own until it is waited for
	s.pid = 0
	s.mu.Unlock()
	var usage unix.Rusage
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(pid, &status, 0, &usage); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	runtime.KeepAlive(p)
	return p.result(told, &usage)
}

// start forks PID 1 and returns the pipe of its reports, which ends with it.
func (s *supervisor) start(j job) (reports, pid int, p *program, err error) {
	defer func() { err = errors.Join(err, closeAll(j.fds)) }()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return 0, 0, nil, fmt.Errorf("opening a pipe: %w", err)
	}
	// Clear of the numbers that PID 1 puts its descriptors at.
	tell, err := unix.FcntlInt(uintptr(pipe[1]), unix.F_DUPFD_CLOEXEC, firstFree)
	_ = unix.Close(pipe[1])
	if err != nil {
		_ = unix.Close(pipe[0])
		return 0, 0, nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer func() { _ = unix.Close(tell) }()
	p, err = s.base.assemble(j.run, [streams]int(j.fds), tell)
	if err == nil {
		pid, err = s.fork(p)
	}
	if err != nil {
		_ = unix.Close(pipe[0])
		return 0, 0, nil, err
	}
	return pipe[0], pid, p, nil
}

func (s *supervisor) fork(p *program) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pid, errno := p.fork()
	if errno != 0 {
		return 0, fmt.Errorf("forking: %w", errno)
	}
	s.pid = pid
	if s.pending != 0 {
		_ = unix.Kill(pid, s.pending)
		s.pending = 0
	}
	return pid, nil
}

// readReports reads until PID 1 has ended; the last whole report counts.
func readReports(fd int) *report {
	var last *report
	buf := make([]byte, reportSize)
	for fill := 0; ; {
		n, err := unix.Read(fd, buf[fill:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 || err != nil {
			return last
		}
		if fill += n; fill == len(buf) {
			if r := parseReport(buf); last == nil || r.kind != reportEnded {
				last = r
			} else if last.kind == reportMain || last.kind == reportExec {
				last.usage = r.usage
			}
			fill = 0
		}
	}
}

func parseReport(b []byte) *report {
	r := new(report)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(r)), reportSize), b)
	return r
}

// result says how the command ended, from what was told and what the kernel
// counted for PID 1 and all below it.
func (p *program) result(told *report, all *unix.Rusage) *ended {
	if told == nil {
		return &ended{Killed: true, CPU: cpu(all.Utime.Nano(), all.Stime.Nano()), MaxRSS: all.Maxrss << 10}
	}
	e := &ended{
		Status: syscall.WaitStatus(told.status), Strays: int(told.strays), Errno: syscall.Errno(told.errno),
		CPU: cpu(told.usage.Utime.Nano(), told.usage.Stime.Nano()), MaxRSS: told.usage.Maxrss << 10,
	}
	switch told.kind {
	case reportInit:
		e.Err = p.failure(p.init, told)
	case reportMain:
		what := p.main[told.index].what
		if p.main[told.index].nr == unix.SYS_CHDIR {
			e.Failed = what
		} else {
			e.Err = p.failure(p.main, told)
		}
	case reportExec:
		e.Failed = "execute"
	}
	return e
}

func (p *program) failure(ops []op, told *report) string {
	what := "fork"
	if told.index >= 0 {
		what = ops[told.index].what
	}
	return what + ": " + syscall.Errno(told.errno).Error()
}

func cpu(user, system int64) time.Duration { return time.Duration(user + system) }
