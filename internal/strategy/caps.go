package strategy

import (
	"fmt"
	"math"

	"github.com/cladehq/clade"
)

// A purse is one kind of what a run may use up, with its cap.
type purse struct {
	kind clade.Stop
	most int64
	of   func(clade.Amount) int64
	tell func(n int64) string // an amount of it, for people
}

// purses are the kinds that the budget caps.
func purses(b *clade.Budget) (all []purse) {
	if b.USD != nil {
		all = append(all, purse{clade.StopMoney, int64(*b.USD), func(a clade.Amount) int64 { return int64(a.Microdollars) },
			func(n int64) string { return "$" + clade.Microdollars(n).String() }})
	}
	if b.Tokens != nil {
		all = append(all, purse{clade.StopTokens, *b.Tokens, func(a clade.Amount) int64 { return a.Tokens },
			func(n int64) string { return clade.Counted(int(n), "token") }})
	}
	if b.Calls != nil {
		all = append(all, purse{clade.StopCalls, *b.Calls, func(a clade.Amount) int64 { return a.Calls },
			func(n int64) string { return clade.Counted(int(n), "model call") }})
	}
	return all
}

// paid reports whether tries of the operator hold something back: the built-in
// edits cost nothing, unless agents answer the cases; everything else may.
func paid(spec *clade.Spec, op clade.Operator) bool {
	b := &spec.Budget
	return (op.Use != mutate || spec.Rolls()) && (b.PerTry != nil || b.Tokens != nil || b.Calls != nil)
}

// hold is the most one try of the operator may spend: of money what the spec
// says, of tokens and calls a share of what is left.
func hold(v clade.View, op clade.Operator) (a clade.Amount) {
	spec := &v.Head().Spec
	if !paid(spec, op) {
		return a
	}
	if spec.Budget.PerTry != nil {
		a.Microdollars = *spec.Budget.PerTry
	}
	for _, p := range purses(&spec.Budget) {
		switch p.kind {
		case clade.StopTokens:
			a.Tokens = share(v, p)
		case clade.StopCalls:
			a.Calls = share(v, p)
		}
	}
	return a
}

// smallest is the part of a cap below which a share is not worth a try.
const smallest = 50

// share is what is left of a cap, shared by the attempts that may still join
// those that hold a part of it: the rest of a batch where there are batches, else
// one for each slot, and the finals where they cost something. Where it would come out too small to work with, it is the
// smallest that is worth it, which bears may then refuse.
func share(v clade.View, p purse) int64 {
	spec := &v.Head().Spec
	join := int64(spec.Search.Batch)
	if join == 0 {
		join = int64(spec.Slots)
	}
	for _, id := range v.Open() {
		if p.of(owed(v, v.Life(id))) > 0 {
			join--
		}
	}
	join = max(1, join)
	if spec.Rolls() {
		join += int64(finalsMost(spec))
	}
	return part(v, p, join)
}

// part is one of n parts of what is left of a cap, and at least what is worth it.
func part(v clade.View, p purse, n int64) int64 {
	return max(1, p.most/smallest, (p.most-p.of(committed(v)))/n)
}

// finalsMost is how many finals there may be at once.
func finalsMost(spec *clade.Spec) int { return max(1, spec.Final.Finalists) }

// tightest is the cap of which an attempt that the budget did not bear held least.
func tightest(v clade.View, l *clade.Life) clade.Stop {
	stop, least := clade.StopMoney, math.Inf(1)
	for _, p := range purses(&v.Head().Spec.Budget) {
		if held := p.of(l.Hold); held > 0 {
			if left := float64(held-p.of(l.Paid)) / float64(held); left < least {
				stop, least = p.kind, left
			}
		}
	}
	return stop
}

// bears cuts a plan to what the budget bears: what was spent, what running tries
// may still spend and what planned ones will, all counted as spent. short says
// what a plan of which nothing is left was cut by.
func bears(v clade.View, plan []clade.Attempt) (borne []clade.Attempt, short *clade.Stopped) {
	spec := &v.Head().Spec
	all, used := purses(&spec.Budget), clade.Amount{}
	if len(all) == 0 || len(plan) == 0 {
		return plan, nil
	}
	used = committed(v).Plus(finalReserve(v))
	for i, a := range plan {
		for _, p := range all {
			cost := p.of(a.Hold)
			if cost > p.most-p.of(used) || cost == 0 && p.of(used) >= p.most && !builtIn(spec, a.Operator) {
				return plan[:i], stopped(p.kind, "the budget of %s does not bear another try", p.tell(p.most))
			}
		}
		used = used.Plus(a.Hold)
	}
	return plan, nil
}

// rollouts is the hold of an attempt without an operator whose cases agents
// answer: the baseline's and a final's; nothing where no agent does.
func rollouts(v clade.View) clade.Amount {
	if !v.Head().Spec.Rolls() {
		return clade.Amount{}
	}
	return hold(v, clade.Operator{})
}

// finalReserve is kept of the budget for the finals, without which nothing that
// was paid for proves anything.
func finalReserve(v clade.View) (a clade.Amount) {
	for range finalsMost(&v.Head().Spec) {
		a = a.Plus(rollouts(v))
	}
	return a
}

// finalHold is the hold of one of n finals that are planned together: nothing
// else comes after them, so they share all that is left.
func finalHold(v clade.View, n int) clade.Amount {
	a, spec := rollouts(v), &v.Head().Spec
	if !spec.Rolls() {
		return a
	}
	for _, p := range purses(&spec.Budget) {
		switch p.kind {
		case clade.StopTokens:
			a.Tokens = part(v, p, int64(n))
		case clade.StopCalls:
			a.Calls = part(v, p, int64(n))
		}
	}
	return a
}

// committed is what is spent, held and needed by open attempts.
func committed(v clade.View) clade.Amount {
	h := v.Head()
	used := h.Spent.Plus(h.Held)
	for _, id := range v.Open() {
		if l := v.Life(id); !l.Running && (l.Try == 0 || TriesLeft(l)) {
			used = used.Plus(owed(v, l))
		}
	}
	return used
}

// owed is the most that another try may cost: nothing once the operator has
// been paid for a commit.
func owed(v clade.View, l *clade.Life) clade.Amount {
	if l.Commit != "" && !v.Head().Spec.Rolls() {
		return clade.Amount{}
	}
	return l.Hold
}

// Lost is how a running try ends whose process is gone. must is true when that
// has to be settled before anything else is decided: it may have cost its hold,
// and so may another one. Else it makes no difference, and the next try just
// fences it. A try by hand has no process, and is never lost.
func Lost(v clade.View, l *clade.Life) (o clade.Outcome, must bool) {
	if !l.Running || l.Hand != "" {
		return o, false
	}
	o = clade.Outcome{ID: l.ID, Try: l.Try, Failure: clade.ClassInfra, Detail: "the process that tried it is gone"}
	for _, p := range purses(&v.Head().Spec.Budget) {
		must = must || p.of(owed(v, l)) > 0
	}
	o.Spent.Unknown = must
	return o, must
}

// unaffordable are verdicts on open attempts that the budget no longer bears:
// those not yet begun, or waiting for another try, when a bound is reached; and
// the newest waiting for another try that what is left cannot pay. What came from
// outside is measured all the same where that costs nothing but time: somebody
// made it for that.
func unaffordable(v clade.View) (out []clade.Verdict) {
	h := v.Head()
	stop, all := usedUp(h), purses(&h.Spec.Budget)
	used := clade.Amount{}
	if len(all) > 0 {
		used = committed(v)
	}
	open := v.Open()
	for i := len(open) - 1; i >= 0; i-- {
		l := v.Life(open[i])
		if !l.Proposes() && l.Makes != clade.MakesNotes || l.Running || l.Try > 0 && !TriesLeft(l) {
			continue
		}
		if stop != nil && l.Outside() && owed(v, l).IsZero() {
			continue
		}
		if stop != nil {
			out = append(out, clade.Verdict{ID: l.ID, Status: clade.StatusDiscarded, Category: "budget", Why: "not begun: " + stop.Reason})
			continue
		}
		for _, p := range all {
			if cost := p.of(owed(v, l)); cost > 0 && p.of(used) > p.most {
				used = used.Minus(owed(v, l))
				out = append(out, clade.Verdict{ID: l.ID, Status: clade.StatusExhausted, Category: "budget",
					Why: fmt.Sprintf("another try may cost %s, which the budget does not bear", p.tell(cost))})
				break
			}
		}
	}
	return out
}
