package strategy_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// rough lets tries fail in every way, by attempt and try only.
func rough(seed uint64) func(l *clade.Life) (clade.Class, string) {
	return func(l *clade.Life) (clade.Class, string) {
		if !l.Proposes() {
			if clade.Draw(seed, "numbers", l.ID)%3 == 0 && l.Ended == 0 {
				return clade.ClassInfra, "the disk was full"
			}
			return clade.OK, ""
		}
		switch clade.Draw(seed, "fail", l.ID) % 10 {
		case 0:
			return clade.ClassCandidate, "does not compile"
		case 1:
			return clade.ClassInfra, "the worker is gone"
		case 2:
			if l.Ended < 2 {
				return clade.ClassInfra, "gone twice"
			}
		case 3:
			if l.Ended == 0 {
				return clade.ClassEvaluator, "no number"
			}
		case 4:
			return clade.ClassEvaluator, "never a number"
		case 5:
			return clade.ClassPolicy, "touched a frozen file"
		}
		return clade.OK, ""
	}
}

func lockstepRun(name string, seed uint64) strategytest.Run {
	s := spec(name, clade.NoiseNone, 37)
	s.Seed, s.Search.Batch, s.Final.Finalists = seed, 5, 2
	w := exactWorld(&s)
	if seed%2 == 1 { // many equal scores, and an end that depends on the best one
		s.Budget.Plateau = map[bool]int{true: 2, false: 8}[name == "generational"]
		w.Value = func(_ clade.View, r strategytest.Reading) float64 {
			return float64(clade.Draw(seed, "coarse", r.Of.ID) % 4)
		}
	}
	w.Fails = rough(seed)
	return strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 1}
}

func TestLockstepDecidesTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(16) {
				r := lockstepRun(name, seed)
				_, log, err := r.Do()
				if err != nil {
					t.Fatal(err, tail(log))
				}
				want := strategytest.Decisions(log)
				for slots := 1; slots <= 9; slots += 2 {
					r.Slots, r.Order = slots, r.Order+1
					_, log, err := r.Do()
					if err != nil {
						t.Fatal(err, tail(log))
					}
					same(t, fmt.Sprintf("seed %d, %d slots", seed, slots), strategytest.Decisions(log), want)
				}
			}
		})
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: decision %d differs\n got %s\nwant %s", what, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d decisions, want %d", what, len(got), len(want))
	}
}

func TestLockstepResumesAtEveryRecord(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				r := lockstepRun(name, seed)
				r.Slots = 4
				_, log, err := r.Do()
				if err != nil {
					t.Fatal(err, tail(log))
				}
				want := strategytest.Decisions(log)
				for k := 1; k < len(log); k++ {
					r.Order = uint64(k)
					_, resumed, err := r.Continue(slices.Clone(log[:k]))
					if err != nil {
						t.Fatalf("seed %d after record %d: %v", seed, k, err)
					}
					same(t, fmt.Sprintf("seed %d after record %d", seed, k), strategytest.Decisions(resumed), want)
				}
			}
		})
	}
}

// Every record leaves the money within the budget, holds counted as spent, and
// the candidates too; every run ends.
func TestBudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for _, perTry := range []clade.Microdollars{0, 70_000, 400_000, 2_000_000} {
			t.Run(fmt.Sprintf("%s/%s", name, perTry), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(8) {
					money := clade.Microdollars(1_000_000)
					s := spec(name, clade.NoiseNone, 30)
					s.Seed, s.Operators[0].Use = seed, "agent"
					s.Budget.USD, s.Budget.PerTry = &money, &perTry
					w := exactWorld(&s)
					w.Fails = rough(seed)
					try := func(v clade.View, l *clade.Life) clade.Outcome {
						o := w.Try(v, l)
						if l.Proposes() { // unknown, or at most the hold
							o.Spent = clade.Amount{Unknown: l.ID%3 == 0, Microdollars: perTry * clade.Microdollars(l.ID%4) / 3}
						}
						return o
					}
					r := strategytest.Run{Spec: s, Search: search, Try: try, Slots: 3, Order: seed}
					r.Observe = func(v clade.View, _ clade.Record) {
						h := v.Head()
						if used := h.Spent.Microdollars + h.Held.Microdollars; used > money {
							t.Errorf("seed %d: $%s of $%s at record %d", seed, used, money, h.Seq)
						}
						if h.Proposing > 30 {
							t.Errorf("seed %d: %d candidates", seed, h.Proposing)
						}
					}
					state, log, err := r.Do()
					if err != nil {
						t.Fatal(err, tail(log))
					}
					if h := state.Head(); perTry > money && (h.Proposing != 0 || h.Stop != clade.StopMoney) {
						t.Errorf("seed %d: %d candidates, stop %s", seed, h.Proposing, h.Stop)
					}
				}
			})
		}
	}
}

// B21, P2, P3: a NaN is never best, whether it comes first or second; nor is a crash
// among negative scores. B20: no number is not zero, so downwards it is not best.
func TestB21FailedIsNeverBest(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		goal   clade.Direction
		scores []float64 // of the base, then of the candidates
		best   clade.ID
	}{
		{"NaN first, maximize", clade.Maximize, []float64{0, nan, 1, 2}, 3},
		{"NaN between, maximize", clade.Maximize, []float64{0, 2, nan, 1}, 1},
		{"NaN first, minimize", clade.Minimize, []float64{3, nan, 1, 2}, 2},
		{"NaN between, minimize", clade.Minimize, []float64{3, 2, nan, 1}, 3},
		{"infinite, maximize", clade.Maximize, []float64{0, math.Inf(1), 1, 2}, 3},
		{"all negative and a crash", clade.Maximize, []float64{-9, -8, nan, -7}, 3},
		{"nothing valid", clade.Maximize, []float64{0, nan, nan, nan}, 0},
		{"nothing better", clade.Minimize, []float64{0, 2, nan, 1}, 0},
	} {
		for _, name := range strategies {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s := spec(name, clade.NoiseNone, 3)
				s.Measures[0].Goal = c.goal
				w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
					n := 0
					for id := clade.ID(2); id <= r.Of.ID; id++ { // attempt 1 is the baseline
						n++
					}
					return c.scores[n]
				}}
				state, _ := simulate(t, s, w, 1, 1)
				want := c.best
				if want != clade.Base {
					want++
				}
				if h := state.Head(); h.Winner != want {
					t.Errorf("winner %d, want %d (%s)", h.Winner, want, h.Reason)
				}
				if state.Head().Winner == 0 && state.Head().Best != 0 && c.best == 0 && c.name == "nothing valid" {
					t.Errorf("best is %d", state.Head().Best)
				}
			})
		}
	}
}

// The best among equals is the oldest, in whatever order they arrive: a plateau
// counts from it.
func TestBestDoesNotDependOnArrival(t *testing.T) {
	t.Parallel()
	one := []clade.Measure{{ID: "m", Goal: clade.Maximize}}
	state := judged(t, one, []float64{1})
	apply := func(e clade.Event) {
		if err := state.Apply(clade.Record{Seq: state.Head().Seq + 1, Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	for id := clade.ID(2); id <= 4; id++ {
		apply(clade.Planned{Attempt: clade.Attempt{ID: id, Makes: clade.MakesTree, Why: "test"}})
		apply(clade.TryBegun{ID: id, Try: 1})
	}
	for _, id := range []clade.ID{4, 2, 3} {
		apply(clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: 1, Commit: "c", Evaluations: []clade.Evaluation{
			{Subject: id, Samples: []clade.Sample{{Check: "m", Value: 5}}}}}})
	}
	if best := state.Head().Best; best != 2 {
		t.Errorf("best is %d", best)
	}
}
