package evo

import (
	"fmt"
	"math"
	"slices"
)

// A Standing is how a score compares with its parent's.
type Standing int

// Only what is better is kept.
const (
	Worse Standing = iota
	Tied
	Ahead
)

// Compare compares a score with its parent's, nil for a child of the root, which
// is ahead of nothing. What differs by no more than floor is a tie: floor is how
// far apart two measurements of the same tree may lie, 0 where they never do.
func Compare(metric string, score float64, parent *float64, floor float64) Standing {
	switch {
	case parent == nil:
		return Ahead
	case math.Abs(score-*parent) <= floor:
		return Tied
	case Better(metric, score, *parent):
		return Ahead
	}
	return Worse
}

// Aggregates that repeated measurements may be decided by.
const (
	Mean   = "mean"
	Median = "median"
	Worst  = "worst" // by the metric
)

// Aggregate is the one score that repeated measurements come to. They are finite.
func Aggregate(kind, metric string, samples []float64) (float64, error) {
	if len(samples) == 0 {
		return 0, ErrMissingScore
	}
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	switch kind {
	case Mean:
		sum := 0.0
		for _, s := range sorted {
			sum += s / float64(n)
		}
		return sum, nil
	case Median:
		return sorted[(n-1)/2]/2 + sorted[n/2]/2, nil
	case Worst:
		if Better(metric, sorted[0], sorted[n-1]) {
			return sorted[n-1], nil
		}
		return sorted[0], nil
	}
	return 0, fmt.Errorf("an aggregate is %s, %s or %s, not %s", Mean, Median, Worst, quoteName(kind))
}

// BreakerAt is how many attempts in a row may fail in the same way.
const BreakerAt = 3

// Breaker reports whether the attempts of an experiment, oldest first, ended
// with BreakerAt equal failures, and says which. Failures do not use up the
// attempts that an experiment has, so this is what ends a loop of them.
func Breaker(outcomes []*Outcome) (failure string, tripped bool) {
	if len(outcomes) < BreakerAt {
		return "", false
	}
	for i, o := range outcomes[len(outcomes)-BreakerAt:] {
		switch {
		case o.Outcome != OutcomeFailed || o.Error == nil:
			return "", false
		case i == 0:
			failure = *o.Error
		case *o.Error != failure:
			return "", false
		}
	}
	return failure, true
}
