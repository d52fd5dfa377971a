package frontier

import (
	"cmp"
	"math"
	"slices"
)

// Pick returns the ids that the strategy chooses from the candidates, best
// first. The seed decides all draws; it does not matter to a strategy that is
// not Random. The candidates' order matters to draws: give them as Set does.
func Pick(s Strategy, better Direction, candidates []Candidate, seed uint64) []string {
	if len(candidates) == 0 {
		return nil
	}
	k := int(s.Params["k"])
	switch s.Kind {
	case TopK:
		return ids(best(candidates, better, k))
	case EpsilonGreedy:
		return epsilonGreedy(candidates, better, s.Params["epsilon"], seed)
	case Softmax:
		return draw(candidates, softWeights(candidates, better, s.Params["temperature"]), k, newMersenne(seed))
	case ParetoPerTask:
		return pareto(candidates, better, k, s.Params["task_floor"], newMersenne(seed))
	case UCB:
		return ids(upper(candidates, better, k, s.Params["c"]))
	case LCB:
		return ids(lower(candidates, better, k, s.Params["z"], s.Params["sigma"]))
	}
	return ids(best(candidates, better, 1))
}

// best are the k candidates with the best scores, ties by id.
func best(all []Candidate, better Direction, k int) []Candidate {
	return ranked(all, k, func(c Candidate) float64 { return better.up(c.Score) })
}

// ranked are the k candidates with the highest values, ties by id.
func ranked(all []Candidate, k int, value func(Candidate) float64) []Candidate {
	type valued struct {
		Candidate
		value float64
	}
	order := make([]valued, len(all))
	for i, c := range all {
		order[i] = valued{c, value(c)}
	}
	slices.SortFunc(order, func(a, b valued) int {
		return cmp.Or(cmp.Compare(b.value, a.value), CompareIDs(a.ID, b.ID))
	})
	out := make([]Candidate, min(k, len(order)))
	for i := range out {
		out[i] = order[i].Candidate
	}
	return out
}

func ids(cs []Candidate) []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.ID
	}
	return out
}

func epsilonGreedy(all []Candidate, better Direction, epsilon float64, seed uint64) []string {
	r := newMersenne(seed)
	if r.float() < epsilon {
		return []string{all[r.below(len(all))].ID}
	}
	return ids(best(all, better, 1))
}

// softWeights are exp((s - max s) / temperature): at most 1, and 0 for what has
// no score unless nothing has.
func softWeights(all []Candidate, better Direction, temperature float64) []float64 {
	top := math.Inf(-1)
	for _, c := range all {
		top = max(top, better.up(c.Score))
	}
	out := make([]float64, len(all))
	for i, c := range all {
		s := better.up(c.Score)
		if s == top { // also where both are infinite
			out[i] = 1
			continue
		}
		out[i] = math.Exp((s - top) / temperature)
	}
	return out
}

// draw samples k candidates without replacement, by weight: those with the
// largest keys ln(u)/w, in the order of their keys (Efraimidis and Spirakis,
// Weighted random sampling with a reservoir, 2006; the logarithm of u^(1/w)).
// What has no weight is never drawn and takes no random number.
func draw(all []Candidate, weights []float64, k int, r *mersenne) []string {
	type keyed struct {
		id  string
		key float64
	}
	var keys []keyed
	for i, c := range all {
		if weights[i] <= 0 {
			continue
		}
		u := r.float()
		if u == 0 {
			u = 1e-12
		}
		keys = append(keys, keyed{c.ID, math.Log(u) / weights[i]})
	}
	slices.SortStableFunc(keys, func(a, b keyed) int { return cmp.Compare(b.key, a.key) })
	out := make([]string, min(k, len(keys)))
	for i := range out {
		out[i] = keys[i].id
	}
	return out
}
