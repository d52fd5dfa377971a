package race_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/race"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

func TestBestOfN(t *testing.T) {
	t.Parallel()
	s := clade.Spec{Measures: []clade.Measure{{ID: "m", Goal: clade.Minimize}}, Operators: []clade.Operator{{Use: "mutate"}},
		Budget: clade.Budget{Candidates: 75}}
	w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
		if r.Of.ID == clade.Base {
			return 500
		}
		return float64(clade.Draw(1, "score", r.Of.ID) % 1000)
	}}
	search := func(s *clade.Spec) strategy.Search { return strategy.NewCampaign(race.New(s, nil)) }
	state, _, err := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 4, Order: 9}.Do()
	if err != nil {
		t.Fatal(err)
	}
	best, least := clade.Base, 500.0
	for id := clade.ID(2); id <= 76; id++ {
		l := state.Life(id)
		if len(l.Parents) != 0 {
			t.Errorf("#%d has parents %v", id, l.Parents)
		}
		x := l.Values["m"]
		if x < least {
			best, least = id, x
		}
		want := map[bool]string{true: "improved", false: "regressed"}[x < 500]
		if got := l.Verdict.Category; got != want && got != "proven" && x != 500 {
			t.Errorf("#%d with %g is %s", id, x, got)
		}
	}
	if h := state.Head(); h.Winner != best || h.Proposing != 75 || h.Stop != clade.StopCandidates {
		t.Errorf("winner %d, want %d; %d candidates, stop %s", h.Winner, best, h.Proposing, h.Stop)
	}
}
