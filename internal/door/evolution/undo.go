package evolution

import (
	"context"
	"fmt"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// Undo puts back what the last apply of the evolution that arg names replaced,
// and takes applied out of evolution.yaml. It refuses when nothing is applied,
// when one of the paths has changed since, when something else was applied over
// it, and what clade did not apply.
func (d *Door) Undo(ctx context.Context, arg string, h Hooks) (*Applied, error) {
	l, err := d.landing(ctx, arg, h)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if l.run == nil {
		if l.doc.Evolution.Applied == nil {
			return nil, l.nothing()
		}
		return nil, l.foreign()
	}
	var out *Applied
	err = l.run.Landing(ctx, control.Landing{Step: h.Step, Writing: h.Writing}, func(to *control.Lander, recovered *clade.Applying) error {
		out, err = l.undo(ctx, to, recovered)
		return err
	})
	return out, err
}

func (l *landing) undo(ctx context.Context, to *control.Lander, recovered *clade.Applying) (*Applied, error) {
	if recovered != nil && recovered.Undo && l.doc.Evolution.Applied == nil { // its record was never written
		a, err := l.run.Undo(ctx, to, recovered)
		if err != nil {
			return nil, err
		}
		return l.applied(*a), nil
	}
	which, err := l.landed(ctx)
	if err != nil {
		return nil, err
	}
	out := l.applied(control.Applied{Run: l.run.Name, Winner: which.Winner, Paths: which.Paths, Commit: which.Commit, Recovered: recovered != nil})
	if which.Undone {
		out.Completed = recovered == nil
		return out, l.forget(ctx)
	}
	last, err := l.standing(ctx)
	if err != nil {
		return nil, err
	}
	if last.Winner != which.Winner || !last.At.Equal(which.At) {
		return nil, &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("candidate %d of run %s was applied over %s since", last.Winner, l.run.Name, out.Variant),
			Hint: fmt.Sprintf("clade undo %s takes that back; then undo again", l.run.Name)}
	}
	a, err := l.run.Undo(ctx, to, recovered)
	if err != nil {
		return nil, err
	}
	out.Applied = *a
	return out, l.forget(ctx)
}

// landed is the apply that evolution.yaml tells of; where it tells of none, the
// last one of the winner that stands: its record was never written.
func (l *landing) landed(ctx context.Context) (*control.Landed, error) {
	e := l.doc.Evolution
	if e.Applied != nil {
		which, err := l.told(ctx, e.Applied)
		if err == nil && which == nil {
			err = l.foreign()
		}
		return which, err
	}
	last, err := l.standing(ctx)
	if err != nil {
		return nil, err
	}
	if last == nil || e.Winner == nil {
		return nil, l.nothing()
	}
	name, err := l.name(ctx, last.Winner)
	if err == nil && name != e.Winner.Variant {
		err = l.nothing()
	}
	return last, err
}

// told is the run's apply of the winner that a file tells of, by its time; nil if
// it is not of the run.
func (l *landing) told(ctx context.Context, a *evolution.Applied) (which *control.Landed, err error) {
	all, err := l.run.Landed(ctx)
	if err != nil {
		return nil, err
	}
	return which, l.run.View(ctx, func(v clade.View) error {
		names := attemptsOf(v).names
		for i := range all {
			if names[all[i].Winner] == l.doc.Evolution.Winner.Variant && all[i].At.Truncate(time.Second).Equal(a.At) {
				which = &all[i]
			}
		}
		return nil
	})
}

// name is what the evolution calls a candidate of the run, "" if it does not.
func (l *landing) name(ctx context.Context, id clade.ID) (name string, err error) {
	return name, l.run.View(ctx, func(v clade.View) error {
		name = attemptsOf(v).names[id]
		return nil
	})
}

// forget takes applied out of evolution.yaml.
func (l *landing) forget(ctx context.Context) error {
	doc, err := l.f.update(ctx, l.d.clock(), l.saying(ctx, nil))
	if err != nil {
		return &clade.Problem{Fault: faultOr(err, clade.FaultEnvironment), Text: "the files are put back, but the evolution's files do not all say so", Err: err,
			Hint: "mend what is said here and undo again: that completes it"}
	}
	l.doc = doc
	return nil
}

// undone takes applied out of evolution.yaml where the run's log knows that it
// was undone since; it refuses an evolution that is applied.
func (l *landing) undone(ctx context.Context, dry bool) error {
	a := l.doc.Evolution.Applied
	if a == nil {
		return nil
	}
	if l.run != nil {
		which, err := l.told(ctx, a)
		if err != nil {
			return err
		}
		if which != nil && which.Undone {
			l.tell("what was applied has been undone, which evolution.yaml does not say")
			if !dry {
				return l.forget(ctx)
			}
			want := l.doc.Evolution.Clone()
			want.Applied = nil
			l.doc, err = l.doc.Update(want)
			return err
		}
	}
	return finished(l.match.Dir, l.doc.Evolution)
}

func (l *landing) nothing() error {
	return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("evolution %s has nothing applied to undo", l.match.Dir)}
}

func (l *landing) foreign() error {
	return &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("evolution %s was applied by something other than clade, which has no bytes to put back", l.match.Dir),
		Hint: "git shows and reverts what was changed; then take applied out of evolution.yaml"}
}
