// Package policy declares the pure rules a search is made of. Each child is one
// policy: it depends on its arguments only and returns its reason as data.
package policy

import "github.com/cladehq/clade"

// A Rule says, after a stage, whether an attempt's plan goes on to the next
// stage. evs are the evaluations so far. why is shown to people, never empty.
type Rule interface {
	Continue(spec *clade.Spec, a *clade.Attempt, stage int, evs []clade.Evaluation) (more bool, why string)
}

// Rules finds a rule by the name a stage gives.
type Rules map[string]Rule
