package hillclimb_test

import (
	"math"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/hillclimb"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

func campaign(s *clade.Spec) strategy.Search { return strategy.NewCampaign(hillclimb.New(s, nil)) }

func run(t *testing.T, m clade.Measure, value func(id clade.ID, r strategytest.Reading) float64, candidates int) *clade.State {
	t.Helper()
	s := clade.Spec{Objective: "climb", Measures: []clade.Measure{m}, Operators: []clade.Operator{{Use: "mutate"}},
		Budget: clade.Budget{Candidates: candidates}}
	w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 { return value(r.Of.ID, r) }}
	state, _, err := strategytest.Run{Spec: s, Search: campaign, Try: w.Try}.Do()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

type want struct {
	parent   clade.ID
	status   clade.Status
	category string
}

func check(t *testing.T, state *clade.State, wants []want) {
	t.Helper()
	for i, w := range wants {
		l := state.Life(clade.ID(i + 2)) // attempt 1 measures the base
		if l.ParentOr() != w.parent || l.Verdict.Category != w.category {
			t.Errorf("#%d from %d: %s/%s (%s), want from %d: %s/%s", l.ID, l.ParentOr(),
				l.Verdict.Status, l.Verdict.Category, l.Verdict.Why, w.parent, w.status, w.category)
		}
		if w.status != "" && l.Verdict.Status != w.status {
			t.Errorf("#%d is %s, want %s", l.ID, l.Verdict.Status, w.status)
		}
	}
}

// It goes on from what is better, walks on ties, and never from what is worse.
func TestWalksPlateaus(t *testing.T) {
	t.Parallel()
	scores := []float64{5, 5, 4, 5, 6, 6, 5, 7}
	state := run(t, clade.Measure{ID: "m", Goal: clade.Maximize}, func(id clade.ID, _ strategytest.Reading) float64 {
		return scores[max(0, int(id)-1)]
	}, len(scores)-1)
	check(t, state, []want{
		{0, clade.StatusStable, "tie"},
		{2, clade.StatusRejected, "regressed"},
		{2, clade.StatusStable, "tie"}, // the newest of those that are as good is the next parent
		{4, clade.StatusAccepted, "improved"},
		{5, clade.StatusStable, "tie"},
		{6, clade.StatusRejected, "regressed"},
		{6, clade.StatusWinner, "proven"},
	})
}

// A gain below the threshold is walked on; what adds up to it is accepted.
func TestThreshold(t *testing.T) {
	t.Parallel()
	one := 1.0
	scores := []float64{5, 5.4, 5.8, 5.2, 6.1, 6.5}
	state := run(t, clade.Measure{ID: "m", Goal: clade.Maximize, Threshold: &one}, func(id clade.ID, _ strategytest.Reading) float64 {
		return scores[max(0, int(id)-1)]
	}, len(scores)-1)
	check(t, state, []want{
		{0, clade.StatusStable, "tie"},
		{2, clade.StatusStable, "tie"},
		{3, clade.StatusStable, "tie"},
		{3, "", "proven"},
		{5, clade.StatusStable, "tie"},
	})
	if w := state.Head().Winner; w != 5 {
		t.Errorf("winner %d", w)
	}
}

// A timing is compared with its parent in pairs of its own attempt: what is only
// better than the base does not pass.
func TestTimingMustBeatItsParent(t *testing.T) {
	t.Parallel()
	times := []float64{10, 8, 9, 8, 6} // of the base and of candidates 2, 3, …
	state := run(t, clade.Measure{ID: "m", Goal: clade.Minimize, Noise: clade.NoiseTiming}, func(id clade.ID, r strategytest.Reading) float64 {
		return times[max(0, int(id)-1)] * math.Exp(.001*strategytest.Normal(1, r.Key()))
	}, len(times)-1)
	check(t, state, []want{
		{0, clade.StatusAccepted, "improved"},
		{2, clade.StatusRejected, "dropped"},
	})
	if got := state.Life(4).Verdict; got.Status != clade.StatusRejected || got.Category == "improved" {
		t.Errorf("as fast as its parent: %s/%s", got.Status, got.Category)
	}
	if h := state.Head(); h.Winner != 5 || state.Life(5).ParentOr() != 2 {
		t.Errorf("winner %d (%s)", h.Winner, h.Reason)
	}
	for _, s := range state.Life(5).After[1:] {
		if len(s.Subjects) != 3 || s.Subjects[1] != 2 {
			t.Errorf("pairs of %v", s.Subjects)
		}
	}
}

// A parent whose score was lucky steps down when a child beats it in pairs: here
// #2 measures 7 where nobody compares it, and 8 beside its children.
func TestLuckyParentStepsDown(t *testing.T) {
	t.Parallel()
	state := run(t, clade.Measure{ID: "m", Goal: clade.Minimize, Noise: clade.NoiseTiming}, func(id clade.ID, r strategytest.Reading) float64 {
		jitter := math.Exp(.001 * strategytest.Normal(1, r.Key()))
		switch {
		case id == clade.Base:
			return 10 * jitter
		case id == 2 && r.In.ID == 2:
			return 7 * jitter
		case id == 2:
			return 8 * jitter
		}
		return 7.5 * jitter
	}, 2)
	if got := state.Life(2).Verdict; got.Status != clade.StatusDiscarded || got.Category != "outlived" {
		t.Errorf("#2 is %s/%s: %s", got.Status, got.Category, got.Why)
	}
	if h := state.Head(); h.Winner != 3 {
		t.Errorf("winner %d: %s", h.Winner, state.Life(3).Verdict.Why)
	}
}

// The machine has become a third slower since the baseline: ratios count.
func TestDriftDoesNotMoveScores(t *testing.T) {
	t.Parallel()
	state := run(t, clade.Measure{ID: "m", Goal: clade.Minimize, Noise: clade.NoiseTiming}, func(id clade.ID, r strategytest.Reading) float64 {
		x := math.Exp(.001 * strategytest.Normal(1, r.Key()))
		if r.In.ID > 1 {
			x *= 1.5
		}
		if id != clade.Base {
			x *= .8
		}
		return x
	}, 1)
	if h, x := state.Head(), state.Life(2).Values["m"]; h.Winner != 2 || math.Abs(x-.8) > .01 {
		t.Errorf("winner %d, value %g (%s)", h.Winner, x, h.Reason)
	}
}

func TestOrderOfArrivalFillsFreeSlots(t *testing.T) {
	t.Parallel()
	s := clade.Spec{Budget: clade.Budget{Candidates: 5}}
	if hillclimb.New(&s, nil).Lockstep() {
		t.Error("lockstep without a batch")
	}
	s.Search.Batch = 3
	if !hillclimb.New(&s, nil).Lockstep() {
		t.Error("a batch is lockstep")
	}
}
