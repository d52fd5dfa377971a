package strategy

import (
	"encoding/json"
	"slices"

	"github.com/cladehq/clade"
)

// adopt plans what was offered to the run and is not planned yet, in the order
// in which it was offered: what is made already whatever the budget says, since
// it only has to be measured; what is only thought of as far as the budget
// bears it. wait says that a search in lockstep must wait until what was made
// elsewhere is judged.
func (c *Campaign) adopt(v clade.View) (plan []clade.Attempt, wait bool) {
	h := v.Head()
	wait = c.Lockstep() && slices.ContainsFunc(v.Open(), func(id clade.ID) bool { return v.Life(id).Given != nil })
	if h.Adopted >= h.Offered {
		return nil, wait
	}
	names := named(v)
	left, n := h.Spec.Budget.Candidates-h.Proposing, 0
	for note := range v.Notes(clade.NoteAdopt) {
		if n++; n <= h.Adopted {
			continue
		}
		a := c.planner.adopted(v, len(plan), n, offer(note), names)
		if a.Given == nil {
			if left <= 0 || over(v) != nil {
				break
			}
			if borne, _ := bears(v, append(slices.Clone(plan), a)); len(borne) <= len(plan) {
				break
			}
		}
		left--
		names[a.Name] = a.ID
		plan = append(plan, a)
	}
	return plan, wait
}

// offer reads an adoption; one that was not written by clade says nothing.
func offer(n clade.Note) (a clade.Adopted) {
	if json.Unmarshal([]byte(n.Body), &a) != nil {
		return clade.Adopted{Hypothesis: "an offer that cannot be read"}
	}
	return a
}

// named are the attempts of a run by their names.
func named(v clade.View) map[string]clade.ID {
	out := map[string]clade.ID{}
	for id := clade.Base + 1; id <= v.Head().Count; id++ {
		if l := v.Life(id); l.Name != "" {
			out[l.Name] = id
		}
	}
	return out
}

// adopted is the attempt that carries out the n-th offer, planned after at
// others of this turn.
func (p *Planner) adopted(v clade.View, at, n int, offer clade.Adopted, names map[string]clade.ID) clade.Attempt {
	h := v.Head()
	a := clade.Attempt{ID: h.Count + 1 + clade.ID(at), Name: offer.Name, Makes: clade.MakesTree, Generation: offer.Generation,
		Why: clade.Line(offer.Hypothesis, whyMost), Given: offer.Given, Adopts: n}
	if a.Why == "" {
		a.Why = "adopted"
	}
	for _, name := range offer.Parents {
		if id, ok := names[name]; ok {
			a.Parents = append(a.Parents, id)
		}
	}
	a.After = candidateStages(&h.Spec, p.calibration(v), clade.ParentsOrBase(a.Parents)[0], a.ID)
	if a.Given != nil {
		a.Operator = clade.OperatorManual
		return a
	}
	assign(v, &a)
	a.Brief = prose(v, &a, taken(hypothesis{Hypothesis: offer.Hypothesis, Approach: offer.Approach}))
	return a
}

// whyMost bounds the hypothesis of an adopted attempt, bytes.
const whyMost = 500

// assign gives an attempt an operator that can be told something in words: one
// of the spec's, or else somebody outside.
func assign(v clade.View, a *clade.Attempt) {
	spec := &v.Head().Spec
	ops := slices.DeleteFunc(withRole(spec, clade.RolePropose), func(op clade.Operator) bool { return op.Use == mutate })
	a.Operator, a.Hold, a.Before, a.Kept, a.Tries = clade.OperatorManual, clade.Amount{}, nil, true, handTries
	if op, ok := pick(ops, Unit(clade.DrawOf(v, "operator", a.ID))); ok {
		a.Operator, a.Hold, a.Before, a.Kept, a.Tries = operatorName(op), hold(v, op), lookBack(spec, op, a.Parents), false, 0
	}
}

// handTries is how often an attempt is handed out to somebody who leaves nothing.
const handTries = 2

// Reassigned is an open attempt that waits for somebody outside as an operator
// of the spec takes it up; false when none can, or the budget does not bear it.
func Reassigned(v clade.View, l *clade.Life) (clade.Attempt, bool) {
	if l.Operator != clade.OperatorManual || !l.ByHand() || l.Running {
		return clade.Attempt{}, false
	}
	a := l.Attempt
	if assign(v, &a); a.Operator == clade.OperatorManual {
		return a, false
	}
	borne, _ := bears(v, []clade.Attempt{a})
	return a, len(borne) == 1
}
