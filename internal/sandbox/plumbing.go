package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A Plumbing is the pipes between one command and its caller. Implementations
// hand Child to the process they start, call Started, and Finish when the
// command has ended.
type Plumbing struct {
	Child [3]*os.File // standard input, output and error of the command

	outs    [2]*os.File
	keep    [2]*Capture
	in      *os.File // the end that is written to; nil when Child[0] is a file
	reading sync.WaitGroup
	lent    bool // Child[0] belongs to the caller
}

// OpenPlumbing makes the pipes and begins to read and write. A Stdin that is an
// *os.File is handed over as it is; any other is copied by a goroutine that
// lives until its Read returns.
func OpenPlumbing(c Command) (*Plumbing, error) {
	p := &Plumbing{}
	if err := p.openStdin(c.Stdin); err != nil {
		return nil, fmt.Errorf("opening standard input: %w", err)
	}
	for i := range p.outs {
		r, w, err := os.Pipe()
		if err != nil {
			p.abandon()
			return nil, fmt.Errorf("opening pipes: %w", err)
		}
		p.outs[i], p.Child[1+i], p.keep[i] = r, w, NewCapture(c.Limits.Output)
	}
	stdout, stderr := Tee(p.keep[0], p.keep[1], c.Output)
	p.read(p.outs[0], stdout)
	p.read(p.outs[1], stderr)
	if p.in != nil {
		go feed(p.in, c.Stdin)
	}
	return p, nil
}

func (p *Plumbing) openStdin(in io.Reader) (err error) {
	switch f := in.(type) {
	case nil:
		p.Child[0], err = os.Open(os.DevNull)
	case *os.File:
		p.Child[0], p.lent = f, true
	default:
		p.Child[0], p.in, err = os.Pipe()
	}
	return err
}

// feed ends quietly when the command does not read on: that is its right.
func feed(w *os.File, in io.Reader) {
	_, _ = io.Copy(w, in)
	_ = w.Close()
}

func (p *Plumbing) read(from *os.File, to io.Writer) {
	p.reading.Add(1)
	go func() {
		defer p.reading.Done()
		_, _ = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 64<<10))
	}()
}

// Started closes this process's copies of what the command has.
func (p *Plumbing) Started() {
	for i, f := range p.Child {
		if f != nil && (i > 0 || !p.lent) {
			_ = f.Close()
		}
	}
}

// Finish takes what the command wrote. Output still held open by a process that
// could not be killed is waited for at most delay.
func (p *Plumbing) Finish(delay time.Duration) (stdout, stderr Stream) {
	deadline := time.Now().Add(delay)
	for _, f := range p.outs {
		_ = f.SetReadDeadline(deadline) // where pipes have none, readers end with the writers
	}
	p.reading.Wait()
	p.abandon()
	return p.keep[0].Stream(), p.keep[1].Stream()
}

func (p *Plumbing) abandon() {
	for _, f := range []*os.File{p.in, p.outs[0], p.outs[1]} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// Abort is Finish for a command that never started; it also does what Started
// does.
func (p *Plumbing) Abort() {
	p.Started()
	p.reading.Wait()
	p.abandon()
}

// A Watch is how the end of a command came about.
type Watch struct {
	TimedOut  bool // the wall limit was reached first
	Cancelled bool // ctx ended first
}

// WatchOver waits until ended is closed. When the wall limit or ctx comes first
// it calls terminate, and kill once grace has passed; kill alone without grace.
// It still waits for ended: what cannot be killed is not over.
func WatchOver(ctx context.Context, c Command, ended <-chan struct{}, terminate, kill func()) Watch {
	var w Watch
	limit, stop := timer(c.Limits.Wall)
	defer stop()
	select {
	case <-ended:
		return w
	case <-limit:
		w.TimedOut = true
	case <-ctx.Done():
		w.Cancelled = true
	}
	if c.Grace > 0 {
		terminate()
		grace, stop := timer(c.Grace)
		defer stop()
		select {
		case <-ended:
			return w
		case <-grace:
		}
	}
	kill()
	<-ended
	return w
}

// timer never fires when d is zero.
func timer(d time.Duration) (<-chan time.Time, func()) {
	if d <= 0 {
		return nil, func() {}
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Exits of a command whose program was never executed, as a shell gives them.
const (
	ExitNotExecutable = 126 // there, but it cannot be executed
	ExitNotFound      = 127 // no such program or folder
)

// Unstarted is the result of a command whose program or folder cannot be had:
// the command's own fault, told on its standard error.
func Unstarted(grade string, what string, err error) Result {
	exit := ExitNotExecutable
	if errors.Is(err, os.ErrNotExist) {
		exit = ExitNotFound
	}
	text := fmt.Appendf(nil, "clade: %s: %v\n", what, err)
	return Result{Exit: exit, Grade: grade, Stderr: Stream{Head: text, Size: int64(len(text))}}
}
