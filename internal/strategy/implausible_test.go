package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

var jumps = map[clade.Noise]float64{clade.NoiseNone: 1000, clade.NoiseCases: 1000, clade.NoiseTiming: 3300}

// jumping is a run whose candidate 12 gains very much when it is first measured,
// and so much when it is measured again.
func jumping(name string, noise clade.Noise, again float64) (clade.Spec, strategytest.World) {
	s := spec(name, noise, 20)
	s.Search.Batch = 5
	jump := 10.0
	s.Protect.Jump = &jump
	w := strategytest.World{Spec: &s, Cases: map[string][]string{clade.SplitSelect: {"a", "b"}, clade.SplitTest: {"c", "d", "e", "f", "g", "h"}}}
	if noise == clade.NoiseCases {
		s.Dataset = &clade.Dataset{}
	}
	w.Value = func(v clade.View, r strategytest.Reading) float64 {
		x := 1000 + float64(r.Of.ID)
		switch {
		case r.Of.ID == clade.Base:
			x = 1000
		case r.Of.ID == 12 && r.In.ID == 12:
			x = 1000 + jumps[noise]
		case r.Of.ID == 12:
			x = 1000 + again
		}
		if noise == clade.NoiseTiming { // 3 % each, and a hundred times in one step
			return 1e6 / (30*x - 29000) * (1 + strategytest.Unit(1, r.Key())/1e4)
		}
		return x
	}
	if noise == clade.NoiseTiming {
		s.Measures[0].Goal = clade.Minimize
	}
	return s, w
}

// C12: a gain out of all proportion is measured again before it is a parent, a
// finalist or a winner.
func TestImplausibleGains(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		noise clade.Noise
		again float64
		holds bool
	}{
		"exact, the same":         {clade.NoiseNone, 1000, true},
		"exact, a little less":    {clade.NoiseNone, 999, false},
		"cases, nearly":           {clade.NoiseCases, 900, true},
		"cases, a third":          {clade.NoiseCases, 300, false},
		"timing, the same":        {clade.NoiseTiming, 3300, true},
		"timing, as fast as ever": {clade.NoiseTiming, 12, false},
	} {
		for _, strategy := range strategies {
			t.Run(name+"/"+strategy, func(t *testing.T) {
				t.Parallel()
				s, w := jumping(strategy, c.noise, c.again)
				quarantined := false
				r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 1}
				r.Observe = func(v clade.View, _ clade.Record) {
					if l := v.Life(12); l != nil && l.Open && l.Scored {
						quarantined = quarantined || len(v.Children(12)) == 1
						for _, kid := range v.Children(12) {
							if v.Life(kid).Proposes() {
								t.Errorf("%d descends from what is in quarantine", kid)
							}
						}
					}
				}
				state, log, err := r.Do()
				if err != nil {
					t.Fatal(err, tail(log))
				}
				l := state.Life(12)
				if !quarantined {
					t.Fatalf("never measured again: %+v", l.Verdict)
				}
				if c.holds != (l.Verdict.Category != "implausible") || !c.holds && l.Verdict.Status != clade.StatusRejected {
					t.Errorf("verdict %+v", l.Verdict)
				}
				if w := state.Head().Winner; c.holds != (w == 12) {
					t.Errorf("winner %d: %s", w, state.Head().Reason)
				}
				if told := strings.Join(strategytest.Decisions(log), "\n"); c.holds && !strings.Contains(told, "which confirmed it") {
					t.Error("nothing says that it was confirmed")
				}
			})
		}
	}
}

func TestPlausibleGains(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*clade.Spec, *strategytest.World){
		"never":          func(s *clade.Spec, _ *strategytest.World) { *s.Protect.Jump = 0 },
		"not resolved":   func(s *clade.Spec, _ *strategytest.World) { s.Protect.Jump = nil },
		"a larger bound": func(s *clade.Spec, _ *strategytest.World) { *s.Protect.Jump = 1000 },
		"too early": func(_ *clade.Spec, w *strategytest.World) { // the first ones jump
			w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(min(r.Of.ID, 1)) * 5000 }
		},
	} {
		s, w := jumping("hillclimb", clade.NoiseNone, 1000)
		change(&s, &w)
		state, _ := simulate(t, s, w, 1, 1)
		for id := clade.ID(2); id <= state.Head().Count; id++ {
			if l := state.Life(id); l.Makes == clade.MakesNumbers && l.After[0].Split != clade.SplitTest {
				t.Errorf("%s: %s", name, l.Why)
			}
		}
	}
}

// What is in quarantine changes nothing in how a lockstep run decides.
func TestImplausibleInLockstep(t *testing.T) {
	t.Parallel()
	for _, again := range []float64{1000, 1} {
		for _, name := range strategies {
			t.Run(fmt.Sprintf("%s/%g", name, again), func(t *testing.T) {
				t.Parallel()
				s, w := jumping(name, clade.NoiseNone, again)
				r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 1}
				_, log, err := r.Do()
				if err != nil {
					t.Fatal(err, tail(log))
				}
				want := strategytest.Decisions(log)
				r.Slots = 4
				for k := 1; k < len(log); k++ {
					r.Order = uint64(k)
					_, other, err := r.Do()
					if err != nil {
						t.Fatal(err)
					}
					same(t, fmt.Sprintf("order %d", k), strategytest.Decisions(other), want)
					if _, other, err = r.Continue(slices.Clone(log[:k])); err != nil {
						t.Fatal(err)
					}
					same(t, fmt.Sprintf("resumed after record %d", k), strategytest.Decisions(other), want)
				}
			})
		}
	}
}

// A candidate that could not be measured again is neither believed nor blamed.
func TestImplausibleAndLost(t *testing.T) {
	t.Parallel()
	s, w := jumping("hillclimb", clade.NoiseNone, 1000)
	w.Fails = func(l *clade.Life) (clade.Class, string) {
		if l.Makes == clade.MakesNumbers && l.ParentOr() == 12 {
			return clade.ClassInfra, "no space left"
		}
		return clade.OK, ""
	}
	state, _ := simulate(t, s, w, 2, 1)
	if l := state.Life(12); l.Verdict.Status != clade.StatusExhausted || state.Head().Winner == 12 {
		t.Errorf("verdict %+v, winner %d", l.Verdict, state.Head().Winner)
	}
}
