package workspacetest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cladehq/clade/internal/workspace"
)

func inParallel(w *world) {
	base, child := w.family()
	t := w.template(workspace.TemplateSpec{Commit: base})
	for round := range 12 {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if err := w.cycle(t, workspace.Plan{Commit: []string{base, child}[i%2], Git: i%3 == 0}, i); err != nil {
					w.Errorf("round %d, workspace %d: %v", round, i, err)
				}
			})
		}
		wg.Wait()
	}
}

// cycle makes an edit in a workspace of its own without running a command: what
// this costs is the provider's own.
func (w *world) cycle(t workspace.Template, p workspace.Plan, i int) error {
	space, err := w.provider.Open(w.ctx, t, p)
	if err != nil {
		return err
	}
	s, err := space.Scope(w.ctx)
	if err != nil {
		return errors.Join(err, space.Close())
	}
	err = edit(s, fmt.Sprintf("mine-%d", i))
	got, cerr := s.Changes(w.ctx)
	if want := []string{fmt.Sprintf("mine-%d 100644 edited", i)}; cerr == nil && !slices.Equal(show(got), want) {
		cerr = fmt.Errorf("changes %q, want %q", show(got), want)
	}
	return errors.Join(err, cerr, s.Close(), space.Close())
}

func closesOnlyItsOwn(w *world) {
	base, child := w.family()
	t := w.template(workspace.TemplateSpec{Commit: base})
	one := w.space(t, workspace.Plan{Commit: child, Git: true})
	template := fingerprint(w, filepath.Join(w.Dir, "templates"))
	two, err := w.provider.Open(w.ctx, t, workspace.Plan{Commit: child, Git: true})
	w.must(err)
	w.in(one, "echo 1 >one", func(s workspace.Scope, _ string) {
		w.in(two, "echo 2 >two; rm -rf .git/* * 2>/dev/null; :", nil)
		w.must(two.Close())
		_, err := w.provider.Sweep(w.ctx, workspace.Sweeping{Templates: true})
		w.must(err)
		w.run(s, "", "git fsck --full && git status --porcelain")
		w.expect(s, "one 100644 1\n")
	})
	if now := fingerprint(w, filepath.Join(w.Dir, "templates")); !maps.Equal(template, now) {
		w.Error("the template has changed")
	}
}

// survivesAnEmptiedCache removes by hand what is in use and what waits for its
// next use, locks included, as a person who cleans up does: what was open fails,
// what is opened next works, and a sweep leaves it alone.
func survivesAnEmptiedCache(w *world) {
	base, child := w.family()
	t := w.template(workspace.TemplateSpec{Commit: base})
	plan := workspace.Plan{Commit: child}
	w.must(w.cycle(t, plan, 0))
	space, err := w.provider.Open(w.ctx, t, plan)
	w.must(err)
	s, err := space.Scope(w.ctx)
	w.must(err)
	for _, d := range []string{"slots", "pool"} {
		w.must(os.RemoveAll(filepath.Join(w.Dir, d)))
	}
	if c, err := s.Changes(w.ctx); err == nil || c != nil {
		w.Errorf("changes of a folder that is gone: %v, %v", c, err)
	}
	w.must(s.Close())
	w.must(space.Close())
	for i := range 3 { // spares that are no more may fail, one after the other
		if err = w.cycle(t, plan, i); err == nil {
			break
		}
	}
	w.must(err)
	w.in(w.space(t, plan), "echo 1 >mine", func(s workspace.Scope, _ string) {
		_, err := w.open().Sweep(w.ctx, workspace.Sweeping{})
		w.must(err)
		w.expect(s, "mine 100644 1\n")
	})
}

func sweeps(w *world) {
	space, base := w.plain(files{"a": "a"})
	other := w.open()
	for _, d := range []string{"slots/dead/1/1/upper", "templates/.tmp-0123/tree"} {
		w.must(os.MkdirAll(filepath.Join(w.Dir, d), 0o755))
		w.must(os.WriteFile(filepath.Join(w.Dir, d, "f"), []byte("12345"), 0o644))
	}
	unused := filepath.Join(w.Dir, "templates", "abcd")
	w.must(os.MkdirAll(unused, 0o755))
	w.must(os.WriteFile(filepath.Join(unused, "f"), []byte("123"), 0o644))
	exists := func(p string) bool { _, err := os.Stat(filepath.Join(w.Dir, p)); return err == nil }
	before := fingerprint(w, w.Dir)
	would, err := other.Sweep(w.ctx, workspace.Sweeping{Templates: true, Dry: true})
	if now := fingerprint(w, w.Dir); err != nil || would < 8 || !maps.Equal(before, now) {
		w.Errorf("a dry sweep: %d bytes, %v; something changed: %v", would, err, !maps.Equal(before, now))
	}
	freed, err := other.Sweep(w.ctx, workspace.Sweeping{})
	if err != nil || freed < 5 || exists("slots/dead") && w.provider.Name() == "overlay" || exists("templates/.tmp-0123") || !exists("templates/abcd") {
		w.Errorf("Sweep: %d bytes, %v", freed, err)
	}
	if freed, err = other.Sweep(w.ctx, workspace.Sweeping{Templates: true}); err != nil || freed < 3 || exists("templates/abcd") {
		w.Errorf("Sweep of all: %d bytes, %v", freed, err)
	}
	w.in(space, "cat a", func(s workspace.Scope, out string) {
		if out != "a" {
			w.Errorf("after a sweep %s reads %q", base, out)
		}
	})
}
