package evolution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// A chosen run is one as an evolution has it: gates and measures with the ids of
// the evolution, candidates with names, and only those that are exported.
type chosen struct {
	clade.View
	x     *exporting
	names map[clade.ID]string
	head  clade.Head
	lives map[clade.ID]*clade.Life
}

func (x *exporting) choose(v clade.View, names map[clade.ID]string) *chosen {
	c := &chosen{View: v, x: x, names: names, head: *v.Head(), lives: map[clade.ID]*clade.Life{}}
	c.head.Adopted = c.head.Offered // what was offered and not planned is no candidate
	s := &c.head.Spec
	s.Search.Names = variantNames
	s.Gates, s.Measures = slices.Clone(s.Gates), slices.Clone(s.Measures)
	for i := range s.Gates {
		s.Gates[i].ID = x.gates[s.Gates[i].ID]
	}
	for i := range s.Measures {
		s.Measures[i].ID = x.axes[s.Measures[i].ID]
	}
	return c
}

// variantNames is how an evolution calls its candidates.
const variantNames = "v%d"

func (c *chosen) Head() *clade.Head { return &c.head }

func (c *chosen) Life(id clade.ID) *clade.Life {
	if l, ok := c.lives[id]; ok {
		return l
	}
	l := c.View.Life(id)
	if l == nil {
		return nil
	}
	own := *l
	own.Name = c.names[id]
	if own.Open && own.Commit == "" { // nobody works on it where it is exported to
		own.Running, own.Hand, own.Try = false, "", 0
	}
	own.Why, own.Verdict.Why = c.renamed(own.Why), c.renamed(own.Verdict.Why)
	own.Values = map[string]float64{}
	for measure, value := range l.Values {
		own.Values[c.x.axes[measure]] = value
	}
	own.Evaluations = slices.Clone(l.Evaluations)
	for i := range own.Evaluations {
		e := &own.Evaluations[i]
		e.Samples = slices.Clone(e.Samples)
		for k := range e.Samples {
			c.x.rename(&e.Samples[k])
		}
	}
	if l.Commit != "" && len(c.x.gates) == 0 && own.Ended > 0 {
		own.Evaluations = append(own.Evaluations, clade.Evaluation{Subject: id, Samples: []clade.Sample{{Check: "G1", Gate: true, Value: 1}}})
	}
	c.lives[id] = &own
	return &own
}

var numberForm = regexp.MustCompile(`#([1-9][0-9]*)\b`)

// renamed is what the run says of candidates, by their names here.
func (c *chosen) renamed(text string) string {
	return numberForm.ReplaceAllStringFunc(text, func(number string) string {
		id, _ := strconv.Atoi(number[1:])
		return either(c.names[clade.ID(id)], number)
	})
}

func (x *exporting) rename(s *clade.Sample) {
	ids := x.axes
	if s.Gate {
		ids = x.gates
	}
	s.Check = ids[s.Check]
}

// names gives the candidates of a run the names that the evolution has for them:
// their own, where the run named them so, or else by their order. Of more than
// most only the best by composite are named, and the ancestors of these.
func (x *exporting) names(v clade.View, d evolution.Draft, most int) (names map[clade.ID]string, left int, err error) {
	var all []clade.ID
	for id := clade.Base + 1; id <= v.Head().Count; id++ {
		if v.Life(id).Proposes() {
			all = append(all, id)
		}
	}
	if len(all) <= most {
		return x.called(v, all), 0, nil
	}
	yaml, _, err := evolution.Seed(d)
	if err != nil {
		return nil, 0, err
	}
	doc, err := evolution.Open(evolution.FileEvolution, yaml)
	if err != nil {
		return nil, 0, err
	}
	names = x.called(v, all)
	ids := map[string]clade.ID{}
	for id, name := range names {
		ids[name] = max(ids[name], id)
	}
	full, _ := project(doc.Evolution, x.choose(v, names), false)
	kept := map[clade.ID]bool{}
	var keep func(clade.ID)
	keep = func(id clade.ID) {
		if id == clade.Base || kept[id] {
			return
		}
		kept[id] = true
		for _, p := range v.Life(id).Parents {
			keep(p)
		}
	}
	rows := evolution.Score(full)
	for _, r := range rows[:min(most, len(rows))] {
		keep(ids[r.Variant.ID])
	}
	some := slices.DeleteFunc(slices.Clone(all), func(id clade.ID) bool { return !kept[id] })
	return x.called(v, some), len(all) - len(some), nil
}

func (x *exporting) called(v clade.View, ids []clade.ID) map[clade.ID]string {
	names := map[clade.ID]string{}
	for i, id := range ids {
		if names[id] = fmt.Sprintf(variantNames, i+1); x.spec.Search.Names == variantNames {
			names[id] = v.Life(id).Name
		}
	}
	return names
}

// An outgoing run is one as its export mirrors it.
type outgoing struct {
	*control.Run
	x     *exporting
	names map[clade.ID]string
}

func (o *outgoing) View(ctx context.Context, fn func(clade.View) error) error {
	return o.Run.View(ctx, func(v clade.View) error { return fn(o.x.choose(v, o.names)) })
}

// Export writes a tree where it lies below the folder that holds .agents.
func (o *outgoing) Export(ctx context.Context, commit, dir string, only func(string) bool) error {
	if o.x.spec.Target.Kind == clade.TargetGit || o.x.rel == "" {
		return o.Run.Export(ctx, commit, dir, only)
	}
	beside := dir + ".tree" // with the marker of a folder that would not be where it was
	tree, to := filepath.Join(beside, "tree"), filepath.Join(dir, filepath.FromSlash(o.x.rel))
	if err := o.Run.Export(ctx, commit, tree, only); err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(tree, to), os.RemoveAll(beside))
}

// outer is a path of the run's tree as the evolution has it, relative to the
// folder that holds .agents.
func (x *exporting) outer(p string) (string, bool) {
	if x.spec.Target.Kind != clade.TargetGit {
		return path.Join(x.rel, p), true
	}
	if x.place == "" {
		return p, true
	}
	return strings.CutPrefix(p, x.place+"/")
}
