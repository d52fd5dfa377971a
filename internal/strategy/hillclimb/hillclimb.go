// Package hillclimb searches from the best so far: whatever beats it takes its
// place, whatever equals it is walked on.
package hillclimb

import (
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/strategy"
)

// Search decides in order of arrival, or in lockstep when the spec gives a
// batch. Its parent is the best candidate, and on a plateau the newest of those
// that are as good.
type Search struct {
	batch   int // 0: in order of arrival
	planner *strategy.Planner
	sieve   strategy.Sieve
}

// New returns the search for a spec.
func New(spec *clade.Spec, briefers policy.Briefers) *Search {
	return &Search{batch: spec.Search.Batch, planner: strategy.NewPlanner(briefers)}
}

var _ strategy.Search = (*Search)(nil)

// Lockstep implements strategy.Strategy.
func (s *Search) Lockstep() bool { return s.batch > 0 }

// Next implements strategy.Strategy.
func (s *Search) Next(v clade.View, free int) (plan []clade.Attempt, stop *clade.Stopped) {
	if s.Lockstep() {
		free = strategy.Missing(v, s.batch)
	}
	parent := clade.Base
	for id := range v.Frontier() {
		parent = id
		break
	}
	reason := "from " + strategy.Name(v, parent) + ", the best so far"
	for i := range free {
		plan = append(plan, s.planner.Attempt(v, i, strategy.Choice{Parents: []clade.ID{parent}, Reason: reason}))
	}
	return plan, nil
}

// Judge implements strategy.Judge.
func (s *Search) Judge(v clade.View) (out []clade.Verdict) {
	if s.Lockstep() {
		open, settled := strategy.Awaited(v)
		if !settled {
			return nil
		}
		return s.judge(v, open)
	}
	var ended []*clade.Life
	for _, id := range v.Unjudged() {
		if l := v.Life(id); l.Proposes() && strategy.Settled(l) {
			ended = append(ended, l)
		}
	}
	return s.judge(v, ended)
}

func (s *Search) judge(v clade.View, ended []*clade.Life) []clade.Verdict {
	if len(ended) == 0 {
		return nil
	}
	best := bar(v)
	fit, out := s.sieve.Sift(v, ended)
	for _, l := range fit {
		verdict := compare(v, l, best)
		out = append(out, verdict)
		if verdict.Status == clade.StatusAccepted {
			if l.Score <= best.Score {
				out = append(out, stepDown(v, best, l))
			}
			best = l
		}
	}
	return strategy.ByID(out)
}

// stepDown is the verdict on a parent whose score was lucky: its child is better
// in pairs, yet scores no higher, and the lucky score must not block the way.
func stepDown(v clade.View, parent, child *clade.Life) clade.Verdict {
	text, _ := strategy.Scored(v, parent)
	return clade.Verdict{ID: parent.ID, Status: clade.StatusDiscarded, Category: "outlived",
		Why: fmt.Sprintf("%s is better in pairs; %s was luck", strategy.Name(v, child.ID), text)}
}

// bar is what a candidate must beat: the best one, not counting those that were
// only walked on, unless any better score counts.
func bar(v clade.View) *clade.Life {
	for id := range v.Frontier() {
		l := v.Life(id)
		if threshold(v) == 0 || l.Verdict.Status != clade.StatusStable {
			return l
		}
	}
	return v.Life(clade.Base)
}

// threshold is the smallest gain of score that counts; with several measures,
// or in timings, where the look decides, any does.
func threshold(v clade.View) float64 {
	spec := &v.Head().Spec
	if len(spec.Measures) != 1 || spec.Measures[0].Threshold == nil || spec.Measures[0].Noise == clade.NoiseTiming {
		return 0
	}
	return *spec.Measures[0].Threshold
}

// compare is the verdict on a candidate with a score. Without noise and over
// cases the score decides. A timing must prove itself in pairs with its parent,
// which is the best unless another one has passed meanwhile.
func compare(v clade.View, l, best *clade.Life) clade.Verdict {
	to := func(s clade.Status, category, format string, args ...any) clade.Verdict {
		return clade.Verdict{ID: l.ID, Status: s, Category: category, Why: fmt.Sprintf(format, args...)}
	}
	gain, name := l.Score-best.Score, strategy.Name(v, best.ID)
	if spec := &v.Head().Spec; spec.Noise() == clade.NoiseTiming {
		ref := beside(l)
		d, ok := noise.LastLook(spec, &l.Attempt, l.Evaluations)
		switch {
		case !ok:
			return to(clade.StatusRejected, "dropped", "clearly not faster than %s after a few pairs", strategy.Name(v, ref))
		case !d.Proven:
			return to(clade.StatusRejected, "unproven", "against %s: %s", strategy.Name(v, ref), d.Why)
		case gain <= 0 && ref != best.ID:
			return to(clade.StatusRejected, "beaten", "better than its parent, but not than %s: %s", name, d.Why)
		}
		return to(clade.StatusAccepted, "improved", "against %s: %s", strategy.Name(v, ref), d.Why)
	}
	text, _ := strategy.Scored(v, l)
	_, of := strategy.Scored(v, best)
	switch least := threshold(v); {
	case gain > 0 && gain >= least:
		return to(clade.StatusAccepted, "improved", "%s beats %s of %s", text, of, name)
	case gain > 0:
		return to(clade.StatusStable, "tie", "%s beats %s of %s by less than the %g that counts", text, of, name, least)
	case gain == 0:
		return to(clade.StatusStable, "tie", "%s equals that of %s; walked on, never a winner", text, name)
	}
	return to(clade.StatusRejected, "regressed", "%s is worse than %s of %s", text, of, name)
}

// beside is the candidate that a timing was paired with: the parent, or the base
// where it came from outside.
func beside(l *clade.Life) clade.ID {
	for _, s := range l.After {
		if n := len(s.Subjects); s.Rule == noise.RuleLook && n > 1 {
			return s.Subjects[n-2]
		}
	}
	return l.ParentOr()
}
