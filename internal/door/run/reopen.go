package run

import (
	"context"
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// A Reopened run may go on.
type Reopened struct {
	Run string `json:"run"`
	// Unpaused is set when another process holds the run and goes on with it,
	// now that its pause is over: there is nothing to search here.
	Unpaused bool            `json:"unpaused,omitempty"`
	Holder   *control.Holder `json:"holder,omitempty"`
	// Drift is what the spec's file says now that the run's own spec does not,
	// nil where they agree.
	Drift *control.Drift `json:"drift,omitempty"`
}

// Reopen lets a stopped, paused or cancelled run go on, with more budget if
// changes give it. A run that another process searches can only have its pause
// ended.
func (d *Door) Reopen(ctx context.Context, name string, ch Changes) (*Reopened, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	holder, held, err := r.Holder(ctx)
	if err != nil {
		return nil, err
	}
	out := &Reopened{Run: r.Name}
	if out.Drift, err = r.Drift(ctx); err != nil {
		return nil, err
	}
	return out, r.Update(ctx, func(tx control.Tx) error {
		h := tx.View().Head()
		if held && h.Stop == clade.StopNone && h.Cancelled == "" {
			if !h.Paused || ch != (Changes{}) {
				return r.Busy(holder)
			}
			out.Unpaused, out.Holder = true, &holder
		}
		if err := exhausted(h, ch); err != nil {
			return err
		}
		if err := reached(tx.View(), ch); err != nil {
			return err
		}
		if ch != (Changes{}) {
			spec := h.Spec
			if err := d.change(&spec, ch); err != nil {
				return err
			}
			epoch := h.Epoch
			if spec.Sandbox.Use != h.Spec.Sandbox.Use {
				epoch++ // what is measured under another isolation is not compared
			}
			if err := tx.Append(clade.Amended{Spec: spec, Digest: control.Digest(&spec), What: ch.words(), Epoch: epoch}); err != nil {
				return err
			}
		}
		if h := tx.View().Head(); h.Stop != clade.StopNone || h.Paused || h.Cancelled != "" {
			return tx.Append(clade.Directed{What: clade.DirectResume})
		}
		return nil
	})
}

// exhausted refuses to go on where the next thing would be to stop again.
func exhausted(h *clade.Head, ch Changes) error {
	if h.Stop == clade.StopNone || ch != (Changes{}) {
		return nil
	}
	text, hint := "run "+h.Run+" has ended: "+h.Reason, "--candidates N (more than "+fmt.Sprint(h.Spec.Budget.Candidates)+") or --wall searches on"
	switch h.Stop {
	case clade.StopCandidates, clade.StopDone, clade.StopWall:
	case clade.StopMoney:
		hint = "--usd D (more than " + h.Spec.Budget.USD.String() + ") searches on"
	case clade.StopTokens:
		hint = fmt.Sprintf("--tokens N (more than %d) searches on", *h.Spec.Budget.Tokens)
	case clade.StopCalls:
		hint = fmt.Sprintf("--calls N (more than %d) searches on", *h.Spec.Budget.Calls)
	default:
		return nil
	}
	if h.Winner != clade.Base {
		hint = "clade apply lands its winner; " + hint
	}
	return &clade.Problem{Fault: clade.FaultUsage, Text: text, Hint: hint}
}

// Direct appends a person's word to a run: pause, resume, cancel or steer.
func (d *Door) Direct(ctx context.Context, name string, to clade.ID, what clade.Directive, text string) (string, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return "", err
	}
	defer r.Close()
	err = r.Update(ctx, func(tx control.Tx) error {
		h := tx.View().Head()
		if h.Stop != clade.StopNone && what != clade.DirectResume {
			return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("run %s has stopped already: %s", h.Run, h.Reason)}
		}
		if _, err := life(tx.View(), to); err != nil {
			return err
		}
		return tx.Append(clade.Directed{To: to, What: what, Text: text})
	})
	return r.Name, err
}

// Cancel directs the run to stop and, where nobody holds it, records the stop.
func (d *Door) Cancel(ctx context.Context, name, why string) (string, error) {
	run, err := d.Direct(ctx, name, clade.Base, clade.DirectCancel, why)
	if err != nil {
		return run, err
	}
	r, err := d.c.Open(ctx, run, d.here)
	if err != nil {
		return run, err
	}
	defer r.Close()
	return run, r.StopIdle(ctx)
}
