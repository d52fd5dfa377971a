package frontier

import (
	"math"
)

// upper ranks by UCB1 (Auer, Cesa-Bianchi and Fischer, 2002) with a node of the
// tree as an arm and an experiment that was begun from it as a pull:
//
//	(s - min s) / (max s - min s) + c · sqrt(ln(N + 1) / (n + 1))
//
// with n the tries of the node and N those of all. Scores are first brought to
// 0..1, since the bound is for rewards of that range; the node's own measurement
// is its first pull, so that a new node has a bound.
func upper(all []Candidate, better Direction, k int, c float64) []Candidate {
	low, high, tries := math.Inf(1), math.Inf(-1), 0
	for _, n := range all {
		tries += n.Tries
		if s := better.up(n.Score); !math.IsInf(s, 0) {
			low, high = min(low, s), max(high, s)
		}
	}
	return ranked(all, k, func(n Candidate) float64 {
		s := better.up(n.Score)
		if math.IsInf(s, 0) {
			return s
		}
		value := 0.0
		if high > low {
			value = (s - low) / (high - low)
		}
		return value + c*math.Sqrt(math.Log(float64(tries)+1)/(float64(n.Tries)+1))
	})
}

// lower ranks by the lower confidence bound of the mean,
//
//	s - z · σ / sqrt(n)
//
// with n the measurements of the node and σ the standard deviation of one
// measurement, pooled over all nodes that were measured more than once:
// σ² = Σ (n_i - 1) s_i² / Σ (n_i - 1) (the variance within groups of an analysis
// of variance, Fisher 1925). Where none was, σ is what the workspace says, and
// with 0 it is the order of the scores.
func lower(all []Candidate, better Direction, k int, z, sigma float64) []Candidate {
	if pooled, ok := within(all); ok {
		sigma = pooled
	}
	return ranked(all, k, func(n Candidate) float64 {
		return better.up(n.Score) - z*sigma/math.Sqrt(float64(max(1, len(n.Samples))))
	})
}

// within is the pooled standard deviation of one measurement. ok is false when
// nothing was measured twice.
func within(all []Candidate) (sigma float64, ok bool) {
	sum, freedom := 0.0, 0
	for _, n := range all {
		mean := 0.0
		for _, x := range n.Samples {
			mean += x / float64(len(n.Samples))
		}
		for _, x := range n.Samples {
			sum += (x - mean) * (x - mean)
		}
		freedom += max(0, len(n.Samples)-1)
	}
	if freedom == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, false
	}
	return math.Sqrt(sum / float64(freedom)), true
}
