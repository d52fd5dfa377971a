package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/strategy"
)

// syncEvery is how many commits may wait for their sync: it bounds what the log
// keeps beside itself, about a kilobyte for a small edit.
const syncEvery = 256

// tickEvery is how often active time is recorded while a wall budget runs.
const tickEvery = time.Second

// intake is what a turn takes in.
type intake struct {
	outcomes []clade.Outcome
	asks     []ask
}

// turn is one transaction: take in, judge, plan, begin. It reports whether the
// search is over and nothing runs.
func (e *Engine) turn(hard, soft context.Context, in intake) (over bool, err error) {
	var begun []dispatch.Task
	var cancelled bool
	err = e.Log.Update(hard, func(tx store.Tx) error {
		begun = nil
		if err := e.take(tx, in); err != nil {
			return err
		}
		if err := e.bury(tx); err != nil {
			return err
		}
		if err := e.decide(tx, soft); err != nil {
			return err
		}
		h := tx.View().Head()
		cancelled = h.Cancelled != ""
		if soft.Err() == nil && h.Stop == clade.StopNone && !h.Paused && !cancelled {
			if begun, err = e.begin(tx); err != nil {
				return err
			}
		}
		over = len(begun) == 0 && e.idle() && (h.Stop != clade.StopNone || soft.Err() != nil || e.byHand(tx.View()))
		e.last.Store(h.Seq)
		if e.Progress != nil {
			e.Progress(tx.View())
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("record turn: %w", err)
	}
	e.act(hard, in, begun, cancelled)
	if len(e.pending) >= syncEvery {
		return over, e.settle(hard)
	}
	return over, nil
}

// act does what the committed turn decided.
func (e *Engine) act(ctx context.Context, in intake, begun []dispatch.Task, cancelled bool) {
	for _, a := range in.asks {
		if a.made != "" {
			e.pending = append(e.pending, a.made)
		}
		close(a.done)
	}
	for _, t := range begun {
		e.mine[t.Life.ID] = true
		e.work.Submit(ctx, t)
	}
	if cancelled {
		for id := range e.mine {
			e.work.Cancel(id)
		}
	}
}

// take appends what happened since the last turn.
func (e *Engine) take(tx store.Tx, in intake) error {
	for _, a := range in.asks {
		if err := a.append(tx); err != nil {
			return err
		}
	}
	for _, o := range in.outcomes {
		if o.Failure == clade.ClassInfra && tx.View().Head().Cancelled != "" {
			continue // ended by the cancel: a resume tries again
		}
		if err := tx.Append(clade.TryEnded{Outcome: o}); err != nil {
			return err
		}
		if o.Failure.Lost() && e.Backoff != nil {
			l := tx.View().Life(o.ID)
			e.notUntil[o.ID] = e.Clock() + e.Backoff(l.Ended-l.Counted)
		}
	}
	return nil
}

// decide judges and plans until nothing more follows from what is known.
func (e *Engine) decide(tx store.Tx, soft context.Context) error {
	if err := e.tick(tx); err != nil {
		return err
	}
	for {
		h := tx.View().Head()
		if h.Stop != clade.StopNone {
			return nil
		}
		moved := false
		if verdicts := e.Search.Judge(tx.View()); len(verdicts) > 0 {
			moved = true
			if err := tx.Append(clade.Judged{Verdicts: verdicts}); err != nil {
				return err
			}
		}
		if soft.Err() == nil {
			planned, err := e.plan(tx)
			if err != nil {
				return err
			}
			moved = moved || planned
		}
		if !moved {
			return nil
		}
	}
}

// plan asks the strategy once. It reports whether anything was appended.
func (e *Engine) plan(tx store.Tx) (bool, error) {
	free := max(0, e.work.Free()-e.waiting(tx.View()))
	attempts, stop := e.Search.Next(tx.View(), free)
	next := tx.View().Head().Count
	for _, a := range attempts {
		next++
		a.ID = next
		if err := tx.Append(clade.Planned{Attempt: a}); err != nil {
			return false, err
		}
	}
	if stop != nil {
		return true, tx.Append(*stop)
	}
	if len(attempts) == 0 && len(tx.View().Open()) == 0 && !tx.View().Head().Paused {
		return true, tx.Append(clade.Stopped{Cause: clade.StopDone, Reason: "nothing more to try"})
	}
	return len(attempts) > 0, nil
}

// waiting counts attempts that are planned and could begin, now or once their
// time has come: one that infrastructure lost keeps its slot meanwhile, or a
// short outage would use up the whole budget. So do those that somebody outside
// may take up, or all that the budget bears would be planned for him at once.
func (e *Engine) waiting(v clade.View) (n int) {
	for _, id := range v.Open() {
		if l := v.Life(id); e.due(v, l) || e.outside(v, l) && !l.Running {
			n++
		}
	}
	return n
}

// tick records active time when a decision depends on it.
func (e *Engine) tick(tx store.Tx) error {
	h := tx.View().Head()
	wall := time.Duration(h.Spec.Budget.Wall)
	if wall == 0 || h.Stop != clade.StopNone || h.Active >= wall {
		e.wall = 0
		return nil
	}
	e.wall = wall
	now := e.active()
	if now-e.ticked < tickEvery && now < wall {
		return nil
	}
	e.ticked = now
	return tx.Append(clade.Ticked{Active: now})
}

// mostDeaths is how many tries of one attempt may die without a word before it
// is held to be what kills them.
const mostDeaths = 5

// eligible reports whether a try may begin now.
func (e *Engine) eligible(v clade.View, l *clade.Life) bool {
	return e.due(v, l) && e.Clock() >= e.notUntil[l.ID]
}

// due reports whether a further try is to be begun: the first one, one that
// follows a try of a process that is gone, or a retry that the failure's class
// earns.
func (e *Engine) due(v clade.View, l *clade.Life) bool {
	switch {
	case !l.Open || e.outside(v, l) || e.mine[l.ID]:
		return false
	case l.Running || l.Try == 0:
		return true
	}
	return l.Failure != clade.OK && strategy.TriesLeft(l)
}

// outside reports whether an attempt waits for somebody outside.
func (e *Engine) outside(v clade.View, l *clade.Life) bool {
	waits := l.ByHand() || e.Hands && strategy.Manual(v, l) && !e.mine[l.ID]
	return waits && !strategy.Settled(l)
}

// byHand reports whether something is awaited from outside, and nothing else.
func (e *Engine) byHand(v clade.View) bool {
	if h := v.Head(); h.Paused || h.Cancelled != "" {
		return false
	}
	hands := 0
	for _, id := range v.Open() {
		switch l := v.Life(id); {
		case e.outside(v, l):
			hands++
		case !strategy.Settled(l):
			return false
		}
	}
	return hands > 0
}

// bury ends tries of processes that are gone, where that must be known before
// anything is decided: when an attempt has killed too many of them, when money is
// short, and when somebody outside is to take them up. Other lost tries are fenced
// by the next one.
func (e *Engine) bury(tx store.Tx) error {
	if h := tx.View().Head(); h.Stop != clade.StopNone || h.Cancelled != "" {
		return nil
	}
	for _, id := range tx.View().Open() {
		l := tx.View().Life(id)
		if !l.Running || l.Hand != "" || e.mine[id] {
			continue
		}
		lost, buried := strategy.Lost(tx.View(), l)
		buried = buried || e.outside(tx.View(), l)
		events := []clade.Event{clade.TryEnded{Outcome: lost}}
		if deaths := deaths(l); deaths >= mostDeaths {
			buried = true
			events = []clade.Event{clade.TryBegun{ID: id, Try: l.Try + 1, Worker: e.Worker},
				clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: l.Try + 1, Failure: clade.ClassPoisoned,
					Detail: fmt.Sprintf("%d processes died while they tried it", deaths)}}}
		}
		if !buried {
			continue
		}
		if err := tx.Append(events...); err != nil {
			return err
		}
	}
	return nil
}

// deaths is how many tries of an attempt ended without a word. The one that was
// handed in has had its say.
func deaths(l *clade.Life) int {
	n := l.Try - l.Ended
	if l.Handed {
		n--
	}
	return n
}

// begin claims as many tries as there are free slots, oldest attempt first.
func (e *Engine) begin(tx store.Tx) (tasks []dispatch.Task, err error) {
	free := e.work.Free()
	for _, id := range tx.View().Open() {
		if len(tasks) >= free {
			break
		}
		l := tx.View().Life(id)
		if !e.eligible(tx.View(), l) {
			continue
		}
		if err := tx.Append(clade.TryBegun{ID: id, Try: l.Try + 1, Worker: e.Worker}); err != nil {
			return nil, err
		}
		tasks = append(tasks, task(tx.View(), id))
	}
	return tasks, nil
}

// task copies what a worker needs to know: it must not read the view, which the
// loop changes.
func task(v clade.View, id clade.ID) dispatch.Task {
	l := *v.Life(id)
	t := dispatch.Task{Life: l, Try: l.Try, Kin: map[clade.ID]clade.Life{clade.Base: *v.Life(clade.Base)}}
	for _, p := range l.Parents {
		t.Kin[p] = *v.Life(p)
	}
	for _, stages := range [][]clade.Stage{l.Before, l.After} {
		for _, s := range stages {
			for _, id := range s.Subjects {
				t.Kin[id] = *v.Life(id)
			}
		}
	}
	return t
}
