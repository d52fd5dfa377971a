package noise_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

func answers(of clade.ID, values ...float64) clade.Evaluation {
	e := clade.Evaluation{Subject: of}
	for i, v := range values {
		s := clade.Sample{Check: "right", Case: fmt.Sprint("c", i), Split: clade.SplitTrain, Replicate: 1, Value: v}
		if v < 0 {
			s.Value, s.Class = 0, clade.ClassCandidate
		}
		e.Samples = append(e.Samples, s)
	}
	return e
}

func TestMinibatch(t *testing.T) {
	t.Parallel()
	a := &clade.Attempt{ID: 2, After: []clade.Stage{{Subjects: []clade.ID{1, 2}, Split: clade.SplitTrain, Batch: 3, Rule: noise.RuleMinibatch}}}
	for name, c := range map[string]struct {
		goal          clade.Direction
		parent, child []float64
		more          bool
		why           string
	}{
		"better":                     {clade.Maximize, []float64{0, 1, 0}, []float64{1, 1, 0}, true, "+0.333 beside its parent on 3 cases"},
		"as good on other cases":     {clade.Maximize, []float64{.1, .2, .7}, []float64{.7, .1, .2}, true, "+0 beside"},
		"worse":                      {clade.Maximize, []float64{1, 1, 0}, []float64{1, 0, 0}, false, "-0.333 beside its parent on 3 cases of the train split: not asked any other"},
		"failed what its parent had": {clade.Maximize, []float64{1, 1, 0}, []float64{-1, 1, 0}, false, "-0.333"},
		"both perfect":               {clade.Maximize, []float64{1, 1}, []float64{1, 1}, true, "+0 beside"},
		"less is better":             {clade.Minimize, []float64{.5, .5}, []float64{.5, .25}, true, "+0.125"},
		"no train cases":             {clade.Maximize, nil, nil, true, "no case to compare on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := &clade.Spec{Measures: []clade.Measure{{ID: "right", Goal: c.goal, Noise: clade.NoiseCases}, {ID: "speed", Goal: clade.Minimize}}}
			evs := []clade.Evaluation{answers(1, c.parent...), answers(2, c.child...)}
			more, why := noise.Rules()[noise.RuleMinibatch].Continue(spec, a, 0, evs)
			if more != c.more || !strings.Contains(why, c.why) {
				t.Errorf("%v: %s", more, why)
			}
			if got := noise.OnMinibatch(spec, a, evs); (got == "") != more || !more && got != why {
				t.Errorf("%q", got)
			}
		})
	}
}
