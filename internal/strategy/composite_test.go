package strategy_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
)

// judged is a state with one candidate per row of values, all of them survivors.
func judged(t *testing.T, measures []clade.Measure, rows ...[]float64) *clade.State {
	t.Helper()
	s := &clade.State{}
	apply := func(e clade.Event) {
		if err := s.Apply(clade.Record{Seq: s.Head().Seq + 1, Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	eval := func(of clade.ID, row []float64) []clade.Evaluation {
		e := clade.Evaluation{Subject: of}
		for i, x := range row {
			sample := clade.Sample{Check: measures[i].ID, Value: x}
			if math.IsNaN(x) {
				sample.Class = clade.ClassEvaluator
			}
			e.Samples = append(e.Samples, sample)
		}
		return []clade.Evaluation{e}
	}
	apply(clade.Opened{Spec: clade.Spec{Measures: measures}})
	for i, row := range rows {
		id := clade.ID(i + 1)
		a := clade.Attempt{ID: id, Makes: clade.MakesTree, Why: "test"}
		if i == 0 {
			a.Makes, a.After = clade.MakesNumbers, []clade.Stage{{Subjects: []clade.ID{clade.Base}}}
		}
		apply(clade.Planned{Attempt: a})
		apply(clade.TryBegun{ID: id, Try: 1})
		o := clade.Outcome{ID: id, Try: 1, Evaluations: eval(id, row)}
		if i == 0 {
			o.Evaluations = eval(clade.Base, row)
		}
		apply(clade.TryEnded{Outcome: o})
		apply(clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: clade.StatusAccepted, Why: "test"}}})
	}
	return s
}

func TestComposite(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	speed := clade.Measure{ID: "speed", Goal: clade.Maximize}
	size := clade.Measure{ID: "size", Goal: clade.Minimize}
	heavy := clade.Measure{ID: "size", Goal: clade.Minimize, Weight: 3}
	// The first row is the base, which is not among the compared; candidates are 2, 3, …
	for _, c := range []struct {
		name     string
		measures []clade.Measure
		rows     [][]float64
		want     map[clade.ID]float64
		ranked   []clade.ID
	}{
		{"one is 1", []clade.Measure{speed}, [][]float64{{1}, {5}}, map[clade.ID]float64{2: 1}, []clade.ID{2}},
		{"three", []clade.Measure{speed}, [][]float64{{1}, {5}, {9}, {7}}, map[clade.ID]float64{2: 0, 3: 1, 4: .5}, []clade.ID{3, 4, 2}},
		{"downwards", []clade.Measure{size}, [][]float64{{1}, {5}, {9}, {7}}, map[clade.ID]float64{2: 1, 3: 0, 4: .5}, []clade.ID{2, 4, 3}},
		// Ranks 1.5, 1.5, 3 of 3: (3−1.5)/2 = .75.
		{"ties share their mean rank", []clade.Measure{speed}, [][]float64{{1}, {5}, {5}, {2}}, map[clade.ID]float64{2: .75, 3: .75, 4: 0}, []clade.ID{2, 3, 4}},
		{"all equal", []clade.Measure{speed}, [][]float64{{1}, {5}, {5}, {5}}, map[clade.ID]float64{2: .5, 3: .5, 4: .5}, []clade.ID{2, 3, 4}},
		{"no number, no rank", []clade.Measure{speed}, [][]float64{{1}, {5}, {nan}, {7}}, map[clade.ID]float64{2: 0, 4: 1}, []clade.ID{4, 2}},
		{"one number of two is none", []clade.Measure{speed, size}, [][]float64{{1, 1}, {9, nan}, {8, 7}, {7, 2}}, map[clade.ID]float64{3: .5, 4: .5}, []clade.ID{3, 4}},
		// speed 1, .5, 0 and size 0, .5, 1 with weights 1 and 3.
		{"weighted", []clade.Measure{speed, heavy}, [][]float64{{1, 1}, {9, 9}, {8, 8}, {7, 7}}, map[clade.ID]float64{2: .25, 3: .5, 4: .75}, []clade.ID{4, 3, 2}},
		{"equal composites: the lower ID", []clade.Measure{speed, size}, [][]float64{{1, 1}, {9, 9}, {7, 7}}, map[clade.ID]float64{2: .5, 3: .5}, []clade.ID{2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := judged(t, c.measures, c.rows...)
			var ids []clade.ID
			for id := clade.ID(2); id <= v.Head().Count; id++ {
				ids = append(ids, id)
			}
			slices.Reverse(ids) // the order given does not matter
			if got := strategy.Composite(v, ids); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if got := strategy.Ranked(v, ids); !slices.Equal(got, c.ranked) {
				t.Errorf("ranked %v, want %v", got, c.ranked)
			}
		})
	}
}
