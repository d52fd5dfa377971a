package control

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/workspace"
)

// scratchDir gives fn a folder that is gone afterwards: at once, or by a later
// sweep when this process dies.
func (c *Control) scratchDir(fn func(dir string) error) error {
	own, dir, err := c.newScratch()
	if err != nil {
		return err
	}
	return errors.Join(fn(dir), workspace.Remove(dir), own.Close())
}

// newScratch makes a scratch folder; the caller removes it and closes its owner.
func (c *Control) newScratch() (own *workspace.Slots, dir string, err error) {
	own = Scratch(c.Cache)
	if dir, err = own.Next(); err != nil {
		return nil, "", &clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot write the cache folder " + c.Cache, Err: err,
			Hint: "XDG_CACHE_HOME names another place for it"}
	}
	return own, dir, nil
}

// Scratch hands out scratch folders of this process below a cache folder. What
// it leaves when it dies is swept by the next search and by gc.
func Scratch(cache string) *workspace.Slots {
	return workspace.NewSlots(filepath.Join(cache, "scratch"))
}

// Measure evaluates the base of a resolved spec as a run would, keeping
// nothing, and gives fn what it saw.
func (c *Control) Measure(ctx context.Context, r *Resolved, step func(string), fn func(clade.View) error) error {
	return c.scratchDir(func(dir string) error {
		alone := *c
		alone.StateFor = dir
		alone.Index = func() (store.Index, error) { return nowhere{}, nil }
		only := *r
		only.State, only.Source.Progress = dir, step
		only.Spec.Budget.Candidates = 0
		only.Digest = Digest(&only.Spec)
		run, err := alone.Create(ctx, &only)
		if err != nil {
			return err
		}
		err = run.Launch(ctx, Launch{Step: step})
		if err == nil {
			err = run.View(ctx, fn)
		}
		return errors.Join(err, run.Close())
	})
}

// nowhere is the index of a run that nobody shall find.
type nowhere struct{ store.Index }

func (nowhere) Add(context.Context, store.Located) error { return nil }
func (nowhere) Close() error                             { return nil }
