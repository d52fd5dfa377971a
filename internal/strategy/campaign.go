package strategy

import (
	"fmt"

	"github.com/cladehq/clade"
)

// A Campaign puts the measured baseline before a search, its budget around it
// and the final after it:
//
//   - the base is measured before anything is spent; a base that fails its own
//     gates or has no valid number ends the run;
//   - the search plans while the budget bears it;
//   - the best by what the search measured is measured fresh beside the base,
//     and wins only if that proves a gain. A tie is no winner.
//
// It holds no state: everything is read from the view.
type Campaign struct{ search Search }

// NewCampaign returns a campaign around a search.
func NewCampaign(search Search) *Campaign { return &Campaign{search: search} }

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
	if h.Winner == clade.Base {
		stop.Reason += "; no candidate beat the base"
	}
	return nil, stop
}

// explore asks the search for what the budget bears. stop says why there is
// nothing to plan for good.
func (c *Campaign) explore(v clade.View, free int) (plan []clade.Attempt, stop *clade.Stopped) {
	if stop = over(v); stop != nil {
		return nil, stop
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
	borne := bears(v, plan)
	switch {
	case len(borne) > 0:
		return borne, nil
	case len(plan) > 0:
		return nil, stopped(clade.StopMoney, "the budget of $%s does not bear another try", *h.Spec.Budget.USD)
	case stop != nil:
		return nil, stop
	}
	return nil, stopped(clade.StopDone, "there is nothing more to try")
}

// conclude ends a run whose finals are judged, with the cause that ended the
// search.
func conclude(v clade.View, tail []*clade.Life) *clade.Stopped {
	b := brief(tail[0])
	stop := &clade.Stopped{Cause: b.Cause, Reason: b.Reason + "; no candidate proved better than the base"}
	for _, l := range tail {
		switch s := v.Life(l.ParentOr()).Verdict; {
		case l.Verdict.Category == "unsteady":
			return &clade.Stopped{Cause: clade.StopEvaluator, Reason: l.Verdict.Why}
		case s.Status == clade.StatusWinner:
			stop.Reason = fmt.Sprintf("%s; %s won", b.Reason, Name(l.ParentOr()))
		}
	}
	return stop
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
	if out := unaffordable(v); len(out) > 0 {
		return out
	}
	if out := judgeFinals(v); len(out) > 0 {
		return out
	}
	return c.search.Judge(v)
}
