package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Main turns the program into a warden or a guard, and does not return, when it
// was started as one. It must be the first thing that main and TestMain do.
func Main() {
	if len(os.Args) < 2 {
		return
	}
	work := ward
	switch os.Args[1] {
	case WardenArg:
	case GuardArg:
		work = guard
	default:
		return
	}
	if err := work(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "clade:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// ward does one job. What it returns is said where the sandbox was built; from
// the hello on the engine is told instead.
func ward(args []string) error {
	if os.Getpid() != 1 {
		return errors.New("a warden must be the first process of a PID namespace")
	}
	// What the engine sends is for the command only, which may be the same user.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hiding a warden's memory: %w", err)
	}
	w, err := call(args)
	if err != nil {
		return fmt.Errorf("calling the engine: %w", err)
	}
	if err := hello(w); err != nil {
		return fmt.Errorf("greeting the engine: %w", err)
	}
	m, fds, err := w.receive()
	if err != nil || m.Word != wordJob || len(fds) != streams {
		return errors.Join(fmt.Errorf("taking a job, got %q: %w", m.Word, err), closeAll(fds))
	}
	r := (&warden{wire: w}).perform(m.Job, fds)
	if err := w.send(message{Word: wordReport, Report: r}); err != nil {
		return fmt.Errorf("reporting to the engine: %w", err)
	}
	return nil
}

// call connects to the engine.
func call(args []string) (*wire, error) {
	if len(args) == 0 {
		unix.CloseOnExec(WardenFD)
		return wireOf(os.NewFile(WardenFD, "engine"))
	}
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: args[0], Net: "unix"})
	if err != nil {
		return nil, err
	}
	return &wire{conn: c}, nil
}

// hello tells the engine who the warden is, by something that cannot be reused
// as a number can.
func hello(w *wire) error {
	self, err := unix.PidfdOpen(1, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(self) }()
	return w.send(message{Word: wordHello}, self)
}

type warden struct {
	wire *wire

	mu     sync.Mutex
	main   int // process of the command, 0 before it has one
	killed bool
	ended  bool // main is reaped: its number may be another's
}

// perform runs the command to its end and reaps all that it left.
func (w *warden) perform(j job, fds []int) (r report) {
	if err := w.openGates(j.Gateways); err != nil {
		return report{Err: errors.Join(err, closeAll(fds)).Error()}
	}
	go w.listen()
	kills := oomKills()
	if f, err := w.start(j, fds); f != nil {
		errno := unix.ENOENT
		errors.As(f.err, &errno)
		return report{Failed: f.what, Errno: errno}
	} else if err != nil {
		return report{Err: err.Error()}
	}
	w.reap(&r)
	var all unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &all) == nil {
		r.CPU, r.Peak = time.Duration(all.Utime.Nano()+all.Stime.Nano()), largest(all.Maxrss)
	}
	r.OOM = oomKills() > kills
	return r
}

func (w *warden) start(j job, fds []int) (*fault, error) {
	var files [streams]*os.File
	for i, fd := range fds {
		files[i] = os.NewFile(uintptr(fd), "stream")
		defer func() { _ = files[i].Close() }()
	}
	cmd, f := Command{Args: j.Args, Env: j.Env, Dir: j.Dir}.process()
	if f != nil {
		return f, nil
	}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would be the warden's own
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	_, err := startBound(cmd, rlimitsBeside(j.Limits, wardenTasks))
	if err != nil {
		if own(err) {
			return &fault{j.Args[0], err}, nil
		}
		return nil, fmt.Errorf("starting %s: %w", j.Args[0], err)
	}
	w.began(cmd)
	return nil, nil
}

// wardenTasks is room for the threads of a warden.
const wardenTasks = 24

func (w *warden) began(cmd *exec.Cmd) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.main = cmd.Process.Pid
	_ = cmd.Process.Release() // reap waits for all
	if w.killed {
		_ = unix.Kill(-1, unix.SIGKILL)
	}
}

// reap waits until the command has ended, kills what is left of it, and waits
// for that.
func (w *warden) reap(r *report) {
	for over := false; ; {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD: nothing is left
			return
		case status.Stopped() || status.Continued():
		case over && status.Signaled() && status.Signal() == unix.SIGKILL:
			r.Strays++
		case pid == w.main:
			over, r.Status = true, syscall.WaitStatus(status)
			w.mu.Lock()
			w.ended = true
			_ = unix.Kill(-1, unix.SIGKILL)
			w.mu.Unlock()
		}
	}
}

// listen takes what the engine says. Without an engine everything ends: the
// kernel kills what PID 1 leaves.
func (w *warden) listen() {
	for {
		m, fds, err := w.wire.receive()
		_ = closeAll(fds)
		switch {
		case err != nil:
			os.Exit(1)
		case m.Word == wordTerminate:
			w.signal(unix.SIGTERM)
		case m.Word == wordKill:
			w.signal(unix.SIGKILL)
		}
	}
}

// signal asks the command's process group to end, or kills everything.
func (w *warden) signal(s syscall.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case s == unix.SIGKILL:
		w.killed = true
		_ = unix.Kill(-1, s)
	case w.main > 0 && !w.ended:
		_ = unix.Kill(-w.main, s)
	}
}

// openGates listens where the command looks for its gateways and sends the
// engine the sockets, to accept from.
func (w *warden) openGates(addresses []string) (err error) {
	if len(addresses) == 0 {
		return nil
	}
	var fds []int
	defer func() { err = errors.Join(err, closeAll(fds)) }()
	for _, a := range addresses {
		fd, err := listenAt(a)
		if err != nil {
			return fmt.Errorf("opening gateway %s: %w", a, err)
		}
		fds = append(fds, fd)
	}
	return w.wire.send(message{Word: wordGates}, fds...)
}

func listenAt(address string) (int, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
}

// oomKills is how many processes the memory limit of a container has killed, 0
// where that cannot be seen.
func oomKills() int64 {
	for _, file := range []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range bytes.Lines(b) {
			if v, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("oom_kill ")); ok {
				n, _ := strconv.ParseInt(string(v), 10, 64)
				return n
			}
		}
	}
	return 0
}
