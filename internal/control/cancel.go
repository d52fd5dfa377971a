package control

import (
	"context"
	"errors"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/store"
)

const (
	// cancelWithin is how long a process that searches a cancelled run has to
	// stop its commands and let go; then it is killed.
	cancelWithin = 20 * time.Second
	// releasePoll is how often a lease is looked at that will be given up soon.
	releasePoll = 20 * time.Millisecond
)

// StopIdle waits until the process that searches a cancelled run has let go of
// it, kills it when it does not, and records the stop where that process could
// not.
func (r *Run) StopIdle(ctx context.Context) error {
	lease, err := r.outlast(ctx)
	if err != nil {
		return err
	}
	err = r.log.Update(ctx, func(tx store.Tx) error {
		h := tx.View().Head()
		if h.Cancelled == "" || h.Stop != clade.StopNone {
			return nil
		}
		return tx.Append(clade.Stopped{Cause: clade.StopCancelled, Reason: h.Cancelled})
	})
	return errors.Join(err, lease.Release())
}

// outlast takes the lease once its holder has given it up or is dead.
func (r *Run) outlast(ctx context.Context) (store.Lease, error) {
	kill := time.NewTimer(cancelWithin)
	defer kill.Stop()
	look := time.NewTicker(releasePoll)
	defer look.Stop()
	for {
		lease, holder, err := r.store.Lease(ctx, r.Name)
		if !errors.Is(err, store.ErrHeld) {
			return lease, err
		}
		select {
		case <-look.C:
		case <-kill.C:
			if err := killHolder(holder); err != nil {
				return nil, errors.Join(r.Busy(holder), err)
			}
			kill.Reset(cancelWithin)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// killHolder kills a process of this machine and boot; another is not ours to
// reach.
func killHolder(h Holder) error {
	if h.Start == "" {
		return errors.New("it cannot be killed from here")
	}
	return proc.Identity{PID: h.PID, Boot: h.Boot, Start: h.Start}.Kill()
}
