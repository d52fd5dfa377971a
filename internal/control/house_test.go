package control

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

// A house is a Control over real stores below a folder of the test.
type house struct {
	*Control
	t   testing.TB
	dir string
}

func newHouse(t testing.TB) *house {
	t.Helper()
	dir := t.TempDir()
	return &house{t: t, dir: dir, Control: New(Parts{
		Store: func(dir string, _ bool) (store.Store, error) { return sqlite.New(dir) },
		Index: func() (store.Index, error) { return sqlite.OpenIndex(filepath.Join(dir, "index.db")) },
		State: filepath.Join(dir, "state"),
	})}
}

// run makes a run of the target folder, kept in it, and tells the index of it
// when it began at some minute.
func (h *house) run(name, target string, minute int) *Run {
	h.t.Helper()
	target = filepath.Join(h.dir, target)
	state := filepath.Join(target, stateName)
	st, err := h.Store(state, true)
	if err != nil {
		h.t.Fatal(err)
	}
	log, err := st.Create(h.t.Context(), clade.Opened{Run: name, Digest: "d", Base: "c0", Tree: "t0", Where: target,
		Spec: clade.Spec{Target: clade.Target{Kind: clade.TargetDir}, Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize}}}})
	if err != nil {
		h.t.Fatal(err)
	}
	if minute > 0 {
		ix, err := h.Index()
		if err != nil {
			h.t.Fatal(err)
		}
		defer ix.Close() //nolint:errcheck // what it was told is there
		if err := ix.Add(h.t.Context(), Located{Run: name, State: state, Where: target, At: time.Unix(int64(60*minute), 0).UTC()}); err != nil {
			h.t.Fatal(err)
		}
	}
	r := &Run{Name: name, State: state, c: h.Control, store: st, log: log}
	h.t.Cleanup(func() { _ = r.Close() })
	return r
}

func (r *Run) add(t testing.TB, events ...clade.Event) {
	t.Helper()
	if err := r.Update(t.Context(), func(tx store.Tx) error { return tx.Append(events...) }); err != nil {
		t.Fatal(err)
	}
}

// holding takes the run's lease, as the process that searches it would.
func (r *Run) holding(t testing.TB) store.Lease {
	t.Helper()
	lease, _, err := r.store.Lease(t.Context(), r.Name)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}
