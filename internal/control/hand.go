package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/engine"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/strategy"
)

// ErrHands is Launch's answer when all that is left to wait for is the work of
// somebody outside.
var ErrHands = engine.ErrHands

// Offer has the run take over variants that were thought of or made outside of
// it, in this order. It plans them before anything else. One whose name the run
// knows already, or was offered before, is left out: whoever died before he heard
// that it was offered offers it again.
func (r *Run) Offer(ctx context.Context, all []clade.Adopted) error {
	if len(all) == 0 {
		return nil
	}
	return r.Update(ctx, func(tx Tx) error {
		known := names(tx.View())
		for _, a := range all {
			if a.Name != "" && known[a.Name] {
				continue
			}
			known[a.Name] = true
			if err := tx.Append(clade.Noted{Note: a.Note()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// names are those of a run's attempts, and of what was offered to it.
func names(v clade.View) map[string]bool {
	out := map[string]bool{}
	for id := clade.Base + 1; id <= v.Head().Count; id++ {
		out[v.Life(id).Name] = true
	}
	for n := range v.Notes(clade.NoteAdopt) {
		if a, ok := n.Adopted(); ok {
			out[a.Name] = true
		}
	}
	return out
}

// Claim takes up to most open attempts that nobody works on for somebody
// outside, the oldest first, until a time after which they may be taken back;
// zero: never. Whoever claims twice gets other attempts.
func (r *Run) Claim(ctx context.Context, who string, most int, until time.Time) (claimed []clade.ID, err error) {
	err = r.Update(ctx, func(tx Tx) error {
		claimed = nil
		if h := tx.View().Head(); h.Stop != clade.StopNone || h.Cancelled != "" {
			return nil
		}
		for _, id := range tx.View().Open() {
			if len(claimed) == most {
				break
			}
			ok, err := claim(tx, id, who, until)
			if err != nil {
				return err
			}
			if ok {
				claimed = append(claimed, id)
			}
		}
		return nil
	})
	return claimed, err
}

// claim takes up one attempt, which is nobody else's from then on: an operator
// for whom it was planned does not get it back when the claim runs out.
func claim(tx Tx, id clade.ID, who string, until time.Time) (bool, error) {
	l := tx.View().Life(id)
	a, ok := strategy.Unclaimed(tx.View(), l)
	if !ok {
		return false, nil
	}
	events := []clade.Event{clade.TryBegun{ID: id, Try: l.Try + 1, Hand: who, Until: until}}
	if l.Operator != a.Operator {
		events = append([]clade.Event{clade.Planned{Attempt: a}}, events...)
	}
	return true, tx.Append(events...)
}

// HandIn takes what somebody outside made of an attempt that he holds: the
// changes, against the tree of the commit from. The next launch evaluates it. A
// claim that was taken back meanwhile is a Problem with FaultConflict, and
// nothing is changed.
func (r *Run) HandIn(ctx context.Context, id clade.ID, from string, changes []ledger.Change, summary string) error {
	var parents []string
	err := r.View(ctx, func(v clade.View) error {
		l, err := held(v, id)
		if err != nil {
			return err
		}
		for _, p := range clade.ParentsOrBase(l.Parents) {
			parents = append(parents, v.Life(p).Commit)
		}
		return nil
	})
	if err != nil {
		return err
	}
	made, err := r.commit(ctx, ledger.Draft{Parents: parents, From: from, Changes: changes}, summary)
	if err != nil {
		return err
	}
	return r.Update(ctx, func(tx Tx) error {
		l, err := held(tx.View(), id)
		if err != nil {
			return err
		}
		return tx.Append(clade.Proposed{ID: id, Try: l.Try, Commit: made.Commit, Tree: made.Tree, Summary: made.Summary})
	})
}

// Commit makes a candidate of changes to the tree of the commit from, durable
// when it returns. It belongs to no attempt yet.
func (r *Run) Commit(ctx context.Context, from string, changes []ledger.Change, summary string) (clade.Given, error) {
	return r.commit(ctx, ledger.Draft{Parents: []string{from}, From: from, Changes: changes}, summary)
}

func (r *Run) commit(ctx context.Context, d ledger.Draft, summary string) (clade.Given, error) {
	led, err := r.Ledger(ctx)
	if err != nil {
		return clade.Given{}, err
	}
	err = r.View(ctx, func(v clade.View) error {
		for _, secret := range secrets(&v.Head().Spec, os.LookupEnv) {
			summary = strings.ReplaceAll(summary, secret, "[secret]")
		}
		return nil
	})
	if err != nil {
		return clade.Given{}, err
	}
	summary = clade.Line(summary, 200)
	d.Message = summary + "\n"
	made, err := led.Commit(ctx, d)
	if errors.Is(err, ledger.ErrPath) {
		return clade.Given{}, &clade.Problem{Fault: clade.FaultConflict, Text: "what was handed in cannot be kept", Err: err}
	}
	if err == nil {
		err = led.Sync(ctx)
	}
	if err != nil {
		return clade.Given{}, fmt.Errorf("commit what was handed in: %w", err)
	}
	return clade.Given{Commit: made.Commit, Tree: made.Tree, Summary: summary}, nil
}

// Release ends the claim on an attempt: nothing came of it. One that may be tried
// again waits for whoever takes it up next.
func (r *Run) Release(ctx context.Context, id clade.ID, class clade.Class, why string) error {
	return r.Update(ctx, func(tx Tx) error {
		l, err := held(tx.View(), id)
		if err != nil {
			return err
		}
		return tx.Append(clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: l.Try, Failure: class, Detail: why}})
	})
}

// GiveUp ends an attempt that somebody outside holds for good: category says what
// became of it, why in words.
func (r *Run) GiveUp(ctx context.Context, id clade.ID, category, why string) error {
	return r.Update(ctx, func(tx Tx) error {
		l, err := held(tx.View(), id)
		if err != nil {
			return err
		}
		return tx.Append(clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: l.Try, Failure: clade.ClassOperator, Detail: why}},
			clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: clade.StatusRejected, Category: category, Why: why}}})
	})
}

// held is an attempt that somebody outside holds.
func held(v clade.View, id clade.ID) (*clade.Life, error) {
	l := v.Life(id)
	if l == nil || !l.Open || !l.Running || l.Hand == "" || l.Commit != "" {
		return nil, &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("attempt %d is held by nobody outside", id),
			Hint: "its claim has run out, or it was handed in already"}
	}
	return l, nil
}

// Expire takes back the claims whose time was over at now, and says which.
func (r *Run) Expire(ctx context.Context, now time.Time) (taken []clade.ID, err error) {
	err = r.Update(ctx, func(tx Tx) error {
		taken = nil
		for _, id := range tx.View().Open() {
			l := tx.View().Life(id)
			if !l.Running || l.Hand == "" || l.Commit != "" || l.Until.IsZero() || now.Before(l.Until) {
				continue
			}
			if err := tx.Append(clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: l.Try, Failure: clade.ClassOperator,
				Detail: fmt.Sprintf("%s left nothing until %s", l.Hand, l.Until.Format(time.RFC3339))}}); err != nil {
				return err
			}
			taken = append(taken, id)
		}
		return nil
	})
	return taken, err
}

// reassign has operators of the spec take up what was planned for somebody
// outside and is not claimed.
func reassign(ctx context.Context, log store.Log) error {
	return log.Update(ctx, func(tx Tx) error {
		if tx.View().Head().Stop != clade.StopNone {
			return nil
		}
		for _, id := range tx.View().Open() {
			a, ok := strategy.Reassigned(tx.View(), tx.View().Life(id))
			if !ok {
				continue
			}
			if err := tx.Append(clade.Planned{Attempt: a}); err != nil {
				return err
			}
		}
		return nil
	})
}
