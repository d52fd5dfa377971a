package bwrap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// A Sandbox runs commands side by side; it holds nothing between them.
type Sandbox struct {
	options Options
	program string   // bubblewrap
	exe     string   // this program
	locks   []string // entries of /proc that no command may write
}

var _ sandbox.Sandbox = (*Sandbox)(nil)

// New finds bubblewrap. It fails with ErrUnavailable without it.
func New(o Options) (*Sandbox, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, fmt.Errorf("%w: it is not installed", ErrUnavailable)
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s := &Sandbox{options: o, program: program, exe: exe}
	if os.Geteuid() == 0 {
		if s.locks, err = sandbox.MachineProc("/proc"); err != nil {
			return nil, fmt.Errorf("%w: reading /proc: %w", ErrUnavailable, err)
		}
	}
	return s, nil
}

// Probe runs a command once and says, in the chain of ErrUnavailable, why that
// does not work here.
func Probe(ctx context.Context) error {
	s, err := New(Options{})
	if err != nil {
		return err
	}
	r, err := s.Run(ctx, sandbox.Command{Args: []string{"true"}, Env: []string{"PATH=" + os.Getenv("PATH") + ":/bin:/usr/bin"}, Dir: "/"})
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case !r.OK():
		return fmt.Errorf("%w: true ended with %d %s: %s", ErrUnavailable, r.Exit, r.Signal, r.Stderr.End())
	}
	return nil
}

// Grade is GradeBwrap.
func (*Sandbox) Grade() string { return sandbox.GradeBwrap }

// Mounts is false.
func (*Sandbox) Mounts() bool { return false }

// Home is "".
func (*Sandbox) Home() string { return "" }

// Work is "".
func (*Sandbox) Work() string { return "" }

// Close does nothing.
func (*Sandbox) Close() error { return nil }

// Run runs one command. Limits.Memory bounds each process's data, and
// Limits.Processes does not bind root.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if r, done, err := c.Refused(ctx, s.Grade()); done {
		return r, err
	}
	// The kernel kills bubblewrap when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	said := sandbox.NewCapture(16 << 10)
	cmd, conn, err := s.build(c, said)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the warden tells how the command ended
		close(ended)
	}()
	w := sandbox.Ward{Grade: s.Grade(), Conn: conn, Limits: c.Limits, Said: func() string {
		<-ended
		st := said.Stream()
		return strings.TrimSpace(string(st.Head) + string(st.Tail))
	}}
	r, err := w.Attend(ctx, c)
	_ = cmd.Process.Kill()
	<-ended
	return r, err
}

// build starts bubblewrap and returns the socket that its warden has.
func (s *Sandbox) build(c sandbox.Command, said *sandbox.Capture) (*exec.Cmd, *net.UnixConn, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("opening a socket: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "warden"), os.NewFile(uintptr(fds[1]), "engine")
	defer func() { _ = errors.Join(ours.Close(), theirs.Close()) }()
	list, err := written(arguments(machine(), s.options, c, s.exe, s.locks))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = list.Close() }()
	cmd := &exec.Cmd{
		Path: s.program, Args: []string{"bwrap", "--args", "4", wardenPath, sandbox.WardenArg}, Dir: "/", Env: []string{},
		ExtraFiles: []*os.File{theirs, list}, Stdout: said, Stderr: said,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, nil, fmt.Errorf("opening a socket: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting bubblewrap: %w", err), conn.Close())
	}
	return cmd, conn.(*net.UnixConn), nil
}

// written is a file in memory with arguments as bubblewrap reads them.
func written(args []string) (*os.File, error) {
	fd, err := unix.MemfdCreate("arguments", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("writing arguments: %w", err)
	}
	f := os.NewFile(uintptr(fd), "arguments")
	_, err = f.WriteString(strings.Join(args, "\x00") + "\x00")
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("writing arguments: %w", err), f.Close())
	}
	return f, nil
}
