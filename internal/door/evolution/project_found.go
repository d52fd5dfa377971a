package evolution

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// Bounds of what is said of a variant, characters.
const (
	outputMost = 200 // a gate's line
	remarkMost = 120 // a line of the table
)

// categoryKilled is the verdict on a variant whose worker ran out of its time
// where somebody outside says so.
const categoryKilled = "killed"

// A finding is what a run found of one variant.
type finding struct {
	status evolution.Status
	gates  []evolution.GateResult
	rubric []evolution.Value
	remark string
}

func errored(remark string) finding { return finding{status: evolution.Errored, remark: remark} }

// found is how far an attempt is and, once it has come to its end, what it came
// to.
func (p *projection) found(l *clade.Life) finding {
	switch {
	case l.Open && l.Running:
		return finding{status: evolution.Running}
	case l.Open && !control.Settled(l):
		return finding{status: evolution.Pending}
	}
	return p.ended(l)
}

// ended is what an attempt came to.
func (p *projection) ended(l *clade.Life) finding {
	gates, failed := p.gates(l)
	switch {
	case l.TimedOut || !l.Open && l.Verdict.Category == categoryKilled:
		return finding{status: evolution.Killed, gates: gates, remark: told("took too long", cmp.Or(l.Detail, l.Verdict.Why))}
	case l.Ended == 0:
		return errored(clade.Line(l.Verdict.Why, remarkMost))
	case l.Epoch != p.v.Head().Epoch:
		return errored("measured before what is measured was changed")
	case failed != nil:
		return finding{status: evolution.Evaluated, gates: gates, remark: clade.Line(failed.Output, remarkMost)}
	case l.Failure != clade.OK:
		out := errored(told(failures[l.Failure], l.Detail))
		out.gates = gates
		return out
	case l.Same == clade.SameAsBase:
		return errored("changes nothing")
	case l.Same != 0:
		return p.twin(l)
	case l.Commit == "":
		return errored(told("proposed nothing", l.Detail))
	case control.Unconfirmed(l):
		out := errored(clade.Line(l.Verdict.Why, remarkMost))
		out.gates = gates
		return out
	}
	return p.measured(l, gates)
}

// failures say why there is no number.
var failures = map[clade.Class]string{
	clade.ClassCandidate: "failed", clade.ClassEvaluator: "no valid number", clade.ClassInfra: "the machine failed",
	clade.ClassPolicy: "breaks the rules", clade.ClassPoisoned: "workers died of it", clade.ClassBudget: "the budget did not bear it",
	clade.ClassOperator: "the operator failed", clade.ClassModel: "the model's service failed",
	clade.ClassAccess: "the operator cannot be used",
}

// told joins what happened with an excerpt of its detail.
func told(what, detail string) string {
	detail = clade.Line(detail, remarkMost)
	switch {
	case what == "":
		return detail
	case detail == "":
		return what
	}
	return what + ": " + detail
}

// twin is what the same tree came to earlier.
func (p *projection) twin(l *clade.Life) finding {
	of := p.first(l)
	if of == nil {
		return errored("the same tree as one that nothing is known of")
	}
	f := p.ended(of)
	what := "same tree as " + cmp.Or(p.names[of.ID], fmt.Sprintf("#%d", of.ID))
	f.remark = strings.TrimSuffix(what+"; "+f.remark, "; ")
	return f
}

// first is the attempt whose tree was measured for this one too, nil if there is
// none.
func (p *projection) first(l *clade.Life) *clade.Life {
	for seen := 0; l != nil && l.Same > 0; seen++ {
		if seen > int(p.v.Head().Count) {
			return nil // a log that was not written by clade
		}
		l = p.v.Life(l.Same)
	}
	return l
}

// measured are the numbers of a candidate that passed every gate that ran.
func (p *projection) measured(l *clade.Life, gates []evolution.GateResult) finding {
	f := finding{status: evolution.Evaluated, gates: gates}
	var lacks []string
	for _, a := range p.want.Rubric {
		x, ok := l.Values[a.ID]
		_, asked := p.v.Head().Spec.Measure(a.ID)
		switch {
		case ok:
			f.rubric = append(f.rubric, evolution.Value{ID: a.ID, Value: x})
		case asked:
			lacks = append(lacks, a.ID)
		}
	}
	if len(lacks) > 0 {
		out := errored(strings.Join(lacks, ", ") + " could not be measured")
		out.gates = gates
		return out
	}
	return f
}

// gates are the results of the gates that ran, in the order in which they are
// declared, and the first that failed.
func (p *projection) gates(l *clade.Life) (all []evolution.GateResult, failed *evolution.GateResult) {
	for _, g := range p.want.Gates {
		r, ran := gateOf(l, g.ID)
		if !ran {
			continue
		}
		all = append(all, r)
		if !r.Passes && failed == nil {
			failed = &r
		}
	}
	return all, failed
}

// output is what a gate printed on one line: how it ended and, as that is where
// most programs say what failed, the end of it.
func output(detail string) string {
	how, said, _ := strings.Cut(clade.Clean(detail), "\n")
	how, said = strings.TrimSpace(how), clade.Line(said, len(said)+1)
	text := strings.TrimSuffix(how+": "+said, ": ")
	room := outputMost - len([]rune(how)) - len([]rune(": …"))
	if end := []rune(said); len(end) > room && room > 0 {
		text = how + ": …" + string(end[len(end)-room:])
	}
	return clade.Line(text, outputMost)
}

// gateOf is what a gate said of an attempt's own tree: that it fails where it did
// once.
func gateOf(l *clade.Life, gate string) (r evolution.GateResult, ran bool) {
	r = evolution.GateResult{ID: gate, Passes: true}
	for _, e := range l.Evaluations {
		if e.Subject != l.ID || e.Claim {
			continue
		}
		for _, s := range e.Samples {
			if !s.Gate || s.Check != gate || s.Class != clade.OK && s.Class != clade.ClassCandidate {
				continue
			}
			ran, r.Output = true, output(s.Detail)
			if s.Class != clade.OK || s.Value != 1 {
				r.Passes = false
				return r, true
			}
		}
	}
	return r, ran
}
