// Package evaluate declares how a stage is measured: which numbers a subject's
// tree gives, strictly read. It decides nothing.
package evaluate

import (
	"context"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/workspace"
)

// A Subject is a tree to be measured.
type Subject struct {
	ID           clade.ID
	Commit, Tree string
}

// A Key names one sample. A sample of the same attempt is found again by all of
// it; one of another attempt only by Tree, Evaluator, Check, Case and Split,
// and only if it may be shared.
type Key struct {
	Attempt   clade.ID
	Stage     int
	Place     int // position of the subject in the stage
	Subject   clade.ID
	Tree      string
	Evaluator string // digest of everything but the tree that the value depends on
	Check     string
	Case      string
	Split     string
	Replicate int
}

// A Memory keeps samples as they are made, so that a crash pays none twice.
type Memory interface {
	// Recall returns a sample kept for this key, of this attempt or, when
	// share is set, of another one; PaidBy is then set.
	Recall(ctx context.Context, k Key, share bool) (clade.Sample, bool, error)
	// Keep returns once the sample is durable. Shared samples may serve other
	// attempts; failures, timings, finals and replicates are never shared.
	Keep(ctx context.Context, k Key, s clade.Sample, share bool) error
}

// A Job is one stage of one attempt.
type Job struct {
	Spec     *clade.Spec
	Attempt  *clade.Attempt
	Index    int // of the stage in After; Before counts from −1 down
	Stage    clade.Stage
	Subjects []Subject
	Template workspace.Template
	// Frozen and Hidden are as in workspace.Plan, the same for every subject.
	Plan   workspace.Plan
	Memory Memory
	// Cases are the dataset's, already split; nil without a dataset.
	Cases []Case
	// Log gets the commands' output for people; nil drops it.
	Log func(check, text string)
	// Cap is the most that the next paid command may use, and Spend is told
	// what each used: agents that answer cases. Nil: no cap, nobody asks.
	Cap   func() llm.Cap
	Spend func(clade.Amount)
	// Warn takes what a person should know of how a subject behaved, once for
	// each check. Nil drops it.
	Warn func(subject clade.ID, text string)
}

// A Case is one row of a dataset.
type Case struct {
	ID       string // the id field, or the digest of the row
	Split    string
	Input    []byte // given on standard input
	Expected string
}

// An Evaluator measures. The error is infrastructure; whatever the subject or
// the evaluator's own commands did is in the samples' classes. It returns one
// evaluation per subject, in order.
type Evaluator interface {
	Evaluate(ctx context.Context, j Job) ([]clade.Evaluation, error)
	// Grade is the isolation commands get.
	Grade() string
}
