package policy

import "github.com/cladehq/clade"

// A Briefer writes what one operator is told for one attempt. Strategies choose
// parents and operator; the briefer of that operator says what to do with them.
// Random choices come from clade.DrawOf(v, stream, a.ID): the attempt has its ID,
// Parents, Operator and Generation when Brief is called.
type Briefer interface {
	// Brief returns the text for Attempt.Brief and the reason or hypothesis in
	// one line for Attempt.Why.
	Brief(v clade.View, a *clade.Attempt) (brief, why string)
}

// Briefers finds a briefer by Attempt.Operator. An operator without one is told
// the objective and its parents' results in prose.
type Briefers map[string]Briefer
