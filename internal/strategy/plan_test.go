package strategy_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/strategy"
)

type namer struct{}

func (namer) Brief(_ clade.View, a *clade.Attempt) (brief, why string) {
	return fmt.Sprintf(`{"id":%d}`, a.ID), fmt.Sprintf("hypothesis of %d from %v", a.ID, a.Parents)
}

func opened(t *testing.T, s clade.Spec, more ...clade.Event) *clade.State {
	t.Helper()
	state := &clade.State{}
	for i, e := range append([]clade.Event{clade.Opened{Spec: s}}, more...) {
		if err := state.Apply(clade.Record{Seq: int64(i + 1), Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

func TestAttemptsKnowTheirNumberWhenBriefed(t *testing.T) {
	t.Parallel()
	p := strategy.NewPlanner(policy.Briefers{"mutate": namer{}})
	v := opened(t, spec("race", clade.NoiseNone, 9), clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesTree, Why: "x"}})
	a := p.Attempt(v, 2, strategy.Choice{Parents: []clade.ID{1}, Reason: "from #1"})
	if a.ID != 4 || a.Brief != `{"id":4}` || a.Why != "from #1: hypothesis of 4 from [1]" || a.Operator != "mutate" {
		t.Errorf("%+v", a)
	}
	if a = p.Attempt(v, 0, strategy.Choice{Parents: []clade.ID{clade.Base}}); len(a.Parents) != 0 {
		t.Errorf("the base is named as parent: %+v", a)
	}
}

func TestOperatorsByShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		shares []float64
		want   []float64 // of 4,000
	}{
		{"equal when none is given", []float64{0, 0}, []float64{2000, 2000}},
		{"three to one", []float64{3, 1}, []float64{3000, 1000}},
		{"one has none", []float64{0, 1, 0}, []float64{0, 4000, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := spec("race", clade.NoiseNone, 9)
			s.Operators = nil
			for i, share := range c.shares {
				s.Operators = append(s.Operators, clade.Operator{Use: "command", Name: fmt.Sprint(i), Share: share})
			}
			v, p := opened(t, s), strategy.NewPlanner(nil)
			got := make([]float64, len(c.shares))
			for at := range 4000 {
				var i int
				if _, err := fmt.Sscan(p.Attempt(v, at, strategy.Choice{}).Operator, &i); err != nil {
					t.Fatal(err)
				}
				got[i]++
			}
			for i := range got {
				if math.Abs(got[i]-c.want[i]) > 120 { // about four standard deviations
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	cents := clade.Microdollars(50_000)
	s := spec("race", clade.NoiseNone, 9)
	s.Budget.PerTry = &cents
	p := strategy.NewPlanner(nil)
	if a := p.Attempt(opened(t, s), 0, strategy.Choice{}); !a.Hold.IsZero() {
		t.Errorf("the built-in operator holds %+v", a.Hold)
	}
	s.Operators = []clade.Operator{{Use: "agent"}}
	if a := p.Attempt(opened(t, s), 0, strategy.Choice{}); a.Hold.Microdollars != cents {
		t.Errorf("holds %+v", a.Hold)
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	s := spec("race", clade.NoiseNone, 9)
	s.Objective, s.Allow, s.Frozen = "answer well", []string{"*.md"}, []string{"tests/**"}
	s.Gates = []clade.Gate{{ID: "unit"}}
	events := []clade.Event{clade.Directed{What: clade.DirectSteer, Text: "try shorter sentences"}}
	for i := range 30 {
		id := clade.ID(i + 1)
		events = append(events, clade.Planned{Attempt: clade.Attempt{ID: id, Makes: clade.MakesTree, Why: "x"}},
			clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: clade.StatusRejected,
				Why: fmt.Sprintf("failure %d %s", id, strings.Repeat("long ", 500))}}})
	}
	v := opened(t, s, events...)
	a := strategy.NewPlanner(nil).Attempt(v, 0, strategy.Choice{Reason: "a seed", Hint: "Vary the wording."})
	for _, want := range []string{"answer well", "*.md", "tests/**", "unit", "Vary the wording.", "failure 30", "try shorter sentences", "the base"} {
		if !strings.Contains(a.Brief, want) {
			t.Errorf("the brief does not say %q:\n%s", want, a.Brief)
		}
	}
	if len(a.Brief) > 9<<10 || strings.Contains(a.Brief, "failure 25 ") {
		t.Errorf("%d bytes", len(a.Brief))
	}
}
