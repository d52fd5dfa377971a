package pool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// borrowed is where a repository finds the template's objects when they are
// mounted: relative to its own folder of objects.
const borrowed = "../base"

var errOpenScope = errors.New("a scope of this workspace is open: it has only one folder")

// A space is a folder of the pool with a plan.
type space struct {
	provider *Provider
	built    *workspace.Built
	layer    *workspace.Layer
	folder   *folder
	repo     *workspace.Repository // nil without Plan.Git
	open     bool
}

// Open implements workspace.Provider.
func (p *Provider) Open(ctx context.Context, t workspace.Template, plan workspace.Plan) (workspace.Workspace, error) {
	built, layer, err := workspace.LayerOver(ctx, t, plan)
	if err != nil {
		return nil, err
	}
	w := &space{provider: p, built: built, layer: layer}
	if plan.Git {
		if w.repo, err = built.Repository(ctx, plan.Hidden); err != nil {
			return nil, err
		}
	}
	if w.folder, err = p.take(built); err != nil {
		return nil, fmt.Errorf("making a workspace: %w", err)
	}
	return w, nil
}

// Scope implements workspace.Workspace. Only one can be open at a time.
func (w *space) Scope(context.Context) (workspace.Scope, error) {
	if w.open {
		return nil, errOpenScope
	}
	s := &scope{space: w, stamps: map[string]stamp{}}
	if err := s.make(); err != nil {
		return nil, fmt.Errorf("making a scope: %w", err)
	}
	w.open = true
	return s, nil
}

// make resets the folder, writes the plan's difference and, last, the marker.
func (s *scope) make() error {
	w, at := s.space, time.Now()
	if err := w.folder.reset(); err != nil {
		return err
	}
	tree := w.folder.tree.to
	for _, p := range w.layer.Gone {
		if err := discard(tree, p); err != nil {
			return err
		}
	}
	for _, f := range w.layer.Files {
		if err := makeRoom(tree, f.Path); err != nil {
			return err
		}
	}
	if err := w.layer.WriteTo(tree, at, nil); err != nil {
		return err
	}
	for _, f := range w.layer.Files {
		info, err := os.Lstat(filepath.Join(tree, filepath.FromSlash(f.Path)))
		if err != nil {
			return err
		}
		s.stamps[f.Path] = stampOf(info)
	}
	for _, h := range w.layer.Hidden {
		if err := mask(filepath.Join(tree, filepath.FromSlash(h))); err != nil {
			return err
		}
	}
	if w.repo != nil {
		if err := w.install(at); err != nil {
			return err
		}
	}
	return workspace.Mark(w.folder.dir)
}

func (w *space) install(at time.Time) error {
	tree, objects := w.folder.tree.to, w.repo.Objects()
	if w.provider.box.Mounts() {
		objects = borrowed
		if err := os.MkdirAll(filepath.Join(tree, ".git", "base"), 0o755); err != nil {
			return err
		}
	}
	return w.built.Install(w.repo, tree, w.layer, at, objects)
}

// discard removes a path and the folders that it leaves empty.
func discard(tree, p string) error {
	if err := workspace.Remove(filepath.Join(tree, filepath.FromSlash(p))); err != nil {
		return err
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(tree, filepath.FromSlash(dir))) != nil {
			return nil // something is left in it
		}
	}
	return nil
}

// makeRoom removes what is in the way of a new file: itself, and a file or link
// where a folder must be.
func makeRoom(tree, p string) error {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		full := filepath.Join(tree, filepath.FromSlash(dir))
		if info, err := os.Lstat(full); err == nil && !info.IsDir() {
			if err := os.Remove(full); err != nil {
				return err
			}
		}
	}
	return workspace.Remove(filepath.Join(tree, filepath.FromSlash(p)))
}

// mask puts an empty unreadable file or folder in the place of another.
func mask(full string) error {
	info, err := os.Lstat(full)
	if err != nil {
		return err
	}
	if err := workspace.Remove(full); err != nil {
		return err
	}
	if info.IsDir() {
		return os.Mkdir(full, 0)
	}
	return os.WriteFile(full, nil, 0)
}

// view is where commands find the folder.
func (w *space) view() workspace.View {
	if box := w.provider.box; box.Mounts() {
		return workspace.View{Tree: box.Work(), Home: box.Home(), Temp: workspace.MountedTemp}
	}
	return w.outside()
}

// outside is where the folder lies.
func (w *space) outside() workspace.View {
	f := w.folder
	return workspace.View{Tree: f.tree.to, Home: f.home.to, Temp: filepath.Join(f.dir, tempDir)}
}

// mounts put the folder where commands look for it.
func (w *space) mounts() []sandbox.Mount {
	from, to := w.outside(), w.view()
	if from == to {
		return nil
	}
	m := []sandbox.Mount{
		{Kind: sandbox.MountBind, Source: from.Tree, Target: to.Tree},
		{Kind: sandbox.MountBind, Source: from.Home, Target: to.Home},
		{Kind: sandbox.MountBind, Source: from.Temp, Target: to.Temp},
	}
	if w.repo != nil {
		m = append(m, sandbox.Mount{Kind: sandbox.MountBind, Source: w.repo.Objects(),
			Target: path.Join(to.Tree, ".git", "base"), ReadOnly: true})
	}
	return m
}

// Close implements workspace.Workspace.
func (w *space) Close() error {
	if w.folder != nil {
		w.provider.give(w.built, w.folder)
		w.folder = nil
	}
	return nil
}
