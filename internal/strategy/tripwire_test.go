package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// probing is a run with two tripwires, whose evaluator gives wrong candidates so
// much above the base.
func probing(name string, noise clade.Noise, above map[string]float64, expect string) (clade.Spec, strategytest.World) {
	s := spec(name, noise, 6)
	s.Search.Batch = 3
	s.Gates = []clade.Gate{{ID: "tests"}}
	s.Protect.Tripwires = []clade.Tripwire{{ID: "one", Expect: expect}, {ID: "two", Expect: expect}}
	w := exactWorld(&s)
	w.Cases = map[string][]string{clade.SplitSelect: {"a", "b"}, clade.SplitTest: {"c", "d"}}
	if noise == clade.NoiseCases {
		s.Dataset = &clade.Dataset{}
	}
	w.Value = func(v clade.View, r strategytest.Reading) float64 {
		if r.Of.Probe != "" {
			return 100 + above[r.Of.Probe]
		}
		return climb(v, r.Of)
	}
	return s, w
}

// C16: wrong candidates come right after the baseline, cost no candidates, and one
// that scores ends the run before anything is spent.
func TestTripwires(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		noise  clade.Noise
		expect string
		above  map[string]float64
		gate   bool // refuses them
		want   clade.Stop
		why    string
	}{
		"both worse":                    {clade.NoiseNone, "", map[string]float64{"one": -1, "two": -5}, false, clade.StopCandidates, "held: it is worse"},
		"one as good":                   {clade.NoiseNone, "", map[string]float64{"one": -1, "two": 0}, false, clade.StopEvaluator, `tripwire "two" scored`},
		"one better":                    {clade.NoiseNone, "worse", map[string]float64{"one": 1, "two": -1}, false, clade.StopEvaluator, `tripwire "one" scored`},
		"cases, lower":                  {clade.NoiseCases, "", map[string]float64{"one": -1, "two": -1}, false, clade.StopCandidates, "held: it is worse"},
		"cases, the same":               {clade.NoiseCases, "worse", nil, false, clade.StopEvaluator, `tripwire "one" scored`},
		"timing, not better":            {clade.NoiseTiming, "worse", nil, false, clade.StopCandidates, "held: it is not proven faster"},
		"timing, better":                {clade.NoiseTiming, "", map[string]float64{"one": -50, "two": 0}, false, clade.StopEvaluator, `tripwire "one" scored`},
		"worse, though a gate must":     {clade.NoiseNone, "fail", map[string]float64{"one": -1, "two": -1}, false, clade.StopEvaluator, "no gate refused it"},
		"a gate did":                    {clade.NoiseNone, "fail", map[string]float64{"one": 9, "two": 9}, true, clade.StopCandidates, `gate "tests" refused it`},
		"a gate before the measure did": {clade.NoiseNone, "worse", map[string]float64{"one": 9, "two": 9}, true, clade.StopCandidates, "the measure was not tried"},
	} {
		for _, strategy := range strategies {
			t.Run(name+"/"+strategy, func(t *testing.T) {
				t.Parallel()
				s, w := probing(strategy, c.noise, c.above, c.expect)
				if c.noise == clade.NoiseTiming {
					s.Measures[0].Goal = clade.Minimize
					value := w.Value
					w.Value = func(v clade.View, r strategytest.Reading) float64 {
						return max(1, value(v, r)) + strategytest.Unit(1, r.Key())/100
					}
				}
				try := w.Try
				if c.gate {
					try = func(v clade.View, l *clade.Life) clade.Outcome {
						o := w.Try(v, l)
						if l.Probe != "" {
							o.Failure, o.Evaluations[0].Samples = clade.ClassCandidate, []clade.Sample{{Check: "tests", Gate: true, Class: clade.ClassCandidate}}
						}
						return o
					}
				}
				state, log, err := strategytest.Run{Spec: s, Search: search, Try: try, Slots: 3}.Do()
				if err != nil {
					t.Fatal(err, tail(log))
				}
				h, told := state.Head(), ""
				for id := clade.ID(2); id <= 3; id++ {
					l := state.Life(id)
					told += l.Verdict.Why + "\n"
					if l.Probe == "" || l.Open || l.Scored || l.Verdict.Status.Parent() {
						t.Errorf("attempt %d: %+v", id, l.Verdict)
					}
				}
				if h.Stop != c.want || !strings.Contains(told, c.why) {
					t.Errorf("stop %s: %s\n%s", h.Stop, h.Reason, told)
				}
				if c.want == clade.StopEvaluator && (h.Count != 3 || h.Proposing != 0 || h.Winner != clade.Base || !strings.Contains(h.Reason, "tripwire")) {
					t.Errorf("%d attempts, winner %d: %s", h.Count, h.Winner, h.Reason)
				}
				if c.want != clade.StopEvaluator && h.Proposing != 6 {
					t.Errorf("%d candidates of 6", h.Proposing)
				}
			})
		}
	}
}

// Tripwires are decided the same in any order of arrival, and resumed at any record.
func TestTripwiresInLockstep(t *testing.T) {
	t.Parallel()
	for _, above := range []float64{-1, 1} {
		for _, name := range strategies {
			t.Run(fmt.Sprintf("%s/%+g", name, above), func(t *testing.T) {
				t.Parallel()
				s, w := probing(name, clade.NoiseNone, map[string]float64{"one": -1, "two": above}, "")
				w.Fails = rough(4)
				r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 1}
				_, log, err := r.Do()
				if err != nil {
					t.Fatal(err, tail(log))
				}
				want := strategytest.Decisions(log)
				r.Slots = 4
				for k := 1; k < len(log); k++ {
					r.Order = uint64(k)
					_, again, err := r.Do()
					if err != nil {
						t.Fatal(err)
					}
					same(t, fmt.Sprintf("order %d", k), strategytest.Decisions(again), want)
					if _, again, err = r.Continue(slices.Clone(log[:k])); err != nil {
						t.Fatal(err)
					}
					same(t, fmt.Sprintf("resumed after record %d", k), strategytest.Decisions(again), want)
				}
			})
		}
	}
}

// A person who resumes says that the evaluator is mended: its tripwires are tried
// again, those that held are not.
func TestTripwiresAfterAResume(t *testing.T) {
	t.Parallel()
	s, w := probing("hillclimb", clade.NoiseNone, nil, "")
	broken := true
	w.Value = func(v clade.View, r strategytest.Reading) float64 {
		if r.Of.Probe == "two" && broken {
			return 200
		}
		return map[bool]float64{true: 1, false: climb(v, r.Of)}[r.Of.Probe != ""]
	}
	r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
	state, log, err := r.Do()
	if err != nil || state.Head().Stop != clade.StopEvaluator {
		t.Fatal(err, state.Head().Reason)
	}
	if state, log = resumed(t, r, log, nil); state.Head().Stop != clade.StopEvaluator || state.Head().Count != 4 {
		t.Fatalf("stop %s after %d attempts", state.Head().Stop, state.Head().Count)
	}
	broken = false
	if state, _ = resumed(t, r, log, nil); state.Head().Stop != clade.StopCandidates || state.Life(5).Probe != "two" {
		t.Errorf("stop %s: %s", state.Head().Stop, state.Head().Reason)
	}
}
