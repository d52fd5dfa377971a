package run

import (
	"context"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// ApplyOptions say what is applied and how far.
type ApplyOptions struct {
	ID     clade.ID // 0: the winner
	DryRun bool
	// Unproven allows a candidate that is not the run's winner.
	Unproven bool
	Step     func(string)
	// Agree is asked with the preview before anything is written; nil agrees.
	Agree func(*control.Preview) (bool, error)
}

// An Applied says what an apply or undo did.
type Applied struct {
	Run       string           `json:"run"`
	Winner    clade.ID         `json:"winner"`
	Paths     []string         `json:"paths"`
	Moved     bool             `json:"moved,omitempty"`
	DryRun    bool             `json:"dry_run,omitempty"`
	Declined  bool             `json:"declined,omitempty"`
	Recovered bool             `json:"recovered,omitempty"` // an interrupted apply was completed first
	Preview   *control.Preview `json:"-"`
}

// Apply lands a candidate in the target: preview, merge where the target has
// moved, gates on the merged tree, agreement, then the files.
func (d *Door) Apply(ctx context.Context, name string, o ApplyOptions) (out *Applied, err error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	id, err := landed(ctx, r, o)
	if err != nil {
		return nil, err
	}
	out = &Applied{Run: r.Name, Winner: id, DryRun: o.DryRun, Paths: []string{}}
	return out, r.Landing(ctx, o.Step, func(l *control.Lander, recovered bool) error {
		out.Recovered = recovered
		p, err := l.Preview(ctx, id)
		if err != nil {
			return err
		}
		out.Preview, out.Moved = p, p.Moved
		out.Paths = append(out.Paths, p.Paths...)
		if err := p.Problem(); err != nil || o.DryRun {
			return err
		}
		if o.Agree != nil {
			if yes, err := o.Agree(p); err != nil || !yes {
				out.Declined = true
				return err
			}
		}
		if err := l.Check(ctx, p); err != nil {
			return err
		}
		return l.Apply(ctx, p)
	})
}

// landed is the candidate to apply.
func landed(ctx context.Context, r *control.Run, o ApplyOptions) (id clade.ID, err error) {
	return id, r.View(ctx, func(v clade.View) error {
		h := v.Head()
		switch id = o.ID; {
		case id == clade.Base && h.Winner == clade.Base:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: "run " + h.Run + " has no proven winner",
				Hint: "clade status shows the candidates; apply ID --unproven lands one all the same"}
		case id == clade.Base:
			id = h.Winner
		case id != h.Winner && !o.Unproven:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: "that candidate is not the run's proven winner",
				Hint: "--unproven lands it all the same"}
		}
		return nil
	})
}

// Undo puts back what the last apply of the run replaced.
func (d *Door) Undo(ctx context.Context, name string) (out *Applied, err error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out = &Applied{Run: r.Name, Paths: []string{}}
	return out, r.Landing(ctx, nil, func(l *control.Lander, recovered bool) error {
		out.Recovered = recovered
		paths, err := l.Undo(ctx)
		out.Paths = append(out.Paths, paths...)
		return err
	})
}
