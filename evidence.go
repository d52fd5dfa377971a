package clade

import (
	"math"
	"slices"
)

// decides reports whether samples of this split count during the search.
func decides(split string) bool { return split == "" || split == SplitSelect }

// Values reduces what evs say of a subject during the search to one number per
// measure, and says whether every gate of the spec passed. A measure without a
// valid number is absent: absence is never zero.
//
//   - noise none: the mean of the replicates, which are equal, or over cases
//     where the measure has some;
//   - noise cases: the mean over cases of each case's mean; a case that the
//     candidate itself failed (crash, timeout) counts 0, the worst a scorer gives;
//   - noise timing: the median of the replicates, or, where pairs with the base
//     were measured, the base's median moved by the paired estimate. The fold
//     takes the base's median from the baseline, so that candidates compare.
//
// When the subject was measured twice (baseline against itself) its first
// evaluation counts.
func Values(spec *Spec, evs []Evaluation, subject ID) (values map[string]float64, passed bool) {
	mine := decidedSamples(evs, subject)
	passed = gatesPass(spec, mine)
	values = map[string]float64{}
	for _, m := range spec.Measures {
		if v, ok := value(m, mine); ok {
			if m.Noise == NoiseTiming && subject != Base {
				if ratio, base, ok := paired(m, evs, subject); ok {
					v = base * ratio
				}
			}
			if finite(v) { // finite samples can have a mean that is not
				values[m.ID] = v
			}
		}
	}
	return values, passed
}

func decidedSamples(evs []Evaluation, subject ID) (out []Sample) {
	seen := map[int]bool{} // one evaluation per stage
	for _, e := range evs {
		if e.Subject != subject || e.Claim || seen[e.Stage] {
			continue
		}
		seen[e.Stage] = true
		for _, s := range e.Samples {
			if decides(s.Split) {
				out = append(out, s)
			}
		}
	}
	return out
}

func gatesPass(spec *Spec, samples []Sample) bool {
	for _, g := range spec.Gates {
		ran := false
		for _, s := range samples {
			if s.Gate && s.Check == g.ID {
				if s.Class != OK || s.Value != 1 {
					return false
				}
				ran = true
			}
		}
		if !ran {
			return false
		}
	}
	return true
}

func value(m Measure, samples []Sample) (float64, bool) {
	overCases := func(s Sample) bool { return !s.Gate && s.Check == m.ID && s.Case != "" }
	if m.Noise == NoiseCases || slices.ContainsFunc(samples, overCases) {
		return CaseMean(m.ID, samples)
	}
	var xs []float64
	for _, s := range samples {
		if s.Gate || s.Check != m.ID {
			continue
		}
		if s.Class != OK {
			return 0, false
		}
		xs = append(xs, s.Value)
	}
	if len(xs) == 0 {
		return 0, false
	}
	if m.Noise == NoiseTiming {
		return Median(xs), true
	}
	return Mean(xs), true
}

// CaseMean is the mean over cases of each case's mean over repeats. It is not
// ok when there is no case, or when one could not be scored for a reason that
// is not the candidate's own.
func CaseMean(measure string, samples []Sample) (float64, bool) {
	scores, ok := CaseScores(measure, samples)
	if !ok || len(scores) == 0 {
		return 0, false
	}
	values := make([]float64, len(scores))
	for i, c := range scores {
		values[i] = c.Value
	}
	slices.Sort(values) // the order of the cases must not move the last digit
	return Mean(values), true
}

// A CaseScore is one case's mean over its repeats.
type CaseScore struct {
	Case  string
	Value float64
}

// CaseScores returns the score of each case in order of first appearance. See
// CaseMean for ok.
func CaseScores(measure string, samples []Sample) (out []CaseScore, ok bool) {
	at, n := map[string]int{}, map[string]int{}
	for _, s := range samples {
		if s.Gate || s.Check != measure || s.Case == "" {
			continue
		}
		v := s.Value
		switch s.Class {
		case OK:
		case ClassCandidate:
			v = 0
		default:
			return nil, false
		}
		i, seen := at[s.Case]
		if !seen {
			i = len(out)
			at[s.Case] = i
			out = append(out, CaseScore{Case: s.Case})
		}
		n[s.Case]++
		out[i].Value += (v - out[i].Value) / float64(n[s.Case])
	}
	return out, true
}

// Pairs returns, per replicate measured for both, the base's and the subject's
// value of a measure, from the stages that measured both during the search
// (final false) or in the final.
func Pairs(measure string, evs []Evaluation, a, b ID, final bool) (as, bs []float64) {
	type key struct{ stage, rep int }
	left := map[key]float64{}
	for i, e := range evs {
		if e.Subject != a || e.Claim {
			continue
		}
		if a == b && i > 0 && evs[i-1].Subject == a && evs[i-1].Stage == e.Stage {
			continue // the second evaluation of a baseline against itself is b's
		}
		for _, s := range e.Samples {
			if s.Check == measure && !s.Gate && s.Class == OK && decides(s.Split) != final {
				left[key{e.Stage, s.Replicate}] = s.Value
			}
		}
	}
	for i, e := range evs {
		if e.Subject != b || e.Claim {
			continue
		}
		if a == b && (i == 0 || evs[i-1].Subject != a || evs[i-1].Stage != e.Stage) {
			continue
		}
		for _, s := range e.Samples {
			if s.Check != measure || s.Gate || s.Class != OK || decides(s.Split) == final {
				continue
			}
			if l, ok := left[key{e.Stage, s.Replicate}]; ok {
				as, bs = append(as, l), append(bs, s.Value)
			}
		}
	}
	return as, bs
}

// paired is the ratio subject ÷ base by the median of Walsh averages of the
// log-ratios, and the base's median in the same pairs.
func paired(m Measure, evs []Evaluation, subject ID) (ratio, base float64, ok bool) {
	as, bs := Pairs(m.ID, evs, Base, subject, false)
	if len(as) < 2 {
		return 0, 0, false
	}
	logs := make([]float64, 0, len(as))
	for i := range as {
		if as[i] <= 0 || bs[i] <= 0 {
			return 0, 0, false
		}
		logs = append(logs, math.Log(bs[i]/as[i]))
	}
	return math.Exp(HodgesLehmann(logs)), Median(as), true
}

// anchor moves timings from the base's median in their own pairs to the one of
// the baseline: the machine may have become slower since, the ratio has not.
func anchor(spec *Spec, evs []Evaluation, subject ID, values, baseline map[string]float64) {
	for _, m := range spec.Measures {
		if m.Noise != NoiseTiming {
			continue
		}
		b, known := baseline[m.ID]
		if ratio, _, ok := paired(m, evs, subject); ok && known {
			values[m.ID] = b * ratio
		}
	}
}

// HodgesLehmann is the median of the Walsh averages (x_i + x_j)/2, i ≤ j:
// Hodges and Lehmann (1963). xs must not be empty.
func HodgesLehmann(xs []float64) float64 {
	walsh := make([]float64, 0, len(xs)*(len(xs)+1)/2)
	for i := range xs {
		for j := i; j < len(xs); j++ {
			walsh = append(walsh, (xs[i]+xs[j])/2)
		}
	}
	return Median(walsh)
}

// Median is the middle value, or the mean of the two middle ones. xs must not be
// empty and is not changed.
func Median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	if n := len(s); n%2 == 0 {
		return s[n/2-1]/2 + s[n/2]/2
	}
	return s[len(s)/2]
}

// Mean is a running mean, so that the mean of equal numbers is that
// number; 0 of none.
func Mean(xs []float64) float64 {
	m := 0.0
	for i, x := range xs {
		m += (x - m) / float64(i+1)
	}
	return m
}

// Merit is the scalar that orders candidates, higher is better. With one
// measure it is the value, negated when minimised. With several it is the
// weighted mean of each measure's gain over the base relative to the base's
// size. It is not ok unless it and every measure's value are finite.
func Merit(spec *Spec, values, base map[string]float64) (float64, bool) {
	if len(spec.Measures) == 0 {
		return 0, false
	}
	sum, weights := 0.0, 0.0
	for _, m := range spec.Measures {
		v, ok := values[m.ID]
		if !ok || !finite(v) {
			return 0, false
		}
		if len(spec.Measures) == 1 {
			return m.Goal.Sign() * v, true
		}
		b, ok := base[m.ID]
		if !ok {
			return 0, false
		}
		w := m.Weight
		if w <= 0 {
			w = 1
		}
		sum += w * m.Goal.Sign() * (v - b) / max(math.Abs(b), 1e-9)
		weights += w
	}
	return sum / weights, finite(sum / weights)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
