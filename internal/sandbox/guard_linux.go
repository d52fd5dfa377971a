package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/cladehq/clade/internal/proc"
)

// A Guard ends what commands of this process have started when the process dies
// without having done so: where no namespace holds a command, nothing else ends
// it with the engine. It is this program once more, which waits for the end of a
// pipe and then kills what bears a mark of the dead. The program's main must call
// Main first. It is safe for concurrent use, and its zero value is ready.
type Guard struct {
	mu   sync.Mutex
	pipe *os.File
	cmd  *exec.Cmd
}

// Watch starts the guard, once.
func (g *Guard) Watch() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cmd != nil {
		return nil
	}
	self, err := proc.Self()
	if err != nil {
		return fmt.Errorf("starting a guard: %w", err)
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("starting a guard: %w", err)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("starting a guard: %w", err)
	}
	cmd := &exec.Cmd{Path: exe, Args: []string{exe, GuardArg, self.String()}, Dir: "/", Env: []string{}, Stdin: theirs,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return errors.Join(fmt.Errorf("starting a guard: %w", err), ours.Close())
	}
	g.pipe, g.cmd = ours, cmd
	return nil
}

// Close dismisses the guard: nothing is left for it to do.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cmd == nil {
		return nil
	}
	_, err := g.pipe.Write([]byte{0})
	err = errors.Join(err, g.pipe.Close(), g.cmd.Wait())
	g.cmd, g.pipe = nil, nil
	if err != nil {
		return fmt.Errorf("dismissing a guard: %w", err)
	}
	return nil
}

// Bounds of a guard's work after its engine died.
const (
	guardPatience = time.Minute
	guardPause    = time.Millisecond
)

// guard is what a guard does: args name the engine.
func guard(args []string) error {
	if len(args) != 1 {
		return errors.New("a guard must be told its engine")
	}
	engine, err := proc.Parse(args[0])
	if err != nil {
		return err
	}
	if n, _ := os.Stdin.Read(make([]byte, 1)); n > 0 {
		return nil // dismissed
	}
	ctx, cancel := context.WithTimeout(context.Background(), guardPatience)
	defer cancel()
	for engine.Alive() { // its files are closed a moment before it is gone
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(guardPause):
		}
	}
	_, err = proc.KillOrphans(ctx)
	return err
}
