// Package race is best of N: independent attempts from the base, as many as the
// budget has candidates.
package race

import (
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/strategy"
)

// Batch is how many attempts share a barrier unless the spec says otherwise.
// They do not depend on each other, so it bounds only how much is open at once.
const Batch = 32

// Search is best of N.
type Search struct {
	batch   int
	planner *strategy.Planner
	sieve   strategy.Sieve
}

// New returns the search for a spec.
func New(spec *clade.Spec, briefers policy.Briefers) *Search {
	s := &Search{batch: spec.Search.Batch, planner: strategy.NewPlanner(briefers)}
	if s.batch <= 0 {
		s.batch = Batch
	}
	return s
}

var _ strategy.Search = (*Search)(nil)

// Lockstep implements strategy.Strategy.
func (*Search) Lockstep() bool { return true }

// Next implements strategy.Strategy.
func (s *Search) Next(v clade.View, _ int) (plan []clade.Attempt, stop *clade.Stopped) {
	h := v.Head()
	for i := range strategy.Missing(v, s.batch) {
		reason := fmt.Sprintf("%d of %d from the base", h.Proposing+i+1, h.Spec.Budget.Candidates)
		plan = append(plan, s.planner.Attempt(v, i, strategy.Choice{Reason: reason,
			Hint: "Others start from the same point at the same time: choose an idea of your own."}))
	}
	return plan, nil
}

// Judge implements strategy.Judge.
func (s *Search) Judge(v clade.View) []clade.Verdict {
	open, settled := strategy.Awaited(v)
	if !settled || len(open) == 0 {
		return nil
	}
	fit, out := s.sieve.Sift(v, open)
	for _, l := range fit {
		out = append(out, compare(v, l))
	}
	return strategy.ByID(out)
}

// compare holds a candidate against the base: those that beat it stay in the race.
func compare(v clade.View, l *clade.Life) clade.Verdict {
	to := func(s clade.Status, category, why string) clade.Verdict {
		return clade.Verdict{ID: l.ID, Status: s, Category: category, Why: why}
	}
	spec, base := &v.Head().Spec, v.Life(clade.Base)
	text, _ := strategy.Scored(v, l)
	_, of := strategy.Scored(v, base)
	why := fmt.Sprintf("%s against %s of the base", text, of)
	if spec.Noise() == clade.NoiseTiming {
		d, ok := noise.LastLook(spec, &l.Attempt, l.Evaluations)
		if !ok {
			return to(clade.StatusRejected, "dropped", "clearly not faster than the base after a few pairs")
		}
		if !d.Proven {
			return to(clade.StatusRejected, "unproven", d.Why)
		}
		why = d.Why
	}
	switch {
	case l.Score > base.Score:
		return to(clade.StatusAccepted, "improved", why)
	case l.Score == base.Score:
		return to(clade.StatusRejected, "tie", why)
	}
	return to(clade.StatusRejected, "regressed", why)
}
