package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
)

// A mark is what a searching child says of itself: once when its first try does
// something, then each time another window of attempts has closed.
type mark struct {
	Begun      bool          `json:"begun,omitempty"`
	Closed     int           `json:"closed"`
	At         time.Duration `json:"at"`      // since the child began
	Decided    time.Duration `json:"decided"` // spent on decisions so far
	Attempts   int64         `json:"attempts"`
	Goroutines int           `json:"goroutines"`
	Files      int           `json:"files"`
}

// searchCommand is the child: a search in a process of its own, so that it can
// be killed and its memory be read. It is for this package only.
func (p Program) searchCommand() *cobra.Command {
	var r run
	var every int
	c := &cobra.Command{Use: "search DIR", Hidden: true, Args: cobra.ExactArgs(1)}
	c.Flags().IntVar(&every, "every", 1, "attempts between two marks")
	c.Flags().BoolVar(&r.operator, "operator", false, "run the operator's command")
	c.Flags().BoolVar(&r.evaluator, "evaluator", false, "run gate and measure")
	c.RunE = func(c *cobra.Command, args []string) error {
		start, enc := time.Now(), json.NewEncoder(p.Stdout)
		w := &watch{}
		say := func(m mark) {
			m.At, m.Decided, m.Attempts = time.Since(start), time.Duration(w.decided.Load()), w.attempts.Load()
			m.Goroutines, m.Files = runtime.NumGoroutine(), openFiles()
			_ = enc.Encode(m) // a parent that is gone does not read
		}
		next := 0
		w.progress = func(v clade.View) {
			if closed := v.Head().Closed; closed >= next {
				next = closed - closed%every + every
				say(mark{Closed: closed})
			}
		}
		w.begun = func() { _, _ = fmt.Fprintln(p.Stdout, `{"begun":true}`) }
		return r.do(c.Context(), p.Parts(filepath.Dir(args[0])), args[0], w)
	}
	return c
}

// A child is a searching process. It ends with stop.
type child struct {
	cmd     *exec.Cmd
	started time.Time
	dec     *json.Decoder
}

// child starts a search in dir, which prepare made.
func (b *bench) child(ctx context.Context, dir string, r run, every int) (*child, error) {
	args := []string{"bench", "search", dir, "--every", strconv.Itoa(every)}
	if r.operator {
		args = append(args, "--operator")
	}
	if r.evaluator {
		args = append(args, "--evaluator")
	}
	cmd, err := b.program(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	cmd.Stderr = b.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, started: time.Now(), dec: json.NewDecoder(out)}
	return c, cmd.Start()
}

// program is a command that runs this program with its state below the
// benchmark's folder.
func (b *bench) program(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), b.Environ(b.dir)...)
	return cmd, nil
}

// next reads marks until one is wanted; it returns them all.
func (c *child) next(want func(mark) bool) (marks []mark, err error) {
	for {
		var m mark
		if err := c.dec.Decode(&m); err != nil {
			return marks, fmt.Errorf("reading from a searching process, after %d marks: %w", len(marks), err)
		}
		marks = append(marks, m)
		if want(m) {
			return marks, nil
		}
	}
}

// kill ends the child as a crash would.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // killed: that is its error
}

// spent is the processor time of a killed child, in milliseconds. That of its own
// children is not known.
func (c *child) spent() float64 {
	return milliseconds(c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime())
}
