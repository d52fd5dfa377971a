package overlay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cladehq/clade/internal/workspace"
)

const deltaDir = "delta"

// A space is a workspace: a slot with the plan's difference to the template.
type space struct {
	provider *Provider
	built    *workspace.Built
	layer    *workspace.Layer
	dir      string
	lower    []string // topmost first, the template's tree last
	git      bool
	scopes   int
}

// Open implements workspace.Provider.
func (p *Provider) Open(ctx context.Context, t workspace.Template, plan workspace.Plan) (workspace.Workspace, error) {
	built, layer, err := workspace.LayerOver(ctx, t, plan)
	if err != nil {
		return nil, err
	}
	dir, err := p.slots.Next()
	if err != nil {
		return nil, err
	}
	w := &space{provider: p, built: built, layer: layer, dir: dir, git: plan.Git}
	if err := w.materialise(ctx, plan); err != nil {
		return nil, errors.Join(fmt.Errorf("making a workspace: %w", err), workspace.Remove(dir))
	}
	return w, nil
}

// materialise writes the difference and, last, the marker.
func (w *space) materialise(ctx context.Context, plan workspace.Plan) error {
	delta, at := filepath.Join(w.dir, deltaDir), time.Now()
	if !w.layer.Empty() {
		if err := os.Mkdir(delta, 0o755); err != nil {
			return err
		}
		// The time is new: tools that compare times must see that a file is not
		// the one setup built from.
		if err := w.layer.WriteTo(delta, at); err != nil {
			return err
		}
		for _, path := range w.layer.Gone {
			full := filepath.Join(delta, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				return err
			}
			if err := whiteout(full); err != nil {
				return fmt.Errorf("hiding %q: %w", path, err)
			}
		}
		w.lower = append(w.lower, delta)
	}
	if plan.Git {
		repo, err := w.built.Repository(ctx, plan.Hidden)
		if err != nil {
			return err
		}
		if err := w.built.Overlay(repo, delta, w.layer, at); err != nil {
			return err
		}
		w.lower = append(w.lower, repo.Dir())
	}
	w.lower = append(w.lower, w.built.Tree())
	return workspace.Mark(w.dir)
}

// Scope implements workspace.Workspace.
func (w *space) Scope(context.Context) (workspace.Scope, error) {
	w.scopes++
	s := &scope{
		space: w, dir: filepath.Join(w.dir, strconv.Itoa(w.scopes)), view: w.provider.view(),
		lower: w.lower, mask: w.layer.Hidden,
	}
	if home, used := w.built.Home(); used {
		s.home = home
	}
	if err := s.make(); err != nil {
		return nil, errors.Join(fmt.Errorf("making a scope: %w", err), workspace.Remove(s.dir))
	}
	return s, nil
}

// Close implements workspace.Workspace.
func (w *space) Close() error { return workspace.Remove(w.dir) }
