package engine

import (
	"context"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
)

// An ask is something a worker wants durable before it goes on. The loop takes
// all that wait into one transaction.
type ask struct {
	append func(store.Tx) error
	made   string // commit whose bytes were kept
	done   chan struct{}
}

func (e *Engine) ask(ctx context.Context, made string, do func(store.Tx) error) error {
	a := ask{append: do, made: made, done: make(chan struct{})}
	select {
	case e.asks <- a:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Proposed implements worker.Journal.
func (e *Engine) Proposed(ctx context.Context, p clade.Proposed, m ledger.Made) (same clade.ID, known bool, err error) {
	var id clade.ID // the loop's until it has answered, as in Known
	var ok bool
	made := ""
	if m.Stream != nil {
		made = m.Commit
	}
	err = e.ask(ctx, made, func(tx store.Tx) error {
		if made != "" {
			if err := tx.Pend(m); err != nil {
				return err
			}
		}
		id, ok = e.known(tx.View(), p.Tree)
		return tx.Append(p)
	})
	if err != nil {
		return 0, false, err
	}
	return id, ok, nil
}

// Keep implements evaluate.Memory.
func (e *Engine) Keep(ctx context.Context, k evaluate.Key, s clade.Sample, share bool) error {
	return e.ask(ctx, "", func(tx store.Tx) error { return tx.Keep(store.Kept{Key: k, Sample: s, Share: share}) })
}

// Recall implements evaluate.Memory.
func (e *Engine) Recall(ctx context.Context, k evaluate.Key, share bool) (clade.Sample, bool, error) {
	return e.Log.Recall(ctx, k, share)
}

// Known implements worker.Journal.
func (e *Engine) Known(ctx context.Context, tree string) (clade.ID, bool) {
	var id clade.ID // the loop's until it has answered: an ask that is given up may still be taken
	var ok bool
	err := e.ask(ctx, "", func(tx store.Tx) error {
		id, ok = e.known(tx.View(), tree)
		return nil
	})
	if err != nil {
		return 0, false
	}
	return id, ok
}

// known finds the oldest closed candidate with this tree that was measured in
// this epoch. Only closed ones count, so that a lockstep run answers the same in
// any order of arrival.
func (e *Engine) known(v clade.View, tree string) (clade.ID, bool) {
	open := v.Open()
	if epoch := v.Head().Epoch; epoch != e.epoch {
		e.epoch, e.seen = epoch, 0
		clear(e.trees)
	}
	for id := e.seen + 1; id <= v.Head().Count; id++ {
		if len(open) > 0 && id >= open[0] {
			break // it and those after it are looked at when it has closed
		}
		if l := v.Life(id); l.Tree != "" && l.Probe == "" && stands(l, e.epoch) {
			if _, dup := e.trees[l.Tree]; !dup {
				e.trees[l.Tree] = id
			}
		}
		e.seen = id
	}
	if id, ok := e.trees[tree]; ok {
		return id, true
	}
	return 0, false
}

// stands reports whether what is known of a candidate holds for another with
// its tree. What the machine or the evaluator failed to tell does not.
func stands(l *clade.Life, epoch int) bool {
	switch l.Failure {
	case clade.ClassInfra, clade.ClassModel, clade.ClassAccess, clade.ClassEvaluator, clade.ClassBudget, clade.ClassPoisoned:
		return false
	}
	return l.Same == 0 && l.Ended > 0 && l.Epoch == epoch
}

// await blocks until there is something to take in, then takes all there is.
func (e *Engine) await(hard, soft context.Context, news <-chan struct{}) (in intake, err error) {
	stop := soft.Done()
	if soft.Err() != nil {
		stop = nil // known already: only wait for what runs
	}
	timer := e.timer()
	if timer != nil {
		defer timer.Stop()
	}
	select {
	case o := <-e.work.Outcomes():
		e.arrived(&in, o)
	case a := <-e.asks:
		in.asks = append(in.asks, a)
	case <-news:
	case <-stop:
	case <-tickC(timer):
	case <-hard.Done():
		return in, context.Cause(hard)
	}
	for {
		select {
		case o := <-e.work.Outcomes():
			e.arrived(&in, o)
		case a := <-e.asks:
			in.asks = append(in.asks, a)
		default:
			return in, nil
		}
	}
}

func (e *Engine) arrived(in *intake, o clade.Outcome) {
	in.outcomes = append(in.outcomes, o)
	delete(e.mine, o.ID)
}

func (e *Engine) idle() bool { return len(e.mine) == 0 }

// timer fires when the wall budget ends or a backoff is over, whichever is
// first; nil when neither is awaited.
func (e *Engine) timer() *time.Timer {
	wait := time.Duration(-1)
	if e.wall > 0 && e.ticked < e.wall {
		wait = max(0, e.wall-e.active())
	}
	for id, at := range e.notUntil {
		left := at - e.Clock()
		if left <= 0 {
			delete(e.notUntil, id)
			left = 0
		}
		if wait < 0 || left < wait {
			wait = left
		}
	}
	if wait < 0 {
		return nil
	}
	return time.NewTimer(wait + time.Millisecond)
}

func tickC(t *time.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}

// listen tells of records that other processes append.
func (e *Engine) listen(ctx context.Context) <-chan struct{} {
	news := make(chan struct{}, 1)
	go func() {
		var at int64
		for {
			if e.Log.Wait(ctx, at) != nil {
				return
			}
			_ = e.Log.View(ctx, func(v clade.View) error { at = v.Head().Seq; return nil })
			if at <= e.last.Load() {
				continue
			}
			select {
			case news <- struct{}{}:
			case <-ctx.Done():
				return
			default:
			}
		}
	}()
	return news
}
