package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/crash"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/dispatch/local"
	"github.com/cladehq/clade/internal/evaluate"
	evaluatecommand "github.com/cladehq/clade/internal/evaluate/command"
	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/format/native"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	ledgercrashing "github.com/cladehq/clade/internal/ledger/crashing"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/llm/meter"
	"github.com/cladehq/clade/internal/llm/service"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/policy/edit"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/propose"
	proposecommand "github.com/cladehq/clade/internal/propose/command"
	"github.com/cladehq/clade/internal/propose/mutate"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/store"
	storecrashing "github.com/cladehq/clade/internal/store/crashing"
	"github.com/cladehq/clade/internal/store/sqlite"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/generational"
	"github.com/cladehq/clade/internal/strategy/hillclimb"
	"github.com/cladehq/clade/internal/strategy/race"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/overlay"
	"github.com/cladehq/clade/internal/workspace/pool"
)

// parts chooses the implementations of this process.
func parts(d dirs, plan *crash.Plan) control.Parts {
	p := control.Parts{
		Formats: []format.Format{native.New()},
		Store: func(dir string, create bool) (store.Store, error) {
			s, err := sqlite.New(dir)
			if err != nil {
				return nil, err
			}
			return storecrashing.Store(s, plan), nil
		},
		Index: func() (store.Index, error) { return sqlite.OpenIndex(filepath.Join(d.state, "index.db")) },
		Ledger: func(ctx context.Context, dir string) (ledger.Ledger, error) {
			l, err := bare.Open(ctx, dir)
			if err != nil {
				return nil, err
			}
			return ledgercrashing.Ledger(l, plan), nil
		},
		Prune: bare.Prune, Prunable: bare.Prunable,
		Sandbox:    d.sandbox,
		Isolation:  d.isolation,
		Workspaces: workspaces,
		Gateway:    func(*clade.Spec) (llm.Gateway, error) { return meter.New(meter.Options{}) },
		Evaluator:  evaluator,
		Operators:  operators,
		Search:     search,
		Surveyor:   surveyor,
		Dispatch: func(ctx context.Context, slots int, perform dispatch.Perform) dispatch.Dispatcher {
			return local.New(ctx, slots, perform)
		},
		Rules: noise.Rules(), Design: noise.Refuse,
		Starter: native.Starter, Schema: native.Schema, OverlaySchema: native.OverlaySchema, Overlay: native.Overlay, Complete: native.Complete, AgentOperator: native.AgentOperator,
		State: d.state, Cache: d.cache, StateFor: d.stateFor,
	}
	if plan != nil {
		p.LandStep = plan.At
	}
	return p
}

// setupEnv is what the environment of setup begins with: enough to find programs
// and what they have downloaded before.
func setupEnv() []string {
	env := sandbox.Basics(os.LookupEnv)
	for _, name := range []string{"GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "JAVA_HOME"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// workspaces mounts overlays where the sandbox can and folders otherwise.
func workspaces(cache string, l ledger.Ledger, s sandbox.Sandbox) (workspace.Provider, error) {
	if s == nil { // only to sweep: nothing is run
		var err error
		if s, err = none.New(none.Options{}); err != nil {
			return nil, err
		}
	}
	if s.Mounts() {
		if p, err := overlay.New(overlay.Options{Dir: cache, Ledger: l, Sandbox: s, Env: setupEnv()}); err == nil {
			return p, nil
		}
	}
	return pool.New(pool.Options{Dir: cache, Ledger: l, Sandbox: s, Env: setupEnv()})
}

func evaluator(spec *clade.Spec, w workspace.Provider, t control.Tools) (evaluate.Evaluator, error) {
	o := evaluatecommand.Options{Workspaces: w, Sandbox: t.Sandbox, Scratch: t.Scratch, RerunGates: evaluatecommand.FlakyTrees}
	if d := spec.Dataset; d != nil && d.Rollout != nil {
		var err error
		if o.Agent, err = runner(spec, d.Rollout.Agent, d.Rollout.Model, d.Command, t); err != nil {
			return nil, err
		}
	}
	return evaluatecommand.New(o), nil
}

func operators(spec *clade.Spec, t control.Tools) (map[string]propose.Operator, error) {
	out, models := map[string]propose.Operator{}, services()
	for _, o := range spec.Operators {
		op, err := operator(spec, o, t, models)
		if err != nil {
			return nil, err
		}
		out[o.Name] = op
	}
	return out, nil
}

// surveyor is what looks at a base for an operator, nil if it does not.
func surveyor(o clade.Operator) propose.Surveyor {
	if o.Use == "mutate" {
		return mutate.New()
	}
	return nil
}

func operator(spec *clade.Spec, o clade.Operator, t control.Tools, models *service.Services) (propose.Operator, error) {
	switch o.Use {
	case "mutate":
		return mutate.New(), nil
	case "agent":
		return agentOperator(spec, o, t)
	case "reflect":
		return reflectOperator(spec, o, models)
	}
	return proposecommand.New(o, t.Sandbox)
}

func search(spec *clade.Spec) (strategy.Search, error) {
	briefers := policy.Briefers{}
	for _, o := range spec.Operators {
		if o.Use == "mutate" {
			briefers[o.Name] = edit.NewBriefer(o.Name)
		}
	}
	switch spec.Search.Strategy {
	case "hillclimb":
		return strategy.NewCampaign(hillclimb.New(spec, briefers)), nil
	case "generational":
		return strategy.NewCampaign(generational.New(spec, briefers)), nil
	case "race":
		return strategy.NewCampaign(race.New(spec, briefers)), nil
	}
	known := strings.Join([]string{"hillclimb", "generational", "race"}, ", ")
	return nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("no strategy is called %q", spec.Search.Strategy), Hint: "there are " + known}
}
