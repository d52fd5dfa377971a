package sandbox

import (
	"context"
	"fmt"

	"github.com/cladehq/clade/internal/proc"
)

// Exclusive decorates a sandbox with a lock that every process of clade on the
// machine shares through the file at path: an Exclusive command runs alone, all
// others beside each other. Waiting counts towards no limit of the command. A
// second file beside it, path + ".turn", is a turnstile: whoever waits to run
// alone keeps it, so that later commands queue behind.
func Exclusive(inner Sandbox, path string) Sandbox {
	return &exclusive{inner, path}
}

type exclusive struct {
	Sandbox
	path string
}

func (e *exclusive) Run(ctx context.Context, c Command) (Result, error) {
	lock, err := e.lock(ctx, !c.Exclusive)
	if err != nil {
		return Result{}, err
	}
	r, err := e.Sandbox.Run(ctx, c)
	if uerr := lock.Unlock(); err == nil && uerr != nil {
		err = fmt.Errorf("freeing the machine: %w", uerr)
	}
	return r, err
}

func (e *exclusive) lock(ctx context.Context, shared bool) (*proc.Lock, error) {
	turn, err := proc.WaitLock(ctx, e.path+".turn", false)
	if err != nil {
		return nil, fmt.Errorf("queueing for the machine: %w", err)
	}
	lock, err := proc.WaitLock(ctx, e.path, shared)
	if uerr := turn.Unlock(); err == nil && uerr != nil {
		err = uerr
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for the machine: %w", err)
	}
	return lock, nil
}
