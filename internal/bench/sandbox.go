package bench

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
)

// overhead measures the sandbox alone and then an attempt of three commands in
// one slot, which cost next to nothing by themselves.
func (b *bench) overhead(ctx context.Context) ([]Row, error) {
	plain, boxed, err := b.truth(ctx)
	if err != nil {
		return nil, err
	}
	ms, err := b.perAttempt(ctx, "overhead", run{slots: 1, operator: true, evaluator: true})
	if err != nil {
		return nil, err
	}
	return []Row{
		{Name: "true, started by hand", Value: plain.median(), Unit: "ms", N: len(plain.ms)},
		{Name: "true, sandboxed", Value: boxed.median(), Unit: "ms", N: len(boxed.ms),
			Note: "own processes, mounts and network made for it, and all gone after it"},
		Row{Name: "overhead per attempt", Value: ms - 3*plain.median(), Unit: "ms", N: b.sizes.commands,
			Note: "one slot; an attempt of three sandboxed commands, less what they take when started by hand; durable"}.atMost(30),
	}, nil
}

// truth times the program that does nothing, plain and sandboxed in turn.
func (b *bench) truth(ctx context.Context) (plain, boxed timer, err error) {
	box, err := b.parts.Sandbox(ctx, &clade.Spec{}, nil)
	if err != nil {
		return plain, boxed, err
	}
	defer box.Close()
	for range 5 * b.sizes.runs {
		if err := plain.time(exec.CommandContext(ctx, "true").Run); err != nil {
			return plain, boxed, err
		}
		err := boxed.time(func() error {
			r, err := box.Run(ctx, sandbox.Command{Args: []string{"true"}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: box.Work()})
			if err == nil && !r.OK() {
				err = fmt.Errorf("a sandboxed true ended with exit status %d", r.Exit)
			}
			return err
		})
		if err != nil {
			return plain, boxed, err
		}
	}
	return plain, boxed, nil
}
