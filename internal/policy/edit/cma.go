package edit

import (
	"math"
	"math/rand/v2"
)

// cma is the covariance matrix adaptation evolution strategy as an ask/tell
// object, with the constants of Hansen, "The CMA evolution strategy: a tutorial"
// (arXiv 1604.00772), table 1, without negative weights. The factor of the
// covariance is Cholesky's instead of the symmetric root, and the path of the
// step size is taken in its coordinates (Suttorp, Hansen and Igel, 2009). A told
// point need not have been asked of the current state: it is rewritten in its
// coordinates and, as Hansen's "Injecting external solutions into CMA-ES" (2011)
// has it, drawn in when it is improbably far.
type cma struct {
	n       int
	weights []float64
	muEff   float64
	cc, cs  float64
	c1, cmu float64
	ds, chi float64

	mean     []float64
	sigma    float64
	cov      [][]float64
	root     [][]float64 // lower triangular
	pc, ps   []float64
	told     int
	smallest []float64 // per coordinate, of the deviation; 0: none
}

// newCMA starts at mean with the same deviation sigma in every coordinate.
// smallest, where not 0, is the least deviation a coordinate is sampled with:
// half the distance of two integers, say, so that sampling never freezes there.
func newCMA(mean []float64, sigma float64, smallest []float64) *cma {
	n := len(mean)
	fn := float64(n)
	c := &cma{n: n, mean: append([]float64(nil), mean...), sigma: sigma, smallest: smallest,
		pc: make([]float64, n), ps: make([]float64, n), cov: identity(n), root: identity(n)}
	lambda := c.Lambda()
	var sum, squares float64
	for i := range lambda / 2 {
		w := math.Log(float64(lambda+1)/2) - math.Log(float64(i+1))
		c.weights = append(c.weights, w)
		sum += w
	}
	for i := range c.weights {
		c.weights[i] /= sum
		squares += c.weights[i] * c.weights[i]
	}
	c.muEff = 1 / squares
	c.cc = (4 + c.muEff/fn) / (fn + 4 + 2*c.muEff/fn)
	c.cs = (c.muEff + 2) / (fn + c.muEff + 5)
	c.c1 = 2 / ((fn+1.3)*(fn+1.3) + c.muEff)
	c.cmu = min(1-c.c1, 2*(c.muEff-2+1/c.muEff)/((fn+2)*(fn+2)+c.muEff))
	c.ds = 1 + 2*max(0, math.Sqrt((c.muEff-1)/(fn+1))-1) + c.cs
	c.chi = math.Sqrt(fn) * (1 - 1/(4*fn) + 1/(21*fn*fn))
	return c
}

func identity(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		m[i][i] = 1
	}
	return m
}

// Lambda is how many points make one update.
func (c *cma) Lambda() int { return 4 + int(3*math.Log(float64(c.n))) }

// Ask samples a point.
func (c *cma) Ask(g *rand.Rand) []float64 {
	z := make([]float64, c.n)
	for i := range z {
		z[i] = g.NormFloat64()
	}
	x := make([]float64, c.n)
	for i := range x {
		var d float64
		for j := 0; j <= i; j++ {
			d += c.root[i][j] * z[j]
		}
		if dev := c.sigma * math.Sqrt(c.cov[i][i]); c.smallest != nil && dev < c.smallest[i] {
			d *= c.smallest[i] / dev
		}
		x[i] = c.mean[i] + c.sigma*d
	}
	return x
}

// Tell updates the state with points, the best first. Fewer points than have
// weights change nothing.
func (c *cma) Tell(points [][]float64) {
	if len(points) < len(c.weights) {
		return
	}
	c.told++
	y, ymean, zmean := c.steps(points)
	norm := 0.0
	for i := range c.n {
		c.mean[i] += c.sigma * ymean[i]
		c.ps[i] = (1-c.cs)*c.ps[i] + math.Sqrt(c.cs*(2-c.cs)*c.muEff)*zmean[i]
		norm += c.ps[i] * c.ps[i]
	}
	norm = math.Sqrt(norm)
	stalled := 0.0 // the complement of the tutorial's h_sigma
	if norm/math.Sqrt(1-math.Pow(1-c.cs, 2*float64(c.told))) >= (1.4+2/float64(c.n+1))*c.chi {
		stalled = 1
	}
	for i := range c.n {
		c.pc[i] = (1-c.cc)*c.pc[i] + (1-stalled)*math.Sqrt(c.cc*(2-c.cc)*c.muEff)*ymean[i]
	}
	c.adapt(y, stalled)
	c.sigma *= math.Exp(min(1, c.cs/c.ds*(norm/c.chi-1)))
	c.sigma = max(1e-8, min(1, c.sigma)) // the coordinates are normalised
}

// steps are the best points relative to the mean in units of sigma, with their
// weighted mean and that mean in the coordinates of the root.
func (c *cma) steps(points [][]float64) (y [][]float64, ymean, zmean []float64) {
	ymean, zmean = make([]float64, c.n), make([]float64, c.n)
	most := math.Sqrt(float64(c.n)) + 2*float64(c.n)/float64(c.n+2)
	for k, w := range c.weights {
		d := make([]float64, c.n)
		for i := range d {
			d[i] = (points[k][i] - c.mean[i]) / c.sigma
		}
		z := c.solve(d)
		length := 0.0
		for _, v := range z {
			length += v * v
		}
		shrink := min(1, most/math.Sqrt(max(length, 1e-300)))
		for i := range d {
			d[i] *= shrink
			ymean[i] += w * d[i]
			zmean[i] += w * shrink * z[i]
		}
		y = append(y, d)
	}
	return y, ymean, zmean
}

// solve returns z with root·z = d.
func (c *cma) solve(d []float64) []float64 {
	z := make([]float64, c.n)
	for i := range z {
		v := d[i]
		for j := range i {
			v -= c.root[i][j] * z[j]
		}
		z[i] = v / c.root[i][i]
	}
	return z
}

func (c *cma) adapt(y [][]float64, stalled float64) {
	keep := 1 - c.c1 - c.cmu + stalled*c.c1*c.cc*(2-c.cc)
	for i := range c.n {
		for j := 0; j <= i; j++ {
			v := keep*c.cov[i][j] + c.c1*c.pc[i]*c.pc[j]
			for k, w := range c.weights {
				v += c.cmu * w * y[k][i] * y[k][j]
			}
			c.cov[i][j], c.cov[j][i] = v, v
		}
	}
	if root := cholesky(c.cov); root != nil {
		c.root = root
		return
	}
	c.cov, c.root = identity(c.n), identity(c.n) // numerically spent: start over at this step size
}

// cholesky returns the lower factor, nil when m is not positive definite.
func cholesky(m [][]float64) [][]float64 {
	l := make([][]float64, len(m))
	for i := range m {
		l[i] = make([]float64, len(m))
		for j := 0; j <= i; j++ {
			v := m[i][j]
			for k := range j {
				v -= l[i][k] * l[j][k]
			}
			if i != j {
				l[i][j] = v / l[j][j]
				continue
			}
			if !(v > 1e-20) {
				return nil
			}
			l[i][i] = math.Sqrt(v)
		}
	}
	return l
}
