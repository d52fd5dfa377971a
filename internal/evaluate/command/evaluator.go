package command

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// Options make an Evaluator.
type Options struct {
	Workspaces workspace.Provider // required
	Sandbox    sandbox.Sandbox    // required
	// Lookup finds a variable of the user's environment: PATH, and those that
	// a command names in pass_env. Nil: os.LookupEnv.
	Lookup sandbox.Lookup
	// Scratch is the folder where result files of commands are made and
	// removed; "": the system's folder for temporary files.
	Scratch string
	// Agent answers the cases of a spec that has rollouts; nil: none does.
	Agent *agent.Runner
	// RerunGates is on how many trees a gate that a candidate failed is run
	// again, to tell a bad candidate from a flaky gate, before one that failed
	// every time is taken at its word; below 0: always. A gate that was seen to
	// flake in this process, passing and failing on one tree, always is. Each
	// costs two more runs, and three on the base unless all of them failed.
	RerunGates int
}

// An Evaluator runs commands in workspaces. It is safe for concurrent use.
type Evaluator struct {
	Options
	flakes  flakes
	strays  strays
	flights flights
}

// New returns an evaluator.
func New(o Options) *Evaluator {
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	return &Evaluator{Options: o, flakes: flakes{seen: map[flakeKey]outcomes{}}}
}

// Grade implements evaluate.Evaluator.
func (e *Evaluator) Grade() string { return e.Sandbox.Grade() }

// Evaluate implements evaluate.Evaluator.
func (e *Evaluator) Evaluate(ctx context.Context, j evaluate.Job) (evs []clade.Evaluation, err error) {
	s, err := e.stage(j)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.perform(ctx); err != nil {
		return nil, err
	}
	for _, p := range s.places {
		evs = append(evs, clade.Evaluation{
			Subject: p.subject.ID, Tree: p.subject.Tree, Stage: j.Index, Samples: p.samples,
		})
	}
	return evs, nil
}

// nonce is a random word that a result can prove its run with.
func nonce() string { return rand.Text() }

// flakes remembers, for this process, how gates ended on trees.
type flakes struct {
	mu   sync.Mutex
	seen map[flakeKey]outcomes
	// flaky are the gates, by digest, seen to pass and to fail on one tree.
	flaky map[string]bool
	// red counts, by digest, the trees on which a gate failed however often it
	// was run.
	red map[string]int
}

type flakeKey struct{ gate, tree string }

type outcomes struct{ passed, failed bool }

func (f *flakes) saw(gate, tree string, passed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.seen[flakeKey{gate, tree}]
	o.passed, o.failed = o.passed || passed, o.failed || !passed
	f.seen[flakeKey{gate, tree}] = o
	if o.passed && o.failed {
		if f.flaky == nil {
			f.flaky = map[string]bool{}
		}
		f.flaky[gate] = true
	}
}

func (f *flakes) failedEveryTime(gate string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.red == nil {
		f.red = map[string]int{}
	}
	f.red[gate]++
}

// trusted reports whether a gate that fails is taken at its word, after so many
// trees on which it failed every time.
func (f *flakes) trusted(gate string, after int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.flaky[gate] && after >= 0 && f.red[gate] >= after
}
