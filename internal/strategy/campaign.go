package strategy

import (
	"fmt"
	"slices"

	"github.com/cladehq/clade"
)

// A Campaign puts the measured baseline before a search, its budget around it
// and the final after it:
//
//   - the base is measured before anything is spent; a base that fails its own
//     gates or has no valid number ends the run;
//   - the spec's tripwires are measured, wrong candidates that must not score;
//   - what was offered to the run is planned and measured before anything else;
//   - the search plans while the budget bears it;
//   - what gains out of all proportion is measured again before it is judged;
//   - the best by what the search measured is measured fresh beside the base,
//     and wins only if that proves a gain. A tie is no winner.
//
// A run that is resumed measures again what only infrastructure failed. With a
// larger budget it searches on, and its new best must prove itself in a further
// final, held to a stricter level (noise.FurtherLevel). A winner stays one until
// another proves a larger gain.
//
// It holds no state: everything is read from the view, and what it remembers of
// that a fresh one finds again.
type Campaign struct {
	search  Search
	tried   tried
	planner *Planner // of what is adopted
}

// NewCampaign returns a campaign around a search.
func NewCampaign(search Search) *Campaign { return &Campaign{search: search, planner: NewPlanner(nil)} }

var _ Search = (*Campaign)(nil)

// Lockstep implements Strategy.
func (c *Campaign) Lockstep() bool { return c.search.Lockstep() }

// Next implements Strategy.
func (c *Campaign) Next(v clade.View, free int) ([]clade.Attempt, *clade.Stopped) {
	h := v.Head()
	switch {
	case h.Stop != clade.StopNone:
		return nil, nil
	case h.Cancelled != "":
		return nil, &clade.Stopped{Cause: clade.StopCancelled, Reason: h.Cancelled}
	case h.Paused:
		return nil, nil
	case !baselineStands(v):
		return planBaseline(v)
	}
	if stop := distrusted(v); stop != nil {
		return nil, stop
	}
	if plan, wait, stop := c.tripwires(v); len(plan) > 0 || wait || stop != nil {
		return plan, stop
	}
	if plan := replicates(v, c.Lockstep()); len(plan) > 0 {
		return plan, nil
	}
	if plan, wait := c.adopt(v); len(plan) > 0 || wait {
		return plan, nil
	}
	tail := finals(v)
	for _, l := range tail {
		if l.Open {
			b := brief(l)
			return planFinals(v, clade.Stopped{Cause: b.Cause, Reason: b.Reason}, tail), nil
		}
	}
	plan, stop := c.explore(v, free)
	switch {
	case len(plan) > 0:
		return plan, nil
	case stop == nil || len(v.Open()) > 0:
		return nil, nil
	case len(tail) > 0:
		return nil, conclude(v, tail)
	}
	if plan = planFinals(v, *stop, nil); len(plan) > 0 {
		return plan, nil
	}
	if stop.Cause != clade.StopAllFailed || v.Head().Winner != clade.Base { // that says already that none did
		stop.Reason += outcome(v, "no candidate beat the base")
	}
	return nil, stop
}

// outcome ends the reason of a stop at which no final is due.
func outcome(v clade.View, none string) string {
	if w := v.Head().Winner; w != clade.Base {
		return fmt.Sprintf("; %s stays the winner", Name(v, w))
	}
	return "; " + none
}

// explore asks the search for what the budget bears. stop says why there is
// nothing to plan for good.
func (c *Campaign) explore(v clade.View, free int) (plan []clade.Attempt, stop *clade.Stopped) {
	if stop = over(v); stop != nil {
		return nil, stop
	}
	notes, wait := notesDue(v, c.Lockstep())
	if wait {
		return nil, nil
	}
	if notes, _ = bears(v, notes); len(notes) > 0 && (free > 0 || c.Lockstep()) {
		return notes, nil
	}
	h := v.Head()
	left := h.Spec.Budget.Candidates - h.Proposing
	if !c.Lockstep() {
		if left = min(left, free); left <= 0 {
			return nil, nil
		}
	}
	plan, stop = c.search.Next(v, left)
	plan = plan[:min(len(plan), left)]
	borne, short := bears(v, plan)
	switch {
	case len(borne) > 0:
		return borne, nil
	case len(plan) > 0:
		return nil, short
	case stop != nil:
		return nil, stop
	}
	return nil, stopped(clade.StopDone, "there is nothing more to try")
}

// conclude ends a run whose finals are judged: with the cause that ended the
// search, or with what kept a finalist from being measured when none won.
func conclude(v clade.View, tail []*clade.Life) *clade.Stopped {
	b := brief(tail[0])
	stop := &clade.Stopped{Cause: b.Cause, Reason: b.Reason + outcome(v, "no candidate proved better than the base")}
	for _, l := range slices.Backward(tail) {
		what := fmt.Sprintf("%s; %s: %s; a resume tries again", b.Reason, Name(v, l.ParentOr()), l.Verdict.Why)
		switch {
		case v.Life(l.ParentOr()).Verdict.Status == clade.StatusWinner:
			return &clade.Stopped{Cause: b.Cause, Reason: fmt.Sprintf("%s; %s won", b.Reason, Name(v, l.ParentOr()))}
		case l.Verdict.Status == clade.StatusExhausted:
			stop = &clade.Stopped{Cause: clade.StopInfra, Reason: what}
		case l.Verdict.Status == clade.StatusInvalid:
			stop = &clade.Stopped{Cause: clade.StopEvaluator, Reason: what}
		}
	}
	return stop
}

// distrusted stops a run whose last final showed that what is declared exact is
// not. A resume does not change that: measuring until two numbers happen to be
// the same proves nothing.
func distrusted(v clade.View) *clade.Stopped {
	for _, l := range lastFinals(v) {
		if l.Verdict.Category == "unsteady" && l.Epoch == v.Head().Epoch {
			return &clade.Stopped{Cause: clade.StopEvaluator, Reason: l.Verdict.Why}
		}
	}
	return nil
}

// Judge implements Judge. Nothing is judged before the baseline stands, since
// that is what everything is judged by.
func (c *Campaign) Judge(v clade.View) []clade.Verdict {
	h := v.Head()
	if h.Stop != clade.StopNone || h.Cancelled != "" {
		return nil
	}
	if !baselineStands(v) {
		if last := v.Life(h.Count); isBaseline(last) && Settled(last) {
			return []clade.Verdict{judgeBaseline(v, last)}
		}
		return nil
	}
	if out := judgeTripwires(v); len(out) > 0 {
		return out
	}
	if out := unaffordable(v); len(out) > 0 {
		return out
	}
	if out := judgeFinals(v); len(out) > 0 {
		return out
	}
	if out := judgeNotes(v); len(out) > 0 {
		return out
	}
	if out, wait := judgeReplicates(v, c.Lockstep()); wait {
		return out
	}
	return noted(v, unproven(v, c.search.Judge(v)))
}

// unproven leaves out verdicts on what has proved itself: a search must not
// discard a winner with the figure that it shows.
func unproven(v clade.View, verdicts []clade.Verdict) []clade.Verdict {
	return slices.DeleteFunc(verdicts, func(d clade.Verdict) bool {
		was := v.Life(d.ID).Verdict
		return was.Final != nil && was.Status.Parent()
	})
}
