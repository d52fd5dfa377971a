package strategytest

import (
	"fmt"
	"math"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/policy/noise"
)

// A Reading is what is asked of a World.
type Reading struct {
	Of      *clade.Life // the subject
	In      *clade.Life // the attempt that measures it
	Measure clade.Measure
	Case    string
	Split   string
	Stage   int
	Place   int // of the subject in the stage
	Rep     int
}

// Key tells every reading of a run apart.
func (r Reading) Key() string {
	return fmt.Sprintf("%d/%d/%s/%s/%d/%d/%d", r.In.ID, r.Of.ID, r.Measure.ID, r.Case, r.Stage, r.Place, r.Rep)
}

// A World is a scripted operator and evaluator: it performs an attempt's stages
// and asks their rules.
type World struct {
	Spec  *clade.Spec
	Value func(v clade.View, r Reading) float64
	Cases map[string][]string // by split; for measures over cases
	// Fails, when set, may end a try before it is measured.
	Fails func(l *clade.Life) (class clade.Class, detail string)
	// Tree names what an attempt makes; nil: each its own.
	Tree func(l *clade.Life) string
	// Notes are what an attempt that makes notes hands back; nil: none.
	Notes func(l *clade.Life) []clade.Note
	Rules policy.Rules // nil: those of package noise
}

// Try performs one try; it is a Run's Try.
func (w World) Try(v clade.View, l *clade.Life) (o clade.Outcome) {
	if w.Rules == nil {
		w.Rules = noise.Rules()
	}
	if w.Fails != nil {
		if o.Failure, o.Detail = w.Fails(l); o.Failure != clade.OK {
			return o
		}
	}
	if l.Makes == clade.MakesNotes && w.Notes != nil {
		o.Notes = w.Notes(l)
	}
	if l.Makes == clade.MakesTree {
		o.Commit, o.Tree = fmt.Sprintf("commit-%d", l.ID), fmt.Sprintf("tree-%d", l.ID)
		if w.Tree != nil {
			o.Tree = w.Tree(l)
		}
		if l.Outside() {
			o.Commit, o.Tree = l.Commit, l.Tree
		}
	}
	for i := range l.After {
		o.Evaluations = append(o.Evaluations, w.stage(v, l, i)...)
		if o.Failure, o.Detail = worst(o.Evaluations); o.Failure != clade.OK {
			return o
		}
		rule, ok := w.Rules[l.After[i].Rule]
		if !ok {
			continue
		}
		if more, _ := rule.Continue(w.Spec, &l.Attempt, i, o.Evaluations); !more {
			break
		}
	}
	return o
}

// worst is the first class of a sample that ends an evaluation.
func worst(evs []clade.Evaluation) (clade.Class, string) {
	for _, e := range evs {
		for _, s := range e.Samples {
			if s.Class != clade.OK {
				return s.Class, s.Detail
			}
		}
	}
	return clade.OK, ""
}

func (w World) stage(v clade.View, l *clade.Life, stage int) (out []clade.Evaluation) {
	s := l.After[stage]
	if s.Blank {
		return nil
	}
	subjects := s.Subjects
	if len(subjects) == 0 {
		subjects = []clade.ID{l.ID}
	}
	for place, id := range subjects {
		e := clade.Evaluation{Subject: id, Stage: stage}
		for _, g := range w.Spec.Gates {
			if asked(s, g.ID) {
				e.Samples = append(e.Samples, clade.Sample{Check: g.ID, Split: s.Split, Replicate: 1, Gate: true, Value: 1})
			}
		}
		for _, m := range w.Spec.Measures {
			if asked(s, m.ID) {
				e.Samples = append(e.Samples, w.samples(v, l, m, stage, place, v.Life(id))...)
			}
		}
		out = append(out, e)
	}
	return out
}

func asked(s clade.Stage, check string) bool {
	for _, c := range s.Checks {
		if c == check {
			return true
		}
	}
	return len(s.Checks) == 0
}

func (w World) samples(v clade.View, l *clade.Life, m clade.Measure, stage, place int, of *clade.Life) (out []clade.Sample) {
	s := l.After[stage]
	split := s.Split
	if split == "" {
		split = clade.SplitSelect
	}
	cases := []string{""}
	if m.Noise == clade.NoiseCases {
		cases = clade.Minibatch(w.Spec.Seed, l.ID, w.Cases[split], s.Batch)
	}
	for rep := range max(1, s.Replicates) {
		for _, c := range cases {
			x := w.Value(v, Reading{Of: of, In: l, Measure: m, Case: c, Split: split, Stage: stage, Place: place, Rep: rep})
			sample := clade.Sample{Check: m.ID, Case: c, Split: split, Replicate: max(1, s.First) + rep, Value: x}
			if math.IsNaN(x) || math.IsInf(x, 0) {
				sample.Value, sample.Class, sample.Detail = 0, clade.ClassEvaluator, "no finite number"
			}
			out = append(out, sample)
		}
	}
	return out
}

// Unit is a uniform number from (0, 1) for a key.
func Unit(seed uint64, key string) float64 {
	return (float64(clade.Draw(seed, key, 0)>>11) + 0.5) / (1 << 53)
}

// Normal is a standard normal number for a key (Box and Muller 1958).
func Normal(seed uint64, key string) float64 {
	return math.Sqrt(-2*math.Log(Unit(seed, key+"/r"))) * math.Cos(2*math.Pi*Unit(seed, key+"/a"))
}
