package noise

import (
	"cmp"
	"math"
	"slices"

	"github.com/cladehq/clade"
	"gonum.org/v1/gonum/stat/distuv"
)

// exactMost is the largest number of differences that is enumerated; above it
// the normal approximation of the mean is used.
const exactMost = 400

// signedRank is the one-sided p of the exact signed-rank test that differences
// tend to be positive. Zeros are dropped; n is what remains. Ties get their mean
// rank and the null distribution is enumerated with them, so identical
// differences are evidence like any other. p is 1 when nothing remains or a
// difference is not finite.
func signedRank(d []float64) (p float64, n int) {
	if !finite(d...) {
		return 1, 0
	}
	d = nonZero(d)
	switch n = len(d); {
	case n == 0:
		return 1, 0
	case n > exactMost:
		return largeSample(d), n
	}
	ranks := doubledRanks(d)
	positive := 0
	for i, x := range d {
		if x > 0 {
			positive += ranks[i]
		}
	}
	return upperTail(ranks, positive), n
}

func nonZero(d []float64) (out []float64) {
	for _, x := range d {
		if x != 0 {
			out = append(out, x)
		}
	}
	return out
}

// doubledRanks are twice the mid-ranks of |d|, which makes them whole numbers.
func doubledRanks(d []float64) []int {
	order := make([]int, len(d))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(d[a]), math.Abs(d[b])) })
	ranks := make([]int, len(d))
	for i := 0; i < len(order); {
		j := i
		for j+1 < len(order) && math.Abs(d[order[j+1]]) == math.Abs(d[order[i]]) {
			j++
		}
		for k := i; k <= j; k++ {
			ranks[order[k]] = i + j + 2
		}
		i = j + 1
	}
	return ranks
}

// upperTail is P(sum of the ranks with a positive sign ≥ at) when every sign is
// a fair coin.
func upperTail(ranks []int, at int) float64 {
	p := 0.0
	for s, q := range signDistribution(ranks) {
		if s >= at {
			p += q
		}
	}
	return min(p, 1)
}

// signDistribution is the null distribution of the sum of the ranks with a
// positive sign, by dynamic programming over the ranks.
func signDistribution(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	prob := make([]float64, total+1)
	prob[0] = 1
	reach := 0
	for _, r := range ranks {
		reach += r
		for s := reach; s >= r; s-- {
			prob[s] = (prob[s] + prob[s-r]) / 2
		}
		for s := min(r-1, reach); s >= 0; s-- {
			prob[s] /= 2
		}
	}
	return prob
}

// largeSample is the p of the mean by the normal approximation.
func largeSample(d []float64) float64 {
	m, sd := clade.Mean(d), spread(d)
	if sd == 0 {
		if m > 0 {
			return 0
		}
		return 1
	}
	return distuv.UnitNormal.Survival(m / sd * math.Sqrt(float64(len(d))))
}

// Interval is the Hodges–Lehmann estimate of the typical difference with its
// bounds by inverting the signed-rank test. Each bound is one-sided at level
// 1−alpha; where so few differences reach no such level, it is the extreme
// difference. All are 0 when there is no difference.
func Interval(d []float64, alpha float64) (estimate, low, high float64) {
	if len(d) == 0 || !finite(d...) {
		return 0, 0, 0
	}
	if len(d) > exactMost {
		m, half := clade.Mean(d), z(alpha)*spread(d)/math.Sqrt(float64(len(d)))
		return m, m - half, m + half
	}
	walsh := averages(d, make([]float64, len(d)*(len(d)+1)/2))
	k := criticalRank(len(d), alpha)
	return middle(walsh), walsh[k], walsh[len(walsh)-1-k]
}

// averages puts the Walsh averages (d_i + d_j)/2, i ≤ j, into walsh, ascending.
func averages(d, walsh []float64) []float64 {
	n := 0
	for i := range d {
		for j := i; j < len(d); j++ {
			walsh[n] = d[i]/2 + d[j]/2
			n++
		}
	}
	slices.Sort(walsh)
	return walsh
}

// middle is the median of sorted numbers.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

// criticalRank is the largest k with P(V < k+1) ≤ alpha for untied differences,
// 0 if there is none: the index of the Walsh average that bounds from below.
func criticalRank(n int, alpha float64) int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	below := 0.0
	for k, q := range signDistribution(ranks) {
		if below += q; below > alpha {
			return max(0, k-1)
		}
	}
	return 0
}
