package noise

import (
	"math"

	"github.com/cladehq/clade"
	"gonum.org/v1/gonum/stat/distuv"
)

// mcNemar is the one-sided p of the exact test that more cases were won than
// lost, of those that differ between the two.
func mcNemar(won, lost int) float64 {
	if won <= 0 {
		return 1
	}
	return distuv.Binomial{N: float64(won + lost), P: 0.5}.Survival(float64(won) - 1)
}

// wonShare bounds the share of the differing cases that are won, each bound
// one-sided at level 1−alpha (Clopper and Pearson). The lower one is above one
// half exactly when McNemar's p is below alpha.
func wonShare(won, lost int, alpha float64) (low, high float64) {
	w, l := float64(won), float64(lost)
	high = 1
	if won > 0 {
		low = distuv.Beta{Alpha: w, Beta: l + 1}.Quantile(alpha)
	}
	if lost > 0 {
		high = distuv.Beta{Alpha: w + 1, Beta: l}.Quantile(1 - alpha)
	}
	return low, high
}

// caseTest compares paired case scores: 0/1 scores by McNemar's test, others by
// the signed-rank test. Estimate and bounds are per case over all cases.
func caseTest(d []float64, binary bool, alpha float64) (p, estimate, low, high float64) {
	moved := nonZero(d)
	share := float64(len(moved)) / float64(max(1, len(d)))
	if len(moved) == 0 {
		return 1, 0, 0, 0
	}
	if !binary {
		p, _ = signedRank(moved)
		e, l, h := Interval(moved, alpha)
		return p, e * share, l * share, h * share
	}
	won := 0
	for _, x := range moved {
		if x > 0 {
			won++
		}
	}
	lost := len(moved) - won
	l, h := wonShare(won, lost, alpha)
	estimate = clade.Mean(d)
	return mcNemar(won, lost), estimate, min(estimate, (2*l-1)*share), max(estimate, (2*h-1)*share)
}

func isBinary(xs []float64) bool {
	for _, x := range xs {
		if x != 0 && x != 1 {
			return false
		}
	}
	return true
}

// smallestP is the smallest one-sided p that n paired differences can give.
func smallestP(n int) float64 { return math.Exp2(-float64(n)) }
