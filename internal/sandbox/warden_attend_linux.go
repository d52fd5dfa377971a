package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// greetingWait bounds how long a sandbox is being built.
	greetingWait = time.Minute
	// answerWait is how long a warden has to kill a command itself, and the
	// kernel to clear away what a dead warden leaves.
	answerWait = 5 * time.Second
)

// A Ward is a sandbox being built around a warden, for one command.
type Ward struct {
	Grade string
	Conn  *net.UnixConn // to the warden; Attend closes it
	// Limits are what the warden holds single processes to: those of the
	// command that the sandbox does not hold for all of them together.
	Limits Limits
	// Said is why no warden answers: what the builder of the sandbox printed.
	Said func() string
}

// Attend runs a command through a warden. When it returns the warden is dead,
// and with it everything in its PID namespace. An error means that nothing was
// run, or that it cannot be told how it ended.
func (a Ward) Attend(ctx context.Context, c Command) (Result, error) {
	w := &wire{conn: a.Conn}
	defer func() { _ = w.conn.Close() }()
	pidfd, err := greeted(ctx, w)
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{Exit: -1, Cancelled: true, Grade: a.Grade}, nil
	case err != nil:
		return Result{}, fmt.Errorf("running %s: the sandbox was not built: %w: %s", c.Args[0], err, a.Said())
	}
	defer func() { _ = unix.Close(pidfd) }()
	r, err := a.attend(ctx, c, w, pidfd)
	if err != nil {
		err = fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	_ = w.conn.Close() // a warden that still lives ends with it
	if !over(pidfd, answerWait) {
		_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0) // as root's, it may not be ours to kill
		if !over(pidfd, answerWait) {
			err = errors.Join(err, fmt.Errorf("running %s: the sandbox cannot be ended", c.Args[0]))
		}
	}
	return r, err
}

// greeted waits for a warden and returns its pidfd.
func greeted(ctx context.Context, w *wire) (int, error) {
	if err := w.conn.SetReadDeadline(time.Now().Add(greetingWait)); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() { _ = w.conn.SetReadDeadline(time.Unix(1, 0)) })()
	m, fds, err := w.receive()
	if err == nil && (m.Word != wordHello || len(fds) != 1) {
		err = fmt.Errorf("unexpected %q", m.Word)
	}
	if err != nil {
		return 0, errors.Join(err, closeAll(fds))
	}
	return fds[0], nil
}

func (a Ward) attend(ctx context.Context, c Command, w *wire, pidfd int) (Result, error) {
	if err := w.conn.SetReadDeadline(time.Time{}); err != nil {
		return Result{}, err
	}
	pipes, err := OpenPlumbing(c)
	if err != nil {
		return Result{}, err
	}
	begun := time.Now()
	if err := a.begin(c, w, pipes); err != nil {
		pipes.Abort()
		return Result{}, err
	}
	pipes.Started()
	var told *report
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		told, err = w.await(c.Gateways)
	}()
	kill := func() {
		_ = w.send(message{Word: wordKill})
		select {
		case <-ended:
		case <-time.After(answerWait):
			_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
		}
	}
	disk := WatchDisk(c.Writable, c.Limits.Disk, kill)
	watch := WatchOver(ctx, c, ended, func() { _ = w.send(message{Word: wordTerminate}) }, kill)
	r := Result{Grade: a.Grade, TimedOut: watch.TimedOut, Cancelled: watch.Cancelled, Wall: time.Since(begun)}
	full := disk.Stop()
	stdout, stderr := pipes.Finish(answerWait)
	switch {
	case told == nil && (full || watch.TimedOut || watch.Cancelled):
		r.Exit, r.Signal = -1, unix.SIGKILL.String()
	case told == nil:
		return Result{}, fmt.Errorf("the sandbox ended on its own: %w: %s", err, a.Said())
	case told.Err != "":
		return Result{}, errors.New(told.Err)
	case told.Failed != "":
		failed := Unstarted(a.Grade, told.Failed, told.Errno)
		failed.Wall, failed.TimedOut, failed.Cancelled = r.Wall, r.TimedOut, r.Cancelled
		return failed, nil
	default:
		told.fill(&r)
	}
	r.Stdout, r.Stderr = stdout, stderr
	r.OutOfDisk = r.Exit != 0 && (full || r.Signal == fileTooLarge)
	return r, nil
}

func (a Ward) begin(c Command, w *wire, pipes *Plumbing) error {
	fds := make([]int, streams)
	for i, f := range pipes.Child {
		fds[i] = int(f.Fd()) // this also makes them block, as commands expect
	}
	j := job{Args: c.Args, Env: c.Env, Dir: c.Dir, Limits: a.Limits}
	if !c.Network {
		j.Gateways = c.Gateways
	}
	return w.send(message{Word: wordJob, Job: j}, fds...)
}

// await waits for the end of the command, and until then carries what it has to
// say to its gateways.
func (w *wire) await(gateways []string) (*report, error) {
	var relays []*Relay
	defer func() {
		for _, r := range relays {
			r.Close()
		}
	}()
	for {
		m, fds, err := w.receive()
		switch {
		case err == nil && m.Word == wordGates && relays == nil:
			if relays, err = relayAll(fds, gateways); err == nil {
				continue
			}
			fds = nil
		case err == nil && m.Word == wordReport:
			return &m.Report, closeAll(fds)
		case err == nil:
			err = fmt.Errorf("unexpected %q", m.Word)
		}
		return nil, errors.Join(err, closeAll(fds))
	}
}

// relayAll begins to accept from the sockets of gateways. It owns the sockets.
func relayAll(fds []int, gateways []string) (relays []*Relay, err error) {
	if len(fds) != len(gateways) {
		return nil, errors.Join(fmt.Errorf("%d sockets for %d gateways", len(fds), len(gateways)), closeAll(fds))
	}
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), gateways[i])
		l, lerr := net.FileListener(f)
		if err = errors.Join(err, lerr, f.Close()); lerr == nil {
			relays = append(relays, NewRelay(l, gateways[i]))
		}
	}
	return relays, err
}

func (t *report) fill(r *Result) {
	r.CPU, r.PeakMemory, r.Strays = t.CPU, t.Peak, t.Strays
	r.Exit = t.Status.ExitStatus() // −1 for a signal
	if t.Status.Signaled() {
		r.Signal = t.Status.Signal().String()
	}
	r.OutOfMemory = t.OOM && r.Exit != 0
}

// over waits for the end of a process.
func over(pidfd int, patience time.Duration) bool {
	for deadline := time.Now().Add(patience); ; {
		left := max(time.Until(deadline), 0)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(left.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0
		}
	}
}
