package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

func openIndex(t *testing.T, path string) *sqlite.Index {
	t.Helper()
	x, err := sqlite.OpenIndex(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func TestIndexFindsRuns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "index.db")
	x, other := openIndex(t, path), openIndex(t, path)
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	for _, l := range []store.Located{
		{Run: "pack-1", State: "/a/.clade", Where: "/a", At: day(1)},
		{Run: "pack-12", State: "/a/.clade", Where: "/a", At: day(3)},
		{Run: "sort", State: "/b/.clade", Where: "/b", At: day(2)},
		{Run: "pack-1", State: "/c/.clade", Where: "/c", At: day(4)},
		{Run: "pack-1", State: "/a/.clade", Where: "/moved", At: day(1)}, // the same entry
	} {
		if err := x.Add(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]string{
		"":       {"/c", "/a", "/b", "/moved"},
		"pack":   {"/c", "/a", "/moved"},
		"pack-1": {"/c", "/a", "/moved"},
		"sort":   {"/b"},
		"%":      nil,
		"PACK":   nil,
	} {
		found, err := other.Find(t.Context(), name)
		var where []string
		for _, l := range found {
			where = append(where, l.Where)
		}
		if err != nil || !slices.Equal(where, want) {
			t.Errorf("find %q: %v, %v; want %v", name, where, err, want)
		}
	}
	if err := other.Remove(t.Context(), store.Located{Run: "pack-1", State: "/c/.clade"}); err != nil {
		t.Fatal(err)
	}
	if found, err := x.Find(t.Context(), "pack-1"); err != nil || len(found) != 2 || found[0].Where != "/a" || found[1].Where != "/moved" {
		t.Errorf("the entry of one state was removed, and there are %v, %v", found, err)
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	x := openIndex(t, filepath.Join(t.TempDir(), "index.db"))
	for i, c := range []struct {
		dataset, run string
		attempt      clade.ID
		want         int
	}{
		{"d1", "a", 7, 1}, {"d1", "a", 7, 1}, {"d1", "a", 8, 2}, {"d2", "a", 7, 1}, {"d1", "b", 7, 3}, {"d1", "a", 8, 2},
	} {
		if got, err := x.Look(t.Context(), c.dataset, c.run, c.attempt); err != nil || got != c.want {
			t.Errorf("look %d: %d, %v; want %d", i, got, err, c.want)
		}
	}
}

func TestTheFirstToOpenTheIndexMakesIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index.db")
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			x, err := sqlite.OpenIndex(path)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := x.Look(context.Background(), "d", "r", clade.ID(n)); err != nil {
				t.Error(err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n, err := openIndex(t, path).Look(t.Context(), "d", "r", 100); err != nil || n != 7 {
		t.Errorf("look %d, %v; want 7", n, err)
	}
}

func TestADamagedIndexIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.OpenIndex(path)
	refused(t, "open", err, path)
	s, run := filled(t)
	_, err = sqlite.OpenIndex(run)
	refused(t, "open a run as an index", err, run)
	sound(t, open(t, s, "r", false))
}
