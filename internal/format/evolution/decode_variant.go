package evolution

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cladehq/clade/internal/syntax"
)

func (r *reader) variants(n *syntax.Node) (all []Variant) {
	const hint = "list variants, or write []"
	var used []string
	for _, item := range r.Each(n, hint) {
		f, v := r.Fields(item, "a variant has id, generation, hypothesis and status"), Variant{}
		v.ID = r.id(f.Need("id", "add id: v1"), variantForm(), "v1", used)
		v.Generation = int(r.Whole(f.Need("generation", "add generation: 1"), 1, syntax.Exact))
		v.Parents = r.Texts(f.Get("parents"), "list ids of variants, like [v1]", func(n *syntax.Node) { r.id(n, variantForm(), "v1", nil) })
		v.Hypothesis = r.anyText(f.Need("hypothesis", "say in a line what should help, and why"), "say in a line what should help, and why")
		v.Approach = r.anyText(f.Get("approach"), "say how it is done")
		v.Status = Status(r.Choice(f.Need("status", "add status: pending"), statuses...))
		v.Workspace = r.workspace(f.Get("workspace"))
		v.Gates = r.gateResults(f.Get("gates"))
		v.Rubric = r.values(f.Get("rubric"))
		r.noRubric(f)
		f.Done()
		all, used = append(all, v), append(used, v.ID)
	}
	return all
}

// noRubric refuses measurements of what failed a gate.
func (r *reader) noRubric(f *syntax.Fields) {
	gates, rubric := f.Of.Get("gates"), f.Of.Get("rubric")
	if gates == nil || rubric == nil || rubric.Kind == syntax.Null {
		return
	}
	for _, g := range gates.Items {
		if p := g.Get("passes"); p != nil && p.Kind == syntax.Boolean && p.Text == "false" {
			id := "a gate"
			if n := g.Get("id"); n != nil {
				id = syntax.Cut(n.Text)
			}
			r.Add(rubric.At, "remove rubric: what failed a gate is not measured", "%s is given, and %s failed", rubric.Path, id)
			return
		}
	}
}

func (r *reader) gateResults(n *syntax.Node) (all []GateResult) {
	const hint = "list results, like [{id: G1, passes: true}]"
	var used []string
	for _, item := range r.Each(n, hint) {
		f, g := r.Fields(item, hint), GateResult{}
		g.ID = r.id(f.Need("id", "add id: G1"), gateForm(), "G1", used)
		g.Passes = r.Bool(f.Need("passes", "add passes: true or passes: false"))
		g.Output = r.anyText(f.Get("output"), "quote a line of what it printed")
		f.Done()
		all, used = append(all, g), append(used, g.ID)
	}
	return all
}

func (r *reader) values(n *syntax.Node) (all []Value) {
	const hint = "list values, like [{id: R1, value: 98.6}]"
	var used []string
	for _, item := range r.Each(n, hint) {
		f, v := r.Fields(item, hint), Value{}
		v.ID = r.id(f.Need("id", "add id: R1"), axisForm(), "R1", used)
		v.Value, _ = r.Real(f.Need("value", "add the number that was measured"))
		f.Done()
		all, used = append(all, v), append(used, v.ID)
	}
	return all
}

// workspace reads a folder of the repository.
func (r *reader) workspace(n *syntax.Node) string {
	s := r.Text(n, "name a folder of the repository")
	if s != "" {
		r.below(n)
	}
	return s
}

var drive = pattern(`^[A-Za-z]:`)

// below checks that a path or pattern stays below the repository.
func (r *reader) below(n *syntax.Node) {
	p := n.Text
	const hint = "write it relative to the root of the repository"
	switch {
	case path.IsAbs(p) || drive().MatchString(p):
		r.Add(n.At, hint, "%s: %s is absolute", n.Path, syntax.Quote(p))
	case strings.Contains(p, `\`):
		r.Add(n.At, "separate folders with /", `%s: %s holds a \`, n.Path, syntax.Quote(p))
	case slices.Contains(strings.Split(p, "/"), ".."):
		r.Add(n.At, hint+", without ..", "%s: %s leaves the repository", n.Path, syntax.Quote(p))
	}
}

// entry checks a path or pattern of the scope.
func (r *reader) entry(n *syntax.Node) {
	r.below(n)
	if isPattern(n.Text) && !doublestar.ValidatePattern(n.Text) {
		r.Add(n.At, "close every [ and {", "%s: %s is no valid pattern", n.Path, syntax.Quote(n.Text))
	}
}

// invariants checks what holds between parts of the file. A part that is
// missing or malformed was faulted already.
func (r *reader) invariants(e *Evolution, root *syntax.Node) {
	variants := root.Get("variants")
	for i := range e.Variants {
		n := variants.Items[i]
		r.lineage(e, i, n)
		r.known(n.Get("gates"), "gate", gateIDs(e), gateForm())
		r.known(n.Get("rubric"), "axis", axisIDs(e), axisForm())
	}
	if w := root.Get("winner"); e.Winner != nil && e.Variant(e.Winner.Variant) == nil {
		if at := w.Get("variant_id"); at != nil && variantForm().MatchString(at.Text) {
			r.Add(at.At, "name one of variants", "%s: no variant is called %s", at.Path, syntax.Quote(at.Text))
		}
	}
	if a := root.Get("applied"); e.Applied != nil && root.Get("winner") == nil {
		r.Add(a.At, "remove it, or say in winner what was applied", "applied is given, and there is no winner")
	}
	if e.UpdatedAt.Before(e.CreatedAt) && !e.UpdatedAt.IsZero() {
		r.warn(root.Get("updated_at").At, "updated_at is before created_at")
	}
}

// lineage checks the parents of the i-th variant: they come before it, in the
// list and by generation.
func (r *reader) lineage(e *Evolution, i int, n *syntax.Node) {
	v, parents := e.Variants[i], n.Get("parents")
	for k, id := range v.Parents {
		at := parents.Items[k]
		before := slices.IndexFunc(e.Variants[:i], func(p Variant) bool { return p.ID == id })
		switch {
		case !variantForm().MatchString(id):
		case slices.Contains(v.Parents[:k], id):
			r.Add(at.At, "name each parent once", "%s: %s is named twice", at.Path, id)
		case before < 0 && id == v.ID:
			r.Add(at.At, "name variants that come before it", "%s: %s is its own parent", at.Path, id)
		case before < 0 && e.Variant(id) != nil:
			r.Add(at.At, "name variants that come before it", "%s: %s comes after %s", at.Path, id, v.ID)
		case before < 0:
			r.Add(at.At, "name variants that come before it", "%s: no variant is called %s", at.Path, syntax.Quote(id))
		case v.Generation > 0 && e.Variants[before].Generation >= v.Generation:
			r.Add(at.At, "a variant's generation is above those of its parents", "%s: %s is of generation %d, and %s is of generation %d",
				at.Path, id, e.Variants[before].Generation, v.ID, v.Generation)
		}
	}
}

// known checks that results name gates or axes that there are.
func (r *reader) known(n *syntax.Node, what string, ids []string, form *regexp.Regexp) {
	if n == nil {
		return
	}
	for _, item := range n.Items {
		id := item.Get("id")
		if id != nil && id.Kind == syntax.Text && form.MatchString(id.Text) && !slices.Contains(ids, id.Text) {
			r.Add(id.At, "remove the result with the "+what+" it was of", "%s: no %s is called %s", id.Path, what, syntax.Quote(id.Text))
		}
	}
}

func gateIDs(e *Evolution) (ids []string) {
	for _, g := range e.Gates {
		ids = append(ids, g.ID)
	}
	return ids
}

func axisIDs(e *Evolution) (ids []string) {
	for _, a := range e.Rubric {
		ids = append(ids, a.ID)
	}
	return ids
}
