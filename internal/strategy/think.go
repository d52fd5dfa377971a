package strategy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/bandit"
)

// ideasEvery is how many candidates a search without batches tries between two
// attempts that think of hypotheses.
const ideasEvery = 8

func withRole(spec *clade.Spec, role string) (out []clade.Operator) {
	for _, op := range spec.Operators {
		if op.Role == role || op.Role == "" && role == clade.RolePropose {
			out = append(out, op)
		}
	}
	return out
}

// notesDue are attempts that make notes and should come before the next
// candidates: a review of a new best, and hypotheses when none is left. wait
// says that some are still open and that a search in lockstep must wait for
// them, since what they say enters its next briefs.
func notesDue(v clade.View, lockstep bool) (plan []clade.Attempt, wait bool) {
	spec := &v.Head().Spec
	ideators, reviewers := withRole(spec, clade.RoleIdeate), withRole(spec, clade.RoleReview)
	if len(ideators)+len(reviewers) == 0 {
		return nil, false
	}
	for _, id := range v.Open() {
		l := v.Life(id)
		switch {
		case l.Makes == clade.MakesNotes:
			return nil, lockstep
		case lockstep && l.Proposes():
			return nil, false // in the middle of a batch
		}
	}
	if best := v.Head().Best; len(reviewers) > 0 && best != clade.Base && !reviewed(v, best) && v.Life(best).Verdict.Status.Parent() {
		plan = append(plan, notesAttempt(v, len(plan), reviewers, []clade.ID{best}, "review "+Name(v, best)+", the best so far", ""))
	}
	if len(ideators) > 0 && v.Head().Taken >= v.Head().Ideas && !askedLately(v) {
		var parents []clade.ID
		if best := leader(v); best != clade.Base {
			parents = []clade.ID{best}
		}
		n := interval(v)
		plan = append(plan, notesAttempt(v, len(plan), ideators, parents, fmt.Sprintf("think of %d hypotheses", n),
			fmt.Sprintf("Give %d hypotheses, each of them varying another dimension.", n)))
	}
	return plan, false
}

func notesAttempt(v clade.View, at int, ops []clade.Operator, parents []clade.ID, why, hint string) clade.Attempt {
	h := v.Head()
	a := clade.Attempt{ID: h.Count + 1 + clade.ID(at), Parents: parents, Makes: clade.MakesNotes, Why: why}
	op, _ := pick(ops, Unit(clade.DrawOf(v, "operator", a.ID)))
	a.Operator, a.Hold, a.Before = operatorName(op), hold(v, op), lookBack(&h.Spec, op, parents)
	a.Brief = prose(v, &a, hint)
	return a
}

// reviewed reports whether a candidate was handed to a reviewer.
func reviewed(v clade.View, id clade.ID) bool {
	return slices.ContainsFunc(v.Children(id), func(kid clade.ID) bool {
		l := v.Life(kid)
		return l.Makes == clade.MakesNotes && hasRole(v, l.Operator, clade.RoleReview)
	})
}

func hasRole(v clade.View, name, role string) bool {
	return slices.ContainsFunc(withRole(&v.Head().Spec, role), func(op clade.Operator) bool { return operatorName(op) == name })
}

// askedLately reports whether hypotheses were asked for within the last batch of
// candidates, whatever came of it: one that fails is not asked again at once.
func askedLately(v clade.View) bool {
	since := 0
	for id := v.Head().Count; id > 0 && since < interval(v); id-- {
		switch l := v.Life(id); {
		case l.Proposes():
			since++
		case l.Makes == clade.MakesNotes && hasRole(v, l.Operator, clade.RoleIdeate):
			return true
		}
	}
	return false
}

// interval is how many candidates share one round of hypotheses.
func interval(v clade.View) int {
	if b := v.Head().Spec.Search.Batch; b > 0 {
		return b
	}
	return ideasEvery
}

// judgeNotes closes attempts that made notes.
func judgeNotes(v clade.View) (out []clade.Verdict) {
	for _, id := range v.Open() {
		l := v.Life(id)
		switch {
		case l.Makes != clade.MakesNotes || !Settled(l):
		case l.Failure != clade.OK:
			d, _ := dismiss(v, l)
			out = append(out, d)
		default:
			out = append(out, clade.Verdict{ID: id, Status: clade.StatusMeasured, Category: "notes", Why: "its notes enter later briefs"})
		}
	}
	return out
}

// A hypothesis is the body of a NoteProposal, as propose declares it.
type hypothesis struct {
	Hypothesis string `json:"hypothesis"`
	Approach   string `json:"approach"`
	Dimension  string `json:"dimension"`
}

// idea is the next hypothesis that no attempt has taken up. Attempts of one turn
// get one each.
func (p *Planner) idea(v clade.View) (idea hypothesis, n int, ok bool) {
	h := v.Head()
	if n = h.Taken + p.given + 1; n > h.Ideas {
		return idea, 0, false
	}
	p.given++
	at := 0
	for note := range v.Notes(clade.NoteProposal) {
		if at++; at == n {
			return idea, n, json.Unmarshal([]byte(note.Body), &idea) == nil && idea.Hypothesis != ""
		}
	}
	return idea, 0, false
}

// taken is what an attempt is told of the hypothesis it takes up.
func taken(i hypothesis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Test this hypothesis and no other: %s", i.Hypothesis)
	if i.Approach != "" {
		fmt.Fprintf(&b, "\nApproach: %s", i.Approach)
	}
	if i.Dimension != "" {
		fmt.Fprintf(&b, "\nVary only: %s", i.Dimension)
	}
	return b.String()
}

// banditChoice asks the bandit which of ops makes attempt id. What it costs is
// money: time is not the same in a run that is replayed.
func (p *Planner) banditChoice(v clade.View, ops []clade.Operator, id clade.ID) int {
	place, shares := map[string]int{}, make([]float64, len(ops))
	total := 0.0
	for i, op := range ops {
		place[operatorName(op)], shares[i] = i, max(0, op.Share)
		total += shares[i]
	}
	for i := range shares {
		if total == 0 {
			shares[i] = 1
		}
	}
	var pulls []bandit.Pull
	for at := v.Head().Count; at > 0 && len(pulls) < bandit.Window; at-- {
		l := v.Life(at)
		if i, ok := place[l.Operator]; ok && l.Proposes() && !l.Failure.Lost() {
			pulls = append(pulls, bandit.Pull{Arm: i, Open: l.Open, Gain: gained(v, l), Cost: float64(l.Paid.Microdollars)})
		}
	}
	slices.Reverse(pulls)
	for _, arm := range p.chosen {
		pulls = append(pulls, bandit.Pull{Arm: arm, Open: true})
	}
	arm, _ := bandit.Choose(shares, pulls, Unit(clade.DrawOf(v, "bandit", id)), Unit(clade.DrawOf(v, "bandit/share", id)))
	p.chosen = append(p.chosen, arm)
	return arm
}

// gained is by how much an attempt's score beats the better of its parent and the
// base, 0 if it does not.
func gained(v clade.View, l *clade.Life) float64 {
	if l.Open || !l.Scored || l.Failure != clade.OK {
		return 0
	}
	bar := v.Life(clade.Base).Score
	if p := v.Life(l.ParentOr()); p.Scored {
		bar = max(bar, p.Score)
	}
	return max(0, l.Score-bar)
}
