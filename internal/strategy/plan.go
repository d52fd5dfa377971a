package strategy

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/policy/noise"
)

// A Planner turns a search's choice of parents into attempts: it chooses the
// operator by its share, has the brief written and lays out the stages.
type Planner struct {
	briefers policy.Briefers
	run      string
	epoch    int
	cal      *noise.Calibration // of run and epoch
	turn     int64              // the record after which attempts were planned last
	given    int                // ideas given in that turn
	chosen   []int              // arms the bandit chose in it
}

// NewPlanner returns a planner. An operator without a briefer is told the
// objective and its parents' results in prose.
func NewPlanner(briefers policy.Briefers) *Planner { return &Planner{briefers: briefers} }

// A Choice is what a search chose for one attempt.
type Choice struct {
	Parents    []clade.ID // none, or only the base: a fresh start from the base
	Generation int
	Reason     string // why these parents, for people
	Hint       string // one more sentence for operators that are told in prose
	Idea       string // what such an operator is to try, in a few words; "": nothing but to improve
}

// Attempt makes the attempt that will be planned after at others of this turn.
func (p *Planner) Attempt(v clade.View, at int, c Choice) clade.Attempt {
	h := v.Head()
	if at == 0 || p.turn != h.Seq {
		p.turn, p.given, p.chosen = h.Seq, 0, nil
	}
	if len(c.Parents) == 1 && c.Parents[0] == clade.Base {
		c.Parents = nil
	}
	a := clade.Attempt{
		ID: h.Count + 1 + clade.ID(at), Parents: c.Parents, Makes: clade.MakesTree, Generation: c.Generation,
	}
	if op, ok := p.operator(v, a.ID); ok {
		a.Operator, a.Hold, a.Before, a.Retries = operatorName(op), hold(v, op), lookBack(&h.Spec, op, c.Parents), h.Spec.Search.Retries
	} else {
		assign(v, &a)
	}
	a.Name = clade.NameOf(h.Spec.Search.Names, h.Named+1+at)
	a.After = candidateStages(&h.Spec, p.calibration(v), clade.ParentsOrBase(c.Parents)[0], a.ID)
	what := ""
	if b, ok := p.briefers[a.Operator]; ok {
		a.Brief, what = b.Brief(v, &a)
	} else {
		what = cmp.Or(c.Idea, "told the objective and what is known")
		if idea, n, ok := p.idea(v); ok {
			a.Idea, what = n, idea.Hypothesis
			if len(c.Parents) == 0 {
				c.Hint = "" // a seed's own dimension would be a second order
			}
			c.Hint = strings.TrimSpace(c.Hint + "\n" + taken(idea))
		}
		a.Brief = prose(v, &a, c.Hint)
	}
	a.Why = c.Reason + ": " + what
	return a
}

func (p *Planner) calibration(v clade.View) noise.Calibration {
	h := v.Head()
	if p.cal == nil || p.run != h.Run || p.epoch != h.Epoch {
		cal := calibration(v)
		p.run, p.epoch, p.cal = h.Run, h.Epoch, &cal
	}
	return *p.cal
}

// operator chooses who proposes.
func (p *Planner) operator(v clade.View, id clade.ID) (clade.Operator, bool) {
	spec := &v.Head().Spec
	ops := withRole(spec, clade.RolePropose)
	if spec.Search.Operators == "bandit" && len(ops) > 1 {
		return ops[p.banditChoice(v, ops, id)], true
	}
	return pick(ops, Unit(clade.DrawOf(v, "operator", id)))
}

// Unit maps a draw to [0, 1).
func Unit(draw uint64) float64 { return float64(draw>>11) / (1 << 53) }

// pick chooses an operator by the shares; all zero means equal shares.
func pick(ops []clade.Operator, u float64) (clade.Operator, bool) {
	total := 0.0
	for _, op := range ops {
		total += max(0, op.Share)
	}
	for i, op := range ops {
		share := 1 / float64(len(ops))
		if total > 0 {
			share = max(0, op.Share) / total
		}
		if u -= share; u < 0 && share > 0 || i == len(ops)-1 {
			return op, true
		}
	}
	return clade.Operator{}, false
}

func operatorName(op clade.Operator) string {
	if op.Name != "" {
		return op.Name
	}
	return op.Use
}

// mutate is the built-in operator: it costs nothing.
const mutate = "mutate"

func builtIn(spec *clade.Spec, name string) bool {
	for _, op := range spec.Operators {
		if operatorName(op) == name {
			return op.Use == mutate
		}
	}
	return false
}

// Name is how people are told of a candidate.
func Name(v clade.View, id clade.ID) string {
	if id == clade.Base {
		return "the base"
	}
	if l := v.Life(id); l != nil && l.Name != "" {
		return l.Name
	}
	return fmt.Sprintf("#%d", id)
}
