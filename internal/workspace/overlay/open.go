package overlay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cladehq/clade/internal/workspace"
)

const deltaDir = "delta"

// A space is a workspace: a slot with the plan's difference to the template.
type space struct {
	provider *Provider
	built    *workspace.Built
	layer    *workspace.Layer
	slot     *slot
	lower    []string // topmost first, the template's tree last
}

// Open implements workspace.Provider.
func (p *Provider) Open(ctx context.Context, t workspace.Template, plan workspace.Plan) (workspace.Workspace, error) {
	built, layer, err := workspace.LayerOver(ctx, t, plan)
	if err != nil {
		return nil, err
	}
	at, err := p.slot()
	if err != nil {
		return nil, err
	}
	w := &space{provider: p, built: built, layer: layer, slot: at}
	if err := w.materialise(ctx, plan); err != nil {
		return nil, errors.Join(fmt.Errorf("making a workspace: %w", err), workspace.Remove(at.dir))
	}
	return w, nil
}

// slot gives a slot without a tree.
func (p *Provider) slot() (*slot, error) {
	if s := p.spares.take(); s != nil {
		return s, nil
	}
	dir, err := p.slots.Next()
	return &slot{dir: dir, stock: workspace.NewStock(filepath.Join(dir, "stock"))}, err
}

// materialise writes the difference and, last, the marker.
func (w *space) materialise(ctx context.Context, plan workspace.Plan) error {
	delta, at := filepath.Join(w.slot.dir, deltaDir), time.Now()
	if !w.layer.Empty() {
		if err := os.Mkdir(delta, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		// The time is new: tools that compare times must see that a file is not
		// the one setup built from.
		if err := w.layer.WriteTo(delta, at, w.slot.stock); err != nil {
			return err
		}
		for _, path := range w.layer.Gone {
			full := filepath.Join(delta, filepath.FromSlash(path))
			if err := w.slot.stock.MkdirAll(filepath.Dir(full)); err != nil {
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
		if err := w.built.Overlay(repo, delta, w.layer, at, w.slot.stock); err != nil {
			return err
		}
		w.lower = append(w.lower, repo.Dir())
	}
	w.lower = append(w.lower, w.built.Tree())
	return workspace.Mark(w.slot.dir)
}

// Scope implements workspace.Workspace.
func (w *space) Scope(context.Context) (workspace.Scope, error) {
	dir, again := w.slot.scope()
	s := &scope{space: w, dir: dir, view: w.provider.view(), lower: w.lower, mask: w.layer.Hidden}
	if home, used := w.built.Home(); used {
		s.home = home
	}
	if err := s.make(again); err != nil {
		return nil, errors.Join(fmt.Errorf("making a scope: %w", err), workspace.Remove(s.dir))
	}
	return s, nil
}

// Close implements workspace.Workspace.
func (w *space) Close() error { return w.provider.spares.give(w.slot) }
