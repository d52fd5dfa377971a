package strategy

import (
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// sprung is the category of a tripwire that did what it must not.
const sprung = "tripwire scored"

// tripwires plans the spec's tripwires once the baseline of this epoch stands,
// all of them at once and before anything else; wait says that some are open,
// stop that the evaluator gave one a score. After a resume those that failed are
// measured again: a person says that what was wrong is mended.
func (c *Campaign) tripwires(v clade.View) (plan []clade.Attempt, wait bool, stop *clade.Stopped) {
	h := v.Head()
	if len(h.Spec.Protect.Tripwires) == 0 || c.tried == (tried{h.Run, h.Epoch}) {
		return nil, false, nil
	}
	last := lastProbes(v)
	for _, w := range h.Spec.Protect.Tripwires {
		l := last[w.ID]
		switch {
		case l == nil, failedProbe(l) && l.ID <= h.Resumed:
			plan = append(plan, tripwireAttempt(v, w, len(plan)))
		case l.Open:
			wait = true
		case failedProbe(l) && stop == nil:
			cause := clade.StopEvaluator
			if l.Verdict.Status == clade.StatusExhausted {
				cause = clade.StopInfra
			}
			stop = &clade.Stopped{Cause: cause, Reason: l.Verdict.Why}
		}
	}
	if stop == nil && !wait && len(plan) == 0 {
		c.tried = tried{h.Run, h.Epoch}
	}
	return plan, wait, stop
}

// tried is the epoch of a run in which every tripwire was found to hold.
type tried struct {
	run   string
	epoch int
}

func failedProbe(l *clade.Life) bool { return !l.Open && l.Verdict.Status != clade.StatusMeasured }

// lastProbes are the latest attempts at each tripwire since the baseline that
// stands.
func lastProbes(v clade.View) map[string]*clade.Life {
	last := map[string]*clade.Life{}
	base := baselineOf(v)
	for id := v.Head().Count; base != nil && id > base.ID; id-- {
		if l := v.Life(id); l.Probe != "" && last[l.Probe] == nil {
			last[l.Probe] = l
		}
	}
	return last
}

// tripwireAttempt measures a wrong candidate as a search would any, with samples
// of its own.
func tripwireAttempt(v clade.View, w clade.Tripwire, at int) clade.Attempt {
	h := v.Head()
	a := clade.Attempt{ID: h.Count + 1 + clade.ID(at), Makes: clade.MakesTree, Probe: w.ID,
		Why: fmt.Sprintf("tripwire %q: a wrong candidate that must not score", w.ID)}
	a.After = searchStages(&h.Spec, calibration(v), clade.Base, a.ID)
	for i := range a.After {
		a.After[i].Fresh = true
	}
	return a
}

// judgeTripwires gives the verdicts on open tripwires once all of them have
// settled, so that they come in one order.
func judgeTripwires(v clade.View) (out []clade.Verdict) {
	for _, id := range v.Open() {
		l := v.Life(id)
		if l.Probe == "" {
			continue
		}
		if !Settled(l) {
			return nil
		}
		out = append(out, judgeTripwire(v, l))
	}
	return out
}

func judgeTripwire(v clade.View, l *clade.Life) clade.Verdict {
	to := func(s clade.Status, category, why string) clade.Verdict {
		return clade.Verdict{ID: l.ID, Status: s, Category: category, Why: fmt.Sprintf("tripwire %q %s", l.Probe, why)}
	}
	switch {
	case l.Failure.Lost(), l.Failure == clade.ClassPoisoned, l.Failure == clade.ClassBudget:
		return to(clade.StatusExhausted, "infra", tell("could not be measured", l.Detail))
	case l.Commit == "" || l.Failure == clade.ClassPolicy && len(l.Evaluations) == 0:
		return to(clade.StatusInvalid, "tripwire", tell("could not be made", l.Detail))
	case l.Epoch != v.Head().Epoch:
		return to(clade.StatusDiscarded, "stale", "was measured before what is measured was changed")
	}
	spec := &v.Head().Spec
	held, why := noise.Wrong{Attempt: &l.Attempt, Subject: l.ID, Evaluations: l.Evaluations,
		Failure: l.Failure, Detail: l.Detail, Base: v.Life(clade.Base).Values}.Held(spec, expectation(spec, l.Probe))
	if held {
		return to(clade.StatusMeasured, "tripwire", "held: "+why)
	}
	return to(clade.StatusInvalid, sprung, "scored, so that no score of this evaluator means anything: "+why)
}

func expectation(spec *clade.Spec, id string) string {
	for _, w := range spec.Protect.Tripwires {
		if w.ID == id {
			return w.Expect
		}
	}
	return ""
}
