// Package custom drives any program as a coding agent: the prompt is its standard
// input, its exit status says whether it worked to its end, and the last line it
// prints may say more, as JSON:
//
//	{"text": "what I did", "end": "rate-limited", "spent": {"usd": 0.12, "tokens": 3400, "calls": 5}}
//
// Everything in it is optional. A last line that is anything else, one with a key
// that is not among these or there twice included, is the text.
package custom

import (
	"bytes"
	"path"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/syntax"
)

// Driver is the agent.Driver of one argument list.
type Driver struct{ args []string }

var _ agent.Driver = Driver{}

// New drives args, which are at least a program.
func New(args []string) Driver { return Driver{slices.Clone(args)} }

// Name is clade.HostCustom.
func (Driver) Name() string { return clade.HostCustom }

// Provider is any.
func (Driver) Provider() string { return "" }

// Program is the first argument.
func (d Driver) Program() string { return d.args[0] }

// Keys are none: what it needs is for the spec to pass.
func (Driver) Keys() []string { return nil }

// Variables by which the program learns of its task.
const (
	ModelVar  = "CLADE_MODEL"        // Task.Model
	ConfigVar = "CLADE_AGENT_CONFIG" // Task.Config
)

// Invoke gives a program the address and the key of its model in the variables
// that the provider's own clients read.
func (d Driver) Invoke(t agent.Task) (agent.Invocation, error) {
	if err := agent.Check(d, t); err != nil {
		return agent.Invocation{}, err
	}
	if t.Resume != "" {
		return agent.Invocation{}, agent.NoResume(d)
	}
	env := map[string]string{ConfigVar: path.Clean(t.Config)}
	if t.Model != "" {
		env[ModelVar] = t.Model
	}
	if p, ok := clade.ProviderOf(t.Access.Provider); ok {
		if base := t.Access.BaseURL; base != "" {
			if p.Name == clade.ProviderOpenAI {
				base += "/v1"
			}
			env[p.BaseURLEnv] = base
		}
		if t.Access.Key != "" {
			env[p.KeyEnv] = t.Access.Key
		}
	}
	return agent.Invocation{Args: slices.Clone(d.args), Env: env, Stdin: t.Prompt}, nil
}

// A reply is the last line, where that is a JSON object.
type reply struct {
	Text  string    `json:"text"`
	End   agent.End `json:"end"`
	Spent *struct {
		USD    *float64 `json:"usd"` // missing: not known
		Tokens float64  `json:"tokens"`
		Calls  float64  `json:"calls"` // requests to a model
	} `json:"spent"`
}

// ends are what a program may say of itself. That it hung or is missing is for
// others to say.
var ends = []agent.End{agent.EndDone, agent.EndSignedOut, agent.EndRate, agent.EndService, agent.EndRefused, agent.EndLimit, agent.EndFailed}

// Read takes a program at its exit status, unless its last line says how it
// ended.
func (Driver) Read(t agent.Task, r sandbox.Result, _ string) agent.Report {
	var last []byte
	for line := range agent.Lines(r.Stdout) {
		if len(line) > 0 {
			last = line
		}
	}
	rep := agent.Report{Spent: clade.Amount{Unknown: true}}
	var said reply
	isReply := bytes.HasPrefix(bytes.TrimSpace(last), []byte("{")) && syntax.Decode(last, &said) == nil
	rep.Text = said.Text
	if !isReply {
		rep.Text = string(last)
	}
	if s := said.Spent; s != nil {
		rep.Spent = clade.Amount{Tokens: agent.Count(s.Tokens), Calls: agent.Count(s.Calls), Unknown: s.USD == nil}
		if s.USD != nil {
			rep.Spent.Microdollars = agent.Dollars(*s.USD)
		}
	}
	switch {
	case isReply && slices.Contains(ends, said.End):
		rep.End, rep.Detail = said.End, said.Text
	case r.OK():
		rep.End = agent.EndDone
	}
	return agent.Finish(t, r, rep)
}
