package strategy_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// F47: a model that cannot be used ends the run after a few candidates, one that
// fails for now after more, and neither is held against a candidate. Mended, the
// run goes on to its winner.
func TestF47FailingModelEndsTheRun(t *testing.T) {
	t.Parallel()
	for class, most := range map[clade.Class]int{clade.ClassAccess: 3, clade.ClassModel: 64} {
		for _, name := range strategies {
			t.Run(string(class)+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := spec(name, clade.NoiseNone, 500)
				w, mended := exactWorld(&s), false
				w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(r.Of.ID) }
				w.Fails = func(l *clade.Life) (clade.Class, string) {
					if l.Proposes() && l.ID > 20 && !mended {
						return class, "signed out"
					}
					return clade.OK, ""
				}
				r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2}
				state, log, err := r.Do()
				h := state.Head()
				if err != nil || h.Stop != clade.StopModel || h.Proposing > 20+most+40 {
					t.Fatalf("%v, stop %q after %d candidates: %s", err, h.Stop, h.Proposing, h.Reason)
				}
				for id := clade.ID(21); id <= h.Count; id++ {
					if l := state.Life(id); l.Proposes() && l.Counted > 0 {
						t.Errorf("#%d is blamed", id)
					}
				}
				mended = true
				if state, _ = resumed(t, r, log, nil); state.Head().Winner == clade.Base || state.Head().Stop == clade.StopModel {
					t.Errorf("mended: %s", state.Head().Reason)
				}
			})
		}
	}
}

// A budget that is smaller than what ends a run says all the same that the model
// or the machine (F55) failed, and not that the candidates did; so it does when it is
// resumed without more of them.
func TestF47FewCandidates(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for class, stop := range map[clade.Class]clade.Stop{clade.ClassAccess: clade.StopModel,
			clade.ClassModel: clade.StopModel, clade.ClassInfra: clade.StopInfra} {
			s := spec(name, clade.NoiseNone, 2)
			w := exactWorld(&s)
			w.Fails = func(l *clade.Life) (clade.Class, string) {
				if l.Proposes() {
					return class, "signed out"
				}
				return clade.OK, ""
			}
			r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2}
			state, log, err := r.Do()
			if err != nil || state.Head().Stop != stop {
				t.Errorf("%s: %v, stop %q: %s", name, err, state.Head().Stop, state.Head().Reason)
			}
			if state, _ = resumed(t, r, log, nil); state.Head().Stop != stop {
				t.Errorf("%s: resumed: stop %q: %s", name, state.Head().Stop, state.Head().Reason)
			}
		}
	}
}
