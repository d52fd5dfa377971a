package control

import (
	"context"
	"errors"
	"time"

	"github.com/cladehq/clade"
)

// Tail yields records after seq as they are written, until fn returns an error
// or ctx ends.
func (r *Run) Tail(ctx context.Context, seq int64, fn func(clade.Record) error) error {
	for {
		err := r.log.Read(ctx, seq, func(rec clade.Record) error {
			seq = rec.Seq
			return fn(rec)
		})
		if err == nil {
			err = r.log.Wait(ctx, seq)
		}
		if err != nil {
			return err
		}
	}
}

// lookEvery is how often Follow looks whether somebody still holds the run.
const lookEvery = time.Second

// Follow yields records after seq as they are written, until fn returns an
// error, no process holds the run any more, or ctx ends.
func (r *Run) Follow(ctx context.Context, seq int64, fn func(clade.Record) error) error {
	every := lookEvery
	for {
		// Asked first: what is read after nobody holds it is all there will be.
		_, held, err := r.Holder(ctx)
		if err != nil {
			return err
		}
		err = r.log.Read(ctx, seq, func(rec clade.Record) error {
			seq = rec.Seq
			if _, stopped := rec.Event.(clade.Stopped); stopped {
				every = releasePoll
			}
			return fn(rec)
		})
		if err != nil || !held {
			return err
		}
		wait, stop := context.WithTimeout(ctx, every)
		err = r.log.Wait(wait, seq)
		stop()
		if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return err
		}
	}
}

// Read yields the records so far after seq.
func (r *Run) Read(ctx context.Context, seq int64, fn func(clade.Record) error) error {
	return r.log.Read(ctx, seq, fn)
}
