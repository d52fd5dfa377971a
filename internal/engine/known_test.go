package engine

import (
	"testing"

	"github.com/cladehq/clade"
)

// F45: a tree is known when a closed candidate of this epoch was measured with
// it, and the oldest such one stands for it.
func TestF45KnownTrees(t *testing.T) {
	t.Parallel()
	state, seq := &clade.State{}, int64(0)
	add := func(events ...clade.Event) {
		for _, e := range events {
			seq++
			if err := state.Apply(clade.Record{Seq: seq, Event: e}); err != nil {
				t.Fatal(err)
			}
		}
	}
	attempt := func(id clade.ID, tree string, failure clade.Class, close bool) {
		add(clade.Planned{Attempt: clade.Attempt{ID: id, Makes: clade.MakesTree, Why: "x"}}, clade.TryBegun{ID: id, Try: 1},
			clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: 1, Commit: "c", Tree: tree, Failure: failure}})
		if close {
			add(clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: clade.StatusRejected, Why: "x"}}})
		}
	}
	e := &Engine{}
	e.Prepare()
	check := func(want map[string]clade.ID) {
		t.Helper()
		for _, tree := range []string{"a", "b", "c", "d"} {
			id, ok := e.known(state, tree)
			if want, known := want[tree]; ok != known || id != want {
				t.Errorf("tree %s: %d %v, want %d", tree, id, ok, want)
			}
		}
	}
	add(clade.Opened{})
	attempt(1, "a", clade.ClassInfra, true) // never measured
	attempt(2, "b", clade.ClassCandidate, true)
	attempt(3, "a", clade.OK, true)
	attempt(4, "a", clade.OK, true)
	attempt(5, "c", clade.OK, false)
	attempt(6, "d", clade.OK, true) // closed, but an older one is not
	check(map[string]clade.ID{"a": 3, "b": 2})
	add(clade.Judged{Verdicts: []clade.Verdict{{ID: 5, Status: clade.StatusRejected, Why: "x"}}})
	check(map[string]clade.ID{"a": 3, "b": 2, "c": 5, "d": 6})
	add(clade.Amended{Epoch: 1})
	check(nil)
	attempt(7, "b", clade.OK, true)
	check(map[string]clade.ID{"b": 7})
}
