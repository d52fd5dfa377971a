// Package noise says whether a difference is real: exact tests, intervals,
// sequential looks, and what a measure's noise allows to be seen at all.
//
// It decides claims, not the search: which of two candidates to walk on is the
// strategy's business. Sources: Wilcoxon (1945) for the signed-rank test,
// McNemar (1947) in its exact form for 0/1 cases, Clopper and Pearson (1934),
// Hodges and Lehmann (1963) for the estimate and its interval, Pocock (1977)
// for looks at a constant level, Holm (1979), Efron and Morris (1975) for
// shrinkage. Every number returned is finite.
package noise

import (
	"math"

	"github.com/cladehq/clade"
	"gonum.org/v1/gonum/stat/distuv"
)

// The card that a timing claim is held to, where the spec says nothing else.
// Four looks after 6, 10, 15 and 20 pairs at .0182 each are wrong about a null
// difference with probability below .05 in all.
const (
	Alpha     = 0.05
	LookAlpha = 0.0182
	// minGain is the smallest relative gain that counts in a timing.
	minGain = 0.01
	// Margin is the relative loss that a measure beside the claimed one may show.
	Margin = 0.02
	// power is the chance of seeing a gain that planning figures ask for.
	power = 0.8
	// CalibrationPairs of the baseline against itself are measured first.
	CalibrationPairs = 10
	// MostLooks at one test split leave it fit for another; after that what wins
	// there may only have been fitted to it.
	MostLooks = 10
	// PromisingPairs are measured before a candidate is worth more.
	PromisingPairs = 3
)

var standardLooks = [...]int{6, 10, 15, 20}

// z is the standard normal quantile of 1−alpha.
func z(alpha float64) float64 { return distuv.UnitNormal.Quantile(1 - alpha) }

// spread is the standard deviation with n−1; 0 below two numbers.
func spread(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	m, ss := clade.Mean(xs), 0.0
	for _, x := range xs {
		ss += (x - m) * (x - m)
	}
	return math.Sqrt(ss / float64(len(xs)-1))
}

func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
