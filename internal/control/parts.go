// Package control is how everything above the engine reaches a run: open it,
// update it, view it, follow it, launch it. It knows no implementation; app
// hands them in as Parts.
package control

import (
	"context"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/workspace"
)

// Parts are the implementations a process works with.
type Parts struct {
	Formats []format.Format
	// Store opens the store in a state folder, making it when make is set.
	Store  func(dir string, make bool) (store.Store, error)
	Index  func() (store.Index, error)
	Ledger func(ctx context.Context, dir string) (ledger.Ledger, error)
	// Prune removes from the ledger at dir what none of the commits in refs
	// needs, and returns the bytes freed; Prunable says how many those would be.
	// While somebody has the ledger open Prune is ledger.ErrBusy.
	Prune    func(ctx context.Context, dir string, refs func() (map[string]string, error)) (int64, error)
	Prunable func(ctx context.Context, dir string, refs map[string]string) (int64, error)
	// Sandbox picks an implementation that the spec accepts. hide are host
	// folders that no command may see.
	Sandbox func(ctx context.Context, spec *clade.Spec, hide []string) (sandbox.Sandbox, error)
	// Isolation says how commands of the spec would be isolated. hide are host
	// folders that no command may see.
	Isolation func(ctx context.Context, spec *clade.Spec, hide []string) (Isolation, error)
	// Starter writes a starter spec for a folder; it executes nothing.
	Starter func(dir string) (data []byte, notes []string, err error)
	// Schema is the published JSON Schema of the native spec.
	Schema func() []byte
	// OverlaySchema is that of what Overlay reads.
	OverlaySchema func() []byte
	// Overlay lays a partial spec, which lies beside another format's file, over
	// the spec read from that.
	Overlay func(name string, data []byte, s *clade.Spec) ([]Warning, error)
	// Complete fills in every default of a spec that another format made.
	Complete func(s *clade.Spec)
	// AgentOperator is the operator that a person names on the command line, and
	// the models it asks. network lets it reach its own service.
	AgentOperator func(agent, model string, network bool) (clade.Operator, []clade.Model, error)
	Workspaces    func(cache string, l ledger.Ledger, s sandbox.Sandbox) (workspace.Provider, error)
	// Gateway opens the way of commands to the models of a spec. It is asked for
	// only where the spec has agents that use one; everywhere else the gateway
	// handed on is nil.
	Gateway   func(spec *clade.Spec) (llm.Gateway, error)
	Evaluator func(spec *clade.Spec, w workspace.Provider, t Tools) (evaluate.Evaluator, error)
	Operators func(spec *clade.Spec, t Tools) (map[string]propose.Operator, error)
	// Surveyor is what looks at a base for an operator before anything is
	// prepared, nil for one that does not look.
	Surveyor func(o clade.Operator) propose.Surveyor
	Search   func(spec *clade.Spec) (strategy.Search, error)
	Dispatch func(ctx context.Context, slots int, perform dispatch.Perform) dispatch.Dispatcher
	Rules    policy.Rules
	// Design refuses a spec whose final could never prove anything with the
	// given number of test cases (0 without a dataset).
	Design func(spec *clade.Spec, testCases int) error
	// State and Cache are the folders for runs of targets that cannot hold
	// their own, and for templates and workspaces.
	State, Cache string
	// LandStep is told both sides of each step of an apply; nil outside crash
	// tests.
	LandStep func(label, side string)
	// StateFor overrides where a target's state goes (CLADE_DIR); "" does not.
	StateFor string
}

// Grades lists the isolations there are, strongest first.
func Grades() []string { return slices.Clone(sandbox.Grades) }

// Tools are what operators and evaluators of one run work with.
type Tools struct {
	Sandbox sandbox.Sandbox
	Gateway llm.Gateway // nil: no command reaches a model
	Scratch string      // folder for short-lived files
}

// What doors say of stored runs, so that they need no contract but this one.
type (
	Holder  = store.Holder
	Located = store.Located
	Tx      = store.Tx
	Warning = format.Warning
)

// Control opens and finds runs.
type Control struct{ Parts }

// New returns a Control made of parts.
func New(p Parts) *Control { return &Control{p} }
