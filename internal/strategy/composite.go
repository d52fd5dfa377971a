package strategy

import (
	"cmp"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// Composite ranks candidates against each other, from 0 (worst in everything)
// to 1 (best in everything). Only those that pass every gate and have every
// number are eligible; others are absent. Per measure the best has rank 1, ties
// share their mean rank, and a rank counts (n−rank)/(n−1), or 1 when there is
// only one; the composite is the mean of these by the measures' weights. It
// depends on who is compared, so it is worked out on read and never stored.
// Timings are shrunk towards their mean by their noise first.
func Composite(v clade.View, ids []clade.ID) map[clade.ID]float64 {
	return composite(v, ids, standings)
}

// front is what leads: the best by merit, or where the spec says so the first of
// all candidates by the composite of the values as they were measured, the lower
// ID first among equals; the base when there is none. Values that did not come
// again when they were measured again lead nothing.
func front(v clade.View) clade.ID {
	h := v.Head()
	if h.Spec.Final.Leader != clade.LeaderComposite {
		return h.Best
	}
	var ids []clade.ID
	for id := clade.Base + 1; id <= h.Count; id++ {
		if l := v.Life(id); l.Proposes() && l.Verdict.Category != unconfirmed {
			ids = append(ids, id)
		}
	}
	score, best := composite(v, ids, measured), clade.Base
	for _, id := range ids {
		if x, ok := score[id]; ok && (best == clade.Base || x > score[best]) {
			best = id
		}
	}
	return best
}

// measured are the candidates' values of a measure as they are, higher is better.
func measured(_ clade.View, m clade.Measure, lives []*clade.Life) []float64 {
	xs := make([]float64, len(lives))
	for i, l := range lives {
		xs[i] = m.Goal.Sign() * l.Values[m.ID]
	}
	return xs
}

func composite(v clade.View, ids []clade.ID, standings func(clade.View, clade.Measure, []*clade.Life) []float64) map[clade.ID]float64 {
	h, lives := v.Head(), []*clade.Life{}
	for _, id := range ids {
		if l := v.Life(id); l != nil && l.Scored && l.Passed && l.Epoch == h.Epoch {
			lives = append(lives, l)
		}
	}
	out, weights := make(map[clade.ID]float64, len(lives)), 0.0
	for _, m := range h.Spec.Measures {
		w := m.Weight
		if w <= 0 {
			w = 1
		}
		weights += w
		for i, r := range normalised(standings(v, m, lives)) {
			out[lives[i].ID] += w * r
		}
	}
	for id := range out {
		out[id] /= max(weights, 1e-300)
	}
	return out
}

// standings are the candidates' values of a measure, higher is better.
func standings(v clade.View, m clade.Measure, lives []*clade.Life) []float64 {
	xs, counts := make([]float64, len(lives)), make([]int, len(lives))
	for i, l := range lives {
		xs[i] = m.Goal.Sign() * l.Values[m.ID]
	}
	if m.Noise != clade.NoiseTiming {
		return xs
	}
	for i, l := range lives {
		counts[i] = noise.CalibrationPairs
		if l.ID != clade.Base {
			as, _ := clade.Pairs(m.ID, l.Evaluations, clade.Base, l.ID, false)
			counts[i] = max(1, len(as))
		}
	}
	base := v.Life(clade.Base).Values[m.ID]
	return noise.Shrink(xs, counts, sigma(v, m)*max(base, -base))
}

// sigma is the spread of the baseline's log-ratios, 0 when it is not known.
func sigma(v clade.View, m clade.Measure) float64 {
	l := baselineOf(v)
	if l == nil {
		return 0
	}
	logs, err := noise.BaselineLogs(m.ID, l.Evaluations)
	if err != nil {
		return 0
	}
	return noise.Sigma(logs)
}

// normalised are the (n−rank)/(n−1) of values of which higher is better.
func normalised(xs []float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(xs[b], xs[a]) })
	out := make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i
		for j+1 < len(order) && xs[order[j+1]] == xs[order[i]] {
			j++
		}
		rank := float64(i+j)/2 + 1
		for k := i; k <= j; k++ {
			out[order[k]] = 1
			if len(xs) > 1 {
				out[order[k]] = (float64(len(xs)) - rank) / float64(len(xs)-1)
			}
		}
		i = j + 1
	}
	return out
}

// Ranked sorts the eligible of ids by their composite, best first, the lower ID
// first among equals.
func Ranked(v clade.View, ids []clade.ID) []clade.ID {
	score := Composite(v, ids)
	var out []clade.ID
	for _, id := range ids {
		if _, ok := score[id]; ok {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, func(a, b clade.ID) int {
		if c := cmp.Compare(score[b], score[a]); c != 0 {
			return c
		}
		return int(a - b)
	})
	return out
}
