// Package edit decides what the mutate operator is told: which kind of edit,
// where, and with which random draws. It is pure. What it knows of a problem is
// what the operator's survey counted (Space), what came of earlier attempts (the
// view) and what the operator wrote about the parent (Feedback). It never sees
// the text itself; the operator in internal/propose/mutate writes it.
//
// # Numbers
//
// Every numeric literal has its own step, the standard deviation of the next
// change to it. A child's step is its parent's times a log-normal factor, and is
// inherited only by what descends from that child: selection adapts the steps
// (Schwefel's self-adaptive evolution strategy, see Beyer and Schwefel,
// "Evolution strategies: a comprehensive introduction", 2002, section 4.2). The
// change itself is the step times a draw from Student's t with two degrees of
// freedom, so that a small step still leaves a way out of a corner.
//
// # Tuned parameters
//
// Parameters marked clade:tune are sampled by CMA-ES; see the cma type.
//
// # Shares
//
// The kinds compete: a kind's share is its prior times how often its attempts
// lately beat their first parent, with a floor so that none is ever forgotten.
package edit
