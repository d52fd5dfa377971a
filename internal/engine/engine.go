// Package engine runs one search: decide, record, act, repeat. One goroutine
// owns the loop; every turn is one transaction of the log, in which outcomes are
// taken in, candidates are judged, attempts are planned and tries are begun.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/strategy"
)

// ErrDrained is Run's cause of return after a soft stop: running tries were
// allowed to end, and nothing new was begun.
var ErrDrained = errors.New("stopped before the search was over")

// ErrHands is Run's cause of return when all that is left to wait for is the work
// of somebody outside.
var ErrHands = errors.New("waiting for work that is done by hand")

// Engine runs the search of one run. The caller holds the run's lease.
type Engine struct {
	Log    store.Log
	Search strategy.Search
	Ledger ledger.Ledger
	Clock  func() time.Duration // how long the process has been running; tests give their own
	Worker string               // name recorded with each try
	// Backoff is how long a try that infrastructure lost waits before the next
	// one, by the number lost so far, from 1. Nil: no wait.
	Backoff func(lost int) time.Duration
	// Hands leaves it to somebody outside to make candidates: what is planned is
	// evaluated, and no operator is asked for one. What nobody outside could make
	// (strategy.Manual) is made all the same.
	Hands bool
	// Progress is told the state after every turn. It must return quickly and
	// must not keep the view.
	Progress func(clade.View)

	work     dispatch.Dispatcher
	asks     chan ask
	mine     map[clade.ID]bool          // attempts whose try this process runs
	notUntil map[clade.ID]time.Duration // on Clock: backoff after infrastructure failed
	begun    time.Duration              // active time recorded before this process
	ticked   time.Duration              // active time last recorded
	wall     time.Duration              // active time at which the search must be told; 0: never
	pending  []string                   // commits whose bytes the log still keeps
	trees    map[string]clade.ID        // oldest closed candidate by tree
	seen     clade.ID                   // lives up to here are in trees
	epoch    int                        // of trees
	last     atomic.Int64               // the last record this process knows
}

// Prepare makes the engine ready to be asked by workers; call it before the
// dispatcher is made.
func (e *Engine) Prepare() {
	e.asks = make(chan ask)
	e.mine = map[clade.ID]bool{}
	e.notUntil = map[clade.ID]time.Duration{}
	e.trees = map[string]clade.ID{}
}

// Run continues the search recorded in the log and returns nil once it has
// stopped, or ErrHands when only somebody outside can bring it on. Cancelling
// soft ends it after the running tries (ErrDrained); cancelling hard ends it at
// once with the cause. Either way the log says exactly what was in flight.
func (e *Engine) Run(hard, soft context.Context, work dispatch.Dispatcher) error {
	e.work = work
	if err := e.recover(hard); err != nil {
		return fmt.Errorf("recover run: %w", err)
	}
	defer e.work.Close()
	news := e.listen(hard)
	in := intake{}
	for {
		over, err := e.turn(hard, soft, in)
		if err != nil {
			return err
		}
		if over {
			return e.finish(hard, soft)
		}
		if in, err = e.await(hard, soft, news); err != nil {
			return err
		}
	}
}

// recover brings back the commits that a crash left only in the log.
func (e *Engine) recover(ctx context.Context) error {
	pending, err := e.Log.Pending(ctx)
	if err != nil {
		return err
	}
	for _, m := range pending {
		if err := e.Ledger.Restore(ctx, m); err != nil {
			return fmt.Errorf("restore commit %s: %w", m.Commit, err)
		}
		e.pending = append(e.pending, m.Commit)
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	return e.Log.View(ctx, func(v clade.View) error {
		e.begun = v.Head().Active
		e.ticked = e.begun
		return nil
	})
}

// settle has every commit on disk and then forgets the bytes kept for it.
func (e *Engine) settle(ctx context.Context) error {
	if len(e.pending) == 0 {
		return nil
	}
	if err := e.Ledger.Sync(ctx); err != nil {
		return fmt.Errorf("sync ledger: %w", err)
	}
	if err := e.Log.Unpend(ctx, e.pending); err != nil {
		return err
	}
	e.pending = e.pending[:0]
	return nil
}

func (e *Engine) finish(hard, soft context.Context) error {
	if err := e.settle(hard); err != nil {
		return err
	}
	stopped := false
	err := e.Log.View(hard, func(v clade.View) error {
		stopped = v.Head().Stop != clade.StopNone
		return nil
	})
	switch {
	case err != nil || stopped:
		return err
	case soft.Err() != nil:
		return ErrDrained
	}
	return ErrHands
}

// active is how long the search has run, over all its processes.
func (e *Engine) active() time.Duration { return e.begun + e.Clock() }
