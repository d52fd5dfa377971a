package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// excerpt bounds the standard error kept of a call, in bytes.
const excerpt = 8 << 10

// reap is how long a killed call's pipes may stay open.
const reap = 2 * time.Second

// An Error is a git call that failed.
type Error struct {
	Args   []string // the subcommand and its arguments
	Code   int      // exit code; −1 when it did not exit by itself
	Stderr string   // the end of its standard error, at most 8 KiB
	Err    error    // why it could not run or was ended, nil if it only failed
}

func (e *Error) Error() string {
	what := "git"
	if len(e.Args) > 0 {
		what += " " + e.Args[0]
	}
	switch {
	case e.Err != nil && e.Stderr != "":
		return fmt.Sprintf("%s: %v: %s", what, e.Err, e.Stderr)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", what, e.Err)
	case e.Stderr != "":
		return fmt.Sprintf("%s: exit %d: %s", what, e.Code, e.Stderr)
	}
	return fmt.Sprintf("%s: exit %d", what, e.Code)
}

func (e *Error) Unwrap() error { return e.Err }

// Exited reports whether err is a git call that ended by itself with this code.
func Exited(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code && e.Err == nil
}

// A Call is one run of git.
type Call struct {
	Args   []string  // subcommand first; names after "--"
	Stdin  io.Reader // nil: empty
	Stdout io.Writer // nil: dropped
}

// Run runs git and returns what it printed. See Do for errors.
func (r *Repo) Run(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := r.Do(ctx, Call{Args: args, Stdout: &out})
	return out.Bytes(), err
}

// Line is Run for a call that prints one line; the line end is cut off.
func (r *Repo) Line(ctx context.Context, args ...string) (string, error) {
	out, err := r.Run(ctx, args...)
	return strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r"), err
}

// Do runs git to its end. The end of ctx kills it and everything it started.
// A failure is an *Error.
func (r *Repo) Do(ctx context.Context, c Call) error {
	cmd := r.command(ctx, c.Args)
	stderr := &tail{max: excerpt}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, stderr
	return failure(ctx, c.Args, cmd.Run(), stderr)
}

// command prepares a call in a process group of its own: a Ctrl-C at the
// terminal is clade's to handle, and a kill reaches git's children.
func (r *Repo) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.git.path, r.arguments(args)...)
	cmd.Env = r.environment()
	cmd.Dir = r.place.WorkTree
	if cmd.Dir == "" {
		cmd.Dir = r.place.Dir
	}
	cmd.WaitDelay = reap
	group(cmd)
	return cmd
}

func failure(ctx context.Context, args []string, err error, stderr *tail) error {
	if err == nil {
		return nil
	}
	e := &Error{Args: args, Code: -1, Stderr: strings.TrimSpace(stderr.String())}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
	case errors.As(err, &exit) && exit.Exited():
		e.Code = exit.ExitCode()
	default:
		e.Err = err
	}
	return e
}

// Pipe runs from in r and feeds what it prints to into, which runs at to; what
// into prints is returned. The first failure ends both. What from prints goes to
// its Stdout as well, if it has one.
func (r *Repo) Pipe(ctx context.Context, from Call, to *Repo, into Call) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pr, pw := io.Pipe()
	done := make(chan error, 1)
	go func() {
		if from.Stdout == nil {
			from.Stdout = pw
		} else {
			from.Stdout = io.MultiWriter(pw, from.Stdout)
		}
		err := r.Do(ctx, from)
		pw.CloseWithError(err)
		if err != nil {
			cancel(err)
		}
		done <- err
	}()
	var out bytes.Buffer
	into.Stdin, into.Stdout = pr, &out
	err := to.Do(ctx, into)
	pr.CloseWithError(err)
	first := <-done
	switch {
	case err != nil && !errors.Is(err, first):
		return nil, err // then from failed for want of a reader, if it did
	case first != nil:
		return nil, first
	}
	return out.Bytes(), nil
}

// tail keeps the last bytes written to it.
type tail struct {
	max int
	b   []byte
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if n > t.max {
		p = p[n-t.max:]
	}
	if over := len(t.b) + len(p) - t.max; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	t.b = append(t.b, p...)
	return n, nil
}

func (t *tail) String() string { return string(t.b) }
