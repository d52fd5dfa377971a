package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// ErrEnded reports a persistent git process that has died or was closed.
var ErrEnded = errors.New("git process has ended")

// A process is a git that answers on its standard output what it is asked on
// its standard input. One exchange runs at a time.
type process struct {
	args   []string
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	w      *bufio.Writer
	r      *bufio.Reader
	stderr *tail
	err    error // why it ended
}

func (r *Repo) start(args ...string) (*process, error) {
	cmd := r.command(context.Background(), args)
	p := &process{args: args, cmd: cmd, stderr: &tail{max: excerpt}}
	cmd.Stderr = p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting git %s: %w", args[0], err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting git %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting git %s: %w", args[0], err)
	}
	p.in, p.w, p.r = in, bufio.NewWriterSize(in, 64<<10), bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

// exchange asks and reads the answer. If either fails the two sides no longer
// agree on where they are, so the process is ended and stays so.
func (p *process) exchange(ask func(*bufio.Writer) error, answer func(*bufio.Reader) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	err := ask(p.w)
	if err == nil {
		err = p.w.Flush()
	}
	if err == nil && answer != nil {
		err = answer(p.r)
	}
	if err != nil {
		p.end(err)
		return p.err
	}
	return nil
}

// end kills the process and keeps the reason. p.mu is held.
func (p *process) end(why error) {
	_ = p.cmd.Cancel()
	_ = p.in.Close()
	_ = p.cmd.Wait() // its fate adds nothing to why
	p.err = fmt.Errorf("%w: %w", ErrEnded, &Error{Args: p.args, Code: -1, Stderr: p.stderr.String(), Err: why})
}

// close ends the process in peace: last is written, its input closed.
func (p *process) close(last string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return nil
	}
	_, err := p.w.WriteString(last)
	err = errors.Join(err, p.w.Flush(), p.in.Close())
	_, drained := io.Copy(io.Discard, p.r)
	err = errors.Join(err, drained, failure(context.Background(), p.args, p.cmd.Wait(), p.stderr))
	p.err = ErrEnded
	return err
}
