// Package land writes a winner into the target, and takes it back. It owns the
// only code that changes a person's files, and keeps four promises.
//
// All or nothing: an intent in the log names every path, and the ledger has the
// bytes before and after, before the first byte is written. New content is
// written and synced beside the old; then each path is compared once more and
// replaced by a rename. What goes wrong is put back, and what a crash interrupts
// is completed, or put back, by the next landing in the target.
//
// Nobody's work is lost: a path that is not as git's HEAD has it, that git does
// not track, or that lies behind a link, is refused; so is an undo of a path
// that has changed since. In a plain folder, where no commit says what is the
// person's, the change is merged into what is there. An undo needs nothing but
// the run's log and ledger.
//
// Nothing out of scope: with Only, what lands is a tree of its own, the base with
// a part of the winner's changes, merged and gated like a whole one. A winner that
// changes what must never be touched, or what its target does not hold, is not
// landed in part either.
//
// Nothing else is touched: in a repository neither the index nor HEAD nor the
// objects, unless a commit was asked for, which moves HEAD by compare-and-swap
// as the last thing.
//
// Files have the bytes that git would check out: with the line ends, the
// encoding and the $Id$ that the attributes on disk and the person's
// configuration give the path. Filters (LFS) are never run; a path under one is
// refused. Permission bits, owner and group stay, but for the executable bits
// where the winner changes the mode; access lists and further attributes of a
// replaced file, and other hard links to it, keep to the old one. Folders that
// become empty go, as with git.
package land

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
)

// A Lander lands candidates of one run. The caller holds the target's lock.
type Lander struct {
	Log    store.Log
	Ledger ledger.Ledger
	Root   string // absolute folder that the tree's paths are relative to
	Kind   clade.TargetKind
	Source ledger.Source // how the target as it is now is imported
	// Commit makes an apply to a repository a commit of it, with Message, or
	// one that names the candidate.
	Commit  bool
	Message string
	// Patch is where the winner's patch is written when it cannot be merged, ""
	// for nowhere.
	Patch string
	// Only, when not nil, says which paths are landed, as the tree has them; the
	// others of the winner's changes stay out, and Preview.Left lists them.
	Only func(path string) bool
	// Never, when not nil, names paths that must never be touched: a winner that
	// changes one cannot be landed at all, and Preview.Problem lists them all.
	Never func(path string) bool
	// Gate runs the spec's gates on a tree and returns what failed, in words.
	Gate func(ctx context.Context, commit string) ([]string, error)
	// Writing, when not nil, is called before the first file is written and what
	// it returns after the last: meanwhile nothing should end this process.
	Writing func() (done func())
	// Step, when not nil, is called at the sides ("before" and "after") of each
	// step on the target that a crash must survive; tests crash there. The
	// labels are StepStage, StepPath, StepRename and StepHead.
	Step func(label, side string)
}

// Labels of Lander.Step, in the order in which they come.
const (
	StepStage  = "land-stage"  // every path's new content is written beside the old
	StepPath   = "land-path"   // one path's change; as often as there are paths
	StepRename = "land-rename" // within it: the rename over the path, or its removal
	StepHead   = "land-head"   // index entries and HEAD move, where a commit was asked for
)

func (l *Lander) step(label string, do func() error) error {
	if l.Step == nil {
		return do()
	}
	l.Step(label, "before")
	err := do()
	if err == nil {
		l.Step(label, "after")
	}
	return err
}

func (l *Lander) append(ctx context.Context, events ...clade.Event) error {
	return l.Log.Update(ctx, func(tx store.Tx) error { return tx.Append(events...) })
}

func (l *Lander) entries(ctx context.Context, commit string) (map[string]ledger.Entry, error) {
	all, err := l.Ledger.List(ctx, commit)
	if err != nil {
		return nil, err
	}
	out := make(map[string]ledger.Entry, len(all))
	for _, e := range all {
		out[e.Path] = e
	}
	return out, nil
}

func (l *Lander) content(ctx context.Context, e ledger.Entry) (file, error) {
	if e.Mode == "" {
		return file{}, nil
	}
	data, err := l.Ledger.Read(ctx, e.Blob)
	return file{mode: e.Mode, data: data}, err
}

// list quotes the first of many paths.
func list(paths []string, separator string) string {
	const most = 5
	if over := len(paths) - most; over > 0 {
		paths = append(paths[:most:most], fmt.Sprintf("%d more", over))
	}
	return strings.Join(paths, separator)
}

func quoted(paths []string) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = fmt.Sprintf("%q", p)
	}
	return list(out, ", ")
}

// failed makes what stopped a landing a problem for people: everything is as it
// was.
func failed(what string, err error) error {
	var p *clade.Problem
	if errors.As(err, &p) {
		return err
	}
	return &clade.Problem{Fault: clade.FaultEnvironment, Text: what, Err: err, Hint: "your files are as they were before"}
}
