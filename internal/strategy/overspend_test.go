package strategy_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// A meter is a simulated worker's own record of what it spent beyond its holds.
type meter struct {
	seed   uint64
	honest bool // it never costs more than its hold
	excess clade.Amount
}

// draw is a number below n for a try.
func (m *meter) draw(what string, l *clade.Life, n int64) int64 {
	return int64(clade.Draw(m.seed, what, clade.ID(100*int(l.ID)+l.Try)) % uint64(n))
}

// spend is what a try costs: up to its hold, or twice that, told or not.
func (m *meter) spend(l *clade.Life) clade.Amount {
	times := int64(1)
	if !m.honest && m.draw("greed", l, 2) == 0 {
		times = 2
	}
	a := clade.Amount{
		Microdollars: clade.Microdollars(m.draw("usd", l, int64(l.Hold.Microdollars)*times+1)),
		Tokens:       m.draw("tokens", l, l.Hold.Tokens*times+1), Calls: m.draw("calls", l, l.Hold.Calls*times+1), Wall: 1,
	}
	a.Unknown = m.draw("unknown", l, 4) == 0
	m.excess = m.excess.Plus(a.Minus(l.Hold))
	return a
}

func (m *meter) try(inner func(clade.View, *clade.Life) clade.Outcome) func(clade.View, *clade.Life) clade.Outcome {
	return func(v clade.View, l *clade.Life) clade.Outcome {
		o := inner(v, l)
		if l.Makes != clade.MakesNumbers && l.Commit == "" {
			o.Spent = m.spend(l)
		}
		return o
	}
}

// budgeted is a run with some of the caps.
func budgeted(seed uint64, m *meter) strategytest.Run {
	draw := func(what string, n int) int { return int(clade.Draw(seed, what, 0) % uint64(n)) }
	s := spec(strategies[draw("strategy", 3)], clade.NoiseNone, 1+draw("candidates", 30))
	s.Seed, s.Search.Batch = seed, draw("batch", 9)
	s.Operators = []clade.Operator{{Use: "command", Name: "paid"}, {Use: "mutate"}}
	which := 1 + draw("caps", 7)
	if which&1 != 0 {
		try, usd := clade.Microdollars(100+draw("hold", 300)), clade.Microdollars(draw("usd", 4000))
		s.Budget.PerTry, s.Budget.USD = &try, &usd
	}
	if which&2 != 0 {
		tokens := int64(draw("tokens", 100_000))
		s.Budget.Tokens = &tokens
	}
	if which&4 != 0 {
		calls := int64(draw("calls", 60))
		s.Budget.Calls = &calls
	}
	w := exactWorld(&s)
	w.Fails = rough(seed)
	return strategytest.Run{Spec: s, Search: search, Try: m.try(w.Try), Slots: 1 + draw("slots", 12), Order: seed}
}

// within checks that no cap is passed by more than the overspend on record, and
// that the record is of what was really spent beyond the holds.
func within(t *testing.T, seed uint64, m *meter, v clade.View, rec clade.Record) {
	t.Helper()
	h := v.Head()
	used, b := h.Spent.Plus(h.Held).Minus(h.Overspent), h.Spec.Budget
	if b.USD != nil && used.Microdollars > *b.USD || b.Tokens != nil && used.Tokens > *b.Tokens || b.Calls != nil && used.Calls > *b.Calls {
		t.Fatalf("seed %d, record %d (%s): spent %+v, held %+v, overspent %+v", seed, rec.Seq, rec.Event.Kind(), h.Spent, h.Held, h.Overspent)
	}
	if h.Overspent.Minus(m.excess) != (clade.Amount{}) {
		t.Fatalf("seed %d, record %d: overspent %+v, but the worker only %+v", seed, rec.Seq, h.Overspent, m.excess)
	}
}

// I3, F47: with many slots, late costs and processes that die, no cap of money,
// tokens or calls is passed by more than the overspend that the record names; and
// where nobody costs more than its hold there is none.
func TestI3OverspendIsOnRecord(t *testing.T) {
	t.Parallel()
	passed := 0
	for seed := range uint64(240) {
		m := &meter{seed: seed, honest: seed%3 == 0}
		r := budgeted(seed, m)
		r.Observe = func(v clade.View, rec clade.Record) { within(t, seed, m, v, rec) }
		state, log, err := r.Do()
		if err != nil || state.Head().Stop == clade.StopNone {
			t.Fatal(seed, err, tail(log))
		}
		if state.Head().Overspent != (clade.Amount{}) {
			passed++
		}
		// Processes that die, and speak late: the next one has gone on meanwhile.
		for _, cut := range []int{len(log) / 3, 2 * len(log) / 3} {
			part, more, err := r.Continue(log[:cut])
			if err != nil || part.Head().Stop == clade.StopNone {
				t.Fatal(seed, cut, err, tail(more))
			}
			for _, late := range lateCosts(part, log[:cut], m) {
				late.Seq = part.Head().Seq + 1
				if err := part.Apply(late); err != nil {
					t.Fatal(err)
				}
				within(t, seed, m, part, late)
			}
		}
	}
	if passed < 10 {
		t.Errorf("only %d runs passed a cap: the test shows nothing", passed)
	}
}

// lateCosts are what the tries that ran at the end of a log really cost.
func lateCosts(v clade.View, log []clade.Record, m *meter) (out []clade.Record) {
	running := map[clade.ID]int{}
	for _, r := range log {
		switch e := r.Event.(type) {
		case clade.TryBegun:
			running[e.ID] = e.Try
		case clade.TryEnded:
			delete(running, e.Outcome.ID)
		}
	}
	for id := clade.ID(1); id <= v.Head().Count; id++ {
		if try, ok := running[id]; ok && v.Life(id).Makes != clade.MakesNumbers {
			l := clade.Life{Attempt: v.Life(id).Attempt, Try: try}
			out = append(out, clade.Record{Event: clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Spent: m.spend(&l)}}})
		}
	}
	return out
}

// Of a cap on tokens or calls each try holds what is left, shared by the slots
// that are free; a run goes on until what is left is too small to share.
func TestSharesOfACap(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{1, 4} {
		s := spec("hillclimb", clade.NoiseNone, 500)
		s.Search.Batch = 0
		s.Operators = []clade.Operator{{Use: "command", Name: "paid"}}
		tokens := int64(1000)
		s.Budget.Tokens = &tokens
		w := exactWorld(&s)
		first, least := int64(0), tokens
		r := strategytest.Run{Spec: s, Search: search, Slots: slots, Try: func(v clade.View, l *clade.Life) clade.Outcome {
			o := w.Try(v, l)
			if l.Proposes() {
				if l.ID == 2 { // after the baseline
					first = l.Hold.Tokens
				}
				least = min(least, l.Hold.Tokens)
				o.Spent = clade.Amount{Tokens: min(10, l.Hold.Tokens), Wall: 1}
			}
			return o
		}}
		state, log, err := r.Do()
		if err != nil {
			t.Fatal(err, tail(log))
		}
		h := state.Head()
		if want := tokens / int64(slots); first != want || least < tokens/50 {
			t.Errorf("%d slots: the first try holds %d, want %d; the smallest %d", slots, first, want, least)
		}
		if h.Stop != clade.StopTokens || h.Spent.Tokens > tokens || h.Spent.Tokens < tokens-2*tokens/50 {
			t.Errorf("%d slots: %s (%s), spent %d", slots, h.Stop, h.Reason, h.Spent.Tokens)
		}
	}
}
