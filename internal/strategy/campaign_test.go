package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// F46: nothing is proposed from a base that is not fit to start from.
func TestF46UnfitBaseStopsBeforeAnythingIsSpent(t *testing.T) {
	t.Parallel()
	gate := func(s *clade.Spec) { s.Gates = []clade.Gate{{ID: "tests"}} }
	for _, c := range []struct {
		name   string
		noise  clade.Noise
		with   func(*clade.Spec)
		change func(o *clade.Outcome)
		cause  clade.Stop
		reason string
	}{
		{"gate", clade.NoiseNone, gate, func(o *clade.Outcome) {
			o.Failure = clade.ClassCandidate
			o.Evaluations[0].Samples = []clade.Sample{{Check: "tests", Gate: true, Detail: "2 of 9 tests fail"}}
		}, clade.StopBaseline, `the base fails its own gate "tests": 2 of 9 tests fail`},
		{"gate of a timing", clade.NoiseTiming, gate, func(o *clade.Outcome) {
			o.Failure = clade.ClassCandidate
			o.Evaluations[0].Samples = []clade.Sample{{Check: "tests", Gate: true}}
		}, clade.StopBaseline, `gate "tests"`},
		{"no number", clade.NoiseNone, nil, func(o *clade.Outcome) {
			o.Failure, o.Detail = clade.ClassEvaluator, "output is not a number"
		}, clade.StopBaseline, "output is not a number"},
		{"infrastructure", clade.NoiseNone, nil, func(o *clade.Outcome) {
			o.Failure, o.Detail = clade.ClassInfra, "setup failed"
		}, clade.StopInfra, "setup failed"},
		{"a model", clade.NoiseNone, nil, func(o *clade.Outcome) {
			o.Failure, o.Detail = clade.ClassModel, "HTTP 500"
		}, clade.StopModel, "HTTP 500"},
		{"a key", clade.NoiseNone, nil, func(o *clade.Outcome) {
			o.Failure, o.Detail = clade.ClassAccess, "HTTP 401"
		}, clade.StopModel, "HTTP 401"},
		{"the budget", clade.NoiseNone, nil, func(o *clade.Outcome) {
			o.Failure, o.Detail = clade.ClassBudget, "does not bear this case"
		}, clade.StopMoney, "does not bear this case"},
		{"no samples", clade.NoiseNone, nil, func(o *clade.Outcome) { o.Evaluations = nil },
			clade.StopBaseline, "nothing to compare"},
		{"no cases", clade.NoiseCases, nil, func(o *clade.Outcome) { o.Evaluations = nil },
			clade.StopBaseline, `no valid number for measure "score"`},
		{"varies though declared exact", clade.NoiseNone, nil, func(o *clade.Outcome) {
			o.Evaluations[0].Samples[2].Value = 99
		}, clade.StopEvaluator, "gave 100 and 99 for the same tree"},
		{"a timing of zero", clade.NoiseTiming, nil, func(o *clade.Outcome) {
			o.Evaluations[0].Samples[2].Value = 0
		}, clade.StopBaseline, "a timing must be above zero"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := spec("hillclimb", c.noise, 10)
			if c.with != nil {
				c.with(&s)
			}
			w := exactWorld(&s)
			w.Cases = map[string][]string{clade.SplitSelect: {"a", "b"}}
			try := func(v clade.View, l *clade.Life) clade.Outcome {
				o := w.Try(v, l)
				c.change(&o)
				return o
			}
			state, log, err := strategytest.Run{Spec: s, Search: search, Try: try}.Do()
			if err != nil {
				t.Fatal(err, tail(log))
			}
			h := state.Head()
			if h.Stop != c.cause || !strings.Contains(h.Reason, c.reason) || h.Proposing != 0 {
				t.Errorf("stop %s: %s; %d proposed", h.Stop, h.Reason, h.Proposing)
			}
		})
	}
}

// The baseline of a timing says what its noise lets be seen, and warns when that
// is not what is asked for.
func TestBaselineSaysWhatCanBeSeen(t *testing.T) {
	t.Parallel()
	one := .01
	s := spec("hillclimb", clade.NoiseTiming, 0)
	s.Measures[0].Threshold = &one
	state, _ := simulate(t, s, noisyTimes(&s, .1, 0), 1, 1)
	why := state.Life(1).Verdict.Why
	for _, want := range []string{"over 10 pairs", "lag-1 correlation", "20 pairs show gains from", "not the +1.00 % asked for"} {
		if !strings.Contains(why, want) {
			t.Errorf("%q is not in: %s", want, why)
		}
	}
}

// F49, P13: a run in which nothing succeeds says so, in few attempts
// where they cost money.
func TestF49NothingSucceeds(t *testing.T) {
	t.Parallel()
	paid := clade.Microdollars(1000)
	for _, c := range []struct {
		name       string
		candidates int
		perTry     *clade.Microdollars
		cause      clade.Stop
		most       int
	}{
		{"no budget", 0, nil, clade.StopCandidates, 0},
		{"one", 1, nil, clade.StopAllFailed, 1},
		{"few", 20, nil, clade.StopAllFailed, 20},
		{"many free", 500, nil, clade.StopAllFailed, 80},
		{"many paid", 500, &paid, clade.StopAllFailed, 24},
	} {
		for _, name := range strategies {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s := spec(name, clade.NoiseNone, c.candidates)
				s.Search.Batch, s.Budget.PerTry, s.Operators[0].Use = 4, c.perTry, "agent"
				w := exactWorld(&s)
				w.Fails = func(l *clade.Life) (clade.Class, string) {
					if l.Proposes() {
						return clade.ClassOperator, "the model is down"
					}
					return clade.OK, ""
				}
				state, _ := simulate(t, s, w, 3, 5)
				h := state.Head()
				if c.cause == clade.StopAllFailed && !strings.Contains(h.Reason, "the model is down") {
					t.Errorf("reason: %s", h.Reason)
				}
				if h.Stop != c.cause || h.Proposing > c.most || h.Winner != 0 {
					t.Errorf("stop %s (%s) after %d, winner %d", h.Stop, h.Reason, h.Proposing, h.Winner)
				}
			})
		}
	}
}

// F49: more slots than candidates, by far.
func TestF49ThousandSlots(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		s := spec(name, clade.NoiseNone, 50)
		state, _ := simulate(t, s, exactWorld(&s), 1000, 1)
		if h := state.Head(); h.Proposing != 50 || h.Stop != clade.StopCandidates {
			t.Errorf("%s: %d candidates, stop %s", name, h.Proposing, h.Stop)
		}
	}
}

// every candidate has the value given for its ID, the last one from there on.
func scripted(s *clade.Spec, values ...float64) strategytest.World {
	return strategytest.World{Spec: s, Value: func(_ clade.View, r strategytest.Reading) float64 {
		return values[min(len(values)-1, max(0, int(r.Of.ID)-1))] // 2 is the first candidate
	}}
}

func TestPlateau(t *testing.T) {
	t.Parallel()
	t.Run("hillclimb counts candidates", func(t *testing.T) {
		t.Parallel()
		s := spec("hillclimb", clade.NoiseNone, 100)
		s.Budget.Plateau = 5
		state, _ := simulate(t, s, scripted(&s, 1, 1, 2, 3, 3), 1, 0) // candidate 4 is the last better one
		if h := state.Head(); h.Stop != clade.StopPlateau || h.Proposing != 3+5 || h.Winner != 4 {
			t.Errorf("stop %s after %d, winner %d", h.Stop, h.Proposing, h.Winner)
		}
	})
	t.Run("generational counts generations", func(t *testing.T) {
		t.Parallel()
		s := spec("generational", clade.NoiseNone, 100)
		s.Budget.Plateau, s.Search.Batch = 3, 4
		state, _ := simulate(t, s, scripted(&s, 1, 1, 2, 2, 2, 2, 5, 5), 2, 0) // 7 is in the second generation
		if h := state.Head(); h.Stop != clade.StopPlateau || h.Proposing != 4*(2+3) || h.Winner != 7 {
			t.Errorf("stop %s after %d, winner %d", h.Stop, h.Proposing, h.Winner)
		}
	})
}

func TestTarget(t *testing.T) {
	t.Parallel()
	target := 3.0
	for _, c := range []struct {
		name   string
		goal   clade.Direction
		values []float64
		winner clade.ID
		after  int
	}{
		{"reached", clade.Maximize, []float64{1, 2, 3, 9}, 3, 2},
		{"reached downwards", clade.Minimize, []float64{9, 5, 4, 2, 1}, 5, 4}, // IDs: 1 baseline, 2:5 …
		{"by the base", clade.Maximize, []float64{3}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := spec("hillclimb", clade.NoiseNone, 100)
			s.Budget.Target, s.Measures[0].Goal = &target, c.goal
			state, _ := simulate(t, s, scripted(&s, c.values...), 1, 0)
			h := state.Head()
			if h.Stop != clade.StopTarget || h.Proposing > c.after {
				t.Errorf("stop %s (%s) after %d", h.Stop, h.Reason, h.Proposing)
			}
			if (h.Winner != 0) != (c.winner != 0) {
				t.Errorf("winner %d", h.Winner)
			}
		})
	}
}

// P18: the target is of the measure whose gain is claimed, wherever it stands.
func TestTargetOfThePrimary(t *testing.T) {
	t.Parallel()
	target := 9.0
	s := spec("hillclimb", clade.NoiseNone, 100)
	s.Budget.Target, s.Measures[0].Goal, s.Measures[0].Weight = &target, clade.Maximize, 2
	aside := s.Measures[0]
	aside.ID, aside.Weight, aside.Goal = "aside", 1, clade.Minimize // already below 9
	s.Measures = []clade.Measure{aside, s.Measures[0]}
	state, _ := simulate(t, s, scripted(&s, 1, 2, 3, 9), 1, 0)
	if h := state.Head(); h.Stop == clade.StopTarget && h.Proposing == 0 {
		t.Errorf("stop %s (%s) after %d", h.Stop, h.Reason, h.Proposing)
	}
}

// A target that only luck reached ends the search: going on until another one
// is lucky in the final too would be looking until it is green.
func TestTargetNotProvenEndsAllTheSame(t *testing.T) {
	t.Parallel()
	target := .6
	s := spec("hillclimb", clade.NoiseCases, 200)
	s.Dataset, s.Budget.Target = &clade.Dataset{}, &target
	state, log := simulate(t, s, noisyCases(&s, 20, 0), 1, 0)
	finals := 0
	for _, r := range log {
		if p, ok := r.Event.(clade.Planned); ok && p.Attempt.Makes == clade.MakesNumbers && p.Attempt.After[0].Split == clade.SplitTest {
			finals++
		}
	}
	if h := state.Head(); h.Stop != clade.StopTarget || finals != 1 {
		t.Errorf("stop %s (%s), %d finals", h.Stop, h.Reason, finals)
	}
}

func TestWallDiscardsWhatHasNotBegun(t *testing.T) {
	t.Parallel()
	s := spec("race", clade.NoiseNone, 100)
	s.Budget.Wall = clade.Duration(time.Minute)
	w := exactWorld(&s)
	run := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2, Most: 12}
	_, log, _ := run.Do() // cut off in the first batch
	log = append(log, clade.Record{Seq: int64(len(log)) + 1, Event: clade.Ticked{Active: 2 * time.Minute}})
	run.Most = 0
	state, log, err := run.Continue(log)
	if err != nil {
		t.Fatal(err, tail(log))
	}
	discarded := 0
	for id := clade.ID(1); id <= state.Head().Count; id++ {
		if l := state.Life(id); l.Verdict.Status == clade.StatusDiscarded && l.Try == 0 {
			discarded++
		}
	}
	if h := state.Head(); h.Stop != clade.StopWall || discarded < 20 {
		t.Errorf("stop %s, %d discarded", h.Stop, discarded)
	}
}

func TestPauseAndCancel(t *testing.T) {
	t.Parallel()
	s := spec("hillclimb", clade.NoiseNone, 10)
	state := &clade.State{}
	for i, e := range []clade.Event{clade.Opened{Spec: s}, clade.Directed{What: clade.DirectPause}} {
		if err := state.Apply(clade.Record{Seq: int64(i + 1), Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	c := search(&s)
	if plan, stop := c.Next(state, 4); plan != nil || stop != nil {
		t.Errorf("paused: %v %v", plan, stop)
	}
	if err := state.Apply(clade.Record{Seq: 3, Event: clade.Directed{What: clade.DirectCancel, Text: "enough"}}); err != nil {
		t.Fatal(err)
	}
	if _, stop := c.Next(state, 4); stop == nil || stop.Cause != clade.StopCancelled || stop.Reason != "enough" {
		t.Errorf("cancelled: %v", stop)
	}
}

// A run that stopped goes on when it is resumed with a larger budget, and its
// new best must prove itself as well.
func TestResumeWithLargerBudget(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name, clade.NoiseNone, 12)
			w := exactWorld(&s)
			run := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2}
			first, log, err := run.Do()
			if err != nil {
				t.Fatal(err, tail(log))
			}
			before, beforeScore := first.Head().Winner, first.Life(first.Head().Winner).Score
			s.Budget.Candidates = 60
			run.Spec = s
			for _, e := range []clade.Event{clade.Amended{Spec: s, What: "budget"}, clade.Directed{What: clade.DirectResume}} {
				log = append(log, clade.Record{Seq: int64(len(log)) + 1, Event: e})
			}
			state, log, err := run.Continue(log)
			if err != nil {
				t.Fatal(err, tail(log))
			}
			h := state.Head()
			if h.Proposing != 60 || h.Stop != clade.StopCandidates {
				t.Errorf("%d candidates, stop %s", h.Proposing, h.Stop)
			}
			if w := state.Life(h.Winner); w.Score < beforeScore || h.Winner != before && w.Score == beforeScore {
				t.Errorf("winner %d with %g after %d with %g", h.Winner, w.Score, before, beforeScore)
			}
		})
	}
}

// F44: a new epoch measures the base again before anything is compared.
func TestF44NewEpochMeasuresTheBaseAgain(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for _, cut := range []int{8, 20, 21, 22, 23, 33, 47} {
			t.Run(fmt.Sprintf("%s/%d", name, cut), func(t *testing.T) {
				t.Parallel()
				s := spec(name, clade.NoiseNone, 30)
				w := exactWorld(&s)
				run := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 3, Most: cut}
				_, log, _ := run.Do()
				s.Measures = slices.Clone(s.Measures)
				s.Measures[0].Goal = clade.Minimize
				log = append(log, clade.Record{Seq: int64(len(log)) + 1, Event: clade.Amended{Spec: s, What: "goal", Epoch: 1}})
				run.Most = 0
				run.Observe = func(v clade.View, r clade.Record) {
					judged, _ := r.Event.(clade.Judged)
					for _, verdict := range judged.Verdicts {
						if l := v.Life(verdict.ID); l.Proposes() && l.Epoch == 0 && verdict.Status.Parent() {
							t.Errorf("#%d is %s by what an earlier epoch measured", l.ID, verdict.Status)
						}
					}
				}
				state, log, err := run.Continue(log)
				if err != nil {
					t.Fatal(err, tail(log))
				}
				h := state.Head()
				if base := state.Life(clade.Base); base.Epoch != 1 || base.Score != -100 {
					t.Errorf("base %g in epoch %d", base.Score, base.Epoch)
				}
				if h.Winner != 0 && state.Life(h.Winner).Values["score"] >= 100 {
					t.Errorf("winner %d has %g", h.Winner, state.Life(h.Winner).Values["score"])
				}
			})
		}
	}
}

// F45: a tree that is known, and no change at all, are rejected without a number.
func TestF45DuplicatesAndNothing(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name, clade.NoiseNone, 8)
			w := exactWorld(&s)
			try := func(v clade.View, l *clade.Life) clade.Outcome {
				switch {
				case !l.Proposes():
					return w.Try(v, l)
				case l.ID%2 == 0:
					return clade.Outcome{Commit: "c", Tree: "base-tree", Same: clade.SameAsBase}
				}
				return clade.Outcome{Detail: "no idea"}
			}
			state, log, err := strategytest.Run{Spec: s, Search: search, Try: try}.Do()
			if err != nil {
				t.Fatal(err, tail(log))
			}
			got := map[string]int{}
			for id := clade.ID(2); id <= state.Head().Count; id++ {
				got[state.Life(id).Verdict.Category]++
			}
			if got["duplicate"] != 4 || got["nothing"] != 4 || state.Head().Stop != clade.StopAllFailed {
				t.Errorf("%v, stop %s", got, state.Head().Stop)
			}
		})
	}
}
