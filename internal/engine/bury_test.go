package engine_test

import (
	"context"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/engine"
	"github.com/cladehq/clade/internal/store"
)

// An attempt on which process after process died is given up, also when nothing
// else is left to wait for.
func TestPoisonedBaselineEndsTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, spec("generational"))
	l := b.log()
	err := l.Update(t.Context(), func(tx store.Tx) error {
		plan, _ := b.search().Next(tx.View(), slots)
		if err := tx.Append(clade.Planned{Attempt: plan[0]}); err != nil {
			return err
		}
		for try := range 5 {
			if err := tx.Append(clade.TryBegun{ID: 1, Try: try + 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.run(l, newWorld(1), context.Background()); err != nil {
		t.Fatal(err)
	}
	err = l.View(t.Context(), func(v clade.View) error {
		if h, a := v.Head(), v.Life(1); h.Stop != clade.StopInfra || a.Failure != clade.ClassPoisoned || h.Count != 1 {
			t.Errorf("stop %s (%s), attempt 1 %s", h.Stop, h.Reason, a.Failure)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A paid try that died is settled at its hold before anything is planned, and
// the cap holds after every turn.
func TestLostPaidTriesAreSettledFirst(t *testing.T) {
	t.Parallel()
	s := spec("generational")
	hold, usd := clade.Microdollars(100), clade.Microdollars(350)
	s.Operators[0].Use, s.Budget.PerTry, s.Budget.USD = "command", &hold, &usd
	b := newBench(t, s)
	for n := 3; ; n++ { // dies after n transactions until the run has ended
		l, w, over := &fragileLog{Log: b.log(), left: n, after: true}, newWorld(uint64(n)), false
		e := &engine.Engine{Log: l, Ledger: &keptLedger{}, Progress: func(v clade.View) {
			h := v.Head()
			over = h.Stop != clade.StopNone
			if h.Spent.Microdollars+h.Held.Microdollars > usd {
				t.Errorf("%s spent, %s held of %s", h.Spent.Microdollars, h.Held.Microdollars, usd)
			}
		}}
		if err := b.runWith(e, w, w.perform, context.Background()); err == nil || over {
			return
		}
	}
}
