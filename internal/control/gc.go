package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/workspace"
)

// A Check is one line of doctor.
type Check struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, note, bad
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
}

// A Collection says what GC removes beside what is always garbage.
type Collection struct {
	Templates bool     // prepared base trees that nothing uses
	Remove    []string // runs, by name or the beginning of one
	Dry       bool     // only say what would go
}

// A Swept says what a collection freed, or would.
type Swept struct {
	Bytes     int64    `json:"bytes"`        // in all; about, where it was dry
	Ledgers   int64    `json:"ledger_bytes"` // of these in ledgers
	Removed   []string `json:"removed_runs,omitempty"`
	Forgotten []string `json:"forgotten_runs,omitempty"` // in the index, but gone from disk
	Named     int      `json:"named_commits"`
	// Busy are ledgers that hold what no run needs but are in use: a later
	// collection frees them.
	Busy []string `json:"busy_ledgers,omitempty"`
	Dry  bool     `json:"dry_run,omitempty"`
}

// GC names every commit that a log names so that git keeps it, forgets runs
// that are gone, deletes the runs it is told to, with their logs and the commits
// that no other run needs, and removes what dead processes left in the cache.
// What cannot be read stops nothing else: it is left as it is, and is in the
// error that comes with what was swept.
func (c *Control) GC(ctx context.Context, o Collection) (_ *Swept, err error) {
	if o.Remove, err = c.names(ctx, o.Remove); err != nil {
		return nil, err
	}
	g := &collector{Control: c, Collection: o, out: &Swept{Dry: o.Dry}, unread: map[string]bool{}}
	err = errors.Join(g.runs(ctx), g.ledgers(ctx), g.cache(ctx))
	return g.out, err
}

// runs goes through the index.
func (g *collector) runs(ctx context.Context) (err error) {
	if g.index, err = g.Index(); err != nil {
		return err
	}
	all, err := g.index.Find(ctx, "")
	errs := []error{err}
	for _, at := range all {
		if err := g.run(ctx, at); err != nil {
			g.unread[at.State] = true
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, g.index.Close())...)
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

// A collector is one collection on its way.
type collector struct {
	*Control
	Collection
	index  store.Index
	out    *Swept
	states []string        // folders of runs that were met
	unread map[string]bool // those that hold a run of which nothing is known
}

// run removes, forgets or names one entry of the index.
func (g *collector) run(ctx context.Context, at store.Located) error {
	_, gone := os.Stat(at.State)
	if gone == nil && !slices.Contains(g.states, at.State) {
		g.states = append(g.states, at.State)
	}
	switch {
	case slices.Contains(g.Remove, at.Run):
		if err := g.remove(ctx, at, gone == nil); err != nil {
			return err
		}
		g.out.Removed = append(g.out.Removed, at.Run)
	case gone == nil:
		err := g.name(ctx, at)
		if err == nil {
			return nil
		} else if !errors.Is(err, store.ErrNoRun) && clade.FaultOf(err) != clade.FaultNotFound {
			return fmt.Errorf("run %s: %w", at.Run, err)
		}
		if err := g.doom(at.State); err != nil {
			return err
		}
		fallthrough
	default:
		g.out.Forgotten = append(g.out.Forgotten, at.Run)
	}
	if g.Dry {
		return nil
	}
	return g.index.Remove(ctx, at)
}

func (g *collector) name(ctx context.Context, at store.Located) error {
	r, err := g.openAt(ctx, at, false)
	if err != nil {
		return err
	}
	defer r.Close()
	if g.Dry {
		return nil
	}
	led, err := r.Ledger(ctx)
	if err != nil {
		return err
	}
	refs, err := r.refs(ctx)
	if err != nil {
		return err
	}
	g.out.Named += len(refs)
	return led.Name(ctx, refs)
}

// refs are names for every commit of the run.
func (r *Run) refs(ctx context.Context) (map[string]string, error) {
	commits, err := r.commits(ctx)
	refs := map[string]string{}
	for _, commit := range commits {
		refs["refs/clade/"+r.Name+"/"+commit] = commit
	}
	return refs, err
}

func (g *collector) remove(ctx context.Context, at store.Located, there bool) error {
	st, err := g.Store(at.State, false)
	if err != nil {
		return err
	}
	size := workspace.Size(st.Dir(at.Run))
	if g.Dry {
		_, held, err := st.Holder(ctx, at.Run)
		switch {
		case held:
			return searched(at.Run, err)
		case err == nil:
			g.out.Bytes += size
		}
		return ignoreNoRun(err)
	}
	if there {
		if err := g.doom(at.State); err != nil {
			return err
		}
	}
	err = st.Remove(ctx, at.Run)
	switch {
	case errors.Is(err, store.ErrHeld):
		return searched(at.Run, err)
	case err == nil:
		g.out.Bytes += size
	}
	return ignoreNoRun(err)
}

func ignoreNoRun(err error) error {
	if errors.Is(err, store.ErrNoRun) {
		return nil
	}
	return err
}

func searched(run string, err error) error {
	return &clade.Problem{Fault: clade.FaultBusy, Text: "run " + run + " is being searched", Err: err, Hint: "clade cancel ends it"}
}

// doomed is a file that says of a state folder that its ledger may hold commits
// of runs that are gone: it outlives a collection that found the ledger in use.
func doomed(state string) string { return filepath.Join(state, "ledger.prune") }

func (g *collector) doom(state string) error {
	if g.Dry {
		return nil
	}
	return os.WriteFile(doomed(state), nil, 0o644)
}

// ledgers removes from the ledgers what no run needs any more.
func (g *collector) ledgers(ctx context.Context) error {
	var errs []error
	for _, state := range g.states {
		if g.unread[state] { // what that run needs cannot be told
			continue
		}
		freed, err := g.prune(ctx, state)
		switch {
		case errors.Is(err, ledger.ErrBusy):
			g.out.Busy = append(g.out.Busy, filepath.Join(state, ledgerName))
		case err != nil:
			errs = append(errs, err)
		default:
			g.out.Ledgers += freed
			g.out.Bytes += freed
		}
	}
	return errors.Join(errs...)
}

func (g *collector) prune(ctx context.Context, state string) (int64, error) {
	dir := filepath.Join(state, ledgerName)
	if g.Dry {
		refs, err := g.needed(ctx, state)
		if err != nil {
			return 0, err
		}
		return g.Prunable(ctx, dir, refs)
	}
	if _, err := os.Stat(doomed(state)); err != nil {
		return 0, nil //nolint:nilerr // nothing of it has gone
	}
	freed, err := g.Prune(ctx, dir, func() (map[string]string, error) { return g.needed(ctx, state) })
	if err != nil {
		return freed, err
	}
	return freed, os.Remove(doomed(state))
}

// needed are names for the commits of all runs in a state folder that stay,
// those included that the index does not know.
func (g *collector) needed(ctx context.Context, state string) (map[string]string, error) {
	st, err := g.Store(state, false)
	if err != nil {
		return nil, err
	}
	runs, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, name := range runs {
		if slices.Contains(g.Remove, name) {
			continue
		}
		refs, err := g.neededBy(ctx, store.Located{Run: name, State: state})
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", name, err)
		}
		for ref, commit := range refs {
			out[ref] = commit
		}
	}
	return out, nil
}

func (g *collector) neededBy(ctx context.Context, at store.Located) (refs map[string]string, err error) {
	r, err := g.openAt(ctx, at, false)
	if err != nil {
		return nil, err
	}
	refs, err = r.refs(ctx)
	return refs, errors.Join(err, r.Close())
}

// cache removes what dead processes left.
func (g *collector) cache(ctx context.Context) error {
	if !g.Dry {
		if err := endOrphans(ctx); err != nil {
			return err // they may still write there
		}
		if err := g.containers(ctx); err != nil {
			return err
		}
	}
	scratch, err := Scratch(g.Cache).Sweep(g.Dry)
	g.out.Bytes += scratch
	ws, werr := g.Workspaces(g.Cache, nil, nil)
	if werr != nil {
		return errors.Join(err, werr)
	}
	freed, werr := ws.Sweep(ctx, workspace.Sweeping{Templates: g.Templates, Dry: g.Dry})
	g.out.Bytes += freed
	return errors.Join(err, werr, ws.Close())
}

// containers removes those of dead processes. Opening containers does that, where
// docker or podman works, before it misses an image.
func (g *collector) containers(ctx context.Context) error {
	box, err := g.Sandbox(ctx, &clade.Spec{Sandbox: clade.Sandbox{Use: sandbox.GradeContainer}}, nil)
	switch fault := clade.FaultOf(err); {
	case err == nil:
		return box.Close()
	case fault == clade.FaultSpec || fault == clade.FaultEnvironment: // no image, or no containers here
		return nil
	}
	return fmt.Errorf("removing old containers: %w", err)
}
