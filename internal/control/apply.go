package control

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cladehq/clade"
)

// Apply options.
type Apply struct {
	DryRun bool // everything but the writing
	// Commit makes it a commit of the repository, with Message or a message
	// that names the candidate.
	Commit  bool
	Message string
	// Show is told the preview before the gates are run; nil for nobody.
	Show func(*Preview)
	// Agree is asked once nothing stands against writing; nil agrees.
	Agree func(*Preview) (bool, error)
}

// Fault says what is wrong with the options, nil if nothing is.
func (o Apply) Fault() error {
	if o.Message != "" && !o.Commit {
		return &clade.Problem{Fault: clade.FaultUsage, Text: "a message is for a commit", Hint: "add --commit"}
	}
	return nil
}

// An Applied says what an apply or undo did.
type Applied struct {
	Run    string      `json:"run"`
	Winner clade.ID    `json:"winner"`
	Paths  clade.Paths `json:"paths"`              // written or put back; those that would be, if DryRun or Declined
	Left   clade.Paths `json:"left_out,omitempty"` // what of the winner's changes Landing.Only left out
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

// Apply lands a candidate with the run's lander: preview, merge where the target
// has moved, gates on the tree that results, agreement, then the files. What
// Landing recovered is told to the result.
func (r *Run) Apply(ctx context.Context, l *Lander, recovered *clade.Applying, id clade.ID, o Apply) (*Applied, error) {
	a := &Applied{Run: r.Name, Winner: id, DryRun: o.DryRun, Recovered: recovered != nil, Paths: clade.Paths{}}
	l.Commit, l.Message = o.Commit, o.Message
	if err := a.apply(ctx, l, o); err != nil {
		return nil, err
	}
	if !o.DryRun && !a.Declined && !a.Already {
		a.Kept = filepath.Join(r.State, ledgerName)
	}
	return a, nil
}

func (a *Applied) apply(ctx context.Context, l *Lander, o Apply) error {
	p, err := l.Preview(ctx, a.Winner)
	if err != nil {
		return err
	}
	a.Moved, a.Already, a.Left = p.Moved, p.Done, p.Left
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

// Undo puts back what the last apply of the run replaced. An undo that a crash
// interrupted, and Landing completed, is that undo.
func (r *Run) Undo(ctx context.Context, l *Lander, recovered *clade.Applying) (*Applied, error) {
	undone := recovered
	if recovered == nil || !recovered.Undo {
		var err error
		if undone, err = l.Undo(ctx); err != nil {
			return nil, err
		}
	}
	return &Applied{Run: r.Name, Winner: undone.Winner, Commit: undone.Commit, Recovered: recovered != nil,
		Paths: append(clade.Paths{}, undone.Paths...)}, nil
}

// A Landed is an apply that wrote the target, as the run's log tells it.
type Landed struct {
	clade.Applying
	At     time.Time // when all of it was written
	Undone bool      // it was put back since
}

// Landed lists the run's applies that were carried out, oldest first.
func (r *Run) Landed(ctx context.Context) (all []Landed, err error) {
	var open *clade.Applying
	var stand []int // indexes of those that were not undone
	return all, r.log.Read(ctx, 0, func(rec clade.Record) error {
		switch e := rec.Event.(type) {
		case clade.Applying:
			open = &e
		case clade.Applied:
			switch n := len(stand); {
			case open == nil:
			case open.Undo && e.Undone && n > 0:
				all[stand[n-1]].Undone, stand = true, stand[:n-1]
			case !open.Undo && !e.Undone:
				all, stand = append(all, Landed{Applying: *open, At: rec.At}), append(stand, len(all))
			}
			open = nil
		}
		return nil
	})
}

// Changed lists the paths that an apply changed, bytewise: of those that it
// names, some may have had what they were to have.
func (r *Run) Changed(ctx context.Context, in clade.Applying) (paths clade.Paths, err error) {
	led, err := r.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	deltas, err := led.Diff(ctx, in.Before, in.After)
	if err != nil {
		return nil, fmt.Errorf("list what an apply changed: %w", err)
	}
	for _, d := range deltas {
		paths = append(paths, d.Path)
	}
	return paths, nil
}
