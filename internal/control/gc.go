package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// A Check is one line of doctor.
type Check struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, note, bad
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
}

// A Swept says what a collection freed.
type Swept struct {
	Bytes     int64    `json:"bytes"`
	Removed   []string `json:"removed_runs,omitempty"`
	Forgotten []string `json:"forgotten_runs,omitempty"` // in the index, but gone from disk
	Named     int      `json:"named_commits"`
}

// GC names every commit that a log names so that git keeps it, forgets runs
// that are gone, and removes what dead processes left in the cache. With
// templates it also removes templates that nothing uses; remove lists runs to
// delete with their logs, by name or the beginning of one.
func (c *Control) GC(ctx context.Context, templates bool, remove []string) (*Swept, error) {
	out := &Swept{}
	ix, err := c.Index()
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	remove, err = c.names(ctx, remove)
	if err != nil {
		return nil, err
	}
	all, err := ix.Find(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, at := range all {
		if _, err := os.Stat(at.State); err == nil && !slices.Contains(remove, at.Run) {
			if err := c.nameCommits(ctx, at, out); err == nil {
				continue
			} else if !errors.Is(err, store.ErrNoRun) && clade.FaultOf(err) != clade.FaultNotFound {
				return out, fmt.Errorf("run %s: %w", at.Run, err)
			}
			out.Forgotten = append(out.Forgotten, at.Run)
		} else if slices.Contains(remove, at.Run) {
			if err := c.removeRun(ctx, at); err != nil {
				return out, err
			}
			out.Removed = append(out.Removed, at.Run)
		} else {
			out.Forgotten = append(out.Forgotten, at.Run)
		}
		if err := ix.Remove(ctx, at); err != nil {
			return out, err
		}
	}
	if err := endOrphans(ctx); err != nil {
		return out, err
	}
	ws, err := c.Workspaces(c.Cache, nil, nil)
	if err != nil {
		return out, err
	}
	freed, err := ws.Sweep(ctx, templates)
	scratch, serr := Scratch(c.Cache).Sweep()
	out.Bytes = freed + scratch
	return out, errors.Join(err, serr, ws.Close())
}

// names completes beginnings of names.
func (c *Control) names(ctx context.Context, begun []string) (out []string, err error) {
	for _, name := range begun {
		if name == "" {
			return nil, &clade.Problem{Fault: clade.FaultUsage, Text: "a run to remove must be named"}
		}
		at, err := c.find(ctx, name, "")
		if err != nil {
			return nil, err
		}
		out = append(out, at.Run)
	}
	return out, nil
}

func (c *Control) nameCommits(ctx context.Context, at store.Located, out *Swept) error {
	r, err := c.openAt(ctx, at, false)
	if err != nil {
		return err
	}
	defer r.Close()
	led, err := r.Ledger(ctx)
	if err != nil {
		return err
	}
	commits, err := r.commits(ctx)
	if err != nil {
		return err
	}
	refs := map[string]string{}
	for _, commit := range commits {
		refs["refs/clade/"+at.Run+"/"+commit] = commit
	}
	out.Named += len(refs)
	return led.Name(ctx, refs)
}

func (c *Control) removeRun(ctx context.Context, at store.Located) error {
	st, err := c.Store(at.State, false)
	if err != nil {
		return err
	}
	err = st.Remove(ctx, at.Run)
	switch {
	case errors.Is(err, store.ErrHeld):
		return &clade.Problem{Fault: clade.FaultBusy, Text: "run " + at.Run + " is being searched", Err: err, Hint: "clade cancel ends it"}
	case errors.Is(err, store.ErrNoRun):
		return nil
	}
	return err
}
