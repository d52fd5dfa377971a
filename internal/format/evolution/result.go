package evolution

import (
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/syntax"
)

// A Result is result.json, which a worker writes one directory above its
// workspace. Its numbers are claims: whoever ranks variants measures them again.
type Result struct {
	Status Status       `json:"status"` // evaluated, errored or killed
	Gates  []GateResult `json:"gates"`
	Rubric []Value      `json:"rubric,omitempty"`
	Notes  string       `json:"notes,omitempty"` // for the next generation
}

// ParseResult reads result.json strictly: against its schema and, unless e is
// nil, against the gates and axes of the evolution. Gates have one entry for
// each that is declared, in their order, and may be left empty only by what was
// not evaluated; the rubric has one for each axis, and is absent where a gate
// failed. Faults are reported as by Parse.
func ParseResult(name string, data []byte, e *Evolution) (*Result, error) {
	r := reader{name: name}
	root := r.parse(data, "result", "write {\"status\": …, \"gates\": […]}")
	if root == nil {
		return nil, r.Err(name)
	}
	f, out := r.Fields(root, ""), &Result{}
	out.Status = Status(r.Choice(f.Need("status", "add status: evaluated, errored or killed"), statuses[2:]...))
	gates := f.Need("gates", "add gates: with one entry for each gate")
	out.Gates = r.gateResults(gates)
	rubric := f.Get("rubric")
	out.Rubric = r.values(rubric)
	r.noRubric(f)
	out.Notes = r.anyText(f.Get("notes"), "say in a paragraph what the next generation should know")
	f.Done()
	if out.Status == Evaluated {
		r.some(gates, "an evaluated variant says of each gate whether it passes")
	}
	if e != nil && len(r.Faults) == 0 {
		r.declared(out, root, e)
	}
	if len(r.Faults) > 0 {
		return nil, r.Err(name)
	}
	return out, nil
}

// declared holds a result against the gates and axes that there are.
func (r *reader) declared(out *Result, root *syntax.Node, e *Evolution) {
	var ids []string
	passed := true
	for _, g := range out.Gates {
		ids, passed = append(ids, g.ID), passed && g.Passes
	}
	if want := gateIDs(e); len(ids) > 0 && !slices.Equal(ids, want) {
		r.Add(root.Get("gates").At, "give one entry for each gate, in this order", "gates are %s, declared are %s", list(ids), list(want))
	}
	rubric := root.Get("rubric")
	switch {
	case rubric == nil && out.Status == Evaluated && passed:
		r.Add(root.At, "measure every axis, or say which gate failed", "rubric is missing, and every gate passed")
	case rubric != nil:
		ids = nil
		for _, v := range out.Rubric {
			ids = append(ids, v.ID)
		}
		if want := axisIDs(e); !sameSet(ids, want) {
			r.Add(rubric.At, "give one entry for each axis", "rubric has %s, declared are %s", list(ids), list(want))
		}
	}
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func list(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

// Take copies what a result says into the variant. What it said before is gone.
func (v *Variant) Take(r *Result) {
	v.Status, v.Gates, v.Rubric = r.Status, slices.Clone(r.Gates), slices.Clone(r.Rubric)
}
