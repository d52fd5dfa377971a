package run

import (
	"context"
	"time"

	"github.com/cladehq/clade"
)

// An Entry is one line of a run's log for people.
type Entry struct {
	Seq  int64     `json:"seq"`
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	ID   clade.ID  `json:"id,omitempty"`
	Text string    `json:"text"`
}

// Log explains every decision so far: what was planned and why, what came of
// it, how it was judged and why. With follow it goes on until the run has
// stopped or no process searches it any more.
func (d *Door) Log(ctx context.Context, name string, after int64, follow bool, fn func(Entry) error) error {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return err
	}
	defer r.Close()
	each := explainer(fn)
	if !follow {
		return r.Read(ctx, after, each)
	}
	return r.Follow(ctx, after, each)
}

// Tail explains what is appended after a record until ctx ends, and then what
// was appended until that moment.
func (d *Door) Tail(ctx context.Context, name string, after int64, fn func(Entry) error) error {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return err
	}
	defer r.Close()
	each := explainer(fn)
	count := func(rec clade.Record) error {
		after = rec.Seq
		return each(rec)
	}
	if err := r.Tail(ctx, after, count); ctx.Err() == nil {
		return err // it always returns one
	}
	return r.Read(context.WithoutCancel(ctx), after, count)
}

func explainer(fn func(Entry) error) func(clade.Record) error {
	return func(rec clade.Record) error {
		for _, e := range Explain(rec) {
			if err := fn(e); err != nil {
				return err
			}
		}
		return nil
	}
}
