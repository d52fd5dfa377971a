package run

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// ApplyOptions say what is applied and how far.
type ApplyOptions struct {
	ID     clade.ID // 0: the winner
	DryRun bool     // everything but the writing
	// Unproven allows a candidate that is not the run's winner.
	Unproven bool
	// Commit makes it a commit of the repository, with Message or a message
	// that names the candidate.
	Commit  bool
	Message string
	// Step is told what takes time.
	Step func(string)
	// Writing is called before files are written; see control.Landing.
	Writing func() (done func())
	// Show is told the preview before the gates are run.
	Show func(*control.Preview)
	// Agree is asked once nothing stands against writing; nil agrees.
	Agree func(*control.Preview) (bool, error)
}

// An Applied says what an apply or undo did.
type Applied struct {
	Run    string      `json:"run"`
	Winner clade.ID    `json:"winner"`
	Paths  clade.Paths `json:"paths"` // written or put back; those that would be, if DryRun or Declined
	// Already says that the target had it already, and nothing was written.
	Already  bool `json:"already,omitempty"`
	Moved    bool `json:"moved,omitempty"` // merged into a target that had changed since the run began
	DryRun   bool `json:"dry_run,omitempty"`
	Declined bool `json:"declined,omitempty"`
	// Recovered says that an interrupted apply or undo was completed first.
	Recovered bool `json:"recovered,omitempty"`
	// Commit is what HEAD was moved to, "" if it was not; of an undo, what HEAD
	// may still be on.
	Commit string `json:"commit,omitempty"`
	Kept   string `json:"kept,omitempty"` // repository that has the bytes before
}

// Apply lands a candidate in the target: preview, merge where the target has
// moved, gates on the tree that results, agreement, then the files.
func (d *Door) Apply(ctx context.Context, name string, o ApplyOptions) (out *Applied, err error) {
	if o.Message != "" && !o.Commit {
		return nil, &clade.Problem{Fault: clade.FaultUsage, Text: "a message is for a commit", Hint: "add --commit"}
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
	out = &Applied{Run: r.Name, Winner: id, DryRun: o.DryRun, Paths: clade.Paths{}}
	err = r.Landing(ctx, control.Landing{Step: o.Step, Writing: o.Writing}, func(l *control.Lander, recovered *clade.Applying) error {
		out.Recovered = recovered != nil
		l.Commit, l.Message = o.Commit, o.Message
		return out.apply(ctx, l, o)
	})
	if err == nil && !o.DryRun && !out.Declined && !out.Already {
		out.Kept = filepath.Join(r.State, "ledger.git")
	}
	return out, err
}

func (a *Applied) apply(ctx context.Context, l *control.Lander, o ApplyOptions) error {
	p, err := l.Preview(ctx, a.Winner)
	if err != nil {
		return err
	}
	a.Moved, a.Already = p.Moved, p.Done
	if err := p.Problem(); err != nil || p.Done {
		return err
	}
	a.Paths = append(a.Paths, p.Paths...)
	if o.Show != nil {
		o.Show(p)
	}
	if err := l.Check(ctx, p); err != nil {
		return err
	}
	if err := p.Problem(); err != nil || o.DryRun {
		return err
	}
	if o.Agree != nil {
		if yes, err := o.Agree(p); err != nil || !yes {
			a.Declined = true
			return err
		}
	}
	a.Commit, err = l.Apply(ctx, p)
	return err
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
	out = &Applied{Run: r.Name, Paths: clade.Paths{}}
	return out, r.Landing(ctx, control.Landing{Writing: writing}, func(l *control.Lander, recovered *clade.Applying) error {
		out.Recovered = recovered != nil
		undone := recovered
		if recovered == nil || !recovered.Undo {
			if undone, err = l.Undo(ctx); err != nil {
				return err
			}
		}
		out.Winner, out.Commit = undone.Winner, undone.Commit
		out.Paths = append(out.Paths, undone.Paths...)
		return nil
	})
}
