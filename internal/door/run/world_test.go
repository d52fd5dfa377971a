package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
	"github.com/cladehq/clade/internal/strategy"
)

// A world is a door over real stores in a folder of the test.
type world struct {
	*Door
	t     testing.TB
	store store.Store
	log   store.Log
}

const theRun = "disc-aaaaa"

// newWorld opens a run of a spec that is made larger by one measure.
func newWorld(t testing.TB, events ...clade.Event) *world {
	t.Helper()
	here := t.TempDir()
	state := filepath.Join(here, ".clade")
	open := func(dir string, _ bool) (store.Store, error) { return sqlite.New(dir) }
	c := control.New(control.Parts{
		Store: open, Index: func() (store.Index, error) { return sqlite.OpenIndex(filepath.Join(here, "index.db")) },
		Search: func(s *clade.Spec) (strategy.Search, error) {
			if s.Search.Strategy == "nonsense" {
				return nil, &clade.Problem{Fault: clade.FaultSpec, Text: "no such strategy"}
			}
			return nil, nil
		},
		Cache: filepath.Join(here, "cache"),
	})
	st, err := open(state, true)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Door: New(c, here), t: t, store: st}
	w.log, err = st.Create(t.Context(), clade.Opened{Run: theRun, Digest: "d", Base: "c0", Tree: "t0", Where: here, Spec: clade.Spec{
		Objective: "more", Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize, Noise: clade.NoiseNone}}, Budget: clade.Budget{Candidates: 9},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.log.Close() })
	w.add(events...)
	return w
}

func (w *world) add(events ...clade.Event) {
	w.t.Helper()
	if err := w.log.Update(w.t.Context(), func(tx store.Tx) error { return tx.Append(events...) }); err != nil {
		w.t.Fatal(err)
	}
}

// last is the newest event of the log.
func (w *world) last() (e clade.Event) {
	w.t.Helper()
	err := w.log.Read(w.t.Context(), 0, func(r clade.Record) error { e = r.Event; return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *world) head() (h clade.Head) {
	w.t.Helper()
	if err := w.log.View(w.t.Context(), func(v clade.View) error { h = *v.Head(); return nil }); err != nil {
		w.t.Fatal(err)
	}
	return h
}

// candidate is a whole life, from what it is planned to how it is judged.
func candidate(id clade.ID, score float64, s clade.Status, parents ...clade.ID) []clade.Event {
	commit := fmt.Sprint("c", id)
	return []clade.Event{
		clade.Planned{Attempt: clade.Attempt{ID: id, Parents: parents, Operator: "op", Makes: clade.MakesTree, Why: "try"}},
		clade.TryBegun{ID: id, Try: 1},
		clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: 1, Commit: commit, Tree: "t" + commit,
			Evaluations: []clade.Evaluation{{Subject: id, Tree: "t" + commit, Samples: []clade.Sample{{Check: "m", Value: score}}}}}},
		clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: s, Why: "so"}}},
	}
}

// family is base ─ 1 (0.5) ─ 2 (0.9), 3 (rejected), 4 (0.9) from the base.
func family() []clade.Event {
	return slices.Concat(candidate(1, .5, clade.StatusAccepted), candidate(2, .9, clade.StatusAccepted, 1),
		candidate(3, .7, clade.StatusRejected, 1), candidate(4, .9, clade.StatusAccepted))
}

func ids(rows []Row) (out []clade.ID) {
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}
