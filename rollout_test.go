package clade_test

import (
	"testing"

	"github.com/cladehq/clade"
)

// Where agents answer the cases, what is left of a hold after the operator stays
// held for them; elsewhere it is free at once.
func TestHoldsLastAsLongAsAgentsAnswer(t *testing.T) {
	t.Parallel()
	const dollar = clade.Microdollars(1_000_000)
	for name, c := range map[string]struct {
		dataset *clade.Dataset
		between clade.Microdollars
	}{
		"commands": {&clade.Dataset{}, 0},
		"agents":   {&clade.Dataset{Rollout: &clade.Rollout{Agent: "claude"}}, dollar * 6 / 10},
	} {
		l := &log{t: t}
		l.add(clade.Opened{Run: "r", Spec: clade.Spec{Dataset: c.dataset}, Digest: "d", Base: "c0", Tree: "t0"},
			clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesTree, Why: "w", Hold: clade.Amount{Microdollars: dollar}}},
			clade.TryBegun{ID: 1, Try: 1})
		if got := l.Head().Held.Microdollars; got != dollar {
			t.Errorf("%s: %s held at first", name, got)
		}
		l.add(clade.Proposed{ID: 1, Try: 1, Commit: "c1", Tree: "t1", Spent: clade.Amount{Microdollars: dollar * 4 / 10}})
		if got := l.Head().Held.Microdollars; got != c.between {
			t.Errorf("%s: %s held while it is measured, want %s", name, got, c.between)
		}
		l.add(clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Commit: "c1", Tree: "t1", Spent: clade.Amount{Microdollars: dollar * 2 / 10, Wall: 1}}})
		if h := l.Head(); h.Held.Microdollars != 0 || h.Spent.Microdollars != dollar*6/10 {
			t.Errorf("%s: %+v held, %+v spent", name, h.Held, h.Spent)
		}
	}
}
