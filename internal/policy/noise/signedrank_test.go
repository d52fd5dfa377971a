package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cladehq/clade"
)

const tiny = 1e-12

func near(a, b float64) bool { return math.Abs(a-b) <= tiny*max(1, math.Abs(a), math.Abs(b)) }

// enumerated is the signed-rank p by trying all assignments of signs.
func enumerated(d []float64) float64 {
	d = nonZero(d)
	ranks := doubledRanks(d)
	at, hits := 0, 0
	for i, x := range d {
		if x > 0 {
			at += ranks[i]
		}
	}
	for signs := range 1 << len(d) {
		sum := 0
		for i, r := range ranks {
			sum += signs >> i & 1 * r
		}
		if sum >= at {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<len(d))
}

func TestSignedRank(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		d    []float64
		p    float64
		n    int
	}{
		{"nothing", nil, 1, 0},
		{"no difference", []float64{0, 0, 0}, 1, 0},
		{"one", []float64{3}, .5, 1},
		{"five better", []float64{1, 2, 3, 4, 5}, 1. / 32, 5},
		{"five worse", []float64{-1, -2, -3, -4, -5}, 1, 5},
		// V = 2+3+4 = 9 of 10: 9 and 10 are reached by one assignment each.
		{"the smallest worse", []float64{-1, 2, 3, 4}, 2. / 16, 4},
		// V = 1+2+3 = 6: {4,3,2,1} 10, {4,3,2} 9, {4,3,1} 8, {4,3} and {4,2,1} 7, {4,2} and {3,2,1} 6.
		{"the largest worse", []float64{1, 2, 3, -4}, 7. / 16, 4},
		{"zeros add no n", []float64{0, 1, 0, 2, 3, 0}, 1. / 8, 3},
		// Mid-ranks 2, 2, 2 (doubled 4, 4, 4): sum ≥ 8 by three pairs and the triple.
		{"ties", []float64{1, 1, -1}, 4. / 8, 3},
		// B27: identical samples are evidence, not "no difference".
		{"B27 identical", []float64{.4, .4, .4, .4, .4}, 1. / 32, 5},
		{"not a number", []float64{1, 2, math.NaN()}, 1, 0},
		{"infinite", []float64{1, 2, math.Inf(1)}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if p, n := signedRank(c.d); !near(p, c.p) || n != c.n {
				t.Errorf("p %g n %d, want %g and %d", p, n, c.p, c.n)
			}
		})
	}
}

func TestSignedRankIsTheEnumeration(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		d := make([]float64, 1+r.IntN(11))
		for i := range d {
			d[i] = float64(r.IntN(9) - 4) // many ties and zeros
		}
		p, n := signedRank(d)
		if want := enumerated(d); n > 0 && !near(p, want) {
			t.Fatalf("%v: %g, want %g", d, p, want)
		}
	}
}

// psignrank(q, n) of R is the lower tail of the untied distribution: for n = 4
// the counts of 16 at V = 0, 1, … 10 are 1 1 1 2 2 2 2 2 1 1 1.
func TestSignDistribution(t *testing.T) {
	t.Parallel()
	for v, q := range signDistribution([]int{1, 2, 3, 4}) {
		if want := [...]float64{1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1}[v] / 16; q != want {
			t.Errorf("P(V = %d) = %g, want %g", v, q, want)
		}
	}
}

// 201 of +1 and 200 of −1: mean 1/401, standard deviation 1.00124, z .04987,
// and Φ(−.04987) = .4801 in a table of the normal distribution.
func TestLargeSamples(t *testing.T) {
	t.Parallel()
	d := make([]float64, exactMost+1)
	for i := range d {
		d[i] = 1 - 2*float64(i%2)
	}
	if p, n := signedRank(d); math.Abs(p-.4801) > 1e-4 || n != 401 {
		t.Errorf("p %g, n %d", p, n)
	}
	// The bounds at .05: 1/401 ± 1.6449 · 1.00124/√401 = .00249 ± .08224.
	if e, l, h := Interval(d, .05); !near(e, 1./401) || math.Abs(l+.07975) > 1e-5 || math.Abs(h-.08473) > 1e-5 {
		t.Errorf("%g [%g, %g]", e, l, h)
	}
	for i := range d {
		d[i] = 1
	}
	if p, _ := signedRank(d); p != 0 {
		t.Errorf("all equal: p %g", p)
	}
}

func TestInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		d            []float64
		alpha        float64
		est, lo, hi_ float64
	}{
		{"nothing", nil, .05, 0, 0, 0},
		{"one difference reaches no level: the extreme", []float64{2}, .05, 2, 2, 2},
		// P(V ≤ 0) = 1/64 ≤ .0182 < 2/64: the smallest and largest Walsh average.
		{"six at a look's level", []float64{1, 2, 3, 4, 5, 6}, .0182, 3.5, 1, 6},
		// P(V ≤ 2) = 3/64 ≤ .05 < 5/64: the third from each end of 1, 1.5, 2, 2, …
		{"six at .05", []float64{1, 2, 3, 4, 5, 6}, .05, 3.5, 2, 5},
		{"equal", []float64{.4, .4, .4, .4, .4, .4}, .0182, .4, .4, .4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if e, l, h := Interval(c.d, c.alpha); !near(e, c.est) || !near(l, c.lo) || !near(h, c.hi_) {
				t.Errorf("%g [%g, %g], want %g [%g, %g]", e, l, h, c.est, c.lo, c.hi_)
			}
		})
	}
}

// A bound is above zero exactly when the test rejects.
func TestIntervalInvertsTheTest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		d := make([]float64, 5+r.IntN(16))
		for i := range d {
			d[i] = r.NormFloat64() + .4
		}
		alpha := []float64{.05, .0182}[r.IntN(2)]
		if smallestP(len(d)) > alpha {
			continue
		}
		p, _ := signedRank(d)
		if _, low, _ := Interval(d, alpha); (low > 0) != (p <= alpha) {
			t.Fatalf("%v: p %g at %g, low %g", d, p, alpha, low)
		}
	}
}

func TestMcNemar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		won, lost int
		p         float64
	}{{0, 0, 1}, {0, 5, 1}, {5, 0, 1. / 32}, {4, 1, 6. / 32}, {9, 1, 11. / 1024}, {3, 3, 42. / 64}} {
		if p := mcNemar(c.won, c.lost); math.Abs(p-c.p) > 1e-12 {
			t.Errorf("%d won, %d lost: %g, want %g", c.won, c.lost, p, c.p)
		}
	}
}

// Clopper and Pearson: 5 of 5 has the lower bound α^(1/5), 0 of 5 the upper one
// 1−α^(1/5). The lower bound passes one half when McNemar's p passes the level.
func TestWonShare(t *testing.T) {
	t.Parallel()
	if low, high := wonShare(5, 0, .05); math.Abs(low-math.Pow(.05, .2)) > 1e-9 || high != 1 {
		t.Errorf("5 of 5: %g to %g", low, high)
	}
	if low, high := wonShare(0, 5, .05); low != 0 || math.Abs(high-1+math.Pow(.05, .2)) > 1e-9 {
		t.Errorf("0 of 5: %g to %g", low, high)
	}
	for won := range 40 {
		for lost := range 40 {
			if low, _ := wonShare(won, lost, .05); (low > .5) != (mcNemar(won, lost) <= .05) {
				t.Errorf("%d won, %d lost: low %g, p %g", won, lost, low, mcNemar(won, lost))
			}
		}
	}
}

func FuzzComparisonsAreFinite(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, false)
	f.Add(0.0, math.MaxFloat64, -math.MaxFloat64, 5e-324, true)
	f.Add(math.NaN(), math.Inf(1), 1.0, 1.0, false)
	f.Fuzz(func(t *testing.T, a, b, c, d float64, minimize bool) {
		m := clade.Measure{ID: "m", Goal: clade.Maximize}
		if minimize {
			m.Goal = clade.Minimize
		}
		evs := func(split string, id string) []clade.Evaluation {
			return []clade.Evaluation{
				{Subject: 0, Samples: []clade.Sample{{Check: "m", Case: id, Replicate: 1, Split: split, Value: a}, {Check: "m", Case: id + id, Replicate: 2, Split: split, Value: b}}},
				{Subject: 1, Samples: []clade.Sample{{Check: "m", Case: id, Replicate: 1, Split: split, Value: c}, {Check: "m", Case: id + id, Replicate: 2, Split: split, Value: d}}},
			}
		}
		for _, m.Noise = range []clade.Noise{clade.NoiseNone, clade.NoiseCases, clade.NoiseTiming} {
			id := ""
			if m.Noise == clade.NoiseCases {
				id = "x"
			}
			got, err := Compare(m, evs(clade.SplitTest, id), 0, 1, true, .05)
			if err == nil && !finite(got.Base, got.Value, got.Estimate, got.Low, got.High, got.P) {
				t.Errorf("%s: %+v", m.Noise, got)
			}
		}
	})
}
