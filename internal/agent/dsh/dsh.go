// Package dsh drives DeepSeek Harness. What it relies on was seen with
// 0.1.0-rc.8.
package dsh

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
)

// Driver is the agent.Driver of dsh.
type Driver struct{}

var _ agent.Driver = Driver{}

// Name is clade.HostDSH.
func (Driver) Name() string { return clade.HostDSH }

// Provider is openai: DeepSeek's service speaks chat completions.
func (Driver) Provider() string { return clade.ProviderOpenAI }

// Program is dsh.
func (Driver) Program() string { return "dsh" }

// Keys are an API key, and the address that it is meant for.
func (Driver) Keys() []string { return []string{"DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"} }

// promptMost is the longest prompt that is an argument: one of 128 KiB is refused
// by Linux.
const promptMost = 96 << 10

// promptFile holds a longer one.
const promptFile = "prompt.md"

// Invoke runs one task. dsh takes it as an argument only, prints nothing before
// its end, and cannot go on with a session.
func (d Driver) Invoke(t agent.Task) (agent.Invocation, error) {
	if err := agent.Check(d, t); err != nil {
		return agent.Invocation{}, err
	}
	if t.Resume != "" {
		return agent.Invocation{}, agent.NoResume(d)
	}
	settings, err := json.MarshalIndent(configure(t), "", "  ")
	if err != nil {
		return agent.Invocation{}, err
	}
	inv := agent.Invocation{Env: environment(t), Silent: true, Files: map[string]string{"settings.yaml": string(settings) + "\n"}}
	prompt := t.Prompt
	if len(prompt) > promptMost {
		inv.Files[promptFile] = prompt
		prompt = "Read the whole file " + path.Join(t.Config, promptFile) + " and do what it says."
	}
	inv.Args = []string{d.Program(), "--profile", "headless", "--", prompt}
	return inv, nil
}

func environment(t agent.Task) map[string]string {
	mode := "workspace-write"
	if t.Contained {
		mode = "danger-full-access"
	}
	env := map[string]string{
		"DSH_HOME":               path.Clean(t.Config),
		"DSH_TELEMETRY_DISABLED": "1",
		"DSH_PERMISSION_MODE":    mode,
		"TERM":                   "dumb",
	}
	if t.Access.BaseURL != "" {
		env["DEEPSEEK_BASE_URL"] = strings.TrimRight(t.Access.BaseURL, "/") + "/v1"
	}
	if t.Access.Key != "" {
		env["DEEPSEEK_API_KEY"] = t.Access.Key
	}
	return env
}

type object map[string]any

// configure is settings.yaml; JSON is YAML.
func configure(t agent.Task) object {
	c := object{"llm-deepseek": object{
		"streamIdleTimeoutMs": 120_000,
		"retryPolicy":         object{"mode": "normal", "maxRetries": 2},
	}}
	if t.Model != "" {
		c["agent-default-model"] = object{"provider": "deepseek-official", "model": t.Model}
	}
	return c
}
