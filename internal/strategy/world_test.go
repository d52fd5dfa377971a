package strategy_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/generational"
	"github.com/cladehq/clade/internal/strategy/hillclimb"
	"github.com/cladehq/clade/internal/strategy/race"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

func spec(name string, noise clade.Noise, candidates int) clade.Spec {
	return clade.Spec{
		Version: 1, Objective: "test", Seed: 7,
		Measures:  []clade.Measure{{ID: "score", Goal: clade.Maximize, Noise: noise}},
		Operators: []clade.Operator{{Use: "mutate"}},
		Search:    clade.Search{Strategy: name, Explore: .1, Cross: .2},
		Budget:    clade.Budget{Candidates: candidates},
	}
}

// search builds what a spec names, inside a campaign.
func search(s *clade.Spec) strategy.Search {
	switch s.Search.Strategy {
	case "generational":
		return strategy.NewCampaign(generational.New(s, nil))
	case "race":
		return strategy.NewCampaign(race.New(s, nil))
	}
	return strategy.NewCampaign(hillclimb.New(s, nil))
}

// climb is a value without noise: a child is its first parent plus a step of
// −3 to 3.
func climb(v clade.View, l *clade.Life) float64 {
	if l.ID == clade.Base {
		return 100
	}
	return climb(v, v.Life(l.ParentOr())) + float64(clade.Draw(3, "step", l.ID)%7) - 3
}

func exactWorld(s *clade.Spec) strategytest.World {
	return strategytest.World{Spec: s, Value: func(v clade.View, r strategytest.Reading) float64 { return climb(v, r.Of) }}
}

func simulate(t *testing.T, s clade.Spec, w strategytest.World, slots int, order uint64) (*clade.State, []clade.Record) {
	t.Helper()
	state, log, err := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: slots, Order: order}.Do()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(log))
	}
	return state, log
}

func tail(log []clade.Record) (out string) {
	for _, line := range strategytest.Decisions(log[max(0, len(log)-12):]) {
		out += line + "\n"
	}
	return out
}

var strategies = []string{"hillclimb", "generational", "race"}

func TestExactClimbEndsWithProvenWinner(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name, clade.NoiseNone, 60)
			state, _ := simulate(t, s, exactWorld(&s), 4, 1)
			h := state.Head()
			if h.Stop != clade.StopCandidates || h.Winner == clade.Base {
				t.Fatalf("stop %s (%s), winner %d", h.Stop, h.Reason, h.Winner)
			}
			f := state.Life(h.Winner).Verdict.Final
			if f == nil || f.Kind != "exact" || f.N != 2 || f.Base != 100 || f.Value-f.Base != f.Estimate || f.Estimate <= 0 {
				t.Errorf("final %+v", f)
			}
			if h.Proposing != 60 {
				t.Errorf("%d candidates", h.Proposing)
			}
			if state.Life(h.Winner).Score < state.Life(h.Best).Score {
				t.Errorf("winner scores %g, best %g", state.Life(h.Winner).Score, state.Life(h.Best).Score)
			}
		})
	}
}

func noisyCases(s *clade.Spec, n int, effect float64) strategytest.World {
	w := strategytest.World{Spec: s, Cases: map[string][]string{}}
	for i := range n {
		w.Cases[clade.SplitSelect] = append(w.Cases[clade.SplitSelect], fmt.Sprintf("s%d", i))
		w.Cases[clade.SplitTest] = append(w.Cases[clade.SplitTest], fmt.Sprintf("t%d", i))
	}
	w.Value = func(_ clade.View, r strategytest.Reading) float64 {
		p := .5
		if r.Of.ID != clade.Base {
			p += effect
		}
		if strategytest.Unit(s.Seed, r.Key()) < p {
			return 1
		}
		return 0
	}
	return w
}

func noisyTimes(s *clade.Spec, sigma, effect float64) strategytest.World {
	return strategytest.World{Spec: s, Value: func(_ clade.View, r strategytest.Reading) float64 {
		x := math.Exp(sigma * strategytest.Normal(s.Seed, r.Key()))
		if r.Of.ID != clade.Base {
			x *= 1 + effect
		}
		return x
	}}
}
