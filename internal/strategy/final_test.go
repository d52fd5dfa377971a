package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

func TestGainsAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		noise clade.Noise
		world func(*clade.Spec) strategytest.World
		kind  string
	}{
		{"cases", clade.NoiseCases, func(s *clade.Spec) strategytest.World { return noisyCases(s, 40, .45) }, "held out"},
		{"timing 15 % faster", clade.NoiseTiming, func(s *clade.Spec) strategytest.World { return noisyTimes(s, .03, -.13) }, "fresh, not held out"},
	} {
		for _, name := range strategies {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				won := 0
				for seed := range uint64(10) {
					s := spec(name, c.noise, 12)
					s.Seed = seed
					if c.noise == clade.NoiseCases {
						s.Dataset = &clade.Dataset{}
					} else {
						s.Measures[0].Goal = clade.Minimize
					}
					state, _ := simulate(t, s, c.world(&s), 3, seed)
					h := state.Head()
					if h.Winner == 0 {
						continue
					}
					won++
					f := state.Life(h.Winner).Verdict.Final
					if f.Kind != c.kind || f.P > f.Alpha || f.Low <= 0 || f.Low > f.Estimate || f.High < f.Estimate || f.Look < 1 {
						t.Errorf("final %+v", f)
					}
				}
				if won < 9 {
					t.Errorf("%d of 10 runs find it", won)
				}
			})
		}
	}
}

// B2: what the noise does not resolve is said to be so, with the smallest gain
// that could be seen.
func TestB2UnresolvableGainSaysWhatCouldBeSeen(t *testing.T) {
	t.Parallel()
	said, resolution := 0, 0
	for seed := range uint64(40) {
		s := spec("hillclimb", clade.NoiseTiming, 40)
		s.Seed = seed
		noisy := noisyTimes(&s, .2, .05)
		w := noisy
		if quiet := noisyTimes(&s, .01, .05); seed%2 == 1 { // a machine that becomes noisy only in the final
			w.Value = func(v clade.View, r strategytest.Reading) float64 {
				if r.In.Proposes() || r.In.ID <= 1 { // the search, and the baseline
					return quiet.Value(v, r)
				}
				return noisy.Value(v, r)
			}
		}
		state, _ := simulate(t, s, w, 2, seed)
		for id := clade.ID(1); id <= state.Head().Count; id++ {
			v := state.Life(id).Verdict
			if v.Final == nil || v.Status == clade.StatusWinner {
				continue
			}
			if strings.Contains(v.Why, "not resolvable: 20 pairs show gains from") || strings.Contains(v.Why, "smallest that counts") ||
				strings.Contains(v.Why, "not better") {
				said++
			} else {
				t.Errorf("#%d: %s", id, v.Why)
			}
			if strings.Contains(v.Why, "not resolvable: 20 pairs show gains from") {
				resolution++
			}
		}
	}
	if said == 0 || resolution == 0 {
		t.Errorf("%d finals failed, %d say what could be seen", said, resolution)
	}
}

// finalOutcome runs an exact search whose final is changed.
func finalOutcome(t *testing.T, s clade.Spec, values []float64, change func(o *clade.Outcome)) *clade.State {
	t.Helper()
	w := scripted(&s, values...)
	try := func(v clade.View, l *clade.Life) clade.Outcome {
		o := w.Try(v, l)
		if !l.Proposes() && l.After[0].Split == clade.SplitTest && change != nil {
			change(&o)
		}
		return o
	}
	state, log, err := strategytest.Run{Spec: s, Search: search, Try: try}.Do()
	if err != nil {
		t.Fatal(err, tail(log))
	}
	return state
}

func TestExactFinals(t *testing.T) {
	t.Parallel()
	two := 2.0
	withGate := func(s *clade.Spec) { s.Gates = []clade.Gate{{ID: "tests"}} }
	for _, c := range []struct {
		name     string
		values   []float64 // of the base, then of candidates 2, 3, …
		with     func(*clade.Spec)
		change   func(o *clade.Outcome)
		stop     clade.Stop
		winner   clade.ID
		category string // of candidate 2's verdict
	}{
		{name: "better by one bit", values: []float64{1, 1.0000000000000002}, stop: clade.StopCandidates, winner: 2, category: "proven"},
		{name: "a tie is no winner", values: []float64{1, 1}, stop: clade.StopCandidates, category: "tie"},
		{name: "varies between the two runs", values: []float64{1, 2},
			change: func(o *clade.Outcome) { o.Evaluations[1].Samples[0].Value = 3 }, stop: clade.StopEvaluator, category: "unsteady"},
		{name: "is another number than in the search", values: []float64{1, 2},
			change: func(o *clade.Outcome) {
				for i := range o.Evaluations[1].Samples {
					o.Evaluations[1].Samples[i].Value = 3
				}
			}, stop: clade.StopEvaluator, category: "unsteady"},
		{name: "the base is another number", values: []float64{1, 2},
			change: func(o *clade.Outcome) {
				for i := range o.Evaluations[0].Samples {
					o.Evaluations[0].Samples[i].Value = 0
				}
			}, stop: clade.StopEvaluator, category: "unsteady"},
		{name: "below the threshold", values: []float64{1, 2.9},
			with: func(s *clade.Spec) { s.Measures[0].Threshold = &two }, stop: clade.StopCandidates, category: "tie"},
		{name: "at the threshold", values: []float64{1, 3},
			with: func(s *clade.Spec) { s.Measures[0].Threshold = &two }, stop: clade.StopCandidates, winner: 2, category: "proven"},
		{name: "fails a gate in the final", values: []float64{1, 2}, with: withGate,
			change: func(o *clade.Outcome) {
				o.Failure = clade.ClassCandidate
				o.Evaluations[1].Samples[0].Value = 0
			}, stop: clade.StopCandidates, category: "gate"},
		{name: "infrastructure fails the final", values: []float64{1, 2},
			change: func(o *clade.Outcome) { o.Failure = clade.ClassInfra }, stop: clade.StopInfra, category: "unmeasured"},
		{name: "the evaluator fails the final", values: []float64{1, 2},
			change: func(o *clade.Outcome) { o.Failure = clade.ClassEvaluator }, stop: clade.StopEvaluator, category: "evaluator"},
		{name: "the finalist fails in the final", values: []float64{1, 2},
			change: func(o *clade.Outcome) {
				o.Failure = clade.ClassCandidate
				o.Evaluations[1].Samples[0].Class = clade.ClassCandidate
			}, stop: clade.StopCandidates, category: "failed"},
		{name: "the base fails in the final", values: []float64{1, 2},
			change: func(o *clade.Outcome) {
				o.Failure = clade.ClassCandidate
				o.Evaluations[0].Samples[0].Class = clade.ClassCandidate
			}, stop: clade.StopEvaluator, category: "evaluator"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := spec("hillclimb", clade.NoiseNone, 1)
			if c.with != nil {
				c.with(&s)
			}
			state := finalOutcome(t, s, append(c.values[:1:1], c.values[1:]...), c.change)
			h := state.Head()
			if h.Stop != c.stop || h.Winner != c.winner {
				t.Errorf("stop %s (%s), winner %d", h.Stop, h.Reason, h.Winner)
			}
			if got := state.Life(2).Verdict; got.Category != c.category {
				t.Errorf("verdict %s/%s: %s", got.Status, got.Category, got.Why)
			}
		})
	}
}

// Two measures: the one with the highest weight is claimed, the other must not
// get worse by more than 2 %.
func TestSecondMeasureMustHold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size   float64 // of the candidate; the base has 100
		winner clade.ID
	}{{100, 2}, {102, 2}, {102.5, 0}, {50, 2}} {
		t.Run(fmt.Sprint(c.size), func(t *testing.T) {
			t.Parallel()
			s := spec("hillclimb", clade.NoiseNone, 1)
			s.Measures = []clade.Measure{{ID: "size", Goal: clade.Minimize, Weight: 1}, {ID: "score", Goal: clade.Maximize, Weight: 2}}
			w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
				switch {
				case r.Of.ID == clade.Base:
					return 100
				case r.Measure.ID == "score":
					return 110
				}
				return c.size
			}}
			state, _ := simulate(t, s, w, 1, 1)
			if h := state.Head(); h.Winner != c.winner {
				t.Errorf("winner %d: %s", h.Winner, state.Life(2).Verdict.Why)
			}
		})
	}
}

// Of several finalists one wins; the others keep what they have shown.
func TestFinalists(t *testing.T) {
	t.Parallel()
	s := spec("race", clade.NoiseNone, 6)
	s.Final.Finalists = 3
	state := finalOutcome(t, s, []float64{1, 2, 5, 4, 1, 5, 0}, nil)
	if h := state.Head(); h.Winner != 3 {
		t.Errorf("winner %d: %s", h.Winner, h.Reason)
	}
	for id, want := range map[clade.ID]clade.Status{2: clade.StatusAccepted, 4: clade.StatusFinalist, 6: clade.StatusFinalist} {
		if v := state.Life(id).Verdict; v.Status != want || (want == clade.StatusFinalist) != (v.Final != nil) {
			t.Errorf("#%d is %s: %s", id, v.Status, v.Why)
		}
	}
}

// Each of several finalists is held to Holm's level: a candidate that wins k of
// 40 cases and loses none has p = 2^−k, and three of them need .05/3, .05/2, .05.
func TestFinalistsByHolm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		wins   [3]int // of test cases, of candidates 2, 3 and 4
		winner clade.ID
		proven int
	}{
		{"first alone", [3]int{8, 5, 5}, 2, 1}, // .0039, .031 > .025
		{"all three", [3]int{8, 6, 5}, 2, 3},   // .0039, .0156, .031
		{"the last has most", [3]int{5, 6, 9}, 4, 3},
		{"none", [3]int{5, 5, 5}, 0, 0}, // .031 > .0167, though below .05
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := spec("race", clade.NoiseCases, 3)
			s.Dataset, s.Final.Finalists = &clade.Dataset{}, 3
			w := noisyCases(&s, 40, 0)
			w.Value = func(_ clade.View, r strategytest.Reading) float64 {
				n, won := 0, 30
				fmt.Sscanf(r.Case[1:], "%d", &n)
				if r.Split == clade.SplitTest && r.Of.ID != clade.Base {
					won = c.wins[r.Of.ID-2]
				}
				return map[bool]float64{true: 1, false: 0}[r.Of.ID != clade.Base && n < won]
			}
			state, _ := simulate(t, s, w, 2, 1)
			proven := 0
			for id := clade.ID(2); id <= 4; id++ {
				if v := state.Life(id).Verdict; v.Final == nil {
					t.Errorf("#%d has no figure: %s", id, v.Why)
				} else if v.Category == "proven" {
					proven++
				}
			}
			if h := state.Head(); h.Winner != c.winner || proven != c.proven {
				t.Errorf("winner %d, %d proven: %s", h.Winner, proven, h.Reason)
			}
		})
	}
}
