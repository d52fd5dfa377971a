package ledgertest

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

func root(t *testing.T, f *fixture) {
	m := f.commit("", file("b", "2"), file("a/c", "1"))
	f.holds(m.Commit, "100644 a/c 1", "100644 b 2")
	empty := f.commit("")
	f.holds(empty.Commit)
	// git hash-object -t tree /dev/null
	if want := "4b825dc642cb6eb9a060e54bf8d69288fbee4904"; empty.Tree != want {
		t.Errorf("the empty tree is %s and not %s", empty.Tree, want)
	}
}

// oddNames is F37 and F39: bytes in, bytes out.
func oddNames(t *testing.T, f *fixture) {
	contents := map[string]string{
		"new\nline": "1", "tab\there": "2", `quo"te`: "3", `back\slash`: "4", "-dash": "5", " lead": "6", "trail ": "7",
		"\xff\xfe": "8", "caf\u00e9": "9", "cafe\u0301": "10", "HEAD": "11", "head": "12", strings.Repeat("n", 255): "13",
		"inline": "14", `""`: "15", "a/..b": "16", "...": "17", "\x01\x7f": "18", ":1": "19", "#": "20", "\u202e": "21",
		"empty": "", "crlf": "a\r\nb\r\n", ".gitattributes": "* text eol=crlf filter=x\n", "nul": "\x00\x01",
		"data 3\nabc": "M 100644 inline x\ndata 1\n\n", "git~2": "22", ".gitx": "23",
	}
	var changes []ledger.Change
	var want []string
	for path, data := range contents {
		changes = append(changes, file(path, data))
		want = append(want, "100644 "+path+" "+data)
	}
	slices.SortFunc(want, func(a, b string) int { return strings.Compare(a[7:], b[7:]) })
	got := f.tree(f, f.commit("", changes...).Commit)
	if slices.Sort(want); !slices.Equal(sorted(got), want) {
		t.Errorf("tree is\n%q\nand not\n%q", got, want)
	}
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

func modeOnly(_ *testing.T, f *fixture) {
	a := f.commit("", file("x", "1"))
	list, err := f.List(f.ctx, a.Commit)
	f.must(err)
	b := f.commit(a.Commit, ledger.Change{Path: "x", Mode: ledger.ModeExec, Blob: list[0].Blob})
	f.holds(b.Commit, "100755 x 1")
	c := f.commit(b.Commit, ledger.Change{Path: "x", Mode: ledger.ModeSymlink, Data: []byte("../away")})
	f.holds(c.Commit, "120000 x ../away")
}

func swap(_ *testing.T, f *fixture) {
	a := f.commit("", file("x", "1"), file("y/z", "2"), file("y.", "3"), file("y0", "4"))
	b := f.commit(a.Commit, file("x/in", "5"), file("y", "6"))
	f.holds(b.Commit, "100644 x/in 5", "100644 y 6", "100644 y. 3", "100644 y0 4")
	c := f.commit(b.Commit, gone("x/in"), file("x", "1"), gone("y"), file("y/z", "2"))
	if c.Tree != a.Tree {
		f.t.Errorf("there and back is %s and not %s", c.Tree, a.Tree)
	}
}

func emptied(_ *testing.T, f *fixture) {
	a := f.commit("", file("d/e/f", "1"), file("g", "2"))
	f.holds(f.commit(a.Commit, gone("d/e/f")).Commit, "100644 g 2")
	f.holds(f.commit(a.Commit, gone("d")).Commit, "100644 g 2")
	f.holds(f.commit(a.Commit, gone("nowhere"), gone("g/below"), gone("d/e/f/x")).Commit, "100644 d/e/f 1", "100644 g 2")
	f.holds(f.commit(a.Commit, gone("d"), gone("g")).Commit)
}

func deleteFirst(_ *testing.T, f *fixture) {
	a := f.commit("", file("d/1", "1"), file("d/2", "2"))
	f.holds(f.commit(a.Commit, file("d/3", "3"), gone("d")).Commit, "100644 d/3 3")
	f.holds(f.commit(a.Commit, file("d", "3"), gone("d/1")).Commit, "100644 d 3")
	f.holds(f.commit(a.Commit, file("d/1", "new"), gone("d/1")).Commit, "100644 d/1 new", "100644 d/2 2")
}

func heldBlob(_ *testing.T, f *fixture) {
	a := f.commit("", file("x", "held"))
	list, err := f.List(f.ctx, a.Commit)
	f.must(err)
	held := ledger.Change{Path: "deep/er/y", Mode: ledger.ModeFile, Blob: list[0].Blob}
	f.holds(f.commit("", held).Commit, "100644 deep/er/y held")
	f.must(f.Sync(f.ctx))
	f.holds(f.commit(a.Commit, held).Commit, "100644 deep/er/y held", "100644 x held")
}

func otherFrom(t *testing.T, f *fixture) {
	a, b := f.commit("", file("a", "1")), f.commit("", file("b", "2"))
	m, err := f.Commit(f.ctx, ledger.Draft{Parents: []string{a.Commit, b.Commit}, From: b.Commit, Changes: []ledger.Change{file("c", "3")}})
	f.must(err)
	f.holds(m.Commit, "100644 b 2", "100644 c 3")
	n, err := f.Commit(f.ctx, ledger.Draft{Parents: []string{a.Commit}, Changes: []ledger.Change{file("d", "4")}})
	f.must(err)
	f.holds(n.Commit, "100644 d 4")
	o, err := f.Commit(f.ctx, ledger.Draft{From: a.Commit})
	f.must(err)
	if o.Tree != a.Tree || o.Commit == n.Commit {
		t.Errorf("a root from another tree is %+v", o)
	}
}

func deterministic(t *testing.T, f *fixture) {
	one := f.commit("", file("a", "1"), file("b", "2"))
	g := &fixture{Ledger: f.opened(filepath.Join(t.TempDir(), "other")), t: t, ctx: f.ctx}
	if two := g.commit("", file("b", "2"), file("a", "1")); two.Commit != one.Commit || !bytes.Equal(two.Stream, one.Stream) {
		t.Errorf("%s in one ledger, %s in another", one.Commit, two.Commit)
	}
}

func refusals(t *testing.T, f *fixture) {
	good := f.commit("", file("a", "1"))
	for _, path := range []string{"", "/abs", "a//b", "a/", "..", "a/../b", ".", "a/./b", ".git", ".GIT", "a/.git/b", "a/.Git",
		".git/config", ".git ", ".git.", ".git. .", "git~1", "GIT~1/x", ".git::$INDEX_ALLOCATION", `a\.git\b`,
		".g\u200cit", "\u200e.git", ".git\ufeff/x", "a\x00b"} {
		for _, c := range []ledger.Change{file(path, "x"), gone(path)} {
			if _, err := f.Commit(f.ctx, ledger.Draft{From: good.Commit, Changes: []ledger.Change{c}}); !errors.Is(err, ledger.ErrPath) {
				t.Errorf("%q (delete %v): %v", path, c.Delete, err)
			}
		}
	}
	for name, changes := range map[string][]ledger.Change{
		"twice":           {file("x", "1"), file("x", "2")},
		"file and folder": {file("x", "1"), file("x/y", "2")},
		"gitlink":         {{Path: "x", Mode: ledger.ModeGitlink, Blob: good.Commit}},
		"no mode":         {{Path: "x"}},
	} {
		if _, err := f.Commit(f.ctx, ledger.Draft{Changes: changes}); !errors.Is(err, ledger.ErrPath) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.holds(f.commit(good.Commit, file("b", "2")).Commit, "100644 a 1", "100644 b 2")
}

func missing(t *testing.T, f *fixture) {
	m := f.commit("", file("a", "1"))
	list, err := f.List(f.ctx, m.Commit)
	f.must(err)
	for _, id := range []string{strings.Repeat("1", 40), "HEAD", "", "--all", "zz", m.Commit[:10], m.Commit + "\n"} {
		for name, call := range map[string]func() error{
			"list":    func() error { _, err := f.List(f.ctx, id); return err },
			"read":    func() error { _, err := f.Read(f.ctx, id); return err },
			"diff":    func() error { _, err := f.Diff(f.ctx, m.Commit, id); return err },
			"patch":   func() error { _, err := f.Patch(f.ctx, id, m.Commit); return err },
			"parents": func() error { _, err := f.Commit(f.ctx, ledger.Draft{Parents: []string{id}}); return err },
		} {
			if err := call(); !errors.Is(err, ledger.ErrNoObject) {
				t.Errorf("%s of %q: %v", name, id, err)
			}
		}
	}
	for _, synced := range []bool{false, true} {
		if synced {
			f.must(f.Sync(f.ctx))
		}
		for _, id := range []string{m.Commit, m.Tree, strings.Repeat("1", 40)} {
			c := ledger.Change{Path: "x", Mode: ledger.ModeFile, Blob: id}
			if _, err := f.Commit(f.ctx, ledger.Draft{Changes: []ledger.Change{c}}); !errors.Is(err, ledger.ErrNoObject) {
				t.Errorf("content from %s: %v", id, err)
			}
			if _, err := f.Read(f.ctx, id); !errors.Is(err, ledger.ErrNoObject) {
				t.Errorf("reading %s: %v", id, err)
			}
		}
		if _, err := f.List(f.ctx, list[0].Blob); !errors.Is(err, ledger.ErrNoObject) {
			t.Errorf("listing a blob: %v", err)
		}
	}
	f.commit(m.Commit, file("still", "works"))
}
