// Package none runs commands without isolation: in a process group of their
// own, with a mark in their environment by which strays are found and killed,
// and with the limits that the system can hold for single processes. A command
// sees and may write whatever the user can, and has the network. What it starts
// is all dead when Run returns, unless it scrubbed the mark and left its group.
package none

import (
	"context"

	"github.com/cladehq/clade/internal/sandbox"
)

// Options are how a Sandbox is set up.
type Options struct {
	// Guard has another process end what commands have started when this one
	// dies; see sandbox.Guard for what the program must do for it.
	Guard bool
}

// A Sandbox runs commands side by side; it holds nothing between them.
type Sandbox struct{ direct sandbox.Direct }

var _ sandbox.Sandbox = (*Sandbox)(nil)

// New never fails: every system can run a command.
func New(o Options) (*Sandbox, error) {
	d := sandbox.Direct{Grade: sandbox.GradeNone}
	if o.Guard {
		d.Guard = new(sandbox.Guard)
	}
	return &Sandbox{d}, nil
}

// Grade is GradeNone.
func (*Sandbox) Grade() string { return sandbox.GradeNone }

// Mounts is false.
func (*Sandbox) Mounts() bool { return false }

// Home is "".
func (*Sandbox) Home() string { return "" }

// Work is "".
func (*Sandbox) Work() string { return "" }

// Close ends the guard.
func (s *Sandbox) Close() error {
	if s.direct.Guard == nil {
		return nil
	}
	return s.direct.Guard.Close()
}

// Run runs one command as sandbox.Direct does. The network is never cut, and
// nothing is hidden.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	return s.direct.Run(ctx, c)
}
