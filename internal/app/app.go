// Package app chooses the implementations and adds their commands. It is the
// only package that knows them all.
package app

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade/internal/bench"
	"github.com/cladehq/clade/internal/cli"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/crash"
	"github.com/cladehq/clade/internal/door/evolution"
	"github.com/cladehq/clade/internal/door/run"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/namespace"
)

// Main is the whole program; it returns the exit code.
func Main() int {
	namespace.Main() // does not return in a supervisor
	sandbox.Main()   // nor in a warden
	if os.Getenv("GOGC") == "" {
		// Most of what a long search allocates is short-lived, and what it waits for
		// runs in other processes: half the default costs it little and saves memory.
		debug.SetGCPercent(50)
	}
	ctx := context.Background()
	door := func(here string) (*run.Door, error) {
		c, err := assemble()
		if err != nil {
			return nil, err
		}
		return run.New(c, here), nil
	}
	evolutions := func(here string) (*evolution.Door, error) {
		c, err := assemble()
		if err != nil {
			return nil, err
		}
		return evolution.New(c, here), nil
	}
	doctor := func(ctx context.Context) []control.Check {
		d, _ := folders() // what is missing is a finding
		return d.doctor(ctx)
	}
	p := cli.Program{Door: door, Evolution: evolutions, Doctor: doctor, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Extra: []*cobra.Command{bench.Command(benchmark())}}
	return cli.Main(ctx, p, os.Args[1:])
}

// assemble makes the control that doors work with.
func assemble() (*control.Control, error) {
	plan, err := crash.Parse(os.Getenv(crash.Variable))
	if err != nil {
		return nil, err
	}
	dirs, err := folders()
	if err != nil {
		return nil, err
	}
	return control.New(parts(dirs, plan)), nil
}
