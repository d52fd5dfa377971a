package sandbox

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
)

// fileTooLarge is the signal that ends a process which wrote more than
// Limits.Disk to a file.
const fileTooLarge = "file size limit exceeded"

// reapWait bounds how long strays are killed and how long output is waited for
// that an unfindable one holds open.
const reapWait = 2 * time.Second

// A Direct runs commands on the machine itself: in a session of their own, with
// a mark in their environment by which strays are found and killed, and with the
// limits that the system can hold for single processes. What a command starts is
// all dead when Run returns, unless it scrubbed the mark and left its group.
type Direct struct {
	Grade string
	// Fork, when not nil, has start called on a thread that it has confined: the
	// command inherits what holds for the thread. It returns what start returns,
	// or else why it could not, with nothing of the system in the error's chain.
	Fork func(start func() error) error
	// Guard ends what a command has started when this process dies; nil: the next
	// one that looks for strays does.
	Guard *Guard
}

// Run runs one command. Its environment is c.Env and the mark. Limits.Memory
// bounds each process's data on Linux, the whole tree on Windows, nothing on darwin.
// Limits.Processes bounds the user's processes beyond those there are now, and
// does not bind root. Gateways are reached as they are; mounts are refused.
func (d Direct) Run(ctx context.Context, c Command) (Result, error) {
	if r, done, err := c.Refused(ctx, d.Grade); done {
		return r, err
	}
	if d.Guard != nil {
		if err := d.Guard.Watch(); err != nil {
			return Result{}, err
		}
	}
	mark, err := proc.NewMark()
	if err != nil {
		return Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	cmd, fault := c.process()
	if fault != nil {
		return Unstarted(d.Grade, fault.what, fault.err), nil
	}
	pipes, err := OpenPlumbing(c)
	if err != nil {
		return Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], mark.Env())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.Child[0], pipes.Child[1], pipes.Child[2]
	begun := time.Now()
	tree, err := d.start(cmd, c.Limits)
	if err != nil {
		pipes.Abort()
		if own(err) {
			return Unstarted(d.Grade, c.Args[0], err), nil
		}
		return Result{}, fmt.Errorf("starting %s: %w", c.Args[0], err)
	}
	pipes.Started()
	r := d.watch(ctx, c, cmd, tree, mark)
	r.Wall = time.Since(begun)
	r.Stdout, r.Stderr = pipes.Finish(reapWait)
	return r, nil
}

func (d Direct) start(cmd *exec.Cmd, l Limits) (t *tree, err error) {
	if d.Fork == nil {
		return start(cmd, l)
	}
	err = d.Fork(func() (err error) {
		t, err = start(cmd, l)
		return err
	})
	return t, err
}

// watch waits for the main process, then for the death of all it left behind.
func (d Direct) watch(ctx context.Context, c Command, cmd *exec.Cmd, tree *tree, mark proc.Mark) Result {
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the state says how it ended
		close(ended)
	}()
	w := WatchOver(ctx, c, ended, tree.terminate, tree.kill)
	reap, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapWait)
	defer cancel()
	strays, _ := mark.Kill(reap) // what is unkillable is in the kernel's hands
	tree.kill()
	tree.close()

	r := Result{TimedOut: w.TimedOut, Cancelled: w.Cancelled, Strays: strays, Grade: d.Grade}
	state := cmd.ProcessState
	r.Exit = state.ExitCode()
	r.CPU = state.UserTime() + state.SystemTime()
	r.PeakMemory = peakMemory(state)
	r.Signal = signalName(state)
	r.OutOfDisk = r.Signal == fileTooLarge
	return r
}

// Refused reports whether a sandbox that makes no mounts does not begin a
// command, and what it answers then: an error, or the result of one that was
// cancelled before.
func (c Command) Refused(ctx context.Context, grade string) (Result, bool, error) {
	switch {
	case len(c.Args) == 0:
		return Result{}, true, errors.New("running a command: no arguments")
	case len(c.Mounts) > 0:
		return Result{}, true, fmt.Errorf("running %s: this sandbox makes no mounts", c.Args[0])
	case ctx.Err() != nil:
		return Result{Exit: -1, Cancelled: true, Grade: grade}, true, nil
	}
	if err := CheckGateways(c.Gateways); err != nil {
		return Result{}, true, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	return Result{}, false, nil
}

// A fault is the command's own: its program or folder cannot be had.
type fault struct {
	what string
	err  error
}

// process is what to start for a command, without its streams.
func (c Command) process() (*exec.Cmd, *fault) {
	path, err := lookPath(c)
	if err != nil {
		return nil, &fault{c.Args[0], err}
	}
	if _, err := os.Stat(c.Dir); c.Dir != "" && err != nil {
		return nil, &fault{"enter folder " + c.Dir, err}
	}
	return &exec.Cmd{Path: path, Args: c.Args, Dir: c.Dir, Env: c.Env, SysProcAttr: attributes()}, nil
}

// own tells a command's own fault from the machine's, when it did not start.
func own(err error) bool {
	for _, o := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ENOEXEC, exec.ErrNotFound} {
		if errors.Is(err, o) {
			return true
		}
	}
	return false
}
