package control

import (
	"context"
	"errors"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// Refuse returns the problem that makes a spec not worth starting: a design
// whose final could never prove anything.
func (c *Control) Refuse(_ context.Context, r *Resolved) error {
	n := 0
	if d := r.Spec.Dataset; d != nil {
		n = d.Splits.Test
		if n == 0 {
			return nil // sizes follow from the file, which is read when the run starts
		}
	}
	return c.Design(&r.Spec, n)
}

// StopIdle records the stop of a cancelled run that no process searches. When
// one does, that one will.
func (r *Run) StopIdle(ctx context.Context) error {
	lease, _, err := r.store.Lease(ctx, r.Name)
	if errors.Is(err, store.ErrHeld) {
		return nil
	}
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
