package strategy

import (
	"slices"

	"github.com/cladehq/clade"
)

// adopt plans what was offered to the run and is not planned yet, in the order
// in which it was offered: what is made already whatever the budget of candidates
// says, since it only has to be measured; what is only thought of as far as the
// budget bears it, and once its parents are judged. What must wait holds up
// nothing that was offered after it.
//
// wait says that a search in lockstep must plan nothing of its own until what was
// adopted is judged: it decides by all there is. While a final is open nothing is
// adopted: it is about what there was when it was planned.
func (c *Campaign) adopt(v clade.View) (plan []clade.Attempt, wait bool) {
	h, open := v.Head(), v.Open()
	if slices.ContainsFunc(open, func(id clade.ID) bool { return isFinal(v.Life(id)) }) {
		return nil, false
	}
	wait = c.Lockstep() && slices.ContainsFunc(open, func(id clade.ID) bool { return v.Life(id).Adopts > 0 })
	if h.Adopted >= h.Offered {
		return nil, wait
	}
	k := acquaint(v)
	left, ended := h.Spec.Budget.Candidates-h.Proposing, over(v) != nil
	for _, offer := range k.offers {
		if offer.Given == nil && (left <= len(plan) || ended || k.early(v, offer)) {
			continue
		}
		a := c.planner.adopted(v, len(plan), offer, k)
		if a.Given == nil || h.Spec.Rolls() { // it costs something
			if borne, _ := bears(v, append(slices.Clone(plan), a)); len(borne) <= len(plan) {
				continue
			}
		}
		if a.Name != "" {
			k.names[a.Name] = a.ID
		}
		k.given[a.ID] = a.Given != nil
		plan = append(plan, a)
	}
	return plan, wait
}

// An offered is an offer with its number.
type offered struct {
	clade.Adopted
	n int
}

// An acquaintance is what a run knows of attempts by name, and the offers that
// it has not adopted yet.
type acquaintance struct {
	names  map[string]clade.ID
	given  map[clade.ID]bool // made elsewhere, and planned in this turn
	offers []offered
}

func acquaint(v clade.View) acquaintance {
	k, adopted := acquaintance{names: map[string]clade.ID{}, given: map[clade.ID]bool{}}, map[int]bool{}
	for id := clade.Base + 1; id <= v.Head().Count; id++ {
		l := v.Life(id)
		if l.Name != "" {
			k.names[l.Name] = id
		}
		if l.Adopts > 0 {
			adopted[l.Adopts] = true
		}
	}
	n := 0
	for note := range v.Notes(clade.NoteAdopt) {
		if n++; adopted[n] {
			continue
		}
		a, ok := note.Adopted()
		if !ok { // it was not written by clade, and says nothing
			a = clade.Adopted{Hypothesis: "an offer that cannot be read"}
		}
		k.offers = append(k.offers, offered{a, n})
	}
	return k
}

// early reports whether a parent of what is only thought of is not judged yet, or
// not even planned: whether it can be built on is not known.
func (k acquaintance) early(v clade.View, o offered) bool {
	return slices.ContainsFunc(o.Parents, func(name string) bool {
		if id, ok := k.names[name]; ok {
			return v.Life(id) == nil || v.Life(id).Open // planned in this turn, or before
		}
		return slices.ContainsFunc(k.offers, func(p offered) bool { return p.Name == name && p.n != o.n })
	})
}

// parents are those that the run knows and that made a candidate. An operator is
// given none whose edit broke the rules: what is built on it would bring that
// back in.
func (k acquaintance) parents(v clade.View, offer offered) (out []clade.ID) {
	for _, name := range offer.Parents {
		id, ok := k.names[name]
		if !ok || slices.Contains(out, id) {
			continue
		}
		l := v.Life(id)
		made := l == nil && k.given[id] || l != nil && l.Commit != ""
		if made && (offer.Given != nil || l.Failure != clade.ClassPolicy) {
			out = append(out, id)
		}
	}
	return out
}

// adopted is the attempt that carries out an offer, planned after at others of
// this turn. A name that another attempt has is not given again.
func (p *Planner) adopted(v clade.View, at int, offer offered, k acquaintance) clade.Attempt {
	h := v.Head()
	a := clade.Attempt{ID: h.Count + 1 + clade.ID(at), Name: offer.Name, Makes: clade.MakesTree, Generation: max(0, offer.Generation),
		Parents: k.parents(v, offer), Why: clade.Line(offer.Hypothesis, whyMost), Given: offer.Given, Adopts: offer.n}
	if _, taken := k.names[a.Name]; taken {
		a.Name = ""
	}
	if a.Why == "" {
		a.Why = "adopted"
	}
	beside := clade.ParentsOrBase(a.Parents)[0]
	if a.Given != nil {
		beside = clade.Base // nobody has looked at its parents, perhaps
	}
	a.After = candidateStages(&h.Spec, p.calibration(v), beside, a.ID)
	if a.Given != nil {
		a.Operator, a.Hold = clade.OperatorManual, rollouts(v)
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
	op, ok := pick(ops, Unit(clade.DrawOf(v, "operator", a.ID)))
	if !ok {
		handOut(v, a)
		return
	}
	a.Operator, a.Hold, a.Before, a.Kept = operatorName(op), hold(v, op), lookBack(spec, op, a.Parents), false
	a.Tries, a.Retries = 0, spec.Search.Retries
}

// handTries is how often an attempt is handed out to somebody who leaves nothing.
const handTries = 2

// handOut leaves an attempt to somebody outside.
func handOut(v clade.View, a *clade.Attempt) {
	a.Operator, a.Hold, a.Before, a.Kept, a.Tries = clade.OperatorManual, rollouts(v), nil, true, handTries
}

// Manual reports whether somebody outside could make an attempt's candidate: it is
// open, has none, and is told in words what to try, as edit operators are not.
func Manual(v clade.View, l *clade.Life) bool {
	return l.Open && l.Proposes() && l.Commit == "" && !builtIn(&v.Head().Spec, l.Operator)
}

// Unclaimed is an open attempt as somebody outside may take it up; false when
// nobody can: somebody works on it already, it has its candidate or has failed
// for good, or its brief is for an edit operator.
func Unclaimed(v clade.View, l *clade.Life) (clade.Attempt, bool) {
	a := l.Attempt
	if !Manual(v, l) || l.Running || Settled(l) {
		return a, false
	}
	if a.Operator != clade.OperatorManual {
		handOut(v, &a)
		a.Tries += l.Counted
	}
	return a, true
}

// Reassigned is an open attempt that waits for somebody outside as an operator
// of the spec takes it up; false when none can, or the budget does not bear it.
// That nobody outside left anything is not held against the operator.
func Reassigned(v clade.View, l *clade.Life) (clade.Attempt, bool) {
	if l.Operator != clade.OperatorManual || !l.ByHand() || l.Running || Settled(l) {
		return clade.Attempt{}, false
	}
	a := l.Attempt
	if assign(v, &a); a.Operator == clade.OperatorManual {
		return a, false
	}
	if l.Counted > 0 {
		a.Tries = l.Counted + 1
	}
	borne, _ := bears(v, []clade.Attempt{a})
	return a, len(borne) == 1
}
