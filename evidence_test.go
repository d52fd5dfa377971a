package clade_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/cladehq/clade"
)

// reps are samples of one check, numbered from 1.
func reps(check string, values ...float64) (out []clade.Sample) {
	for i, v := range values {
		out = append(out, clade.Sample{Check: check, Replicate: i + 1, Value: v})
	}
	return out
}

func gate(id string, value float64) clade.Sample {
	return clade.Sample{Check: id, Gate: true, Value: value}
}

func of(subject clade.ID, samples ...clade.Sample) clade.Evaluation {
	return clade.Evaluation{Subject: subject, Samples: samples}
}

func caseOf(id string, value float64) clade.Sample {
	return clade.Sample{Check: "m", Case: id, Value: value}
}

func classed(s clade.Sample, c clade.Class) clade.Sample {
	s.Class = c
	return s
}

func on(split string, samples ...clade.Sample) []clade.Sample {
	for i := range samples {
		samples[i].Split = split
	}
	return samples
}

// Attempt 1 is the subject; the spec has the measure m. P2: a failure is no zero.
func TestValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		noise clade.Noise
		evs   []clade.Evaluation
		want  float64 // NaN: absent
	}{
		"one reading":              {clade.NoiseNone, []clade.Evaluation{of(1, reps("m", 4)...)}, 4},
		"equal readings are exact": {clade.NoiseNone, []clade.Evaluation{of(1, reps("m", 0.1, 0.1, 0.1)...)}, 0.1},
		"nothing measured":         {clade.NoiseNone, []clade.Evaluation{of(1, gate("m", 1))}, math.NaN()},
		"another subject":          {clade.NoiseNone, []clade.Evaluation{of(2, reps("m", 4)...)}, math.NaN()},
		"another measure":          {clade.NoiseNone, []clade.Evaluation{of(1, reps("n", 4)...)}, math.NaN()},
		"one reading failed": {
			clade.NoiseNone, []clade.Evaluation{of(1, append(reps("m", 4), classed(reps("m", 4)[0], clade.ClassEvaluator))...)}, math.NaN(),
		},
		"a claim is no evidence": {clade.NoiseNone, []clade.Evaluation{{Subject: 1, Claim: true, Samples: reps("m", 4)}}, math.NaN()},
		"train and test do not decide": {
			clade.NoiseNone, []clade.Evaluation{of(1, append(on(clade.SplitTrain, reps("m", 1)...), on(clade.SplitTest, reps("m", 2)...)...)...)}, math.NaN(),
		},
		"select decides": {clade.NoiseNone, []clade.Evaluation{of(1, on(clade.SplitSelect, reps("m", 3)...)...)}, 3},
		"measured against itself: the first counts": {
			clade.NoiseNone, []clade.Evaluation{of(1, reps("m", 3)...), of(1, reps("m", 9)...)}, 3,
		},
		"two stages are one reading each": {
			clade.NoiseNone, []clade.Evaluation{of(1, reps("m", 3)...), {Subject: 1, Stage: 1, Samples: reps("m", 5)}}, 4,
		},
		"the mean of case means": { // a: (1+0)/2, b: 1, c: 0 → 1.5/3
			clade.NoiseCases, []clade.Evaluation{of(1, caseOf("a", 1), caseOf("b", 1), caseOf("a", 0), caseOf("c", 0))}, 0.5,
		},
		"a case that the candidate failed is worth 0": { // (1+0)/2
			clade.NoiseCases, []clade.Evaluation{of(1, caseOf("a", 1), classed(caseOf("b", 1), clade.ClassCandidate))}, 0.5,
		},
		"a case lost to infrastructure is no 0": {
			clade.NoiseCases, []clade.Evaluation{of(1, caseOf("a", 1), classed(caseOf("b", 1), clade.ClassInfra))}, math.NaN(),
		},
		"timing: the median of three":    {clade.NoiseTiming, []clade.Evaluation{of(1, reps("m", 10, 99, 11)...)}, 11},
		"timing: the median of two":      {clade.NoiseTiming, []clade.Evaluation{of(1, reps("m", 10, 12)...)}, 11},
		"timing: one pair is no pairing": {clade.NoiseTiming, []clade.Evaluation{of(0, reps("m", 10)...), of(1, reps("m", 5)...)}, 5},
		"timing: half of the base in each pair": { // base's median 20, ratio 1/2
			clade.NoiseTiming, []clade.Evaluation{of(0, reps("m", 10, 20, 40)...), of(1, reps("m", 5, 10, 20)...)}, 10,
		},
		"timing: one up, one down, is the base": { // log-ratios ±ln 1.25, their Walsh averages' median 0
			clade.NoiseTiming, []clade.Evaluation{of(0, reps("m", 100, 100)...), of(1, reps("m", 80, 125)...)}, 100,
		},
		"timing: nothing takes no time": { // no ratio; the median stands
			clade.NoiseTiming, []clade.Evaluation{of(0, reps("m", 0, 2)...), of(1, reps("m", 1, 3)...)}, 2,
		},
		"B22: a mean beyond the largest number": {
			clade.NoiseNone, []clade.Evaluation{of(1, reps("m", math.MaxFloat64, -math.MaxFloat64)...)}, math.NaN(),
		},
		"B22: a ratio beyond the largest number": {
			clade.NoiseTiming, []clade.Evaluation{of(0, reps("m", 1e300, 1e-300)...), of(1, reps("m", 1e308, 1e308)...)}, math.NaN(),
		},
	} {
		spec := &clade.Spec{Measures: []clade.Measure{{ID: "m", Noise: c.noise}}}
		got, passed := clade.Values(spec, c.evs, 1)
		v, ok := got["m"]
		if ok == math.IsNaN(c.want) || ok && math.Abs(v-c.want) > 1e-12*math.Abs(c.want) || !passed {
			t.Errorf("%s: %v, passed %v; want %v", name, got, passed, c.want)
		}
		if name == "equal readings are exact" && v != 0.1 {
			t.Errorf("%s: off by %g", name, v-0.1)
		}
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		samples []clade.Sample
		want    bool
	}{
		"all passed":            {[]clade.Sample{gate("a", 1), gate("b", 1)}, true},
		"one failed":            {[]clade.Sample{gate("a", 1), gate("b", 0)}, false},
		"one never ran":         {[]clade.Sample{gate("a", 1)}, false},
		"none ran":              {nil, false},
		"passed, then failed":   {[]clade.Sample{gate("a", 1), gate("b", 1), gate("b", 0)}, false},
		"one could not be run":  {[]clade.Sample{gate("a", 1), classed(gate("b", 1), clade.ClassInfra)}, false},
		"a measure is no gate":  {[]clade.Sample{gate("a", 1), {Check: "b", Value: 1}}, false},
		"another gate too":      {[]clade.Sample{gate("a", 1), gate("b", 1), gate("c", 0)}, true},
		"train does not decide": {append(on(clade.SplitTrain, gate("b", 1)), gate("a", 1)), false},
	} {
		spec := &clade.Spec{Gates: []clade.Gate{{ID: "a"}, {ID: "b"}}}
		if _, got := clade.Values(spec, []clade.Evaluation{of(1, c.samples...)}, 1); got != c.want {
			t.Errorf("%s: passed %v, want %v", name, got, c.want)
		}
	}
}

// P3, P4: what is not finite is no merit, whether it comes first or later. P15: the
// direction is the spec's.
func TestMerit(t *testing.T) {
	t.Parallel()
	one := func(d clade.Direction) []clade.Measure { return []clade.Measure{{ID: "a", Goal: d}} }
	two := []clade.Measure{{ID: "a", Goal: clade.Maximize}, {ID: "b", Goal: clade.Minimize, Weight: 3}}
	type values = map[string]float64
	for name, c := range map[string]struct {
		measures     []clade.Measure
		values, base values
		want         float64 // NaN: not ok
	}{
		"maximised":             {one(clade.Maximize), values{"a": 3}, nil, 3},
		"minimised":             {one(clade.Minimize), values{"a": 3}, nil, -3},
		"no measure":            {nil, values{"a": 3}, nil, math.NaN()},
		"no value":              {one(clade.Maximize), values{}, nil, math.NaN()},
		"NaN":                   {one(clade.Maximize), values{"a": math.NaN()}, nil, math.NaN()},
		"infinite":              {one(clade.Maximize), values{"a": math.Inf(1)}, nil, math.NaN()},
		"two, weighted":         {two, values{"a": 12, "b": 90}, values{"a": 10, "b": 100}, 0.125}, // (0.2 + 3·0.1)/4
		"two, one got worse":    {two, values{"a": 12, "b": 110}, values{"a": 10, "b": 100}, -0.025},
		"a negative base":       {two, values{"a": -5, "b": 100}, values{"a": -10, "b": 100}, 0.125}, // 0.5/4
		"the base itself":       {two, values{"a": 10, "b": 100}, values{"a": 10, "b": 100}, 0},
		"two, one absent":       {two, values{"a": 12}, values{"a": 10, "b": 100}, math.NaN()},
		"two, no base":          {two, values{"a": 12, "b": 90}, values{"a": 10}, math.NaN()},
		"B22: more than finite": {two, values{"a": 1e308, "b": 0}, values{"a": 0, "b": 0}, math.NaN()},
	} {
		got, ok := clade.Merit(&clade.Spec{Measures: c.measures}, c.values, c.base)
		if ok == math.IsNaN(c.want) || ok && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, %v; want %v", name, got, ok, c.want)
		}
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	stage := func(n int, e clade.Evaluation) clade.Evaluation {
		e.Stage = n
		return e
	}
	failed := reps("m", 1, 2, 3)
	failed[1].Class = clade.ClassInfra
	for name, c := range map[string]struct {
		evs   []clade.Evaluation
		b     clade.ID
		final bool
		want  string
	}{
		"by replicate":            {[]clade.Evaluation{of(0, reps("m", 1, 2)...), of(1, reps("m", 3, 4, 5)...)}, 1, false, "[1 2] [3 4]"},
		"in either order":         {[]clade.Evaluation{of(1, reps("m", 3, 4)...), of(0, reps("m", 1, 2)...)}, 1, false, "[1 2] [3 4]"},
		"half a pair is none":     {[]clade.Evaluation{of(0, failed...), of(1, reps("m", 4, 5, 6)...)}, 1, false, "[1 3] [4 6]"},
		"never across stages":     {[]clade.Evaluation{of(0, reps("m", 1)...), stage(1, of(1, reps("m", 2)...))}, 1, false, "[] []"},
		"over two stages":         {[]clade.Evaluation{of(0, reps("m", 1)...), of(1, reps("m", 2)...), stage(1, of(0, reps("m", 3)...)), stage(1, of(1, reps("m", 4)...))}, 1, false, "[1 3] [2 4]"},
		"never another measure":   {[]clade.Evaluation{of(0, reps("n", 1)...), of(1, reps("m", 2)...)}, 1, false, "[] []"},
		"never a claim":           {[]clade.Evaluation{of(0, reps("m", 1)...), {Subject: 1, Claim: true, Samples: reps("m", 2)}}, 1, false, "[] []"},
		"the base against itself": {[]clade.Evaluation{of(0, reps("m", 1, 2)...), of(0, reps("m", 3, 4)...)}, 0, false, "[1 2] [3 4]"},
		"measured once, no pair":  {[]clade.Evaluation{of(0, reps("m", 1, 2)...)}, 0, false, "[] []"},
		"the search is no final":  {[]clade.Evaluation{of(0, reps("m", 1)...), of(1, reps("m", 2)...)}, 1, true, "[] []"},
		"the final": {
			[]clade.Evaluation{of(0, on(clade.SplitTest, reps("m", 1)...)...), of(1, on(clade.SplitTest, reps("m", 2)...)...)}, 1, true, "[1] [2]",
		},
	} {
		as, bs := clade.Pairs("m", c.evs, 0, c.b, c.final)
		if got := fmt.Sprint(as, bs); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestCaseScores(t *testing.T) {
	t.Parallel()
	got, ok := clade.CaseScores("m", []clade.Sample{
		caseOf("b", 1), caseOf("a", 0.5), caseOf("b", 0.5), {Check: "m", Value: 9}, {Check: "n", Case: "z", Value: 9}, gate("m", 1),
	})
	if !ok || !slices.Equal(got, []clade.CaseScore{{Case: "b", Value: 0.75}, {Case: "a", Value: 0.5}}) {
		t.Errorf("%v, %v", got, ok)
	}
	if mean, ok := clade.CaseMean("m", nil); ok {
		t.Errorf("the mean of no case is %v", mean)
	}
	forth := []clade.Sample{caseOf("a", 0.1), caseOf("b", 0.2), caseOf("c", 0.3)}
	back := []clade.Sample{forth[2], forth[1], forth[0]}
	a, _ := clade.CaseMean("m", forth)
	if b, _ := clade.CaseMean("m", back); a != b {
		t.Errorf("the order of cases moves the mean by %g", a-b)
	}
}

func TestMedianAndHodgesLehmann(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xs         []float64
		median, hl float64
	}{
		{[]float64{3}, 3, 3},
		{[]float64{4, 1}, 2.5, 2.5},             // averages 1, 2.5, 4
		{[]float64{4, 1, 2}, 2, 2.25},           // averages 1, 1.5, 2, 2.5, 3, 4
		{[]float64{0, 0, 0, 100}, 0, 0},         // averages: six 0, three 50, one 100
		{[]float64{1e308, 1e308}, 1e308, 1e308}, // no overflow on the way
	} {
		given := slices.Clone(c.xs)
		if c.xs[0] == 1e308 {
			if m := clade.Median(c.xs); m != c.median {
				t.Errorf("median of %v: %v", c.xs, m)
			}
			continue
		}
		if m, hl := clade.Median(c.xs), clade.HodgesLehmann(c.xs); m != c.median || hl != c.hl {
			t.Errorf("%v: median %v, want %v; Hodges–Lehmann %v, want %v", c.xs, m, c.median, hl, c.hl)
		}
		if !slices.Equal(c.xs, given) {
			t.Errorf("%v was changed to %v", given, c.xs)
		}
	}
}

// The base's values are those of the first baseline; an attempt's are those of
// its last try.
func TestGrades(t *testing.T) {
	t.Parallel()
	baseline := func(id clade.ID, v float64) []clade.Event {
		a := clade.Attempt{ID: id, Makes: clade.MakesNumbers, Why: "baseline", After: []clade.Stage{{Subjects: []clade.ID{0, 0}}}}
		o := clade.Outcome{ID: id, Try: 1, Evaluations: []clade.Evaluation{of(0, reps("score", v)...), of(0, reps("score", v+1)...)}}
		return []clade.Event{clade.Planned{Attempt: a}, begin(id, 1), clade.TryEnded{Outcome: o}, judged(id, clade.StatusMeasured)}
	}
	l := fold(t, append(baseline(1, 5), baseline(2, 7)...)...)
	if base := l.Life(clade.Base); !base.Scored || base.Score != 5 || !maps.Equal(base.Values, map[string]float64{"score": 5}) {
		t.Errorf("base %+v", base)
	}
	l.add(plan(3), begin(3, 1), scored(3, 1, 6), judged(3, clade.StatusEvaluated), begin(3, 2), scored(3, 2, 8))
	if c := l.Life(3); c.Score != 8 || l.Head().Best != 3 || l.Head().Usable != 1 {
		t.Errorf("candidate %+v, head %+v", c, l.Head())
	}
	failed := scored(4, 1, 99)
	failed.Outcome.Failure = clade.ClassCandidate
	l.add(plan(4), begin(4, 1), failed)
	if c := l.Life(4); c.Scored || l.Head().Best != 3 {
		t.Errorf("I4: a failure has a score: %+v", c)
	}
	if got := slices.Collect(l.Frontier()); !slices.Equal(got, []clade.ID{0}) {
		t.Errorf("frontier %v, want the base", got)
	}
}
