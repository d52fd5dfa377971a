package noise

import (
	"errors"
	"fmt"
	"math"

	"github.com/cladehq/clade"
)

// ErrUnsteady reports a measure that was declared exact and gave different
// numbers for the same tree.
var ErrUnsteady = errors.New("declared exact, but it is not")

// ErrNothing reports that there is nothing to compare.
var ErrNothing = errors.New("nothing to compare")

// A Comparison of a subject with a reference. Gains are positive when the
// subject is better: a ratio − 1 for a timing, a difference otherwise.
type Comparison struct {
	Measure             string
	Noise               clade.Noise
	Base, Value         float64 // what each measured
	Estimate, Low, High float64 // bounds each one-sided at level 1−alpha
	P                   float64 // one-sided; 0 or 1 when compared exactly
	N                   int     // pairs, cases or repetitions
}

// Compare compares what the evaluations of one attempt say of two subjects. The
// readings of a final are told apart by their split. It fails with ErrUnsteady,
// ErrNothing, or what makes the numbers unusable.
func Compare(m clade.Measure, evs []clade.Evaluation, ref, sub clade.ID, final bool, alpha float64) (Comparison, error) {
	c := Comparison{Measure: m.ID, Noise: m.Noise, P: 1}
	var err error
	switch m.Noise {
	case clade.NoiseTiming:
		err = c.pairs(m, evs, ref, sub, final, alpha)
	case clade.NoiseCases:
		err = c.cases(m, evs, ref, sub, final, alpha)
	default:
		err = c.exact(m, evs, ref, sub, final)
	}
	if err == nil && !finite(c.Base, c.Value, c.Estimate, c.Low, c.High, c.P) {
		err = fmt.Errorf("measure %s: the numbers are too large to compare", m.ID)
	}
	return c, err
}

func (c *Comparison) pairs(m clade.Measure, evs []clade.Evaluation, ref, sub clade.ID, final bool, alpha float64) error {
	as, bs := clade.Pairs(m.ID, evs, ref, sub, final)
	if len(as) == 0 {
		return fmt.Errorf("measure %s: %w", m.ID, ErrNothing)
	}
	logs, err := logRatios(as, bs, m.Goal.Sign())
	if err != nil {
		return fmt.Errorf("measure %s: %w", m.ID, err)
	}
	e, l, h := Interval(logs, alpha)
	c.P, _ = signedRank(logs)
	c.Base, c.Value, c.N = clade.Median(as), clade.Median(bs), len(as)
	c.Estimate, c.Low, c.High = math.Expm1(e), math.Expm1(l), math.Expm1(h)
	return nil
}

func (c *Comparison) cases(m clade.Measure, evs []clade.Evaluation, ref, sub clade.ID, final bool, alpha float64) error {
	as, okA := clade.CaseScores(m.ID, samplesOf(evs, ref, final))
	bs, okB := clade.CaseScores(m.ID, samplesOf(evs, sub, final))
	if !okA || !okB || len(as) == 0 {
		return fmt.Errorf("measure %s: %w", m.ID, ErrNothing)
	}
	of := make(map[string]float64, len(bs))
	for _, s := range bs {
		of[s.Case] = s.Value
	}
	var base, value, d []float64
	for _, s := range as {
		v, ok := of[s.Case]
		if !ok || len(of) != len(as) {
			return fmt.Errorf("measure %s: the two were not scored on the same cases", m.ID)
		}
		base, value, d = append(base, s.Value), append(value, v), append(d, m.Goal.Sign()*(v-s.Value))
	}
	c.Base, c.Value, c.N = clade.Mean(base), clade.Mean(value), len(d)
	c.P, c.Estimate, c.Low, c.High = caseTest(d, isBinary(base) && isBinary(value), alpha)
	return nil
}

func (c *Comparison) exact(m clade.Measure, evs []clade.Evaluation, ref, sub clade.ID, final bool) error {
	a, n, err := Exact(m.ID, evs, ref, final)
	if err != nil {
		return err
	}
	b, _, err := Exact(m.ID, evs, sub, final)
	if err != nil {
		return err
	}
	gain := m.Goal.Sign() * (b - a)
	c.Base, c.Value, c.N = a, b, n
	c.Estimate, c.Low, c.High = gain, gain, gain
	if gain > 0 {
		c.P = 0
	}
	return nil
}

// Exact is the number that a measure without noise gave for a subject, and how
// often; over cases, their mean and how many there are. It fails with
// ErrUnsteady when the same tree gave different numbers.
func Exact(measure string, evs []clade.Evaluation, subject clade.ID, final bool) (value float64, n int, err error) {
	samples := samplesOf(evs, subject, final)
	first, times := map[string]float64{}, 0
	for _, s := range samples {
		if s.Gate || s.Check != measure || s.Class != clade.OK {
			continue
		}
		was, seen := first[s.Case]
		if seen && was != s.Value {
			return 0, 0, fmt.Errorf("measure %s gave %g and %g for the same tree: %w", measure, was, s.Value, ErrUnsteady)
		}
		first[s.Case] = s.Value
		times++
	}
	if v, plain := first[""]; plain && len(first) == 1 {
		return v, times, nil
	}
	scores, ok := clade.CaseScores(measure, samples)
	if mean, scored := clade.CaseMean(measure, samples); ok && scored {
		return mean, len(scores), nil
	}
	return 0, 0, fmt.Errorf("measure %s: %w", measure, ErrNothing)
}

func samplesOf(evs []clade.Evaluation, subject clade.ID, final bool) (out []clade.Sample) {
	for _, e := range evs {
		if e.Subject != subject || e.Claim {
			continue
		}
		for _, s := range e.Samples {
			if (s.Split == clade.SplitTest) == final && s.Split != clade.SplitTrain {
				out = append(out, s)
			}
		}
	}
	return out
}
