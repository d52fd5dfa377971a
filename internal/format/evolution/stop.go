package evolution

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A StopReason is why an evolution ends.
type StopReason string

const (
	StopVariants StopReason = "max_variants"
	StopMinutes  StopReason = "max_minutes"
	StopPlateau  StopReason = "plateau"
	StopAbort    StopReason = "abort" // nothing passes the gates; there is no winner
)

// A Stop says that an evolution ends, and why.
type Stop struct {
	Reason StopReason `json:"reason"`
	Why    string     `json:"why"`
	// Winner is the variant that leads, "" where nothing is eligible.
	Winner string `json:"winner,omitempty"`
}

// Stops reports whether the evolution ends now, active being the time that was
// spent on it. The first condition that holds decides: the variants are used up,
// the minutes are over, the best has not changed for so many generations, or,
// from the second generation on, nothing is eligible. While a variant waits for
// a result only the minutes stop, since everything else is about generations
// that are complete.
func Stops(e *Evolution, active time.Duration) (Stop, bool) {
	rows := Score(e)
	s := Stop{}
	if l, ok := Leader(rows); ok {
		s.Winner = l.Variant.ID
	}
	open := slices.ContainsFunc(e.Variants, func(v Variant) bool { return v.Open() })
	generations := generationsOf(e)
	b := e.Budget
	switch {
	case !open && len(e.Variants) >= b.MaxVariants:
		s.Reason, s.Why = StopVariants, fmt.Sprintf("%d of %d variants are used up", len(e.Variants), b.MaxVariants)
	case b.MaxMinutes > 0 && active >= b.wall():
		s.Reason, s.Why = StopMinutes, fmt.Sprintf("%d minutes are over", b.MaxMinutes)
	case !open && plateau(rows, generations, b.PlateauGenerations):
		s.Reason = StopPlateau
		s.Why = fmt.Sprintf("nothing better than %s in the last %d generations", s.Winner, b.PlateauGenerations)
	case !open && s.Winner == "" && len(generations) > 0 && generations[len(generations)-1] >= 2:
		s.Reason, s.Why = StopAbort, "after generation "+fmt.Sprint(generations[len(generations)-1])+" nothing passes every gate: "+Failing(e)
	default:
		return Stop{}, false
	}
	if s.Winner == "" && s.Reason != StopAbort {
		s.Why += ", and nothing passes every gate: " + Failing(e)
	}
	return s, true
}

// generationsOf lists the numbers of the generations, ascending.
func generationsOf(e *Evolution) (all []int) {
	for _, v := range e.Variants {
		all = append(all, v.Generation)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// plateau reports whether the leader of all generations, scored together, is
// older than the last n of them, or no better than one that is. The score itself says nothing: ranks are
// normalised, so that with one axis the leader's is always 1. What leads all
// under the data of all has the better raw values, or it would not lead, and a
// tie leaves the older one in front.
func plateau(rows []Row, generations []int, n int) bool {
	leader, ok := Leader(rows)
	if n == 0 || !ok || len(generations) < 2 || len(generations) <= n {
		return false
	}
	recent := generations[len(generations)-n:]
	return slices.ContainsFunc(rows, func(r Row) bool { // the leader itself, or its equal
		return r.Eligible && !slices.Contains(recent, r.Variant.Generation) && slices.Equal(r.Values, leader.Values)
	})
}

// Failing names the gates that keep variants from being ranked, worst first, in
// words.
func Failing(e *Evolution) string {
	type count struct {
		id string
		n  int
	}
	var all []count
	for _, g := range e.Gates {
		c := count{id: g.ID}
		for _, v := range e.Variants {
			for _, r := range v.Gates {
				if r.ID == g.ID && !r.Passes {
					c.n++
				}
			}
		}
		if c.n > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b count) int { return b.n - a.n })
	if len(all) == 0 {
		return "no variant was evaluated"
	}
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = fmt.Sprintf("%s fails %d of %d", c.id, c.n, len(e.Variants))
	}
	return strings.Join(words, ", ")
}
