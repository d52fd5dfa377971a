// Package ledgertest holds every ledger to the contract.
package ledgertest

import (
	"context"
	"path/filepath"
	"slices"
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
