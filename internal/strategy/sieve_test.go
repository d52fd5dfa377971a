package strategy_test

import (
	"fmt"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// F45: of two attempts of one batch that made the same tree, the lower ID is
// judged by it, in whatever order they end.
func TestF45TwinsOfOneBatch(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name, clade.NoiseNone, 8)
			s.Search.Batch = 4
			w := exactWorld(&s)
			w.Tree = func(l *clade.Life) string {
				if tree, ok := map[clade.ID]string{clade.Base: "base-tree", 3: "b", 5: "b", 7: "base-tree"}[l.ID]; ok {
					return tree
				}
				return "a"
			}
			w.Value = func(_ clade.View, r strategytest.Reading) float64 {
				return map[string]float64{"base-tree": 1, "a": 3, "b": 2}[w.Tree(r.Of)]
			}
			for order := range uint64(6) {
				state, _ := simulate(t, s, w, 4, order)
				twins := map[clade.ID]string{4: "#2", 5: "#3", 6: "#2", 7: "the base", 8: "#2", 9: "#2"}
				for id := clade.ID(2); id <= 9; id++ {
					got := state.Life(id).Verdict
					of, twin := twins[id]
					if twin != (got.Category == "duplicate") || twin && got.Why != "the same tree as "+of {
						t.Errorf("order %d, #%d: %s: %s", order, id, got.Category, got.Why)
					}
				}
			}
		})
	}
}

// A twin of what has no number is judged by its own.
func TestTwinOfALostAttemptCounts(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		s := spec(name, clade.NoiseNone, 2)
		s.Search.Batch = 2
		w := exactWorld(&s)
		w.Tree = func(*clade.Life) string { return "a" }
		w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(min(1, r.Of.ID)) }
		w.Fails = func(l *clade.Life) (clade.Class, string) {
			if l.ID == 2 {
				return clade.ClassInfra, "gone"
			}
			return clade.OK, ""
		}
		if state, _ := simulate(t, s, w, 2, 1); state.Head().Winner != 3 {
			t.Errorf("%s: winner %d: %s", name, state.Head().Winner, state.Life(3).Verdict.Why)
		}
	}
}

// In order of arrival the one judged first counts, whatever its number.
func TestTwinsInOrderOfArrival(t *testing.T) {
	t.Parallel()
	s := spec("hillclimb", clade.NoiseNone, 40)
	w := exactWorld(&s)
	w.Tree = func(l *clade.Life) string { return fmt.Sprint("tree ", l.ID%7) }
	w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(r.Of.ID % 7) }
	for order := range uint64(10) {
		state, _ := simulate(t, s, w, 5, order)
		fit := 0
		for id := clade.ID(2); id <= 41; id++ {
			if state.Life(id).Verdict.Category != "duplicate" {
				fit++
			}
		}
		if fit != 7 {
			t.Errorf("order %d: %d of 7 trees judged", order, fit)
		}
	}
}
