// Package none runs commands without isolation: in a process group of their
// own, with a mark in their environment by which strays are found and killed,
// and with the limits that the system can hold for single processes. A command
// sees and may write whatever the user can, and has the network. What it starts
// is all dead when Run returns, unless it scrubbed the mark and left its group.
package none

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

// fileTooLarge is the signal that ends a process which wrote more than
// Limits.Disk to a file.
const fileTooLarge = "file size limit exceeded"

// reapWait bounds how long strays are killed and how long output is waited for
// that an unfindable one holds open.
const reapWait = 2 * time.Second

// Options are how a Sandbox is set up. There is nothing to choose yet.
type Options struct{}

// A Sandbox runs commands side by side; it holds nothing between them.
type Sandbox struct{}

var _ sandbox.Sandbox = (*Sandbox)(nil)

// New never fails: every system can run a command.
func New(Options) (*Sandbox, error) { return &Sandbox{}, nil }

// Grade is GradeNone.
func (*Sandbox) Grade() string { return sandbox.GradeNone }

// Mounts is false.
func (*Sandbox) Mounts() bool { return false }

// Home is "".
func (*Sandbox) Home() string { return "" }

// Work is "".
func (*Sandbox) Work() string { return "" }

// Close does nothing.
func (*Sandbox) Close() error { return nil }

// Run runs one command. Its environment is c.Env and the mark. Limits.Memory
// bounds each process's data on Linux, the whole tree on Windows, nothing on darwin.
// Limits.Processes bounds the user's processes beyond those there are now, and
// does not bind root. The network is never cut, so gateways are reached as they
// are, and nothing is hidden.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if len(c.Args) == 0 {
		return sandbox.Result{}, errors.New("running a command: no arguments")
	}
	if len(c.Mounts) > 0 {
		return sandbox.Result{}, fmt.Errorf("running %s: this sandbox makes no mounts", c.Args[0])
	}
	if err := sandbox.CheckGateways(c.Gateways); err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	if err := context.Cause(ctx); err != nil {
		return sandbox.Result{Exit: -1, Cancelled: true, Grade: s.Grade()}, nil
	}
	mark, err := proc.NewMark()
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	path, err := lookPath(c)
	if err != nil {
		return sandbox.Unstarted(s.Grade(), c.Args[0], err), nil
	}
	if _, err := os.Stat(c.Dir); c.Dir != "" && err != nil {
		return sandbox.Unstarted(s.Grade(), "enter folder "+c.Dir, err), nil
	}
	pipes, err := sandbox.OpenPlumbing(c)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	cmd := &exec.Cmd{
		Path: path, Args: c.Args, Dir: c.Dir, Env: append(c.Env[:len(c.Env):len(c.Env)], mark.Env()),
		Stdin: pipes.Child[0], Stdout: pipes.Child[1], Stderr: pipes.Child[2],
		SysProcAttr: attributes(),
	}
	begun := time.Now()
	tree, err := start(cmd, c.Limits)
	if err != nil {
		pipes.Abort()
		return unstarted(s.Grade(), c, err)
	}
	pipes.Started()
	r := s.watch(ctx, c, cmd, tree, mark)
	r.Wall = time.Since(begun)
	r.Stdout, r.Stderr = pipes.Finish(reapWait)
	return r, nil
}

// watch waits for the main process, then for the death of all it left behind.
func (s *Sandbox) watch(ctx context.Context, c sandbox.Command, cmd *exec.Cmd, tree *tree, mark proc.Mark) sandbox.Result {
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the state says how it ended
		close(ended)
	}()
	w := sandbox.WatchOver(ctx, c, ended, tree.terminate, tree.kill)
	reap, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapWait)
	defer cancel()
	strays, _ := mark.Kill(reap) // what is unkillable is in the kernel's hands
	tree.kill()
	tree.close()

	r := sandbox.Result{TimedOut: w.TimedOut, Cancelled: w.Cancelled, Strays: strays, Grade: s.Grade()}
	state := cmd.ProcessState
	r.Exit = state.ExitCode()
	r.CPU = state.UserTime() + state.SystemTime()
	r.PeakMemory = peakMemory(state)
	r.Signal = signalName(state)
	r.OutOfDisk = r.Signal == fileTooLarge
	return r
}

// unstarted tells the command's own fault from the machine's.
func unstarted(grade string, c sandbox.Command, err error) (sandbox.Result, error) {
	for _, own := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ENOEXEC, exec.ErrNotFound} {
		if errors.Is(err, own) {
			return sandbox.Unstarted(grade, c.Args[0], err), nil
		}
	}
	return sandbox.Result{}, fmt.Errorf("starting %s: %w", c.Args[0], err)
}
