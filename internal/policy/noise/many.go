package noise

import (
	"cmp"
	"math"
	"slices"

	"github.com/cladehq/clade"
)

// Holm reports which of the hypotheses with these one-sided p-values are
// rejected at a familywise level of alpha, in the order given. What is not a
// number rejects nothing.
func Holm(ps []float64, alpha float64) []bool {
	ps = slices.Clone(ps)
	for i, p := range ps {
		if math.IsNaN(p) {
			ps[i] = 1
		}
	}
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]bool, len(ps))
	for k, i := range order {
		if ps[i] > alpha/float64(len(ps)-k) {
			break
		}
		out[i] = true
	}
	return out
}

// Shrink moves each mean of counts[i] readings towards the mean of all, by as
// much as its noise explains: μ + τ²/(τ²+σ²/n)·(x−μ), with τ² the variance
// between the means less what noise explains, at least 0. sigma is the standard
// deviation of one reading. What is ranked by it is less often lucky.
func Shrink(xs []float64, counts []int, sigma float64) []float64 {
	mu, noise := clade.Mean(xs), make([]float64, len(xs))
	for i, n := range counts {
		noise[i] = sigma * sigma / float64(max(1, n))
	}
	sd := spread(xs)
	tau2 := max(0, sd*sd-clade.Mean(noise))
	out := slices.Clone(xs)
	for i, x := range xs {
		if v := tau2 + noise[i]; v > 0 && !math.IsInf(v, 0) {
			out[i] = mu + tau2/v*(x-mu)
		}
	}
	return out
}
