// Package land writes a winner into the target, and takes it back. It owns the
// only code that changes a user's files: every path is compared with what is
// expected there and then replaced by a rename, after an intent in the log that
// names the bytes before and after, so that a crash at any step is completed.
package land

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
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
	// Gate runs the spec's gates on a tree and returns what failed, in words.
	Gate func(ctx context.Context, commit string) ([]string, error)
	// Step, when not nil, is called at the sides ("before" and "after") of each
	// step on the target that a crash must survive; tests crash there. The label
	// StepPath is one path's change, StepRename, within it, the moment at which
	// the new content stands beside the old.
	Step func(label, side string)
}

// A Preview is what an apply would do.
type Preview struct {
	Winner    clade.ID `json:"winner"`
	Paths     []string `json:"paths"`
	Moved     bool     `json:"moved"`               // the target has changed since the run began: a three-way merge
	Conflicts []string `json:"conflicts,omitempty"` // paths the merge could not join
	Dirty     []string `json:"dirty,omitempty"`     // touched paths with changes of yours
	Blocked   string   `json:"blocked,omitempty"`   // why nothing can be applied at all
	Failed    []string `json:"failed,omitempty"`    // gates that the merged tree fails
	Patch     []byte   `json:"-"`                   // unified diff of what would change
	Done      bool     `json:"done,omitempty"`      // every path already is as the winner has it
	from      string   // commit of the target as it is, in the ledger
	merged    string   // commit of the merged tree
	changes   []ledger.Change
}

// Ok reports whether nothing stands against applying.
func (p *Preview) Ok() bool {
	return len(p.Conflicts) == 0 && len(p.Dirty) == 0 && p.Blocked == "" && len(p.Failed) == 0
}

// Problem says what stands against applying, nil if nothing does.
func (p *Preview) Problem() error {
	switch {
	case p.Blocked != "":
		return &clade.Problem{Fault: clade.FaultConflict, Text: p.Blocked}
	case len(p.Conflicts) > 0:
		return &clade.Problem{Fault: clade.FaultConflict, Text: "the target has moved on and cannot be merged in " + list(p.Conflicts),
			Hint: "clade diff prints the patch; nothing was changed"}
	case len(p.Dirty) > 0:
		return &clade.Problem{Fault: clade.FaultConflict, Text: "you have changes of your own in " + list(p.Dirty),
			Hint: "commit, move or remove them first; nothing was changed"}
	case len(p.Failed) > 0:
		return &clade.Problem{Fault: clade.FaultConflict, Text: "the merged tree fails its gates: " + strings.Join(p.Failed, "; "),
			Hint: "nothing was changed"}
	}
	return nil
}

func list(paths []string) string {
	const most = 5
	var quoted []string
	for i, p := range paths {
		if i == most {
			quoted = append(quoted, fmt.Sprintf("and %d more", len(paths)-most))
			break
		}
		quoted = append(quoted, fmt.Sprintf("%q", p))
	}
	return strings.Join(quoted, ", ")
}

// Labels of Lander.Step.
const (
	StepPath   = "land-path"
	StepRename = "land-rename"
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

// write makes a path hold f, with the steps told.
func (l *Lander) write(path string, f file) error {
	return l.step(StepPath, func() error {
		return writeFile(l.Root, path, f, func(rename func() error) error { return l.step(StepRename, rename) })
	})
}

// Preview works out what applying a candidate would change. It writes to the
// ledger only.
func (l *Lander) Preview(ctx context.Context, winner clade.ID) (*Preview, error) {
	p := &Preview{Winner: winner}
	var base, won clade.Life
	err := l.Log.View(ctx, func(v clade.View) error {
		life := v.Life(winner)
		if life == nil || life.Commit == "" || winner == clade.Base {
			return &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("run %s has no candidate %d", v.Head().Run, winner)}
		}
		base, won = *v.Life(clade.Base), *life
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p.Blocked, err = l.blocked(ctx); err != nil || p.Blocked != "" {
		return p, err
	}
	now, err := l.Ledger.Import(ctx, l.now())
	if err != nil {
		return nil, fmt.Errorf("read target: %w", err)
	}
	p.from, p.Moved = now.Commit, now.Tree != base.Tree
	if p.changes, p.Conflicts, err = l.changes(ctx, base.Commit, now.Commit, won.Commit, p.Moved); err != nil || len(p.Conflicts) > 0 {
		return p, err
	}
	for _, c := range p.changes {
		p.Paths = append(p.Paths, c.Path)
	}
	if err := l.merge(ctx, p); err != nil {
		return nil, err
	}
	if p.Dirty, err = l.dirty(ctx, p); err != nil {
		return nil, err
	}
	return p, nil
}

// now is the source of the target as it is: HEAD for a repository, the files
// for a plain folder.
func (l *Lander) now() ledger.Source {
	s := l.Source
	if s.Git != "" {
		s.Rev = "HEAD"
	}
	return s
}

// blocked says why the target is in no state to be written to.
func (l *Lander) blocked(ctx context.Context) (string, error) {
	if l.Kind != clade.TargetGit {
		return "", nil
	}
	g, err := git.Find(ctx)
	if err != nil {
		return "", err
	}
	facts, err := g.Discover(ctx, l.Root)
	switch {
	case err != nil:
		return "", err
	case facts.Doing != "":
		return fmt.Sprintf("the repository is in the middle of a %s; finish or abort it first", facts.Doing), nil
	case len(facts.Locks) > 0:
		return fmt.Sprintf("another git is at work in the repository, or died there: %s", facts.Locks[0]), nil
	}
	return "", nil
}

// changes are what to do to the target's present tree: the winner's difference
// to the base, merged where the target has moved.
func (l *Lander) changes(ctx context.Context, base, now, won string, moved bool) ([]ledger.Change, []string, error) {
	if moved {
		changes, conflicts, err := l.Ledger.Merge(ctx, base, now, won)
		if err != nil {
			return nil, nil, fmt.Errorf("merge: %w", err)
		}
		return changes, conflicts, nil
	}
	deltas, err := l.Ledger.Diff(ctx, base, won)
	if err != nil {
		return nil, nil, err
	}
	var out []ledger.Change
	for _, d := range deltas {
		out = append(out, ledger.Change{Path: d.Path, Mode: d.NewMode, Blob: d.NewBlob, Delete: d.NewMode == ""})
	}
	return out, nil, nil
}

func (l *Lander) merge(ctx context.Context, p *Preview) error {
	if p.Done = len(p.changes) == 0; p.Done {
		p.merged = p.from
		return nil
	}
	made, err := l.Ledger.Commit(ctx, ledger.Draft{Parents: []string{p.from}, From: p.from, Changes: p.changes, Message: "land\n"})
	if err != nil {
		return fmt.Errorf("make merged tree: %w", err)
	}
	p.merged = made.Commit
	if p.Patch, err = l.Ledger.Patch(ctx, p.from, p.merged); err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	return nil
}

// dirty lists the touched paths whose file is not what the target's present
// commit has, or that would overwrite a file git does not track.
func (l *Lander) dirty(ctx context.Context, p *Preview) (out []string, err error) {
	entries, err := l.entries(ctx, p.from)
	if err != nil {
		return nil, err
	}
	for _, path := range p.Paths {
		want, err := l.content(ctx, entries[path])
		if err != nil {
			return nil, err
		}
		have, err := readFile(l.Root, path)
		if err != nil {
			return nil, err
		}
		if !have.equal(want) {
			out = append(out, path)
		}
	}
	return out, nil
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

// Check runs the gates on the merged tree and keeps what failed in p.
func (l *Lander) Check(ctx context.Context, p *Preview) (err error) {
	if p.merged != "" && l.Gate != nil {
		p.Failed, err = l.Gate(ctx, p.merged)
	}
	return err
}

// Apply writes what p previews. p must be Ok.
func (l *Lander) Apply(ctx context.Context, p *Preview) error {
	if err := p.Problem(); err != nil {
		return err
	}
	if p.Done {
		return l.append(ctx, clade.Applied{Winner: p.Winner})
	}
	intent, err := l.intend(ctx, p)
	if err != nil {
		return err
	}
	return l.carry(ctx, intent)
}

// intend records the bytes before and after and then the intent.
func (l *Lander) intend(ctx context.Context, p *Preview) (clade.Applying, error) {
	intent := clade.Applying{Winner: p.Winner, Paths: p.Paths}
	var before, after []ledger.Change
	merged, err := l.entries(ctx, p.merged)
	if err != nil {
		return intent, err
	}
	for _, path := range p.Paths {
		have, err := readFile(l.Root, path)
		if err != nil {
			return intent, err
		}
		if have.mode != "" {
			before = append(before, ledger.Change{Path: path, Mode: have.mode, Data: have.data})
		}
		if e := merged[path]; e.Mode != "" {
			after = append(after, ledger.Change{Path: path, Mode: e.Mode, Blob: e.Blob})
		}
	}
	for _, side := range []struct {
		changes []ledger.Change
		commit  *string
	}{{before, &intent.Before}, {after, &intent.After}} {
		made, err := l.Ledger.Commit(ctx, ledger.Draft{Changes: side.changes, Message: "landing\n"})
		if err != nil {
			return intent, fmt.Errorf("keep bytes: %w", err)
		}
		*side.commit = made.Commit
	}
	if err := l.Ledger.Sync(ctx); err != nil {
		return intent, fmt.Errorf("keep bytes: %w", err)
	}
	return intent, l.append(ctx, intent)
}

func (l *Lander) append(ctx context.Context, events ...clade.Event) error {
	return l.Log.Update(ctx, func(tx store.Tx) error { return tx.Append(events...) })
}

// carry does what an intent says, from wherever it stands, and closes it.
func (l *Lander) carry(ctx context.Context, in clade.Applying) error {
	strange, err := l.replace(ctx, in)
	if err != nil {
		return err
	}
	if len(strange) > 0 {
		// Somebody changed a path in between: put back what was replaced.
		back := in
		back.Before, back.After = in.After, in.Before
		if _, err := l.replace(ctx, back); err != nil {
			return err
		}
		if err := l.append(ctx, clade.Applied{Winner: in.Winner, Undone: !in.Undo}); err != nil {
			return err
		}
		return &clade.Problem{Fault: clade.FaultConflict, Text: "changed while it was being written: " + list(strange),
			Hint: "everything else is as it was before"}
	}
	return l.append(ctx, clade.Applied{Winner: in.Winner, Undone: in.Undo})
}

// replace moves every path from its bytes before to its bytes after. Paths that
// are neither are left alone and returned.
func (l *Lander) replace(ctx context.Context, in clade.Applying) (strange []string, err error) {
	before, err := l.entries(ctx, in.Before)
	if err != nil {
		return nil, err
	}
	after, err := l.entries(ctx, in.After)
	if err != nil {
		return nil, err
	}
	paths := slices.Clone(in.Paths)
	// Deletions first, deepest first, so that a file may become a folder.
	slices.SortStableFunc(paths, func(a, b string) int {
		da, db := after[a].Mode == "", after[b].Mode == ""
		switch {
		case da && db:
			return strings.Compare(b, a)
		case da:
			return -1
		case db:
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, path := range paths {
		from, err := l.content(ctx, before[path])
		if err != nil {
			return nil, err
		}
		to, err := l.content(ctx, after[path])
		if err != nil {
			return nil, err
		}
		have, err := readFile(l.Root, path)
		if err != nil {
			return nil, err
		}
		switch {
		case have.equal(to):
		case have.equal(from):
			if err := l.write(path, to); err != nil {
				return nil, fmt.Errorf("write %q: %w", path, err)
			}
		default:
			strange = append(strange, path)
		}
	}
	return strange, nil
}

// Recover completes an apply or undo that a crash interrupted. It reports
// whether there was one.
func (l *Lander) Recover(ctx context.Context) (bool, error) {
	var in *clade.Applying
	err := l.Log.View(ctx, func(v clade.View) error {
		if a := v.Head().Applying; a != nil {
			c := *a
			in = &c
		}
		return nil
	})
	if err != nil || in == nil {
		return false, err
	}
	for _, p := range in.Paths {
		sweep(l.Root, p)
	}
	return true, l.carry(ctx, *in)
}

// ErrNothing reports an undo without an apply.
var ErrNothing = errors.New("nothing is applied")

// Undo puts back what the last apply replaced. It refuses when a path has been
// changed since.
func (l *Lander) Undo(ctx context.Context) (paths []string, err error) {
	var last *clade.Applying
	err = l.Log.Read(ctx, 0, func(r clade.Record) error {
		switch e := r.Event.(type) {
		case clade.Applying:
			if !e.Undo {
				last = &e
			}
		case clade.Applied:
			if e.Undone {
				last = nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if last == nil {
		return nil, &clade.Problem{Fault: clade.FaultUsage, Text: "this run has nothing applied to undo", Err: ErrNothing}
	}
	changed, err := l.changed(ctx, last.After, last.Paths)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		return nil, &clade.Problem{Fault: clade.FaultConflict, Text: "changed since it was applied: " + list(changed),
			Hint: "nothing was undone; put these back or undo by hand"}
	}
	in := clade.Applying{Winner: last.Winner, Undo: true, Before: last.After, After: last.Before, Paths: last.Paths}
	if err := l.append(ctx, in); err != nil {
		return nil, err
	}
	return in.Paths, l.carry(ctx, in)
}

// changed lists the paths whose file is not what the commit has.
func (l *Lander) changed(ctx context.Context, commit string, paths []string) (out []string, err error) {
	want, err := l.entries(ctx, commit)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		have, err := readFile(l.Root, p)
		if err != nil {
			return nil, err
		}
		w, err := l.content(ctx, want[p])
		if err != nil {
			return nil, err
		}
		if !have.equal(w) {
			out = append(out, p)
		}
	}
	return out, nil
}
