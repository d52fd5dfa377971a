package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// batched is a search over cases of which a candidate first answers two of six
// train cases. A candidate's answers are as good as its luck, the same on every
// case of a split but for a few.
func batched(name string, candidates int) (clade.Spec, strategytest.World) {
	s := spec(name, clade.NoiseCases, candidates)
	s.Gates = []clade.Gate{{ID: "tests"}}
	s.Measures[0].Read.Kind = clade.ReadCases
	s.Dataset = &clade.Dataset{Batch: 2}
	w := strategytest.World{Spec: &s, Cases: map[string][]string{}}
	for _, split := range []string{clade.SplitTrain, clade.SplitSelect, clade.SplitTest} {
		for i := range 6 {
			w.Cases[split] = append(w.Cases[split], fmt.Sprint(split, i))
		}
	}
	w.Value = func(_ clade.View, r strategytest.Reading) float64 {
		if r.Of.ID == clade.Base {
			return .4
		}
		return float64(clade.Draw(5, r.Case, r.Of.ID)%8+clade.Draw(5, "skill", r.Of.ID)%8) / 14
	}
	return s, w
}

// A candidate answers a batch of train cases beside its parent and is asked the
// select cases only if it did no worse. One that did worse has no score, is no
// parent, and took no look at what decides.
func TestMinibatch(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := batched(name, 40)
			state, _ := simulate(t, s, w, 3, 1)
			rejected, passed, draws := 0, 0, map[string]bool{}
			for id := clade.ID(1); id <= state.Head().Count; id++ {
				l := state.Life(id)
				if !l.Proposes() {
					continue
				}
				parent, child := mean(l, 1, l.ParentOr(), draws), mean(l, 1, l.ID, draws)
				asked := slices.ContainsFunc(l.Evaluations, func(e clade.Evaluation) bool { return e.Stage == 2 })
				switch {
				case child < parent:
					rejected++
					if asked || l.Scored || len(l.Values) > 0 || l.Look != 0 || l.Verdict.Status != clade.StatusRejected ||
						l.Verdict.Category != "minibatch" || !strings.Contains(l.Verdict.Why, "2 cases of the train split") {
						t.Errorf("#%d: %.2f after %.2f, asked %v, scored %v: %+v", id, child, parent, asked, l.Scored, l.Verdict)
					}
					if len(state.Children(id)) > 0 {
						t.Errorf("#%d is a parent", id)
					}
					if c := strategy.Composite(state, []clade.ID{id, clade.Base}); len(c) != 1 {
						t.Errorf("#%d is ranked: %v", id, c)
					}
				default:
					passed++
					if !asked || !l.Scored || !l.Passed {
						t.Errorf("#%d: %.2f after %.2f, asked %v, scored %v", id, child, parent, asked, l.Scored)
					}
				}
			}
			if rejected == 0 || passed == 0 || len(draws) < 5 {
				t.Errorf("%d rejected, %d passed, %d different batches", rejected, passed, len(draws))
			}
		})
	}
}

// mean is what a subject's answers in a stage come to; the cases are added to
// draws.
func mean(l *clade.Life, stage int, of clade.ID, draws map[string]bool) float64 {
	for _, e := range l.Evaluations {
		if e.Stage == stage && e.Subject == of {
			var cases []string
			for _, s := range e.Samples {
				cases = append(cases, s.Case)
			}
			draws[strings.Join(cases, " ")] = true
			x, _ := clade.CaseMean("score", e.Samples)
			return x
		}
	}
	return -1
}

// Decisions with a batch are the same with any number of slots, in any order of
// arrival, and from every prefix of the log.
func TestMinibatchIsRepeatable(t *testing.T) {
	t.Parallel()
	s, w := batched("generational", 24)
	_, log := simulate(t, s, w, 1, 1)
	want := strategytest.Decisions(log)
	for slots := 2; slots < 6; slots++ {
		_, other := simulate(t, s, w, slots, uint64(slots))
		if got := strategytest.Decisions(other); !slices.Equal(got[1:], want[1:]) {
			t.Errorf("%d slots decide otherwise", slots)
		}
	}
	for cut := 1; cut < len(log); cut += 7 {
		_, resumed, err := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 1, Order: 1}.Continue(slices.Clone(log[:cut]))
		if err != nil {
			t.Fatal(err)
		}
		if got := strategytest.Decisions(resumed); !slices.Equal(got, want) {
			t.Errorf("resumed after %d records it decides otherwise", cut)
		}
	}
}
