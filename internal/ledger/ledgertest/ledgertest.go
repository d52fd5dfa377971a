// Package ledgertest holds every ledger to the contract.
package ledgertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

// Open opens the ledger kept at dir, which may not exist yet.
type Open func(t *testing.T, dir string) ledger.Ledger

// Run runs the suite.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *fixture)
	}{
		{"a root commit has no parents and the tree of its changes", root},
		{"odd names and contents come back byte identical", oddNames},
		{"only a mode changes", modeOnly},
		{"a file becomes a folder and a folder a file", swap},
		{"the last file of a folder takes the folder with it", emptied},
		{"deletions come before additions", deleteFirst},
		{"a blob that is held need not be sent", heldBlob},
		{"the tree need not be the first parent's", otherFrom},
		{"the same draft is the same commit", deterministic},
		{"paths that no tree can hold are refused", refusals},
		{"what is not there is ErrNoObject", missing},
		{"diff lists every kind of difference", diff},
		{"patch shows text and names binary files", patch},
		{"merge takes both sides and lists conflicts", merge},
		{"merge never puts a file into a file", mergeTangled},
		{"streams restore in another ledger, oldest first", restore},
		{"a stream that makes something else is refused", restoreWrong},
		{"a large commit needs no stream", large},
		{"sync shows commits to another process", synced},
		{"eight at once", concurrent},
		{"check finds what is missing", check},
		{"names are kept and bounded to refs/clade/", names},
		{"a folder is imported as bytes", importDir},
		{"an import is restricted and skips", importSome},
		{"a nested repository is refused", importNested},
		{"pack is one commit and nothing else", pack},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "ledger")
			f := &fixture{t: t, dir: dir, open: open, ctx: t.Context()}
			f.Ledger = f.opened(dir)
			c.test(t, f)
		})
	}
}

// fixture is a ledger under test and what one does with it.
type fixture struct {
	ledger.Ledger
	t    *testing.T
	ctx  context.Context
	dir  string
	open Open
}

func (f *fixture) opened(dir string) ledger.Ledger {
	l := f.open(f.t, dir)
	f.t.Cleanup(func() {
		if err := l.Close(); err != nil {
			f.t.Errorf("closing: %v", err)
		}
	})
	return l
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// commit makes a child of parent, "" for a root.
func (f *fixture) commit(parent string, changes ...ledger.Change) ledger.Made {
	f.t.Helper()
	d := ledger.Draft{From: parent, Changes: changes, Message: "m"}
	if parent != "" {
		d.Parents = []string{parent}
	}
	m, err := f.Commit(f.ctx, d)
	f.must(err)
	return m
}

func file(path, data string) ledger.Change {
	return ledger.Change{Path: path, Mode: ledger.ModeFile, Data: []byte(data)}
}

func gone(path string) ledger.Change { return ledger.Change{Path: path, Delete: true} }

// tree lists a commit as "mode path content" lines.
func (f *fixture) tree(l ledger.Ledger, commit string) []string {
	f.t.Helper()
	list, err := l.List(f.ctx, commit)
	f.must(err)
	var out []string
	for _, e := range list {
		data, err := l.Read(f.ctx, e.Blob)
		f.must(err)
		if int64(len(data)) != e.Size {
			f.t.Errorf("%q has %d bytes and is listed with %d", e.Path, len(data), e.Size)
		}
		out = append(out, string(e.Mode)+" "+e.Path+" "+string(data))
	}
	return out
}

func (f *fixture) holds(commit string, want ...string) {
	f.t.Helper()
	if got := f.tree(f, commit); !slices.Equal(got, want) {
		f.t.Errorf("tree is\n%q\nand not\n%q", got, want)
	}
}

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

func diff(t *testing.T, f *fixture) {
	a := f.commit("", file("same/x", "1"), file("mod/y", "1"), file("del", "1"), file("swap", "1"), file("dir/a", "1"), file("mode", "1"))
	b := f.commit(a.Commit, file("mod/y", "2"), gone("del"), file("swap/in", "1"), file("dir", "1"), file("add", "1"),
		ledger.Change{Path: "mode", Mode: ledger.ModeExec, Data: []byte("1")})
	ds, err := f.Diff(f.ctx, a.Commit, b.Commit)
	f.must(err)
	var got []string
	for _, d := range ds {
		got = append(got, fmt.Sprintf("%s %s>%s %t", d.Path, d.OldMode, d.NewMode, d.OldBlob == d.NewBlob))
	}
	want := []string{"add >100644 false", "del 100644> false", "dir >100644 false", "dir/a 100644> false",
		"mod/y 100644>100644 false", "mode 100644>100755 true", "swap 100644> false", "swap/in >100644 false"}
	if !slices.Equal(got, want) {
		t.Errorf("diff is\n%q\nand not\n%q", got, want)
	}
	if same, err := f.Diff(f.ctx, b.Commit, b.Commit); err != nil || len(same) != 0 {
		t.Errorf("a commit differs from itself: %v, %v", same, err)
	}
}

func patch(t *testing.T, f *fixture) {
	a := f.commit("", file("t", "one\n"), file("bin", "\x00a"), file(".gitattributes", "t binary\n"))
	b := f.commit(a.Commit, file("t", "two\n"), file("bin", "\x00b"))
	got, err := f.Patch(f.ctx, a.Commit, b.Commit)
	f.must(err)
	for _, want := range []string{"--- a/t\n+++ b/t\n@@ -1 +1 @@\n-one\n+two\n", "Binary files a/bin and b/bin differ\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("patch lacks %q:\n%s", want, got)
		}
	}
}

func merge(t *testing.T, f *fixture) {
	text := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	base := f.commit("", file("both", text), file("clash", "x\n"), file("theirs", "x"), file("ours", "x"), file("del", "x"),
		file("same", "x"), file("delmod", "x"), file("bin", "\x00"), file("mode", text), file(".gitattributes", "clash merge=union\n"))
	ours := f.commit(base.Commit, file("both", "one\n"+text[2:]), file("clash", "a\n"), file("ours", "o"), file("same", "s"),
		gone("delmod"), file("bin", "\x00a"), file("added", "left\n"), file("mode", "one\n"+text[2:]))
	theirs := f.commit(base.Commit, file("both", text[:16]+"nine\n"), file("clash", "b\n"), file("theirs", "t"), gone("del"),
		file("same", "s"), file("delmod", "y"), file("bin", "\x00b"), file("added", "right\n"), file("new/file", "n"),
		ledger.Change{Path: "mode", Mode: ledger.ModeExec, Data: []byte(text)})
	changes, conflicts, err := f.Merge(f.ctx, base.Commit, ours.Commit, theirs.Commit)
	f.must(err)
	if want := []string{"added", "bin", "clash", "delmod"}; !slices.Equal(conflicts, want) {
		t.Errorf("conflicts are %q and not %q", conflicts, want)
	}
	merged := f.commit(ours.Commit, changes...)
	f.holds(merged.Commit, "100644 .gitattributes clash merge=union\n", "100644 added left\n", "100644 bin \x00a",
		"100644 both one\n"+text[2:16]+"nine\n", "100644 clash a\n", "100755 mode one\n"+text[2:], "100644 new/file n",
		"100644 ours o", "100644 same s", "100644 theirs t")
}

func mergeTangled(t *testing.T, f *fixture) {
	base := f.commit("", file("x", "1"))
	ours := f.commit(base.Commit, file("d", "file"), file("e/f", "1"))
	theirs := f.commit(base.Commit, file("d/in", "1"), file("e", "file"), file("ok", "1"))
	changes, conflicts, err := f.Merge(f.ctx, base.Commit, ours.Commit, theirs.Commit)
	f.must(err)
	if want := []string{"d/in", "e"}; !slices.Equal(conflicts, want) {
		t.Errorf("conflicts are %q and not %q", conflicts, want)
	}
	f.holds(f.commit(ours.Commit, changes...).Commit, "100644 d file", "100644 e/f 1", "100644 ok 1", "100644 x 1")
	// theirs turns a file that ours left alone into a folder
	turned := f.commit(base.Commit, file("x/y", "2"))
	changes, conflicts, err = f.Merge(f.ctx, base.Commit, ours.Commit, turned.Commit)
	f.must(err)
	if len(conflicts) > 0 {
		t.Errorf("conflicts are %q", conflicts)
	}
	f.holds(f.commit(ours.Commit, changes...).Commit, "100644 d file", "100644 e/f 1", "100644 x/y 2")
}

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

func write(t *testing.T, dir, path, data string) {
	t.Helper()
	at := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func importDir(t *testing.T, f *fixture) {
	dir := t.TempDir()
	write(t, dir, "crlf", "a\r\n")
	write(t, dir, ".gitattributes", "* text=auto\n")
	write(t, dir, ".gitignore", "*\n")
	write(t, dir, "sub/empty", "")
	write(t, dir, "run", "#!\n")
	f.must(os.Chmod(filepath.Join(dir, "run"), 0o755))
	f.must(os.Mkdir(filepath.Join(dir, "nothing"), 0o777))
	f.must(os.Symlink("../nowhere", filepath.Join(dir, "link")))
	one, err := f.Import(f.ctx, ledger.Source{Dir: dir})
	f.must(err)
	f.holds(one.Commit, "100644 .gitattributes * text=auto\n", "100644 .gitignore *\n", "100644 crlf a\r\n",
		"120000 link ../nowhere", "100755 run #!\n", "100644 sub/empty ")
	two, err := f.opened(f.dir).Import(f.ctx, ledger.Source{Dir: dir})
	f.must(err)
	if one.Commit != two.Commit || one.Stream != nil {
		t.Errorf("imported twice: %+v and %+v", one, two)
	}
}

func importSome(t *testing.T, f *fixture) {
	dir := t.TempDir()
	for _, path := range []string{"a/b/c", "a/b/d", "a/e", "f", "ab", ".clade/x", ".git/config"} {
		write(t, dir, path, "1")
	}
	skip := []string{".clade", ".git"}
	m, err := f.Import(f.ctx, ledger.Source{Dir: dir, Skip: skip})
	f.must(err)
	f.holds(m.Commit, "100644 a/b/c 1", "100644 a/b/d 1", "100644 a/e 1", "100644 ab 1", "100644 f 1")
	m, err = f.Import(f.ctx, ledger.Source{Dir: dir, Only: []string{"a/b", "./f"}, Skip: skip})
	f.must(err)
	f.holds(m.Commit, "100644 a/b/c 1", "100644 a/b/d 1", "100644 f 1")
	for _, only := range []string{"../x", "nowhere", "/etc"} {
		if _, err := f.Import(f.ctx, ledger.Source{Dir: dir, Only: []string{only}}); err == nil {
			t.Errorf("%q was imported", only)
		}
	}
	for _, s := range []ledger.Source{{}, {Dir: dir, Git: dir}, {Dir: filepath.Join(dir, "nowhere")}} {
		if _, err := f.Import(f.ctx, s); err == nil {
			t.Errorf("%+v was imported", s)
		}
	}
}

// importNested is F34 for folders.
func importNested(t *testing.T, f *fixture) {
	dir := t.TempDir()
	write(t, dir, "sub/.git/config", "1")
	if _, err := f.Import(f.ctx, ledger.Source{Dir: dir}); !errors.Is(err, ledger.ErrPath) {
		t.Errorf("a nested repository gives %v", err)
	}
}

func pack(t *testing.T, f *fixture) {
	a := f.commit("", file("secret", "history"))
	b := f.commit(a.Commit, gone("secret"), file("x/y", "1"))
	dir := filepath.Join(t.TempDir(), "one")
	f.must(f.Pack(f.ctx, b.Commit, dir))
	for _, want := range []string{"HEAD", "objects", "refs/heads/main"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
	if err := f.Pack(f.ctx, b.Commit, dir); err == nil {
		t.Error("packed into a folder that is not empty")
	}
}
