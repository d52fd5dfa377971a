package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

// A Sandbox runs commands side by side; it holds nothing between them.
type Sandbox struct {
	options Options
	program string // docker or podman
	exe     string // this program
}

var _ sandbox.Sandbox = (*Sandbox)(nil)

// New finds docker or podman, removes what dead engines left, and then looks for
// the image. It fails with ErrUnavailable without the first, and with a
// clade.Problem of clade.FaultSpec or clade.FaultEnvironment without the image.
func New(ctx context.Context, o Options) (*Sandbox, error) {
	program, err := Engine(ctx)
	if err != nil {
		return nil, err
	}
	if err := sweep(ctx, program); err != nil {
		return nil, &clade.Problem{Text: "containers of earlier runs cannot be removed", Err: err}
	}
	if err := present(ctx, program, o.Image); err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return &Sandbox{o, program, exe}, nil
}

// Grade is GradeContainer.
func (*Sandbox) Grade() string { return sandbox.GradeContainer }

// Mounts is false.
func (*Sandbox) Mounts() bool { return false }

// Home is "".
func (*Sandbox) Home() string { return "" }

// Work is "".
func (*Sandbox) Work() string { return "" }

// Close does nothing.
func (*Sandbox) Close() error { return nil }

// Run runs one command. What of its folders and readable files is not there is
// left out.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if r, done, err := c.Refused(ctx, s.Grade()); done {
		return r, err
	}
	mark, err := proc.NewMark()
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	b := &building{program: s.program, name: "clade-" + strings.ToLower(rand.Text()), said: sandbox.NewCapture(16 << 10), ended: make(chan struct{})}
	if err := b.begin(ctx, s, c, mark); err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	defer b.end()
	conn, err := b.answered(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return sandbox.Result{Exit: -1, Cancelled: true, Grade: s.Grade()}, nil
	case err != nil:
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	// Memory and processes are held for the whole container.
	w := sandbox.Ward{Grade: s.Grade(), Conn: conn, Limits: sandbox.Limits{Disk: c.Limits.Disk}, Said: b.failure}
	return w.Attend(ctx, c)
}

// A building is a container that is being made and run.
type building struct {
	program, name string
	dir           string // of the socket
	listener      *net.UnixListener
	cmd           *exec.Cmd
	said          *sandbox.Capture
	ended         chan struct{} // closed when docker or podman has ended
}

func (b *building) begin(_ context.Context, s *Sandbox, c sandbox.Command, mark proc.Mark) (err error) {
	if b.dir, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", socketPrefix, os.Getpid())); err != nil {
		return fmt.Errorf("making a folder for a socket: %w", err)
	}
	b.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(b.dir, socketName), Net: "unix"})
	if err != nil {
		return errors.Join(fmt.Errorf("opening a socket: %w", err), os.RemoveAll(b.dir))
	}
	var files, tasks unix.Rlimit
	if err := errors.Join(unix.Getrlimit(unix.RLIMIT_NOFILE, &files), unix.Getrlimit(unix.RLIMIT_NPROC, &tasks)); err != nil {
		return errors.Join(err, b.remove())
	}
	gone := func(p string) bool { _, err := os.Stat(p); return err != nil }
	c.Readable, c.Writable = slices.DeleteFunc(slices.Clone(c.Readable), gone), slices.DeleteFunc(slices.Clone(c.Writable), gone)
	o := Options{Image: s.options.Image, Show: slices.DeleteFunc(slices.Clone(s.options.Show), gone)}
	p := place{exe: s.exe, socket: b.dir, uid: os.Geteuid(), gid: os.Getegid(), descriptors: files.Max, processes: min(tasks.Max, numbers())}
	args := arguments(filepath.Base(s.program) == "podman", o, c, b.name, mark, p)
	b.cmd = exec.Command(s.program, args...)
	b.cmd.Stdout, b.cmd.Stderr, b.cmd.SysProcAttr = b.said, b.said, &syscall.SysProcAttr{Setsid: true}
	if err := b.cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("starting %s: %w", s.program, err), b.remove())
	}
	go func() {
		_ = b.cmd.Wait() // the warden tells how the command ended
		close(b.ended)
	}()
	return nil
}

// numbers is how many processes the machine can number: podman allows no user
// more, whatever the limit is here.
func numbers() uint64 {
	b, err := os.ReadFile("/proc/sys/kernel/pid_max")
	n, perr := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || perr != nil {
		return 1 << 15 // Linux's default
	}
	return n
}

// answered waits for the warden's call.
func (b *building) answered(ctx context.Context) (*net.UnixConn, error) {
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-over:
		case <-b.ended:
		case <-ctx.Done():
		}
		_ = b.listener.Close()
	}()
	conn, err := b.listener.AcceptUnix()
	if err != nil {
		return nil, fmt.Errorf("no container was made: %s", b.failure())
	}
	_ = os.RemoveAll(b.dir) // nobody else calls, and nothing is left should this process be killed
	return conn, nil
}

// failure says why there is no container, when docker or podman has ended. Its
// exit status says whose fault it is.
func (b *building) failure() string {
	<-b.ended
	st := b.said.Stream()
	text := strings.TrimSpace(string(st.Head) + string(st.Tail))
	switch b.cmd.ProcessState.ExitCode() {
	case 125:
		return "it could not be made: " + text
	case 126:
		return "clade cannot be executed in it, was it built for another machine? " + text
	case 127:
		return "clade is not found in it, it must be a static program: " + text
	}
	return text
}

// end removes the container, unless it is gone, and waits for docker or podman.
func (b *building) end() {
	select {
	case <-b.ended:
	default:
		_, _ = ask(context.Background(), b.program, "rm", "--force", b.name) // --rm may have been faster
		<-b.ended
	}
	_ = b.remove()
}

func (b *building) remove() error {
	_ = b.listener.Close() // it may be closed
	return os.RemoveAll(b.dir)
}
