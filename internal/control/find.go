package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// Find lists runs whose name begins with name, newest first. A run of a folder
// that was moved is listed where it is now.
func (c *Control) Find(ctx context.Context, name string) ([]store.Located, error) {
	ix, err := c.Index()
	if err != nil {
		return nil, err
	}
	all, err := ix.Find(ctx, name)
	return withoutGone(all), errors.Join(err, ix.Close())
}

// withoutGone drops entries whose state folder is gone where the same run is
// kept elsewhere, too: its target was moved.
func withoutGone(all []store.Located) []store.Located {
	times := map[string]int{}
	for _, l := range all {
		times[l.Run]++
	}
	return slices.DeleteFunc(all, func(l store.Located) bool {
		if times[l.Run] == 1 {
			return false
		}
		if _, err := os.Stat(l.State); err == nil {
			return false
		}
		times[l.Run]--
		return true
	})
}

func (c *Control) find(ctx context.Context, name, here string) (store.Located, error) {
	if err := c.adopt(ctx, here); err != nil {
		return store.Located{}, err
	}
	all, err := c.Find(ctx, name)
	if err != nil {
		return store.Located{}, err
	}
	if name == "" {
		return newest(all, here)
	}
	if exact := slices.DeleteFunc(slices.Clone(all), func(l store.Located) bool { return l.Run != name }); len(exact) > 0 {
		all = exact
	}
	var names []string
	for _, l := range all {
		if !slices.Contains(names, l.Run) {
			names = append(names, l.Run)
		}
	}
	if len(names) == 1 {
		return nearest(all, here), nil
	}
	if target := place(name, here); target != "" {
		return c.find(ctx, "", target)
	}
	if len(names) == 0 {
		return store.Located{}, &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("no run is called %q", name),
			Hint: "clade status --all lists every run"}
	}
	return store.Located{}, &clade.Problem{Fault: clade.FaultUsage,
		Text: fmt.Sprintf("%q could be %s", name, strings.Join(names, ", "))}
}

// place is the folder or file that name means where it is not one run's, ""
// where there is none. It then means the newest run of a target around or below.
func place(name, here string) string {
	if !filepath.IsAbs(name) {
		if here == "" {
			return "" // nobody is anywhere
		}
		name = filepath.Join(here, name)
	}
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return filepath.Clean(name)
}

// nearest picks among the entries of one run, which are several when its target
// was copied: the copy that here lies in, or else the first.
func nearest(all []store.Located, here string) store.Located {
	for _, l := range all {
		if inside(l.Where, here) {
			return l
		}
	}
	return all[0]
}

// adopt tells the index of runs kept around here that it does not know: their
// process died before it could, the index was lost, or the target was moved.
func (c *Control) adopt(ctx context.Context, here string) (err error) {
	dir := c.kept(here)
	if dir == "" {
		return nil
	}
	st, err := c.Store(dir, false)
	if err != nil {
		return err
	}
	runs, err := st.List(ctx)
	if err != nil || len(runs) == 0 {
		return err
	}
	ix, err := c.Index()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	known, err := ix.Find(ctx, "")
	if err != nil {
		return err
	}
	for _, run := range runs {
		if slices.ContainsFunc(known, func(l store.Located) bool { return l.Run == run && l.State == dir }) {
			continue
		}
		if at, err := c.located(ctx, st, dir, run); err == nil { // one that cannot be read is not found
			err = ix.Add(ctx, at)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// kept is the state folder that a run of a target around here would be in, ""
// when there is none.
func (c *Control) kept(here string) string {
	if c.StateFor != "" {
		return c.StateFor
	}
	if here == "" {
		return "" // nobody is anywhere
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		state := filepath.Join(dir, stateName)
		if info, err := os.Stat(state); err == nil && info.IsDir() {
			return state
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func (c *Control) located(ctx context.Context, st store.Store, dir, run string) (at store.Located, err error) {
	log, err := st.Open(ctx, run, false)
	if err != nil {
		return at, err
	}
	err = log.View(ctx, func(v clade.View) error {
		h := v.Head()
		at = store.Located{Run: run, State: dir, Where: c.where(dir, h), At: h.Started}
		return nil
	})
	return at, errors.Join(err, log.Close())
}

// where is the path of a run's target now. State that is kept in the target
// moves with it, so that a renamed folder takes its runs along and a copied one
// is never taken for the original; other state has only the path of the time.
func (c *Control) where(state string, h *clade.Head) string {
	if h.Spec.Target.Kind == clade.TargetFile || filepath.Base(state) != stateName || state == c.StateFor {
		return h.Where
	}
	here := filepath.Join(filepath.Dir(state), filepath.FromSlash(h.Spec.Target.Prefix))
	if info, err := os.Stat(here); err != nil || !info.IsDir() {
		return h.Where
	}
	return here
}

// newest picks the run that an unnamed command means: the newest of the target
// that here lies in, or else of the only target below here. It never guesses
// between targets.
func newest(all []store.Located, here string) (store.Located, error) {
	var below []store.Located
	for _, l := range all {
		if inside(l.Where, here) {
			return l, nil
		}
		if inside(here, l.Where) {
			below = append(below, l)
		}
	}
	for _, l := range below {
		if l.Where != below[0].Where {
			return store.Located{}, &clade.Problem{Fault: clade.FaultUsage,
				Text: fmt.Sprintf("runs of several targets lie below %s", here),
				Hint: fmt.Sprintf("name one: %s is of %s, %s of %s", below[0].Run, below[0].Where, l.Run, l.Where)}
		}
	}
	switch {
	case len(below) > 0:
		return below[0], nil
	case len(all) > 0:
		return store.Located{}, &clade.Problem{Fault: clade.FaultNotFound, Text: "there is no run of " + here,
			Hint: fmt.Sprintf("name one: the newest is %s, of %s; clade status --all lists every run", all[0].Run, all[0].Where)}
	}
	return store.Located{}, &clade.Problem{Fault: clade.FaultNotFound, Text: "there is no run yet", Hint: "clade run starts one"}
}

// inside reports whether path is folder or lies below it.
func inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
