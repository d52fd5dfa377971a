package run

import (
	"context"
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// ApplyOptions say what is applied and how far.
type ApplyOptions struct {
	control.Apply
	ID clade.ID // 0: the winner
	// Unproven allows a candidate that is not the run's winner.
	Unproven bool
	// Step is told what takes time.
	Step func(string)
	// Writing is called before files are written; see control.Landing.
	Writing func() (done func())
}

// An Applied says what an apply or undo did.
type Applied = control.Applied

// Apply lands a candidate in the target; see control.Run.Apply.
func (d *Door) Apply(ctx context.Context, name string, o ApplyOptions) (out *Applied, err error) {
	if err := o.Fault(); err != nil {
		return nil, err
	}
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	id, err := landed(ctx, r, o)
	if err != nil {
		return nil, err
	}
	return out, r.Landing(ctx, control.Landing{Step: o.Step, Writing: o.Writing}, func(l *control.Lander, recovered *clade.Applying) error {
		out, err = r.Apply(ctx, l, recovered, id, o.Apply)
		return err
	})
}

// landed is the candidate to apply.
func landed(ctx context.Context, r *control.Run, o ApplyOptions) (id clade.ID, err error) {
	holder, held, err := r.Holder(ctx)
	if err != nil {
		return 0, err
	}
	return id, r.View(ctx, func(v clade.View) error {
		h := v.Head()
		switch id = o.ID; {
		case id != clade.Base && o.Unproven:
		case held:
			return &clade.Problem{Fault: clade.FaultBusy, Text: fmt.Sprintf("run %s is still searched by process %d: nothing is proven yet", h.Run, holder.PID),
				Hint: "clade watch shows it, clade cancel ends it; apply --candidate N --unproven lands what there is"}
		case h.Stop == clade.StopNone:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: "run " + h.Run + " was interrupted: nothing is proven yet",
				Hint: "clade resume ends the search; apply --candidate N --unproven lands what there is"}
		case h.Winner == clade.Base:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: "run " + h.Run + " has no proven winner",
				Hint: "clade status shows the candidates; apply --candidate N --unproven lands one all the same"}
		case id == clade.Base:
			id = h.Winner
		case id != h.Winner:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: "that candidate is not the run's proven winner",
				Hint: "--unproven lands it all the same"}
		}
		return nil
	})
}

// Undo puts back what the last apply of the run replaced. An undo that a crash
// interrupted is completed, and that is all.
func (d *Door) Undo(ctx context.Context, name string, writing func() (done func())) (out *Applied, err error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return out, r.Landing(ctx, control.Landing{Writing: writing}, func(l *control.Lander, recovered *clade.Applying) error {
		out, err = r.Undo(ctx, l, recovered)
		return err
	})
}
