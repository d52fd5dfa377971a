package bench

import (
	"context"
	"fmt"
	"io"
)

// cold times whole processes of this program.
func (b *bench) cold(ctx context.Context, dir string, args ...string) (t timer, err error) {
	for range b.sizes.runs {
		cmd, err := b.program(ctx, dir, args...)
		if err != nil {
			return t, err
		}
		cmd.Stdout = io.Discard
		if err := t.time(cmd.Run); err != nil {
			return t, fmt.Errorf("clade %v: %w", args, err)
		}
	}
	return t, nil
}

// start times the program when it has nothing to do.
func (b *bench) start(ctx context.Context) ([]Row, error) {
	t, err := b.cold(ctx, b.dir, "--version")
	if err != nil {
		return nil, err
	}
	return []Row{Row{Name: "clade --version, cold process", Value: t.median(), Unit: "ms", N: len(t.ms)}.atMost(15)}, nil
}
