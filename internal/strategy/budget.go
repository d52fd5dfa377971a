package strategy

import (
	"fmt"
	"slices"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// A run in which nothing works is given up after two batches without a usable
// candidate, but not before so many have failed: few when each may cost money,
// many when only time is lost.
const (
	hopelessPaid = 8
	hopelessFree = 64
	// noAccess ends a run sooner: what is signed out stays so.
	noAccess = 3
)

// over says that the search is at its end and why, nil while it is not. Whether
// the budget bears another try is not asked here: it depends on what that may
// cost.
func over(v clade.View) *clade.Stopped {
	h := v.Head()
	b := &h.Spec.Budget
	lost, last := lostInARow(v, h.Resumed)
	switch {
	case targetReached(v):
		return stopped(clade.StopTarget, "the target is reached: %s %s or better", h.Spec.Measures[0].ID, number(h.Spec.Measures[0], *b.Target))
	case last != nil && lost >= mostLost(v, last.Failure):
		return allLost(lost, last)
	case h.Usable == 0 && closedSinceResume(v) >= hopeless(v):
		return allFailed(v)
	case b.Plateau > 0 && sinceBest(v) >= b.Plateau:
		return stopped(clade.StopPlateau, "no better candidate in the last %s", clade.Counted(sinceBest(v), unit(v)))
	case h.Proposing >= b.Candidates && b.Candidates <= 0:
		return stopped(clade.StopCandidates, "the budget allows no candidates")
	case h.Proposing >= b.Candidates && h.Usable == 0 && h.Closed >= h.Proposing:
		if lost, last = lostInARow(v, clade.Base); last != nil && lost >= h.Closed {
			return allLost(lost, last) // too few to lose as many in a row as would end it
		}
		return allFailed(v)
	case h.Proposing >= b.Candidates:
		return stopped(clade.StopCandidates, "the budget of %s is used", clade.Counted(b.Candidates, "candidate"))
	}
	return usedUp(h)
}

// usedUp says which bound of time, tokens or calls is reached.
func usedUp(h *clade.Head) *clade.Stopped {
	b := &h.Spec.Budget
	switch {
	case b.Wall > 0 && h.Active >= time.Duration(b.Wall):
		return stopped(clade.StopWall, "the search has run for %s", b.Wall)
	case b.Tokens != nil && h.Spent.Tokens >= *b.Tokens:
		return stopped(clade.StopTokens, "the budget of %s is used", clade.Counted(int(*b.Tokens), "token"))
	case b.Calls != nil && h.Spent.Calls >= *b.Calls:
		return stopped(clade.StopCalls, "the budget of %s is used", clade.Counted(int(*b.Calls), "model call"))
	}
	return nil
}

func stopped(cause clade.Stop, format string, args ...any) *clade.Stopped {
	return &clade.Stopped{Cause: cause, Reason: fmt.Sprintf(format, args...)}
}

// allFailed names the last failure, which is the likeliest to say what is wrong.
func allFailed(v clade.View) *clade.Stopped {
	last, why := lastProposing(v), ""
	if last != nil {
		why = "; the last one: " + clade.Line(last.Verdict.Why, 300)
	}
	return stopped(clade.StopAllFailed, "all of %s failed%s", clade.Counted(v.Head().Closed, "candidate"), why)
}

// mostLost is how many candidates may be lost in a row by failures of a class.
func mostLost(v clade.View, c clade.Class) int {
	if c == clade.ClassAccess {
		return noAccess
	}
	return hopeless(v)
}

func allLost(n int, last *clade.Life) *clade.Stopped {
	cause, to := clade.StopModel, "the operator, its agent or its model"
	if last.Failure == clade.ClassInfra {
		cause, to = clade.StopInfra, "the machine"
	}
	who, why := "the last candidate was", last.Verdict.Why
	if n > 1 {
		who = fmt.Sprintf("the last %d candidates were", n)
	}
	if last.Verdict.Category == "budget" && last.Detail != "" {
		why = last.Detail // it was waiting for another try when its time was over
	}
	return stopped(cause, "%s lost to %s: %s", who, to, clade.Line(why, 300))
}

// lostInARow counts the latest candidates after the one given that were lost,
// one after the other, and gives the latest. What still runs is left out.
func lostInARow(v clade.View, after clade.ID) (n int, last *clade.Life) {
	for id := v.Head().Count; id > after; id-- {
		switch l := v.Life(id); {
		case l.Open || !l.Proposes():
		case !l.Failure.Lost():
			return n, last
		case last == nil:
			n, last = 1, l
		default:
			n++
		}
	}
	return n, last
}

// closedSinceResume counts the candidates closed since a person last let a
// stopped run go on, and so said that what failed the others is mended.
func closedSinceResume(v clade.View) (n int) {
	h := v.Head()
	if h.Resumed == 0 {
		return h.Closed
	}
	for id := h.Resumed + 1; id <= h.Count; id++ {
		if l := v.Life(id); l.Proposes() && !l.Open {
			n++
		}
	}
	return n
}

// leader is the best candidate that may be a parent, the base before there is one.
func leader(v clade.View) clade.ID {
	for id := range v.Frontier() {
		return id
	}
	return clade.Base
}

func targetReached(v clade.View) bool {
	spec := &v.Head().Spec
	m, ok := noise.Primary(spec)
	if spec.Budget.Target == nil || !ok {
		return false
	}
	reached := func(id clade.ID) bool {
		x, ok := v.Life(id).Values[m.ID]
		return ok && m.Goal.Sign()*(x-*spec.Budget.Target) >= 0
	}
	// One that failed in the final has reached it all the same: going on until
	// another is lucky enough would be looking until it is green.
	return reached(leader(v)) || slices.ContainsFunc(finals(v), func(l *clade.Life) bool { return reached(l.ParentOr()) })
}

func hopeless(v clade.View) int {
	spec, most := &v.Head().Spec, hopelessFree
	if spec.Search.Hopeless > 0 {
		return spec.Search.Hopeless
	}
	for _, op := range spec.Operators {
		if paid(spec, op) {
			most = hopelessPaid
		}
	}
	return max(most, 2*spec.Search.Batch)
}

// sinceBest counts what was judged since the best measured candidate: whole
// generations where there are some, else candidates.
func sinceBest(v clade.View) int {
	h := v.Head()
	if done := h.Generation; done > 0 {
		if slices.ContainsFunc(v.Open(), func(id clade.ID) bool { return v.Life(id).Proposes() && v.Life(id).Generation == done }) {
			done--
		}
		return done - v.Life(front(v)).Generation
	}
	if h.Spec.Final.Leader != clade.LeaderComposite {
		return h.Closed - h.BestAt
	}
	n := 0
	for id := front(v) + 1; id <= h.Count; id++ {
		if l := v.Life(id); l.Proposes() && !l.Open {
			n++
		}
	}
	return n
}

// unit is what sinceBest counts.
func unit(v clade.View) string {
	if v.Head().Generation > 0 {
		return "generation"
	}
	return "candidate"
}

// lastProposing is the latest attempt that proposes, nil if there is none.
func lastProposing(v clade.View) *clade.Life {
	for id := v.Head().Count; id > 0; id-- {
		if l := v.Life(id); l.Proposes() {
			return l
		}
	}
	return nil
}
