package frontier

import (
	"cmp"
	"math"
	"slices"
)

// pareto draws k of those that are best at some task and that no others make
// dispensable, each with the number of tasks that it is best at as its weight.
// Where no task decides, it is the best score. The algorithm is the candidate
// selection of GEPA (Agrawal et al., arXiv:2507.19457).
func pareto(all []Candidate, better Direction, k int, floor float64, r *mersenne) []string {
	fronts := winners(all, better, floor)
	if len(fronts) == 0 {
		return ids(best(all, better, 1))
	}
	kept := survivors(all, better, fronts)
	var (
		nodes   []Candidate
		weights []float64
	)
	won := make([]float64, len(all))
	for _, f := range fronts {
		for _, i := range f {
			won[i]++
		}
	}
	for i, c := range all {
		if kept[i] {
			nodes, weights = append(nodes, c), append(weights, won[i])
		}
	}
	return draw(nodes, weights, k, r)
}

// winners are, for each task that counts, the candidates that are best at it. A
// task counts when everyone who reported any task reported it with a number,
// and, if higher is better there, somebody is above the floor.
func winners(all []Candidate, better Direction, floor float64) [][]int {
	directions := shared(all, better)
	var out [][]int
	for task, d := range directions {
		top := math.Inf(-1)
		var front []int
		for i, c := range all {
			t, ok := c.Tasks[task]
			if !ok || !finite(t.Score) {
				continue
			}
			switch v := t.direction(better).up(t.Score); {
			case v > top:
				top, front = v, []int{i}
			case v == top:
				front = append(front, i)
			}
		}
		if d == Max && top <= floor {
			continue
		}
		out = append(out, front)
	}
	return out
}

// shared are the tasks that everyone with tasks has, with the direction that
// the first of them gives. Only numbers are scores.
func shared(all []Candidate, better Direction) map[string]Direction {
	count, reporting := map[string]int{}, 0
	out := map[string]Direction{}
	for _, c := range all {
		reports := false
		for task, t := range c.Tasks {
			if !finite(t.Score) {
				continue
			}
			reports = true
			if count[task]++; count[task] == 1 {
				out[task] = t.direction(better)
			}
		}
		if reports {
			reporting++
		}
	}
	for task := range out {
		if count[task] < reporting {
			delete(out, task)
		}
	}
	return out
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func (t Task) direction(otherwise Direction) Direction {
	if t.Direction == Max || t.Direction == Min {
		return t.Direction
	}
	return cmp.Or(otherwise, Max)
}

// survivors drops one after another, lowest score first and from the beginning
// after each, everyone in whose every front somebody else is left.
func survivors(all []Candidate, better Direction, fronts [][]int) []bool {
	left := make([]bool, len(all))
	crowd := make([]int, len(fronts)) // how many are left in each front
	in := make([][]int, len(all))     // the fronts that each is in
	for f, front := range fronts {
		crowd[f] = len(front)
		for _, i := range front {
			left[i] = true
			in[i] = append(in[i], f)
		}
	}
	var order []int
	for i := range all {
		if left[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(better.up(all[a].Score), better.up(all[b].Score)), CompareIDs(all[a].ID, all[b].ID))
	})
	// Dropping one never makes another dispensable that was not: crowds only
	// shrink. So one pass is what beginning again after each would come to.
	for _, i := range order {
		if !slices.ContainsFunc(in[i], func(f int) bool { return crowd[f] < 2 }) {
			left[i] = false
			for _, f := range in[i] {
				crowd[f]--
			}
		}
	}
	return left
}
