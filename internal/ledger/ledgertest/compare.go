package ledgertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

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
