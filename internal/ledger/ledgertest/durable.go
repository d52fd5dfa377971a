package ledgertest

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

// restore is the reading half of F3.
func restore(t *testing.T, f *fixture) {
	base := f.commit("", file("a/b", "1"))
	f.must(f.Sync(f.ctx))
	made := []ledger.Made{f.commit(base.Commit, file("a/c\n", "2"))}
	made = append(made, f.commit(made[0].Commit, gone("a/b"), file("d", "M 100644 inline x\n")))
	side := f.commit("", file("side", "\x00"))
	m, err := f.Commit(f.ctx, ledger.Draft{Parents: []string{made[1].Commit, side.Commit}, From: side.Commit, Message: "two\n\nparents\n"})
	f.must(err)
	made = append(made, side, m)

	g := &fixture{Ledger: f.opened(filepath.Join(t.TempDir(), "other")), t: t, ctx: f.ctx}
	f.must(g.Restore(f.ctx, base))
	f.must(g.Sync(f.ctx))
	for range 2 { // the second time nothing is left to do
		for _, m := range made {
			f.must(g.Restore(f.ctx, m))
		}
	}
	for _, m := range made {
		if got, want := g.tree(g, m.Commit), f.tree(f, m.Commit); !slices.Equal(got, want) {
			t.Errorf("restored\n%q\nand not\n%q", got, want)
		}
	}
	if bad, err := g.Check(f.ctx, []string{m.Commit, side.Commit}); err != nil || len(bad) > 0 {
		t.Errorf("broken after restoring: %v, %v", bad, err)
	}
}

func restoreWrong(t *testing.T, f *fixture) {
	a, b := f.commit("", file("a", "1")), f.commit("", file("a", "2"))
	child := f.commit(a.Commit, file("a", "3"))
	g := f.opened(filepath.Join(t.TempDir(), "other"))
	for name, m := range map[string]ledger.Made{
		"another's":       {Commit: a.Commit, Tree: a.Tree, Stream: b.Stream},
		"cut":             {Commit: a.Commit, Tree: a.Tree, Stream: a.Stream[:len(a.Stream)-3]},
		"longer":          {Commit: a.Commit, Tree: a.Tree, Stream: append(slices.Clone(a.Stream), "done\n"...)},
		"none":            {Commit: a.Commit, Tree: a.Tree},
		"parent missing":  child,
		"another command": {Commit: a.Commit, Stream: bytes.Replace(a.Stream, []byte("M 100644"), []byte("N 100644"), 1)},
	} {
		if err := g.Restore(f.ctx, m); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
	f.must(g.Restore(f.ctx, b))
}

func large(t *testing.T, f *fixture) {
	m := f.commit("", file("big", strings.Repeat("x", 2<<20)))
	if m.Stream != nil {
		t.Errorf("a commit of 2 MiB has a stream of %d bytes", len(m.Stream))
	}
	if list, err := f.opened(f.dir).List(f.ctx, m.Commit); err != nil || len(list) != 1 || list[0].Size != 2<<20 {
		t.Errorf("another process sees %v, %v", list, err)
	}
}

func synced(t *testing.T, f *fixture) {
	a := f.commit("", file("a", "1"))
	b := f.commit(a.Commit, file("b", "2"))
	other := f.opened(f.dir)
	f.must(f.Sync(f.ctx))
	if got := f.tree(other, b.Commit); !slices.Equal(got, []string{"100644 a 1", "100644 b 2"}) {
		t.Errorf("another process sees %q", got)
	}
	c, err := other.Commit(f.ctx, ledger.Draft{Parents: []string{b.Commit}, From: b.Commit, Changes: []ledger.Change{file("c", "3")}})
	f.must(err)
	f.must(other.Sync(f.ctx))
	f.holds(f.commit(c.Commit, gone("a")).Commit, "100644 b 2", "100644 c 3")
}

// concurrent is B13 for a ledger: nobody waits on a lock file and fails.
func concurrent(t *testing.T, f *fixture) {
	base := f.commit("", file("shared", "0"))
	second := f.opened(f.dir)
	f.must(f.Sync(f.ctx))
	var all sync.WaitGroup
	for worker := range 8 {
		l := []ledger.Ledger{f.Ledger, second}[worker%2]
		all.Go(func() {
			parent := base.Commit
			for i := range 12 {
				path := fmt.Sprintf("w%d/f%d", worker, i)
				m, err := l.Commit(f.ctx, ledger.Draft{Parents: []string{parent}, From: parent, Changes: []ledger.Change{file(path, path)}})
				if err != nil {
					t.Errorf("worker %d: %v", worker, err)
					return
				}
				list, err := l.List(f.ctx, m.Commit)
				if err != nil || len(list) != i+2 {
					t.Errorf("worker %d lists %d files: %v", worker, len(list), err)
				}
				if i%5 == 0 {
					if err := l.Sync(f.ctx); err != nil {
						t.Errorf("worker %d: %v", worker, err)
					}
				}
				parent = m.Commit
			}
		})
	}
	all.Wait()
}

func check(t *testing.T, f *fixture) {
	m := f.commit("", file("a", "1"))
	none := strings.Repeat("2", 40)
	bad, err := f.Check(f.ctx, []string{none, m.Commit, m.Tree, "HEAD"})
	f.must(err)
	if want := []string{none, m.Tree, "HEAD"}; !slices.Equal(bad, want) {
		t.Errorf("broken are %q and not %q", bad, want)
	}
	if bad, err := f.Check(f.ctx, nil); err != nil || len(bad) > 0 {
		t.Errorf("of nothing, %q are broken: %v", bad, err)
	}
}

func names(t *testing.T, f *fixture) {
	m := f.commit("", file("a", "1"))
	f.must(f.Name(f.ctx, map[string]string{"refs/clade/r/1": m.Commit, "refs/clade/r/2": m.Commit}))
	f.must(f.Name(f.ctx, map[string]string{"refs/clade/r/1": m.Commit}))
	f.must(f.Name(f.ctx, nil))
	for _, ref := range []string{"refs/heads/main", "HEAD", "refs/clade/a b", "refs/clade/../../x"} {
		if err := f.Name(f.ctx, map[string]string{ref: m.Commit}); err == nil {
			t.Errorf("%q was made", ref)
		}
	}
}
