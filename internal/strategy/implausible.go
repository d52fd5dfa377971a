package strategy

import (
	"fmt"
	"math"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// A gain that is out of all proportion to what the run has gained before is
// rather a fault of the evaluator, or a candidate that found one, than an
// improvement. Such a candidate is measured again, fresh, before the search may
// decide anything of it.

const (
	// jumpsAfter is how many accepted steps it takes to know what is plausible.
	// Before that only the bounds that a measure declares hold.
	jumpsAfter = 3
	// confirmedShare of the gain seen is what a second measurement of noise must
	// show: what was selected for being high comes out lower on the average.
	confirmedShare = 0.5
)

// Categories of the attempts that measure a candidate again.
const (
	confirmed   = "confirmed"
	unconfirmed = "implausible"
)

// doubtful are the settled candidates that must be measured again first,
// ascending by ID.
func doubtful(v clade.View, lockstep bool) (out []*clade.Life) {
	jump := v.Head().Spec.Protect.Jump
	if jump == nil || *jump <= 0 {
		return nil
	}
	if lockstep {
		if _, settled := Awaited(v); !settled {
			return nil
		}
	}
	most := math.NaN()
	for _, id := range v.Unjudged() {
		l := v.Life(id)
		if !l.Proposes() || !Settled(l) || l.Failure != clade.OK || l.Same != 0 || !l.Scored || l.Epoch != v.Head().Epoch {
			continue
		}
		gain := step(v, v.Life(leader(v)), l)
		if !(gain > 0) {
			continue
		}
		if math.IsNaN(most) {
			most = *jump * largestStep(v)
		}
		if gain > most && !answered(again(v, l)) {
			out = append(out, l)
		}
	}
	return out
}

// largestStep is the most that a candidate which was accepted gained over its
// parent, infinite while too few did.
func largestStep(v clade.View) float64 {
	n, most := 0, 0.0
	for id := clade.Base + 1; id <= v.Head().Count; id++ {
		l := v.Life(id)
		if !l.Proposes() || !l.Scored || l.Epoch != v.Head().Epoch || !accepted(&l.Verdict) {
			continue
		}
		if gain := step(v, v.Life(l.ParentOr()), l); gain > 0 {
			n, most = n+1, max(most, gain)
		}
	}
	if n < jumpsAfter {
		return math.Inf(1)
	}
	return most
}

// step is how much better one candidate is than another: by the logarithm where
// the score is a time, since what is twice as fast is as much better from
// anywhere, and by the difference of scores elsewhere.
func step(v clade.View, from, to *clade.Life) float64 {
	ms := v.Head().Spec.Measures
	if len(ms) == 1 && ms[0].Noise == clade.NoiseTiming {
		if a, b := from.Values[ms[0].ID], to.Values[ms[0].ID]; a > 0 && b > 0 {
			return ms[0].Goal.Sign() * math.Log(b/a)
		}
	}
	return to.Score - from.Score
}

// accepted reports whether a verdict is on what was accepted once.
func accepted(d *clade.Verdict) bool {
	return d.Status.Parent() || d.Category == "outlived" || d.Final != nil
}

// Unconfirmed reports whether the verdict on a candidate is that its values did
// not come again when they were measured again.
func Unconfirmed(l *clade.Life) bool { return l.Verdict.Category == unconfirmed }

// again is the latest attempt that measures a candidate again, nil if there is
// none.
func again(v clade.View, l *clade.Life) (last *clade.Life) {
	for _, kid := range v.Children(l.ID) {
		if k := v.Life(kid); isReplicate(k) {
			last = k
		}
	}
	return last
}

// isReplicate reports whether an attempt measures its parent again during the
// search.
func isReplicate(l *clade.Life) bool {
	return l.Makes == clade.MakesNumbers && len(l.Parents) == 1 && !isFinal(l)
}

func answered(r *clade.Life) bool { return r != nil && !r.Open }

// replicates plans what doubtful candidates still want.
func replicates(v clade.View, lockstep bool) (plan []clade.Attempt) {
	h := v.Head()
	for _, l := range doubtful(v, lockstep) {
		if again(v, l) != nil {
			continue
		}
		plan = append(plan, clade.Attempt{
			ID: h.Count + 1 + clade.ID(len(plan)), Parents: []clade.ID{l.ID}, Makes: clade.MakesNumbers, After: replicateStages(&h.Spec, l.ID),
			Why: fmt.Sprintf("measure %s again: its gain is more than %g times the largest step accepted before", Name(v, l.ID), *h.Spec.Protect.Jump),
		})
	}
	return plan
}

// replicateStages measure a candidate fresh, as a search does. The candidate
// comes first in each stage: the base first would be a baseline.
func replicateStages(spec *clade.Spec, id clade.ID) (stages []clade.Stage) {
	rest, timed := restChecks(spec), timedChecks(spec)
	if len(timed) == 0 || len(rest) > 0 {
		stages = append(stages, clade.Stage{Subjects: []clade.ID{id}, Checks: only(rest, timed), Fresh: true})
	}
	if len(timed) > 0 {
		stages = append(stages, clade.Stage{Subjects: []clade.ID{id, clade.Base}, Checks: timed, Fresh: true,
			Replicates: noise.PromisingPairs, Warmup: 1})
	}
	return stages
}

// judgeReplicates closes the attempts that measured doubtful candidates again,
// once all have settled. wait says that the search must decide nothing yet.
func judgeReplicates(v clade.View, lockstep bool) (out []clade.Verdict, wait bool) {
	doubts := doubtful(v, lockstep)
	for _, l := range doubts {
		r := again(v, l)
		if r == nil || !Settled(r) {
			return nil, true
		}
		out = append(out, compareAgain(v, l, r))
	}
	return out, len(doubts) > 0
}

func compareAgain(v clade.View, l, r *clade.Life) clade.Verdict {
	to := func(s clade.Status, category, why string) clade.Verdict {
		return clade.Verdict{ID: r.ID, Status: s, Category: category, Why: why}
	}
	switch {
	case r.Failure.Lost(), r.Failure == clade.ClassPoisoned, r.Failure == clade.ClassBudget:
		return to(clade.StatusExhausted, "infra", tell(Name(v, l.ID)+" could not be measured again", r.Detail))
	case r.Failure != clade.OK:
		return to(clade.StatusMeasured, unconfirmed, tell(Name(v, l.ID)+" failed when it was measured again", r.Detail))
	}
	spec := &v.Head().Spec
	values, _ := clade.Values(spec, r.Evaluations, l.ID)
	for _, m := range spec.Measures {
		x, ok := values[m.ID]
		if was := l.Values[m.ID]; !ok || (m.Noise == clade.NoiseNone || m.Noise == "") && x != was {
			return to(clade.StatusMeasured, unconfirmed, fmt.Sprintf("%s of %s was %s and is %s when it is measured again",
				m.ID, Name(v, l.ID), exactly(m, was), exactly(m, x)))
		}
	}
	m, _ := noise.Primary(spec)
	seen, fresh := selected(v, l.ID), m.Goal.Sign()*(values[m.ID]-v.Life(clade.Base).Values[m.ID])
	if m.Noise == clade.NoiseTiming {
		cmp, err := noise.Compare(m, r.Evaluations, clade.Base, l.ID, false, noise.Level(spec, m))
		if err != nil {
			return to(clade.StatusMeasured, unconfirmed, err.Error())
		}
		fresh = cmp.Estimate
	}
	why := fmt.Sprintf("%s of %s gained %s, and %s when it is measured again", m.ID, Name(v, l.ID), gain(m, seen), gain(m, fresh))
	if fresh < confirmedShare*seen {
		return to(clade.StatusMeasured, unconfirmed, why)
	}
	return to(clade.StatusMeasured, confirmed, why)
}

// implausible is the verdict on a candidate that did not bear being measured
// again; ok is false if it did, or had no need to.
func implausible(v clade.View, l *clade.Life) (verdict clade.Verdict, ok bool) {
	r := again(v, l)
	switch {
	case !answered(r) || r.Verdict.Category == confirmed:
		return verdict, false
	case r.Verdict.Category == unconfirmed:
		return clade.Verdict{ID: l.ID, Status: clade.StatusRejected, Category: unconfirmed, Why: r.Verdict.Why}, true
	}
	return clade.Verdict{ID: l.ID, Status: clade.StatusExhausted, Category: r.Verdict.Category, Why: r.Verdict.Why}, true
}

// noted adds to verdicts on candidates that were confirmed that they were.
func noted(v clade.View, verdicts []clade.Verdict) []clade.Verdict {
	if v.Head().Spec.Protect.Jump == nil {
		return verdicts
	}
	for i, d := range verdicts {
		if d.ID == clade.Base || !d.Status.Parent() {
			continue
		}
		if r := again(v, v.Life(d.ID)); answered(r) && r.Verdict.Category == confirmed {
			verdicts[i].Why += fmt.Sprintf("; a gain as large as this was measured again in %s, which confirmed it", Name(v, r.ID))
		}
	}
	return verdicts
}
