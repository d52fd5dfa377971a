package strategy

import (
	"fmt"

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
}

// Attempt makes the attempt that will be planned after at others of this turn.
func (p *Planner) Attempt(v clade.View, at int, c Choice) clade.Attempt {
	h := v.Head()
	if len(c.Parents) == 1 && c.Parents[0] == clade.Base {
		c.Parents = nil
	}
	a := clade.Attempt{
		ID: h.Count + 1 + clade.ID(at), Parents: c.Parents, Makes: clade.MakesTree, Generation: c.Generation,
	}
	if op, ok := pick(h.Spec.Operators, Unit(clade.DrawOf(v, "operator", a.ID))); ok {
		a.Operator, a.Hold = operatorName(op), hold(&h.Spec, op)
	}
	a.After = searchStages(&h.Spec, p.calibration(v), clade.ParentsOrBase(c.Parents)[0], a.ID)
	what := ""
	if b, ok := p.briefers[a.Operator]; ok {
		a.Brief, what = b.Brief(v, &a)
	} else {
		a.Brief, what = prose(v, &a, c.Hint), "told the objective and what is known"
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

// hold is the most one try of the operator may spend: nothing for the built-in
// edits, the spec's amount per try for what may cost money.
func hold(spec *clade.Spec, op clade.Operator) clade.Amount {
	if op.Use == mutate || spec.Budget.PerTry == nil {
		return clade.Amount{}
	}
	return clade.Amount{Microdollars: *spec.Budget.PerTry}
}

// Name is how people are told of a candidate.
func Name(id clade.ID) string {
	if id == clade.Base {
		return "the base"
	}
	return fmt.Sprintf("#%d", id)
}
