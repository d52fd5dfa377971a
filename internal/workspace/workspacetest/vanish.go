package workspacetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/workspace"
)

// makesAVanishedTemplateAnew removes a template that is in use, as a person who
// cleans up does: the next workspaces have it made anew, once for all of them,
// and whoever asks can tell. What is in use is left alone by a sweep.
func makesAVanishedTemplateAnew(w *world) {
	origin := w.TempDir()
	carried := filepath.Join(origin, "carried")
	w.must(os.WriteFile(carried, []byte("c"), 0o644))
	base, child := w.family()
	log := w.TempDir()
	var said sync.Map
	spec := workspace.TemplateSpec{Commit: base, Origin: origin, Carry: []string{"carried"},
		Progress: func(s string) { said.Store(s, true) }}
	if !w.Sandbox.Mounts() { // elsewhere setup cannot write there
		spec.Setup = &clade.Command{Run: "echo >>" + filepath.Join(log, "setups")}
	}
	t := w.template(spec)
	making := func(want int, vanished bool) {
		w.Helper()
		if got, err := t.Making(); got != want || errors.Is(err, workspace.ErrVanished) != vanished {
			w.Errorf("making %d, %v; want %d", got, err, want)
		}
	}
	making(1, false)
	_, err := w.open().Sweep(w.ctx, workspace.Sweeping{Templates: true})
	w.must(err)
	making(1, false)

	for _, gone := range []string{"templates", "templates/" + t.Key(), "templates/" + t.Key() + "/tree"} {
		before, _ := t.Making()
		w.must(workspace.Remove(filepath.Join(w.Dir, gone)))
		making(0, true)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				space, err := w.provider.Open(w.ctx, t, workspace.Plan{Commit: child, Git: true})
				if err == nil {
					err = space.Close()
				}
				if err != nil {
					w.Errorf("without %s: %v", gone, err)
				}
			})
		}
		wg.Wait()
		making(before+1, false)
		w.in(w.space(t, workspace.Plan{Commit: child}), "cat carried; echo 1 >mine", func(s workspace.Scope, out string) {
			if out != "c" {
				w.Errorf("without %s: carried %q", gone, out)
			}
			w.expect(s, "mine 100644 1\n")
		})
	}
	if _, ok := said.Load("making the template anew, which was removed"); !ok {
		w.Error("nobody was told")
	}
	if runs, err := os.ReadFile(filepath.Join(log, "setups")); err == nil && strings.Count(string(runs), "\n") != 4 {
		w.Errorf("setup ran %d times, want 4", strings.Count(string(runs), "\n"))
	}

	w.must(os.WriteFile(carried, []byte("another"), 0o644))
	w.must(workspace.Remove(filepath.Join(w.Dir, "templates")))
	if _, err := w.provider.Open(w.ctx, t, workspace.Plan{Commit: child}); !errors.Is(err, workspace.ErrVanished) || !errors.Is(err, workspace.ErrSetup) {
		w.Errorf("another template under the same key: %v", err)
	}
}
