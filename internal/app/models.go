package app

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/claude"
	"github.com/cladehq/clade/internal/agent/codex"
	"github.com/cladehq/clade/internal/agent/custom"
	"github.com/cladehq/clade/internal/agent/dsh"
	"github.com/cladehq/clade/internal/agent/gemini"
	"github.com/cladehq/clade/internal/agent/opencode"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/llm/anthropic"
	"github.com/cladehq/clade/internal/llm/breaker"
	"github.com/cladehq/clade/internal/llm/google"
	"github.com/cladehq/clade/internal/llm/openai"
	"github.com/cladehq/clade/internal/llm/retry"
	"github.com/cladehq/clade/internal/llm/service"
	"github.com/cladehq/clade/internal/propose"
	proposeagent "github.com/cladehq/clade/internal/propose/agent"
	"github.com/cladehq/clade/internal/propose/reflect"
)

// drivers are the coding-agent CLIs that are known by name.
func drivers() map[string]agent.Driver {
	out := map[string]agent.Driver{}
	for _, d := range []agent.Driver{claude.Driver{}, codex.Driver{}, opencode.Driver{}, gemini.Driver{}, dsh.Driver{}} {
		out[d.Name()] = d
	}
	return out
}

// driver finds the driver of a CLI; custom is c's own program.
func driver(name string, c clade.Command) (agent.Driver, error) {
	if name == clade.HostCustom {
		return custom.New(c.Args()), nil
	}
	if d, ok := drivers()[name]; ok {
		return d, nil
	}
	return nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("no agent is called %q", name),
		Hint: fmt.Sprintf("there are %v", clade.HostNames())}
}

// modelOf finds a model of the spec, nil for none.
func modelOf(spec *clade.Spec, name string) *clade.Model {
	for i := range spec.Models {
		if spec.Models[i].Name == name {
			return &spec.Models[i]
		}
	}
	return nil
}

// runner is how an agent of a spec is run.
func runner(spec *clade.Spec, name, model string, c clade.Command, t control.Tools) (*agent.Runner, error) {
	d, err := driver(name, c)
	if err != nil {
		return nil, err
	}
	return &agent.Runner{Driver: d, Box: t.Sandbox, Gateway: t.Gateway, Model: modelOf(spec, model), Command: c,
		Limits: spec.Limits, Lookup: os.LookupEnv, Scratch: t.Scratch}, nil
}

// agentOperator makes the operator that runs a CLI.
func agentOperator(spec *clade.Spec, o clade.Operator, t control.Tools) (propose.Operator, error) {
	r, err := runner(spec, o.Agent, o.Model, o.Command, t)
	if err != nil {
		return nil, err
	}
	r.Idle = time.Duration(o.Idle)
	if turns, ok := whole(o.With["turns"]); ok {
		r.Turns = turns
	}
	return proposeagent.New(o, r), nil
}

// whole is an option that is a whole number, whatever JSON or YAML made of it.
func whole(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case uint64:
		return int(n), true
	case float64:
		return int(n), n == float64(int(n))
	}
	return 0, false
}

// services are the ways to models that are asked directly. All operators of a run
// share them, and so what is known of a service that fails.
func services() *service.Services {
	return service.New(service.Parts{
		Dial: map[string]service.Dial{
			clade.ProviderOpenAI: openai.New, clade.ProviderAnthropic: anthropic.New, clade.ProviderGoogle: google.New,
		},
		Lookup: os.LookupEnv,
		Guard: func(c llm.Client) llm.Client {
			return breaker.New(retry.New(c, retry.Options{Draw: rand.Float64}), breaker.Options{})
		},
	})
}

// reflectOperator makes the operator that asks a model.
func reflectOperator(spec *clade.Spec, o clade.Operator, s *service.Services) (propose.Operator, error) {
	m := modelOf(spec, o.Model)
	if m == nil {
		return nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("operator %s: no model is called %q", o.Name, o.Model), Hint: "name one of models"}
	}
	c, err := s.Client(*m)
	var access *llm.Error
	if errors.As(err, &access) {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: fmt.Sprintf("operator %s: %s", o.Name, access.Text), Hint: "clade plan lists the variables that a spec needs"}
	}
	if err != nil {
		return nil, err
	}
	return reflect.New(reflect.Options{Spec: o, Model: *m, Client: c, Run: spec})
}
