package control

import (
	"context"

	"github.com/cladehq/clade"
)

// Check verifies the run's stored state and says what is wrong with it.
func (r *Run) Check(ctx context.Context) ([]string, error) {
	bad, err := r.log.Check(ctx)
	if err != nil {
		return bad, err
	}
	led, err := r.Ledger(ctx)
	if err != nil {
		return bad, err
	}
	commits, err := r.commits(ctx)
	if err != nil {
		return bad, err
	}
	missing, err := led.Check(ctx, commits)
	for _, m := range missing {
		bad = append(bad, "the ledger lacks commit "+m)
	}
	return bad, err
}

// commits lists every commit the log names and whose bytes it does not keep.
func (r *Run) commits(ctx context.Context) (out []string, err error) {
	pending, err := r.log.Pending(ctx)
	if err != nil {
		return nil, err
	}
	had := map[string]bool{"": true}
	for _, m := range pending {
		had[m.Commit] = true
	}
	add := func(commit string) {
		if !had[commit] {
			had[commit] = true
			out = append(out, commit)
		}
	}
	err = r.log.View(ctx, func(v clade.View) error {
		for id := clade.Base; id <= v.Head().Count; id++ {
			add(v.Life(id).Commit)
		}
		for n := range v.Notes(clade.NoteAdopt) { // offered, and perhaps not planned yet
			if a, ok := n.Adopted(); ok && a.Given != nil {
				add(a.Given.Commit)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	landed, err := r.landings(ctx)
	return append(out, landed...), err
}

// Rebuild makes the projections of the run's log anew.
func (r *Run) Rebuild(ctx context.Context) error { return r.log.Rebuild(ctx) }
