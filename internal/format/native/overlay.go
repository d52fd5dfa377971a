package native

import (
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/syntax"
)

// OverlayName is the file beside another format's that says what that cannot.
const OverlayName = ".clade.yaml"

const (
	noPlace   = "has no place here"
	elsewhere = "remove it: the evolution's own file says it"
)

// Overlay reads a partial spec and lays it over s, which another format filled.
// It says how the search is conducted, and how gates and measures that are
// there already are run; what is evolved and what is good is for the other file.
//
// What the overlay says replaces what s has, except that models and frozen are
// added to; what neither says is filled in as by Complete. Operators stay empty
// where neither names any. Reading is as strict as that of Read, and the result
// is held to the same rules. Where something is wrong s stays as it is. The name
// appears in positions, and its ending decides between YAML and JSON.
func Overlay(name string, data []byte, s *clade.Spec) ([]format.Warning, error) {
	d := &decoder{faults: &faults{name: name}, benchmark: s.Benchmark != nil, dataset: s.Dataset != nil}
	root := d.parse(data, "write setup: or another key, or remove the file")
	if root == nil {
		return nil, d.err()
	}
	d.secrets(root)
	full := *s
	full.Gates = slices.Clone(s.Gates) // measures and operators are copied by Complete
	Complete(&full)
	d.overlay(root, &full)
	if err := d.err(); err != nil {
		return d.warnings, err
	}
	*s = full
	return d.warnings, nil
}

func (d *decoder) overlay(n *syntax.Node, s *clade.Spec) {
	if n.Kind != syntax.Mapping {
		if n.Kind != syntax.Broken {
			d.Add(n.At, "write setup: or another key", "the file must be a mapping, not %s", n)
		}
		return
	}
	f := d.Fields(n, "")
	if !d.version(f.Get("version")) {
		return
	}
	f.Refuse(noPlace, elsewhere, "objective", "brief", "target", "allow", "benchmark", "dataset")
	d.conduct(f, s)
	d.models = s.Models
	d.readModels(f.Get("models"))
	if operators := f.Get("operators"); operators != nil {
		s.Operators = d.operators(operators)
	}
	d.refineSearch(f.Get("search"), &s.Search)
	d.refineBudget(f.Get("budget"), &s.Budget)
	d.refineGates(f.Get("gates"), s.Gates)
	d.refineMeasures(f.Get("measures"), s.Measures)
	f.Done()
	d.settle(s, n)
}

func (d *decoder) refineSearch(n *syntax.Node, s *clade.Search) {
	if n == nil {
		return
	}
	f := d.Fields(n, "write explore:, cross:, parents: or operators:; the strategy is that of the evolution")
	d.breeding(f, s)
	f.Refuse(noPlace, elsewhere, "strategy", "batch", "start", "names", "hopeless", "retries")
	f.Done()
}

func (d *decoder) refineBudget(n *syntax.Node, b *clade.Budget) {
	if n == nil {
		return
	}
	f := d.Fields(n, "write usd:, tokens:, calls:, target: or per_try_usd:; how many variants there may be the evolution's own file says")
	d.spending(f, b)
	f.Refuse(noPlace, elsewhere, "candidates", "wall", "plateau")
	f.Done()
}

func (d *decoder) refineGates(n *syntax.Node, all []clade.Gate) {
	ids := make([]string, len(all))
	for i, g := range all {
		ids[i] = g.ID
	}
	d.refine(n, "gate", ids, func(i int, f *syntax.Fields) {
		d.surroundings(f, &all[i].Command)
		f.Refuse(noPlace, elsewhere, "id", "run", "argv")
	})
}

func (d *decoder) refineMeasures(n *syntax.Node, all []clade.Measure) {
	ids := make([]string, len(all))
	for i, m := range all {
		ids[i] = m.ID
	}
	d.refine(n, "measure", ids, func(i int, f *syntax.Fields) {
		m := &all[i]
		d.surroundings(f, &m.Command)
		d.sampling(f, m)
		f.Refuse(noPlace, elsewhere, "id", "run", "argv", "from", "read", "goal", "weight")
		d.origin(f, *m)
	})
}

// refine reads a mapping from the ids of what is there to what is said of each.
func (d *decoder) refine(n *syntax.Node, what string, ids []string, read func(i int, f *syntax.Fields)) {
	if n == nil {
		return
	}
	there := "there are " + strings.Join(ids, ", ")
	if len(ids) == 0 {
		there = "there are none"
	}
	if n.Kind != syntax.Mapping {
		d.Wrong(n, "a mapping", "write the id of a "+what+", and below it what is to be said of it; "+there)
		return
	}
	for _, p := range n.Pairs {
		i := slices.Index(ids, p.Key)
		if i < 0 {
			d.Add(p.At, there, "%s: no %s is called %s", n.Path, what, syntax.Quote(p.Key))
			continue
		}
		f := d.Fields(p.Value, "write keys and values, like {timeout: 5m}")
		read(i, f)
		f.Done()
	}
}
