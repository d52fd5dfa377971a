package strategy_test

import (
	"math"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// costly lets every try of an operator cost at most its hold, sometimes without
// saying so.
func costly(seed uint64, try func(clade.View, *clade.Life) clade.Outcome) func(clade.View, *clade.Life) clade.Outcome {
	return func(v clade.View, l *clade.Life) clade.Outcome {
		o := try(v, l)
		if l.Proposes() && l.Commit == "" {
			n := clade.ID(100*int(l.ID) + l.Try)
			o.Spent = clade.Amount{Microdollars: clade.Microdollars(clade.Draw(seed, "cost", n) % uint64(l.Hold.Microdollars+1)), Wall: 1}
			o.Spent.Unknown = clade.Draw(seed, "unknown", n)%4 == 0
		}
		return o
	}
}

func cappedRun(seed uint64) strategytest.Run {
	draw := func(what string, n int) int { return int(clade.Draw(seed, what, 0) % uint64(n)) }
	s := spec(strategies[draw("strategy", 3)], clade.NoiseNone, 1+draw("candidates", 30))
	s.Seed, s.Search.Batch, s.Final.Finalists = seed, draw("batch", 9), 1+draw("finalists", 3)
	s.Operators = []clade.Operator{{Use: "command", Name: "paid"}, {Use: "mutate"}}
	try, usd := clade.Microdollars(100+draw("hold", 300)), clade.Microdollars(draw("usd", 4000))
	s.Budget.PerTry, s.Budget.USD = &try, &usd
	w := exactWorld(&s)
	w.Fails = rough(seed)
	return strategytest.Run{Spec: s, Search: search, Try: costly(seed, w.Try), Slots: 1 + draw("slots", 12), Order: seed}
}

// Where agents answer the cases, a cap of calls or tokens is shared by the tries
// and the final: there is something to try and something to prove it with.
func TestCapsOfRollouts(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for _, slots := range []int{1, 3} {
			s := spec(name, clade.NoiseCases, 6)
			s.Dataset, s.Slots, s.Search.Batch = &clade.Dataset{Rollout: &clade.Rollout{Agent: "custom"}}, slots, 0
			calls := int64(200)
			s.Budget.Calls = &calls
			w := noisyCases(&s, 30, 0.5)
			r := strategytest.Run{Spec: s, Search: search, Slots: slots, Try: func(v clade.View, l *clade.Life) clade.Outcome {
				o := w.Try(v, l)
				o.Spent.Calls = min(12, l.Hold.Calls)
				return o
			}}
			r.Observe = func(v clade.View, rec clade.Record) {
				if h := v.Head(); h.Spent.Calls+h.Held.Calls > calls {
					t.Errorf("%s, %d slots, record %d: %d calls spent and %d held of %d", name, slots, rec.Seq, h.Spent.Calls, h.Held.Calls, calls)
				}
			}
			state, log, err := r.Do()
			if err != nil {
				t.Fatal(err, tail(log))
			}
			if h := state.Head(); h.Proposing != 6 || h.Spent.Calls < 7*12 {
				t.Errorf("%s, %d slots: %d candidates, %d calls, %s", name, slots, h.Proposing, h.Spent.Calls, h.Reason)
			}
			if last := state.Life(state.Head().Count); last.Proposes() || last.Hold.Calls < 12 {
				t.Errorf("%s, %d slots: the final holds %d calls", name, slots, last.Hold.Calls)
			}
		}
	}
}

// Whatever fails, dies, is late or says nothing: no more candidates than the
// budget has, and no more money spent and held than it bears.
func TestCapsAreNeverPassed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		r := cappedRun(seed)
		check := func(v clade.View, rec clade.Record) {
			h := v.Head()
			if h.Proposing > r.Spec.Budget.Candidates || h.Spent.Microdollars+h.Held.Microdollars > *r.Spec.Budget.USD {
				t.Errorf("seed %d, record %d: %d of %d candidates, %s spent and %s held of %s", seed, rec.Seq,
					h.Proposing, r.Spec.Budget.Candidates, h.Spent.Microdollars, h.Held.Microdollars, *r.Spec.Budget.USD)
			}
		}
		r.Observe = check
		state, log, err := r.Do()
		if err != nil {
			t.Fatal(seed, err, tail(log))
		}
		if state.Head().Stop == clade.StopNone {
			t.Errorf("seed %d did not end", seed)
		}
		for _, cut := range []int{len(log) / 3, len(log) / 2, 2 * len(log) / 3} { // processes that die, and speak late
			part, more, err := r.Continue(log[:cut])
			if err != nil || part.Head().Stop == clade.StopNone {
				t.Fatal(seed, cut, err, tail(more))
			}
			for _, late := range lateWords(log[:cut]) {
				late.Seq = part.Head().Seq + 1
				if err := part.Apply(late); err != nil {
					t.Fatal(err)
				}
				check(part, late)
			}
		}
	}
}

// lateWords are outcomes of the tries that run at the end of a log.
func lateWords(log []clade.Record) (out []clade.Record) {
	running, holds := map[clade.ID]int{}, map[clade.ID]clade.Microdollars{}
	for _, r := range log {
		switch e := r.Event.(type) {
		case clade.Planned:
			holds[e.Attempt.ID] = e.Attempt.Hold.Microdollars
		case clade.TryBegun:
			running[e.ID] = e.Try
		case clade.TryEnded:
			delete(running, e.Outcome.ID)
		}
	}
	for id := clade.ID(1); len(running) > 0; id++ {
		if try, ok := running[id]; ok {
			delete(running, id)
			spent := clade.Amount{Microdollars: min(50, holds[id]), Unknown: id%2 == 0}
			out = append(out, clade.Record{Event: clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Spent: spent}}})
		}
	}
	return out
}

// Runs at the edges end, and say why.
func TestEdgesEnd(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for _, c := range []struct {
			name       string
			candidates int
			finalists  int
			fails      clade.Class
			stop       clade.Stop
			won        bool
		}{
			{name: "one candidate", candidates: 1, finalists: 1, stop: clade.StopCandidates, won: true},
			{name: "one candidate, more finalists", candidates: 1, finalists: 5, stop: clade.StopCandidates, won: true},
			{name: "one candidate that infrastructure fails", candidates: 1, finalists: 1, fails: clade.ClassInfra, stop: clade.StopInfra},
			{name: "infrastructure fails everything", candidates: 300, finalists: 1, fails: clade.ClassInfra, stop: clade.StopInfra},
			{name: "the evaluator fails everything", candidates: 300, finalists: 2, fails: clade.ClassEvaluator, stop: clade.StopAllFailed},
			{name: "poison", candidates: 300, finalists: 2, fails: clade.ClassPoisoned, stop: clade.StopAllFailed},
		} {
			s := spec(name, clade.NoiseNone, c.candidates)
			s.Final.Finalists = c.finalists
			w := exactWorld(&s)
			w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(r.Of.ID) }
			w.Fails = func(l *clade.Life) (clade.Class, string) {
				if l.Proposes() {
					return c.fails, "broken"
				}
				return clade.OK, ""
			}
			for _, slots := range []int{1, 7} {
				state, _ := simulate(t, s, w, slots, 3)
				if h := state.Head(); h.Stop != c.stop || (h.Winner != clade.Base) != c.won || h.Proposing > c.candidates {
					t.Errorf("%s, %s: stop %s (%s), winner %d, %d candidates", name, c.name, h.Stop, h.Reason, h.Winner, h.Proposing)
				}
			}
		}
	}
}

// B21, P3: what is no number is never best, whichever comes first and in either
// direction.
func TestB21NaNIsNeverBest(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for _, name := range strategies {
		for _, goal := range []clade.Direction{clade.Maximize, clade.Minimize} {
			for _, values := range [][]float64{{nan, 1, 2}, {2, nan, 1}, {1, 2, nan}, {inf, 1, 2}, {-inf, 2, 1}, {nan, 2, inf}} {
				s := spec(name, clade.NoiseNone, len(values))
				s.Measures[0].Goal = goal
				base := map[clade.Direction]float64{clade.Maximize: 0, clade.Minimize: 9}[goal]
				w := scripted(&s, append([]float64{base}, values...)...)
				state, _ := simulate(t, s, w, 2, 1)
				want := map[clade.Direction]float64{clade.Maximize: 2, clade.Minimize: 1}[goal]
				if values[2] == inf {
					want = 2
				}
				if got := state.Life(state.Head().Winner).Values["score"]; got != want {
					t.Errorf("%s, %s, %v: winner has %g", name, goal, values, got)
				}
				for id := clade.ID(2); id <= 4; id++ {
					if x := values[id-2]; math.IsNaN(x) || math.IsInf(x, 0) {
						if l := state.Life(id); l.Scored || l.Verdict.Status != clade.StatusInvalid {
							t.Errorf("%s: %g is %s", name, x, l.Verdict.Status)
						}
					}
				}
			}
		}
	}
}
