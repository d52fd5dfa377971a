// Package strategy declares Strategy: a pure function from what is known to
// what to do next. Children are the searches; Campaign puts the measured
// baseline before and the final after any of them.
package strategy

import "github.com/cladehq/clade"

// A Strategy chooses what to try. It must depend only on its arguments, so that
// a run replayed from its log makes the same choices. It may cache what it
// folded from a view as long as a fresh Strategy gives the same answers.
type Strategy interface {
	// Lockstep reports whether decisions are taken only when every open
	// attempt of the batch has ended, so that the sequence of plans and
	// verdicts does not depend on the number of slots or on crashes. Other
	// strategies decide in order of arrival, which the log keeps.
	Lockstep() bool
	// Next returns attempts to plan, to be numbered from Head.Count+1 in this
	// order, as their stages already are. A lockstep strategy ignores
	// free, the number of idle slots. No attempts, no stop and nothing open
	// means that there is nothing more to try.
	Next(v clade.View, free int) (plan []clade.Attempt, stop *clade.Stopped)
}

// A Judge is asked every turn and moves any candidates it likes; no verdict
// means undecided, and it is asked again when new evidence arrives.
type Judge interface {
	Judge(v clade.View) []clade.Verdict
}

// A Search is a strategy and its judge.
type Search interface {
	Strategy
	Judge
}
