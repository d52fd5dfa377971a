package land

import (
	"context"
	"errors"

	"github.com/cladehq/clade"
)

// ErrNothing reports an undo without an apply.
var ErrNothing = errors.New("nothing is applied")

// Undo puts back what the last apply that is not undone replaced, and returns
// that apply. It refuses when one of its paths has been changed since. It
// changes files only: neither the index nor HEAD, also when the apply made a
// commit.
func (l *Lander) Undo(ctx context.Context) (*clade.Applying, error) {
	last, err := l.last(ctx)
	if err != nil {
		return nil, err
	}
	if last == nil {
		return nil, &clade.Problem{Fault: clade.FaultUsage, Text: "this run has nothing applied to undo", Err: ErrNothing}
	}
	in := *last
	in.Undo, in.Before, in.After, in.Commit = true, last.After, last.Before, ""
	changed, err := l.changed(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		return nil, conflict("changed since it was applied: "+quoted(changed), "nothing was undone; put these back or undo by hand")
	}
	if err := l.append(ctx, in); err != nil {
		return nil, err
	}
	return last, l.carry(ctx, in)
}

// last is the last apply that stands: it was closed, and not undone.
func (l *Lander) last(ctx context.Context) (*clade.Applying, error) {
	var stand []*clade.Applying
	var open *clade.Applying
	err := l.Log.Read(ctx, 0, func(r clade.Record) error {
		switch e := r.Event.(type) {
		case clade.Applying:
			open = &e
		case clade.Applied:
			switch {
			case open == nil:
			case open.Undo && e.Undone && len(stand) > 0:
				stand = stand[:len(stand)-1]
			case !open.Undo && !e.Undone:
				stand = append(stand, open)
			}
			open = nil
		}
		return nil
	})
	if err != nil || len(stand) == 0 {
		return nil, err
	}
	return stand[len(stand)-1], nil
}

// changed lists the paths that an undo would not find as the apply left them.
func (l *Lander) changed(ctx context.Context, in clade.Applying) (out []string, err error) {
	moves, err := l.moves(ctx, in)
	if err != nil {
		return nil, err
	}
	t, err := openTree(l.Root)
	if err != nil {
		return nil, failed("cannot open the target", err)
	}
	defer t.close()
	goes := map[string]bool{}
	t.replaced = map[string]bool{}
	for _, m := range moves {
		goes[m.path], t.replaced[m.path] = m.to.mode == "", true
	}
	for _, m := range moves {
		have, err := t.read(m.path)
		if err != nil {
			return nil, failed("cannot read the target", err)
		}
		occupied := false
		if have.folder && m.to.mode != "" {
			if occupied, err = t.occupied(m.path, func(p string) bool { return goes[p] }); err != nil {
				return nil, failed("cannot read the target", err)
			}
		}
		if occupied || !have.equal(m.from) && !have.equal(m.to) {
			out = append(out, m.path)
		}
	}
	return out, nil
}
