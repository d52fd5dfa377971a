// Package propose declares operators: what turns parents into a changed tree.
// Each child is one operator.
package propose

import (
	"context"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

// A Parent is a candidate the operator starts from.
type Parent struct {
	ID       clade.ID
	Commit   string
	Score    float64
	Scored   bool
	Summary  string // of the edit that made it, in one line
	Feedback string // what the operator said about it when it made it
	// Patch is what it changed of the base, as a unified diff of bounded length;
	// "" where the workspace begins with it.
	Patch string
}

// A Trace is how a parent did at one case of the train split, or at a gate. It
// is made to be shown to a model: bounded, cleaned, without secrets.
type Trace struct {
	Of       clade.ID // the candidate
	Check    string   // gate or measure
	Case     string   // "": not of a case
	Input    string
	Expected string
	Answer   string // what the candidate did: its answer or what the gate printed
	Score    float64
	Failed   string // why there is no score, "" if there is
}

// A Hypothesis is the body of a NoteProposal, as JSON: what an ideator thinks
// would help. Strategies hand it to a later attempt.
type Hypothesis struct {
	Hypothesis string `json:"hypothesis"`          // one line that a measurement can refute
	Approach   string `json:"approach,omitempty"`  // how to do it, short
	Dimension  string `json:"dimension,omitempty"` // what it varies that others do not
}

// A Request asks for one proposal.
type Request struct {
	Spec    *clade.Spec
	Attempt *clade.Attempt
	Try     int
	// Draw is the random number this attempt is entitled to: everything random
	// in the operator derives from it.
	Draw    uint64
	Parents []Parent // at least one: the base when the attempt names none
	// Start is the candidate whose tree Open gives and Changes are against: the
	// first parent, or the base where the search starts there (Search.Start).
	// Zero means the first parent; see From.
	Start Parent
	Read  Reader
	// Open makes a workspace with the tree of Start; the operator closes it.
	// Operators that work in memory do not call it.
	Open func(ctx context.Context) (workspace.Workspace, error)
	// Traces are what was seen of the parents in this attempt's Before stages and
	// at their gates, worst first. Never of cases that decide.
	Traces []Trace
	// Space is the body of the run's NoteSpace note of this operator, "" if none.
	Space string
	Log   func(text string)
}

// From is the commit whose tree the operator starts from.
func (r *Request) From() string {
	if r.Start.Commit != "" {
		return r.Start.Commit
	}
	return r.Parents[0].Commit
}

// A Reader reads trees of the ledger.
type Reader interface {
	List(ctx context.Context, commit string) ([]ledger.Entry, error)
	Read(ctx context.Context, blob string) ([]byte, error)
}

// A Proposal is a changed tree, or the reason why there is none. With neither
// Changes nor Class the operator proposed nothing.
type Proposal struct {
	Changes []ledger.Change // against the tree of Request.Start
	// Summary names the real edit in one line ("0.075 → 0.081 in packing.txt").
	Summary  string
	Feedback string // given back as Parent.Feedback
	Notes    []clade.Note
	Spent    clade.Amount
	Class    clade.Class // why it failed
	Detail   string
	TimedOut bool   // a clock ended what failed
	Grade    string // isolation that held
}

// An Operator makes proposals. It must be safe for concurrent use. An error is
// infrastructure, and Spent counts beside it; an operator's own failure is a
// class.
type Operator interface {
	Propose(ctx context.Context, r Request) (Proposal, error)
}

// A Surveyor is an Operator that looks at the base once per run, and before one,
// when it is planned.
type Surveyor interface {
	Survey(ctx context.Context, r Request) (Survey, error)
}

// A Survey is what an operator found in the base.
type Survey struct {
	// Space is recorded as a NoteSpace note with About [0] and given to strategies
	// (through the view) and to every Propose.
	Space string
	// Warnings are for people: a line each.
	Warnings []string
	// Nothing says that the operator can edit nothing of it.
	Nothing bool
}
