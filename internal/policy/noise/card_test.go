package noise

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// The planning example of the card: σ 5 %, a gain of 3 %, α .05, power .8 ask
// for ((1.645+.842)·.05/.03)² = 17.2, hence 18 pairs. The gain is a ratio here,
// so that ln 1.03 stands for .03: 17.7, 18 as well.
func TestPlanning(t *testing.T) {
	t.Parallel()
	c := Calibration{Sigma: .05}
	if n := c.Pairs(.03, .05); n != 18 {
		t.Errorf("%d pairs", n)
	}
	if got, want := c.MDE(18, .05), math.Expm1(2.4865*.05/math.Sqrt(18)); math.Abs(got-want) > 1e-4 {
		t.Errorf("MDE %g, want %g", got, want)
	}
	if (Calibration{}).Pairs(.01, .05) != 1 || c.Pairs(0, .05) != 0 || c.MDE(0, .05) != 0 {
		t.Error("edges")
	}
}

func TestCalibrate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		logs  []float64
		n     int
		sigma float64
		lag1  float64
	}{
		{"nothing", nil, 0, 0, 0},
		{"no variation", []float64{0, 0, 0, 0}, 4, 0, 0},
		// Mean 0, squares 4: σ² = 4/3; products −1 −1 −1 over 4.
		{"alternating", []float64{1, -1, 1, -1}, 4, math.Sqrt(4. / 3), -.75},
		{"not numbers are left out", []float64{1, math.NaN(), -1, math.Inf(1)}, 2, math.Sqrt2, -.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Calibrate(c.logs)
			if got.N != c.n || !near(got.Sigma, c.sigma) || !near(got.Lag1, c.lag1) {
				t.Errorf("%+v", got)
			}
		})
	}
	// Of ±1 ±1 the estimate is 1 or 0, half each: the 95th percentile is 1.
	if got := Calibrate([]float64{1, -1}).P95; !near(got, math.E-1) {
		t.Errorf("P95 %g", got)
	}
}

func TestDelta(t *testing.T) {
	t.Parallel()
	five := .05
	for _, c := range []struct {
		threshold *float64
		p95, want float64
	}{{nil, 0, .01}, {nil, .03, .03}, {&five, .03, .05}, {&five, .08, .08}} {
		if got := Delta(clade.Measure{Threshold: c.threshold}, Calibration{P95: c.p95}); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

func TestHolm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ps   []float64
		want []bool
	}{
		{nil, []bool{}},
		{[]float64{.05}, []bool{true}},
		{[]float64{.03, .02}, []bool{true, true}},                         // .02 ≤ .025, .03 ≤ .05
		{[]float64{.03, .026}, []bool{false, false}},                      // .026 > .025
		{[]float64{.01, .04, .03}, []bool{true, false, false}},            // .01 ≤ .0167, .03 > .025
		{[]float64{math.NaN(), .001}, []bool{false, true}},                // not a number rejects nothing
		{[]float64{.0125, .0125, 1, 1}, []bool{true, true, false, false}}, // .0125 ≤ .05/4, .05/3
	} {
		if got := Holm(c.ps, .05); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.ps, got)
		}
	}
}

// Means 0 and 2 of one reading each with σ 1: between variance 2, noise 1, so
// τ² = 1 and each moves half of the way to 1.
func TestShrink(t *testing.T) {
	t.Parallel()
	if got := Shrink([]float64{0, 2}, []int{1, 1}, 1); !near(got[0], .5) || !near(got[1], 1.5) {
		t.Errorf("%v", got)
	}
	if got := Shrink([]float64{0, 2}, []int{1, 1}, 9); got[0] != 1 || got[1] != 1 {
		t.Errorf("noise explains it all: %v", got)
	}
	if got := Shrink([]float64{0, 2}, []int{5, 5}, 0); got[0] != 0 || got[1] != 2 {
		t.Errorf("no noise: %v", got)
	}
	// More readings move less: 20 readings of 2.1 stay above one of 2.2.
	if got := Shrink([]float64{2.2, 2.1, 1, 1}, []int{1, 20, 20, 20}, .5); got[0] >= got[1] {
		t.Errorf("%v", got)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	one := func(n clade.Noise) clade.Spec {
		return clade.Spec{Measures: []clade.Measure{{ID: "m", Noise: n}}}
	}
	for _, c := range []struct {
		name  string
		noise clade.Noise
		final clade.FinalRule
		cases int
		says  string // "": accepted
	}{
		{"exact", clade.NoiseNone, clade.FinalRule{}, 0, ""},
		{"four cases", clade.NoiseCases, clade.FinalRule{}, 4, "a final of 4 test cases cannot prove anything: the smallest p it can give is 0.0625, the level is 0.05"},
		{"five cases", clade.NoiseCases, clade.FinalRule{}, 5, ""},
		{"five cases, two finalists", clade.NoiseCases, clade.FinalRule{Finalists: 2}, 5, "the level is 0.025"},
		{"no cases", clade.NoiseCases, clade.FinalRule{}, 0, "0 test cases"},
		{"not known yet", clade.NoiseCases, clade.FinalRule{}, -1, ""},
		{"the standard looks", clade.NoiseTiming, clade.FinalRule{}, 0, ""},
		{"five pairs", clade.NoiseTiming, clade.FinalRule{Looks: []int{3, 5}}, 0, "a final of 5 pairs"},
		{"falling looks", clade.NoiseTiming, clade.FinalRule{Looks: []int{10, 6}}, 0, "must rise"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := one(c.noise)
			s.Final = c.final
			err := Refuse(&s, c.cases)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			want := clade.FaultBudget
			if strings.Contains(c.says, "must rise") {
				want = clade.FaultSpec
			}
			if err != nil && clade.FaultOf(err) != want {
				t.Errorf("fault %q", clade.FaultOf(err))
			}
		})
	}
	if Refuse(&clade.Spec{}, 9) == nil {
		t.Error("a spec without measures")
	}
}

// paired are the evaluations of a final whose pairs have these times.
func paired(base, child []float64) []clade.Evaluation {
	out := []clade.Evaluation{{Subject: 0}, {Subject: 1}}
	for i, xs := range [][]float64{base, child} {
		for rep, x := range xs {
			out[i].Samples = append(out[i].Samples, clade.Sample{Check: "time", Split: clade.SplitTest, Replicate: rep + 1, Value: x})
		}
	}
	return out
}

func timing() *clade.Spec {
	return &clade.Spec{Measures: []clade.Measure{{ID: "time", Goal: clade.Minimize, Noise: clade.NoiseTiming}}}
}

func lookAttempt(rule string, delta float64) *clade.Attempt {
	return &clade.Attempt{ID: 1, After: []clade.Stage{{Rule: rule, Subjects: []clade.ID{0, 1}, Split: clade.SplitTest,
		Level: LookAlpha, Sigma: .05, Delta: delta}}}
}

func times(n int, x float64) []float64 { return slices.Repeat([]float64{x}, n) }

func TestLook(t *testing.T) {
	t.Parallel()
	mixed := []float64{.8, 1.2, .9, 1.1, .7, 1.3}
	for _, c := range []struct {
		name           string
		base, child    []float64
		delta          float64
		proven, futile bool
	}{
		{"six pairs, all faster", times(6, 1), []float64{.9, .91, .92, .93, .94, .95}, .01, true, false},
		{"five pairs prove nothing", times(5, 1), times(5, .5), .01, false, false},
		{"faster by less than counts", times(6, 1), times(6, .995), .01, false, true},
		{"slower", times(6, 1), times(6, 1.1), .01, false, true},
		{"undecided", times(6, 1), mixed, .01, false, false},
		// B27: old 115, 114, 115, 115, 115, (115); new 78.8 each time.
		{"B27 identical samples", []float64{115, 114, 115, 115, 115, 115}, times(6, 78.8), .01, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, evs := lookAttempt(RuleLook, c.delta), paired(c.base, c.child)
			d, err := lookAt(timing(), a, 0, evs)
			if err != nil || d.Proven != c.proven || d.Futile != c.futile || d.Look != 1 {
				t.Errorf("%v %+v", err, d)
			}
			more, why := Rules()[RuleLook].Continue(timing(), a, 0, evs)
			if more != (!c.proven && !c.futile) || why == "" {
				t.Errorf("more %v: %s", more, why)
			}
		})
	}
}

func TestPromising(t *testing.T) {
	t.Parallel()
	// With σ 5 % and 3 pairs the floor is exp(−2·.05/√3)−1 = −5.6 %.
	for _, c := range []struct {
		child float64
		want  bool
	}{{.9, true}, {1, true}, {1.05, true}, {1.07, false}} {
		more, why := Rules()[RulePromising].Continue(timing(), lookAttempt(RulePromising, .01), 0, paired(times(3, 1), times(3, c.child)))
		if more != c.want {
			t.Errorf("%g: %v, %s", c.child, more, why)
		}
	}
	evs := paired(times(3, 1), times(3, .5))
	evs[1].Samples = append(evs[1].Samples, clade.Sample{Check: "tests", Gate: true})
	if more, why := Rules()[RulePromising].Continue(timing(), lookAttempt(RulePromising, .01), 0, evs); more || why != "gate tests failed" {
		t.Errorf("%v: %s", more, why)
	}
}

// Four looks at .0182 are wrong about no difference with probability .046; at
// .05 after every pair it would be .145. 4,000 trials: ± .007 at two σ.
func TestLooksHoldTheirLevel(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	const trials = 4000
	wrong := 0
	for range trials {
		d := make([]float64, 20)
		for i := range d {
			d[i] = r.NormFloat64()
		}
		for _, n := range standardLooks {
			if p, _ := signedRank(d[:n]); p <= LookAlpha {
				wrong++
				break
			}
		}
	}
	if rate := float64(wrong) / trials; rate < .035 || rate > .055 {
		t.Errorf("%.4f of the trials are wrong", rate)
	}
}

func TestCompareCases(t *testing.T) {
	t.Parallel()
	m := clade.Measure{ID: "m", Goal: clade.Maximize, Noise: clade.NoiseCases}
	evs := func(base, child []float64) []clade.Evaluation {
		out := []clade.Evaluation{{Subject: 0}, {Subject: 1}}
		for i, xs := range [][]float64{base, child} {
			for j, x := range xs {
				s := clade.Sample{Check: "m", Case: fmt.Sprint(j), Split: clade.SplitTest, Value: x}
				if x < 0 { // timed out: censored at the worst
					s.Value, s.Class = 0, clade.ClassCandidate
				}
				out[i].Samples = append(out[i].Samples, s)
			}
		}
		return out
	}
	for _, c := range []struct {
		name        string
		base, child []float64
		p, estimate float64
	}{
		{"five of ten won", []float64{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 1. / 32, .5},
		{"won four, lost one", []float64{0, 0, 0, 0, 1}, []float64{1, 1, 1, 1, 0}, 6. / 32, .6},
		{"a timeout is the worst", []float64{1, 1}, []float64{1, -1}, 1, -.5},
		{"graded, all by a quarter", []float64{.5, .25, .5, .5, .25}, []float64{.75, .5, .75, .75, .5}, 1. / 32, .25},
		{"graded, half the cases by a half", []float64{.25, .25, .25, .25}, []float64{.75, .75, .25, .25}, .25, .25},
		{"no case differs", []float64{1, 0, 1}, []float64{1, 0, 1}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Compare(m, evs(c.base, c.child), 0, 1, true, .05)
			if err != nil || math.Abs(got.P-c.p) > 1e-12 || !near(got.Estimate, c.estimate) || got.N != len(c.base) {
				t.Errorf("%v %+v", err, got)
			}
		})
	}
	if _, err := Compare(m, evs([]float64{1, 1}, []float64{1}), 0, 1, true, .05); err == nil {
		t.Error("different cases were compared")
	}
	if _, err := Compare(m, evs([]float64{1}, []float64{1}), 0, 1, false, .05); err == nil {
		t.Error("samples of the final were read in the search")
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	type reading struct {
		id    string // case
		value float64
	}
	for _, c := range []struct {
		name     string
		readings []reading
		value    float64
		n        int
		err      error
	}{
		{"three equal", []reading{{"", .1}, {"", .1}, {"", .1}}, .1, 3, nil},
		{"one differs", []reading{{"", .1}, {"", .2}}, 0, 0, ErrUnsteady},
		{"nothing", nil, 0, 0, ErrNothing},
		{"cases differ from each other", []reading{{"a", 1}, {"b", 0}, {"a", 1}, {"b", 0}}, .5, 2, nil},
		{"a case differs from itself", []reading{{"a", 1}, {"b", 0}, {"a", 0}}, 0, 0, ErrUnsteady},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := clade.Evaluation{Subject: 1}
			for i, r := range c.readings {
				e.Samples = append(e.Samples, clade.Sample{Check: "m", Case: r.id, Value: r.value, Replicate: i + 1})
			}
			v, n, err := Exact("m", []clade.Evaluation{e}, 1, false)
			if v != c.value || n != c.n || !errors.Is(err, c.err) {
				t.Errorf("%g, %d, %v", v, n, err)
			}
		})
	}
}
