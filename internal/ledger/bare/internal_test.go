package bare

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

func fresh(t testing.TB) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), filepath.Join(t.TempDir(), "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return l
}

// A fast-import that dies is followed by one that is told what was pending.
func TestWriterDiesAndIsReplaced(t *testing.T) {
	t.Parallel()
	l := fresh(t)
	parent := ""
	var ids []string
	for i := range 12 {
		d := ledger.Draft{From: parent, Changes: []ledger.Change{{Path: fmt.Sprint("f", i), Mode: ledger.ModeFile, Data: fmt.Append(nil, i)}}}
		if parent != "" {
			d.Parents = []string{parent}
		}
		m, err := l.Commit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		parent = m.Commit
		ids = append(ids, parent)
		switch i {
		case 2, 7, 11:
			l.writer.Kill()
		case 5:
			if err := l.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if bad, err := l.Check(t.Context(), ids); err != nil || len(bad) > 0 {
		t.Errorf("lost: %v, %v", bad, err)
	}
}

// Too much in memory is put on disk unasked.
func TestPendingIsBounded(t *testing.T) {
	t.Parallel()
	l := fresh(t)
	data := make([]byte, largeCommit-1000)
	for i := range 80 {
		data[0] = byte(i)
		if _, err := l.Commit(t.Context(), ledger.Draft{Changes: []ledger.Change{{Path: "f", Mode: ledger.ModeFile, Data: data}}}); err != nil {
			t.Fatal(err)
		}
		if l.weight > pendingBytes {
			t.Fatalf("%d bytes are pending after %d commits", l.weight, i+1)
		}
	}
}

// Whatever is done to a tree, the listing made from its ancestor's, the one
// made from objects, the differences and a plain map agree.
func TestTreesFollowAModel(t *testing.T) {
	t.Parallel()
	l := fresh(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	model := map[string]string{}
	parent := ""
	for step := range 150 {
		dels, puts := randomChanges(rnd)
		next := maps.Clone(model)
		d := ledger.Draft{From: parent}
		for _, path := range dels {
			removeBelow(next, path)
			d.Changes = append(d.Changes, ledger.Change{Path: path, Delete: true})
		}
		for path, data := range puts {
			removeBelow(next, path)
			for i, c := range path {
				if c == '/' {
					delete(next, path[:i])
				}
			}
			d.Changes = append(d.Changes, ledger.Change{Path: path, Mode: ledger.ModeFile, Data: []byte(data)})
		}
		for path, data := range puts {
			next[path] = data
		}
		if parent != "" {
			d.Parents = []string{parent}
		}
		m, err := l.Commit(t.Context(), d)
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		if parent != "" {
			compareDiff(t, l, parent, m.Commit, model, next)
		}
		compareList(t, l, m, next)
		if step%20 == 19 {
			if err := l.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		model, parent = next, m.Commit
	}
}

// randomChanges draws paths of up to three components from very few names, so
// that files and folders get into each other's way.
func randomChanges(rnd *rand.Rand) (dels []string, puts map[string]string) {
	names := []string{"a", "b", "a.", "a0", "B"}
	path := func() string {
		parts := make([]string, 1+rnd.IntN(3))
		for i := range parts {
			parts[i] = names[rnd.IntN(len(names))]
		}
		return strings.Join(parts, "/")
	}
	puts = map[string]string{}
	for range rnd.IntN(3) {
		dels = append(dels, path())
	}
	for range rnd.IntN(4) {
		p := path()
		if !slices.ContainsFunc(slices.Collect(maps.Keys(puts)), func(q string) bool {
			return strings.HasPrefix(q, p+"/") || strings.HasPrefix(p, q+"/")
		}) {
			puts[p] = fmt.Sprint(rnd.IntN(5))
		}
	}
	return dels, puts
}

func removeBelow(files map[string]string, path string) {
	maps.DeleteFunc(files, func(p, _ string) bool { return p == path || strings.HasPrefix(p, path+"/") })
}

func compareList(t *testing.T, l *Ledger, m ledger.Made, want map[string]string) {
	t.Helper()
	derived, err := l.List(t.Context(), m.Commit)
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := parseOID(m.Tree)
	walked, err := l.walk(tree)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(derived, walked) {
		t.Fatalf("derived\n%v\nwalked\n%v", derived, walked)
	}
	if len(derived) != len(want) {
		t.Fatalf("%d files and not %d", len(derived), len(want))
	}
	for _, e := range derived {
		if e.Blob != hashOf("blob", []byte(want[e.Path])).String() || e.Size != int64(len(want[e.Path])) {
			t.Fatalf("%+v and not %q", e, want[e.Path])
		}
	}
}

func compareDiff(t *testing.T, l *Ledger, from, to string, old, now map[string]string) {
	t.Helper()
	ds, err := l.Diff(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	got := maps.Clone(old)
	for _, d := range ds {
		if d.OldBlob == d.NewBlob && d.OldMode == d.NewMode {
			t.Fatalf("%+v is no difference", d)
		}
		if delete(got, d.Path); d.NewMode != "" {
			got[d.Path] = now[d.Path]
		}
	}
	if !maps.Equal(got, now) {
		t.Fatalf("differences lead to %q and not %q", got, now)
	}
}

func TestLRU(t *testing.T) {
	t.Parallel()
	l := newLRU[string, int](10)
	l.put("a", 1, 4)
	l.put("b", 2, 4)
	l.get("a")
	l.put("c", 3, 4) // b was used longest ago
	l.put("huge", 4, 11)
	l.put("a", 5, 5)
	for key, want := range map[string]int{"a": 5, "b": 0, "c": 3, "huge": 0} {
		if got, _ := l.get(key); got != want {
			t.Errorf("%s is %d and not %d", key, got, want)
		}
	}
	if l.cost != 9 {
		t.Errorf("cost is %d and not 9", l.cost)
	}
}

// Expected ids are git's own: git hash-object.
func TestHashOf(t *testing.T) {
	t.Parallel()
	for want, data := range map[string]string{
		"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391": "",
		"ce013625030ba8dba906f756967f9e9ca394464a": "hello\n",
	} {
		if got := hashOf("blob", []byte(data)).String(); got != want {
			t.Errorf("%q is %s and not %s", data, got, want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"a", "", `a"b\c`, "\n\t\x00\x7f\xff", `\001`, " "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := quote(s)
		if strings.ContainsAny(q, "\n\x00") {
			t.Errorf("%q is quoted as %q", s, q)
		}
		if got, err := unquote(q); err != nil || got != s {
			t.Errorf("%q comes back as %q: %v", s, got, err)
		}
		if plain, err := unquote(s); err == nil {
			if again, err := unquote(quote(plain)); err != nil || again != plain {
				t.Errorf("%q: %v", s, err)
			}
		}
	})
}

func FuzzReadStream(f *testing.F) {
	p := &plan{parents: []oid{{1}, {2}}, from: oid{3}, message: "m\n", dels: []string{"a\nb"},
		puts: []put{{path: "x", mode: ledger.ModeFile, data: []byte("data 1\n")}, {path: "y", mode: ledger.ModeExec, id: oid{4}, held: true}}}
	f.Add(p.stream())
	p.follows = true
	f.Add(p.stream())
	f.Add((&plan{from: emptyTree, parents: []oid{{1}}}).stream())
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := readStream(b)
		if err != nil {
			return
		}
		again, err := readStream(p.stream())
		if err != nil {
			t.Fatalf("%q: %v", p.stream(), err)
		}
		if !bytes.Equal(again.stream(), p.stream()) {
			t.Errorf("%q becomes %q", p.stream(), again.stream())
		}
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add((&node{items: []item{{"a", ledger.ModeFile, oid{1}}, {"b", modeTree, oid{2}}}}).encode())
	f.Add([]byte("100644 a"))
	f.Add([]byte("40000 \x00aaaaaaaaaaaaaaaaaaaa"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := parseTree(b)
		if err == nil && !bytes.Equal(n.encode(), b) {
			t.Errorf("%q becomes %q", b, n.encode())
		}
	})
}

func FuzzCheckPath(f *testing.F) {
	for _, s := range []string{"a/b", ".git", "a/.GIT/b", ".g\u200cit", "git~1", "\xff", "a//b", "..", "/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		switch err := checkPath(s); {
		case err == nil && (!filepath.IsLocal(s) || strings.Contains(strings.ToLower("/"+s+"/"), "/.git/")):
			t.Errorf("%q was let through", s)
		case err != nil && !errors.Is(err, ledger.ErrPath):
			t.Errorf("%q: %v", s, err)
		}
	})
}
