// Package frontier chooses where an experiment tree grows next: which nodes may
// be branched from, and which of them come first.
//
// The strategies, their parameters and their random draws are those of evo's
// experiment tree, so that a seed that was logged there gives the same choice
// here; ucb and lcb are ours. Everything is a pure function of its arguments.
package frontier

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A State is how far a node of the tree is, as far as the frontier cares.
type State int

const (
	Other     State = iota // waits, failed, was not kept, or was given up
	Active                 // is being measured
	Committed              // was kept
	Invalid                // turned out to be no result, and with it all below it
)

// A Point is a node of the tree. Points without a parent, or with one that is
// not among the points, hang from the root.
type Point struct {
	ID     string
	Parent string
	State  State
	Epoch  int // the evaluator's epoch that its score is of
}

// Set returns the ids of the nodes that may be branched from, in order: those
// that were kept, are not below an invalid one, and have no child that was kept
// or is being measured. With an epoch above 0 only nodes of that epoch count,
// as parents and as children: scores of different epochs do not compare.
func Set(points []Point, epoch int) []string {
	var (
		lost  = invalid(points)
		taken = map[string]bool{}
		out   []string
	)
	for i, p := range points {
		if !lost[i] && (p.State == Committed || p.State == Active) && (epoch < 1 || p.Epoch == epoch) {
			taken[p.Parent] = true
		}
	}
	for i, p := range points {
		if p.State == Committed && !lost[i] && !taken[p.ID] && (epoch < 1 || p.Epoch == epoch) {
			out = append(out, p.ID)
		}
	}
	slices.SortFunc(out, CompareIDs)
	return out
}

// invalid says of each point whether it or an ancestor is invalid. Each chain
// is walked once, without recursion: trees are thousands deep.
func invalid(points []Point) []bool {
	at := make(map[string]int, len(points))
	for i, p := range points {
		at[p.ID] = i
	}
	const unknown, walking, sound, bad = 0, 1, 2, 3
	state := make([]byte, len(points))
	var chain []int
	for i := range points {
		verdict := byte(sound)
		for chain = chain[:0]; ; {
			if state[i] == walking { // a ring, which no tree has: it hangs from the root
				break
			}
			if state[i] != unknown {
				verdict = state[i]
				break
			}
			state[i] = walking
			chain = append(chain, i)
			up, ok := at[points[i].Parent]
			if !ok {
				break
			}
			i = up
		}
		for _, j := range slices.Backward(chain) {
			if points[j].State == Invalid {
				verdict = bad
			}
			state[j] = verdict
		}
	}
	out := make([]bool, len(points))
	for i := range out {
		out[i] = state[i] == bad
	}
	return out
}

// CompareIDs orders ids as they were given out: exp_9999 before exp_10000.
func CompareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// A Candidate is a node of the frontier with what is known of it.
type Candidate struct {
	ID string
	// Score is the number that the node was kept for; NaN if it has none. What is
	// not finite ranks last.
	Score float64
	// Samples are all measurements that Score is the mean of; one or none where
	// it was measured once.
	Samples []float64
	// Tries is how many experiments were begun from the node, whatever came of
	// them.
	Tries int
	// Tasks are the scores of single tasks, by task.
	Tasks map[string]Task
}

// A Task is what a node scored at one task.
type Task struct {
	Score     float64
	Direction Direction // which numbers are better there; "": as for the score
}

// A Direction says which numbers are better.
type Direction string

const (
	Max Direction = "max"
	Min Direction = "min"
)

// up turns a score so that higher is better; what is not finite is below all.
func (d Direction) up(score float64) float64 {
	switch {
	case !finite(score):
		return math.Inf(-1)
	case d == Min:
		return -score
	}
	return score
}
