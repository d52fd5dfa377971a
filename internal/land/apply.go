package land

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

// Apply writes what p previews, and says which commit it made, "" for none. It
// refuses a p that has a Problem, and a HEAD that has moved since.
func (l *Lander) Apply(ctx context.Context, p *Preview) (commit string, err error) {
	if err := p.Problem(); err != nil || p.Done {
		return "", err
	}
	intent, err := l.intend(ctx, p)
	if err != nil {
		return "", err
	}
	return intent.Commit, l.carry(ctx, intent)
}

// intend records the bytes before and after and then the intent.
func (l *Lander) intend(ctx context.Context, p *Preview) (in clade.Applying, err error) {
	in = clade.Applying{Winner: p.Winner, Paths: p.Paths, Landed: p.landed}
	var before, after []ledger.Change
	for _, path := range p.Paths {
		s := p.swaps[path]
		in.Perms = append(in.Perms, uint32(s.from.perm))
		if s.from.mode != "" {
			before = append(before, ledger.Change{Path: path, Mode: s.from.mode, Data: s.from.data})
		}
		if s.to.mode != "" {
			after = append(after, ledger.Change{Path: path, Mode: s.to.mode, Data: s.to.data})
		}
	}
	if in.Before, err = l.keep(ctx, before); err != nil {
		return in, err
	}
	if in.After, err = l.keep(ctx, after); err != nil {
		return in, err
	}
	if err := l.Ledger.Sync(ctx); err != nil {
		return in, failed("the bytes before and after cannot be kept", err)
	}
	if l.Commit {
		if in.Commit, err = l.commit(ctx, p); err != nil {
			return in, failed("the commit could not be made", err)
		}
	}
	if p.repo != nil {
		head, err := p.repo.head(ctx)
		if err != nil {
			return in, err
		}
		if head != p.repo.facts.Head {
			return in, conflict("HEAD has moved since the preview", "nothing was changed; apply again")
		}
	}
	return in, l.append(ctx, in)
}

func (l *Lander) keep(ctx context.Context, changes []ledger.Change) (string, error) {
	made, err := l.Ledger.Commit(ctx, ledger.Draft{Changes: changes, Message: "landing\n"})
	if err != nil {
		return "", failed("the bytes before and after cannot be kept", err)
	}
	return made.Commit, nil
}

// errStrange reports paths that are neither as before nor as after.
type errStrange []string

func (e errStrange) Error() string { return "changed while it was being written: " + quoted(e) }

// carry does what an intent says, from wherever it stands, and closes it. What
// cannot be done is put back. It does not stop half way when ctx ends.
func (l *Lander) carry(ctx context.Context, in clade.Applying) error {
	ctx = context.WithoutCancel(ctx)
	if l.Writing != nil {
		defer l.Writing()()
	}
	err := l.replace(ctx, in)
	if err == nil && in.Commit != "" {
		err = l.step(StepHead, func() error { return l.moveHead(ctx, in) })
	}
	if err == nil {
		return l.append(ctx, clade.Applied{Winner: in.Winner, Undone: in.Undo})
	}
	if back := l.putBack(ctx, in); back != nil {
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "files could not be written and not all be put back", Err: errors.Join(err, back),
			Hint: "nothing is lost: mend what is said here, and clade apply or clade undo completes it"}
	}
	if err := l.append(ctx, clade.Applied{Winner: in.Winner, Undone: !in.Undo}); err != nil {
		return err
	}
	var strange errStrange
	if errors.As(err, &strange) {
		return conflict(strange.Error(), "everything else is as it was before")
	}
	return failed("the files could not be written", err)
}

// putBack undoes what carry did of an intent. A path that somebody else changed
// is left as it is.
func (l *Lander) putBack(ctx context.Context, in clade.Applying) error {
	if in.Commit != "" {
		if err := l.restoreIndex(ctx, in); err != nil {
			return err
		}
	}
	back := in
	back.Before, back.After, back.Undo = in.After, in.Before, !in.Undo
	err := l.replace(ctx, back)
	var strange errStrange
	if !errors.As(err, &strange) {
		return err
	}
	back.Paths, back.Perms = nil, nil
	for i, p := range in.Paths {
		if !slices.Contains(strange, p) {
			back.Paths = append(back.Paths, p)
			if i < len(in.Perms) {
				back.Perms = append(back.Perms, in.Perms[i])
			}
		}
	}
	return l.replace(ctx, back)
}

// A move is a path of an intent with what it was and shall be.
type move struct {
	path     string
	from, to file
	temp     string // name of the staged content
	staged   string // where that is, "" if it is not
}

// moves are an intent's paths in the order in which they are changed: removals
// first, deepest first, so that a file may become a folder.
func (l *Lander) moves(ctx context.Context, in clade.Applying) ([]*move, error) {
	before, err := l.entries(ctx, in.Before)
	if err != nil {
		return nil, err
	}
	after, err := l.entries(ctx, in.After)
	if err != nil {
		return nil, err
	}
	var out []*move
	for i, path := range in.Paths {
		m := &move{path: path, temp: tempName(in.After, path)}
		if m.from, err = l.content(ctx, before[path]); err != nil {
			return nil, err
		}
		if m.to, err = l.content(ctx, after[path]); err != nil {
			return nil, err
		}
		if in.Undo && i < len(in.Perms) {
			m.to.perm = fs.FileMode(in.Perms[i])
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b *move) int {
		switch x, y := a.to.mode == "", b.to.mode == ""; {
		case x && y:
			return strings.Compare(b.path, a.path)
		case x:
			return -1
		case y:
			return 1
		}
		return strings.Compare(a.path, b.path)
	})
	return out, nil
}

// tempName is the name a path's new content has until it is renamed: nobody
// else's, and the same after a crash, so that it can be swept.
func tempName(after, p string) string {
	sum := sha256.Sum256([]byte(p))
	return fmt.Sprintf(".clade-%.12s-%x", after, sum[:8])
}

// replace moves every path from its bytes before to its bytes after: first all
// new content is written beside the old, then each path is replaced. Paths that
// are neither are an errStrange.
func (l *Lander) replace(ctx context.Context, in clade.Applying) (err error) {
	all, err := l.moves(ctx, in)
	if err != nil {
		return err
	}
	t, err := openTree(l.Root)
	if err != nil {
		return err
	}
	defer t.close()
	t.told = func(rename func() error) error { return l.step(StepRename, rename) }
	defer func() {
		for _, m := range all {
			if m.staged != "" {
				err = errors.Join(err, t.drop(m.staged))
			}
		}
	}()
	moves, strange, err := pending(t, all)
	if err == nil && len(strange) > 0 {
		err = strange
	}
	if err != nil || len(moves) == 0 {
		return err
	}
	if err := l.step(StepStage, func() error { return stage(t, moves) }); err != nil {
		return err
	}
	for _, m := range moves {
		if err := l.step(StepPath, func() error { return m.do(t) }); err != nil {
			return err
		}
	}
	return t.sync()
}

// pending are the moves still to be made, strange the paths that are neither as
// before nor as after.
func pending(t *tree, moves []*move) (out []*move, strange errStrange, err error) {
	t.replaced = map[string]bool{}
	for _, m := range moves {
		t.replaced[m.path] = true
	}
	defer func() { t.replaced = nil }()
	for _, m := range moves {
		have, err := t.read(m.path)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("read %q: %w", m.path, err)
		case have.equal(m.to):
		case have.equal(m.from):
			out = append(out, m)
		default:
			strange = append(strange, m.path)
		}
	}
	return out, strange, nil
}

func stage(t *tree, moves []*move) (err error) {
	for _, m := range moves {
		if m.to.mode == "" {
			continue
		}
		if m.staged, err = t.stage(m.path, m.temp, m.to); err != nil {
			return err
		}
	}
	return nil
}

// do replaces one path if it still is what it was.
func (m *move) do(t *tree) error {
	have, err := t.read(m.path)
	switch {
	case err != nil:
		return fmt.Errorf("read %q: %w", m.path, err)
	case !have.equal(m.from):
		return errStrange{m.path}
	case m.to.mode == "":
		err = t.remove(m.path)
	default:
		if err = t.put(m.path, m.staged); err == nil {
			m.staged = ""
		}
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", m.path, err)
	}
	return nil
}

// Recover completes an apply or undo that a crash interrupted, or puts it back
// where it cannot be completed, which is an error. It returns what it completed,
// nil if there was nothing.
func (l *Lander) Recover(ctx context.Context) (*clade.Applying, error) {
	var in *clade.Applying
	err := l.Log.View(ctx, func(v clade.View) error {
		if a := v.Head().Applying; a != nil {
			c := *a
			in = &c
		}
		return nil
	})
	if err != nil || in == nil {
		return nil, err
	}
	ended, err := l.sweep(ctx, *in)
	switch {
	case err != nil:
		return in, &clade.Problem{Fault: clade.FaultEnvironment, Text: "an interrupted landing cannot be completed", Err: err,
			Hint: "nothing is lost: mend what is said here and try again"}
	case ended:
		return in, l.append(ctx, clade.Applied{Winner: in.Winner, Undone: in.Undo})
	}
	return in, l.carry(ctx, *in)
}

// sweep removes what a crash left of an intent, staged content and folders that
// its removals had emptied, and reports whether all of the intent had been done: a path that is neither as before nor
// as after was then changed since, and is no reason to put the others back.
func (l *Lander) sweep(ctx context.Context, in clade.Applying) (ended bool, err error) {
	moves, err := l.moves(ctx, in)
	if err != nil {
		return false, err
	}
	t, err := openTree(l.Root)
	if err != nil {
		return false, err
	}
	defer t.close()
	for _, m := range moves {
		for _, side := range []string{in.After, in.Before} { // it may have been putting back
			if err := t.sweep(m.path, tempName(side, m.path)); err != nil {
				return false, err
			}
		}
		link, err := t.linkOnTheWay(m.path)
		if err != nil {
			return false, err
		}
		if m.to.mode == "" && link == "" {
			t.prune(path.Dir(m.path))
		}
	}
	if in.Commit != "" {
		return l.moved(ctx, in)
	}
	left, strange, err := pending(t, moves)
	return len(left) == 0 && len(strange) < len(moves), err
}
