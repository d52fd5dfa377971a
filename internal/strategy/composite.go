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
	var lives []*clade.Life
	for _, id := range ids {
		if l := v.Life(id); l != nil && eligible(v, l) {
			lives = append(lives, l)
		}
	}
	out := make(map[clade.ID]float64, len(lives))
	for i, score := range composites(v, lives, standings) {
		out[lives[i].ID] = score
	}
	return out
}

func eligible(v clade.View, l *clade.Life) bool {
	return l.Scored && l.Passed && l.Epoch == v.Head().Epoch
}

// front is what leads: the best by merit, or where the spec says so the first of
// all candidates by the composite of the values as they were measured; the base
// when there is none. Among equals it is the one with the lower number in its
// name. A candidate with the tree of another counts with that one's values, as it
// does in the tables that people see, and values that did not come again when they
// were measured again lead nothing.
func front(v clade.View) clade.ID {
	h := v.Head()
	if h.Spec.Final.Leader != clade.LeaderComposite {
		return h.Best
	}
	var all, as []*clade.Life // candidates, and those whose values they have
	for id := clade.Base + 1; id <= h.Count; id++ {
		l := v.Life(id)
		m := l
		if l.Same > 0 && v.Life(l.Same) != nil {
			m = v.Life(l.Same)
		}
		if l.Proposes() && !Unconfirmed(m) && eligible(v, m) {
			all, as = append(all, l), append(as, m)
		}
	}
	best, scores := -1, composites(v, as, measured)
	for i, score := range scores {
		if best < 0 || score > scores[best]+rounding || score >= scores[best]-rounding && named(all[i], all[best]) {
			best = i
		}
	}
	if best < 0 {
		return clade.Base
	}
	return as[best].ID
}

// rounding is by how much composites may differ that are the same.
const rounding = 1e-12

// named reports whether the number in the name of one candidate is below that of
// another, which was planned before it.
func named(l, before *clade.Life) bool {
	return l.Name != "" && before.Name != "" && clade.NumberOf(l.Name) < clade.NumberOf(before.Name)
}

// measured are the candidates' values of a measure as they are, higher is better.
func measured(_ clade.View, m clade.Measure, lives []*clade.Life) []float64 {
	xs := make([]float64, len(lives))
	for i, l := range lives {
		xs[i] = m.Goal.Sign() * l.Values[m.ID]
	}
	return xs
}

// composites are the composites of lives, by what they are worth in each measure.
func composites(v clade.View, lives []*clade.Life, worth func(clade.View, clade.Measure, []*clade.Life) []float64) []float64 {
	out, weights := make([]float64, len(lives)), 0.0
	for _, m := range v.Head().Spec.Measures {
		w := m.Weight
		if w <= 0 {
			w = 1
		}
		weights += w
		for i, r := range normalised(worth(v, m, lives)) {
			out[i] += w * r
		}
	}
	for i := range out {
		out[i] /= max(weights, 1e-300)
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
