package worker

import (
	"context"
	"errors"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/workspace"
)

// settle has the template whole before anything is done over it, and keeps which
// making that is.
func (p *try) settle(ctx context.Context) (err error) {
	p.made, err = p.Template.Making()
	if !errors.Is(err, workspace.ErrVanished) {
		return err
	}
	w, err := p.Workspaces.Open(ctx, p.Template, workspace.Plan{Commit: p.Template.Commit()}) // makes it anew
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		p.made, err = p.Template.Making()
	}
	return err
}

// whole reports ErrVanished when the template was removed, or made anew, since
// the try began: what commands did meanwhile says nothing of the candidate.
func (p *try) whole() error {
	switch now, err := p.Template.Making(); {
	case err != nil:
		return err
	case now != p.made:
		return workspace.ErrVanished
	}
	return nil
}

// A memory keeps no secret, and no sample that was taken while the template
// vanished: the next try would be served it.
type memory struct {
	evaluate.Memory
	try *try
}

// Keep implements evaluate.Memory.
func (m memory) Keep(ctx context.Context, k evaluate.Key, s clade.Sample, share bool) error {
	if err := m.try.whole(); err != nil {
		return err
	}
	k.Case = m.try.hide(k.Case)
	return m.Memory.Keep(ctx, k, m.try.hideIn(s), share)
}

// Recall implements evaluate.Memory.
func (m memory) Recall(ctx context.Context, k evaluate.Key, share bool) (clade.Sample, bool, error) {
	k.Case = m.try.hide(k.Case)
	return m.Memory.Recall(ctx, k, share)
}
