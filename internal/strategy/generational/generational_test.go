package generational_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/generational"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

func campaign(s *clade.Spec) strategy.Search { return strategy.NewCampaign(generational.New(s, nil)) }

func run(t *testing.T, s clade.Spec, value func(r strategytest.Reading) float64, fails func(*clade.Life) bool,
	observe func(clade.View, clade.Record)) *clade.State {
	t.Helper()
	w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 { return value(r) }}
	w.Fails = func(l *clade.Life) (clade.Class, string) {
		if fails != nil && l.Proposes() && fails(l) {
			return clade.ClassCandidate, "does not compile"
		}
		return clade.OK, ""
	}
	state, _, err := strategytest.Run{Spec: s, Search: campaign, Try: w.Try, Slots: 3, Observe: observe}.Do()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func spec(candidates int) clade.Spec {
	return clade.Spec{Objective: "breed", Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize}}, Seed: 11,
		Operators: []clade.Operator{{Use: "mutate"}}, Search: clade.Search{Batch: 10, Parents: 3, Explore: .2, Cross: .3},
		Budget: clade.Budget{Candidates: candidates}}
}

func score(r strategytest.Reading) float64 { return float64(clade.Draw(5, "score", r.Of.ID) % 1000) }

func TestGenerations(t *testing.T) {
	t.Parallel()
	s := spec(2000)
	survivors := map[int][]clade.ID{} // of each generation, when the next is planned
	state := run(t, s, score, nil, func(v clade.View, r clade.Record) {
		p, ok := r.Event.(clade.Planned)
		if !ok || p.Attempt.Makes != clade.MakesTree || survivors[p.Attempt.Generation] != nil {
			return
		}
		survivors[p.Attempt.Generation] = slices.Collect(v.Frontier())
	})
	kinds := map[int]int{} // attempts by number of parents
	for id := clade.ID(2); id <= state.Head().Count; id++ {
		l := state.Life(id)
		if !l.Proposes() {
			continue
		}
		if want := (int(id) - 2) / 10; l.Generation != want+1 {
			t.Fatalf("#%d is of generation %d, want %d", id, l.Generation, want+1)
		}
		if l.Generation == 1 && len(l.Parents) != 0 {
			t.Errorf("seed #%d has parents %v", id, l.Parents)
		}
		if l.Generation > 1 {
			kinds[len(l.Parents)]++
		}
		for i, p := range l.Parents {
			if !slices.Contains(survivors[l.Generation], p) || slices.Contains(l.Parents[:i], p) {
				t.Errorf("#%d has parents %v of survivors %v", id, l.Parents, survivors[l.Generation])
			}
		}
		if l.Why == "" || l.Brief == "" {
			t.Errorf("#%d has no reason or brief", id)
		}
	}
	for g, ids := range survivors {
		if len(ids) > 4 { // three and the base
			t.Errorf("generation %d has survivors %v", g, ids)
		}
	}
	// Shares .2, .5 and .3 of 1,990; four standard deviations are 72, 90 and 82.
	if math.Abs(float64(kinds[0])-398) > 72 || math.Abs(float64(kinds[1])-995) > 90 || math.Abs(float64(kinds[2])-597) > 82 {
		t.Errorf("kinds %v", kinds)
	}
	if h := state.Head(); h.Winner != h.Best {
		t.Errorf("winner %d, best %d", h.Winner, h.Best)
	}
}

// When all of a generation failed, the next one is seeded from the base.
func TestSeedsAfreshAfterFailure(t *testing.T) {
	t.Parallel()
	state := run(t, spec(50), score, func(l *clade.Life) bool { return l.Generation == 3 }, nil)
	for id := clade.ID(2); id <= state.Head().Count; id++ {
		l := state.Life(id)
		if l.Generation == 4 && (len(l.Parents) > 0 || !strings.Contains(l.Why, "fresh seed")) {
			t.Errorf("#%d from %v: %s", id, l.Parents, l.Why)
		}
		if l.Generation == 5 && strings.Contains(l.Why, "fresh seed") {
			t.Errorf("#%d: %s", id, l.Why)
		}
	}
}

// Two measures that pull apart: the composite keeps what is good in each, and
// the best by merit always survives.
func TestSeveralMeasures(t *testing.T) {
	t.Parallel()
	s := spec(60)
	s.Measures = []clade.Measure{{ID: "speed", Goal: clade.Maximize}, {ID: "size", Goal: clade.Minimize}}
	state := run(t, s, func(r strategytest.Reading) float64 {
		return 1 + float64(clade.Draw(5, r.Measure.ID, r.Of.ID)%1000)
	}, nil, nil)
	best := state.Life(state.Head().Best)
	if s := best.Verdict.Status; s == clade.StatusDiscarded || s == clade.StatusOpen {
		t.Errorf("the best is %s: %s", s, best.Verdict.Why)
	}
}
