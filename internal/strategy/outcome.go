package strategy

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// TriesLeft reports whether the last failure of an open attempt earns another
// try: up to three more for infrastructure and models, one more for the evaluator, and as
// many as the plan grants for what counts against the attempt, or for an operator
// that failed and left nothing. It is false
// while a try runs and when there was no failure. What somebody outside handed in
// is judged as it is: measuring it until it passes would be no judgement.
func TriesLeft(l *clade.Life) bool {
	if !l.Open || l.Running || l.Ended == 0 || l.Failure == clade.OK {
		return false
	}
	switch l.Failure {
	case clade.ClassInfra, clade.ClassModel, clade.ClassAccess:
		return l.Ended-l.Counted <= l.Failure.Retries()
	case clade.ClassEvaluator:
		return l.Counted <= max(l.Failure.Retries(), l.Tries-1)
	case clade.ClassBudget, clade.ClassPoisoned:
		return false
	case clade.ClassOperator:
		if l.Commit == "" && !l.TimedOut && l.Counted <= l.Retries {
			return true
		}
	}
	return l.Counted < l.Tries && !l.Outside()
}

// Settled reports whether an attempt has come to its end but for the verdict.
func Settled(l *clade.Life) bool {
	return l.Open && !l.Running && l.Ended > 0 && !TriesLeft(l)
}

// Awaited returns the open attempts that propose, ascending, and whether every
// one of them has settled: the barrier of lockstep strategies.
func Awaited(v clade.View) (open []*clade.Life, settled bool) {
	settled = true
	for _, id := range v.Open() {
		if l := v.Life(id); l.Proposes() {
			open = append(open, l)
			settled = settled && Settled(l)
		}
	}
	return open, settled
}

// Missing is how many attempts a lockstep batch still wants: all of them when
// nothing is open, and the rest when only the first ones were recorded.
func Missing(v clade.View, batch int) int {
	n := 0
	for _, id := range v.Open() {
		if v.Life(id).Proposes() {
			n++
		}
	}
	return max(0, batch-n)
}

// dismiss is the verdict on a settled attempt that has no score to be judged
// by, or one of an earlier epoch; ok is false when it has one.
func dismiss(v clade.View, l *clade.Life) (verdict clade.Verdict, ok bool) {
	to := func(s clade.Status, category, why string) (clade.Verdict, bool) {
		return clade.Verdict{ID: l.ID, Status: s, Category: category, Why: why}, true
	}
	switch {
	case l.Failure == clade.ClassInfra:
		return to(clade.StatusExhausted, "infra", tell("infrastructure failed every time", l.Detail))
	case l.Failure == clade.ClassModel:
		return to(clade.StatusExhausted, "model", tell("the model could not be reached", l.Detail))
	case l.Failure == clade.ClassAccess:
		return to(clade.StatusExhausted, "access", tell("the operator, its agent or its model cannot be used", l.Detail))
	case l.Failure == clade.ClassEvaluator:
		return to(clade.StatusInvalid, "evaluator", tell("no valid number", l.Detail))
	case l.Failure == clade.ClassBudget:
		return to(clade.StatusDiscarded, "budget", tell("the budget did not bear it", l.Detail))
	case l.Failure == clade.ClassCandidate && failedGate(l) != "":
		return to(clade.StatusRejected, "gate", tell("gate "+failedGate(l)+" failed", l.Detail))
	case l.Failure == clade.ClassCandidate:
		return to(clade.StatusRejected, "failed", tell("the candidate failed", l.Detail))
	case l.Failure != clade.OK:
		return to(clade.StatusRejected, string(l.Failure), tell(string(l.Failure)+" failure", l.Detail))
	case l.Same == clade.SameAsBase:
		return to(clade.StatusRejected, "duplicate", "the same tree as the base")
	case l.Same != 0:
		return to(clade.StatusRejected, "duplicate", fmt.Sprintf("the same tree as #%d", l.Same))
	case l.Commit == "":
		return to(clade.StatusRejected, "nothing", tell("nothing proposed", l.Detail))
	case failedGate(l) != "":
		return to(clade.StatusRejected, "gate", tell("gate "+failedGate(l)+" failed", l.Detail))
	case !l.Scored && noise.OnMinibatch(&v.Head().Spec, &l.Attempt, l.Evaluations) != "":
		return to(clade.StatusRejected, "minibatch", noise.OnMinibatch(&v.Head().Spec, &l.Attempt, l.Evaluations))
	case !l.Scored:
		return to(clade.StatusInvalid, "invalid", tell("no valid number", l.Detail))
	case l.Epoch != v.Head().Epoch:
		return to(clade.StatusDiscarded, "stale", "measured before what is measured was changed")
	}
	return implausible(v, l)
}

// failedGate names the first gate that did not pass for the attempt's own tree,
// "" if none failed.
func failedGate(l *clade.Life) string {
	s, _ := failedGateOf(l.Evaluations, l.ID)
	return s.Check
}

func failedGateOf(evs []clade.Evaluation, subject clade.ID) (clade.Sample, bool) {
	for _, e := range evs {
		if e.Subject != subject || e.Claim {
			continue
		}
		for _, s := range e.Samples {
			if s.Gate && (s.Class != clade.OK || s.Value != 1) {
				return s, true
			}
		}
	}
	return clade.Sample{}, false
}

// tell joins what happened with an excerpt of its detail, in one line.
func tell(what, detail string) string {
	detail = strings.Join(strings.Fields(detail), " ")
	if rest, same := strings.CutPrefix(detail, what); same && (rest == "" || strings.HasPrefix(rest, ": ")) {
		detail = strings.TrimPrefix(rest, ": ") // it says so itself
	}
	if detail == "" {
		return what
	}
	return what + ": " + clade.Clip(detail, 300)
}
