// Package gemini drives Gemini CLI. What it relies on was seen with 0.61.0.
package gemini

import (
	"encoding/json"
	"path"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
)

// Driver is the agent.Driver of Gemini CLI.
type Driver struct{}

var _ agent.Driver = Driver{}

// Name is clade.HostGemini.
func (Driver) Name() string { return clade.HostGemini }

// Provider is google.
func (Driver) Provider() string { return clade.ProviderGoogle }

// Program is gemini.
func (Driver) Program() string { return "gemini" }

// Keys are an API key, and the address that it is meant for.
func (Driver) Keys() []string { return []string{"GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"} }

// Invoke runs it with the prompt on standard input.
func (d Driver) Invoke(t agent.Task) (agent.Invocation, error) {
	if err := agent.Check(d, t); err != nil {
		return agent.Invocation{}, err
	}
	settings, err := json.MarshalIndent(configure(t), "", "  ")
	if err != nil {
		return agent.Invocation{}, err
	}
	approve := "auto_edit" // offers the model no shell
	if t.Contained {
		approve = "yolo"
	}
	args := []string{d.Program(), "--approval-mode", approve, "--output-format", "stream-json"}
	if t.Model != "" {
		args = append(args, "--model="+t.Model)
	}
	if t.Resume != "" {
		args = append(args, "--resume="+t.Resume)
	}
	return agent.Invocation{
		Args: args, Env: environment(t), Stdin: t.Prompt,
		Files: map[string]string{".gemini/settings.json": string(settings) + "\n"},
	}, nil
}

func environment(t agent.Task) map[string]string {
	env := map[string]string{
		"GEMINI_CLI_HOME":            path.Clean(t.Config),
		"GEMINI_CLI_TRUST_WORKSPACE": "true",
		"GEMINI_CLI_NO_RELAUNCH":     "true", // else it runs itself a second time
		"TERM":                       "dumb",
	}
	if t.Access.BaseURL != "" {
		env["GOOGLE_GEMINI_BASE_URL"] = t.Access.BaseURL
	}
	if t.Access.Key != "" {
		env["GEMINI_API_KEY"] = t.Access.Key
	}
	return env
}

type object map[string]any

func configure(t agent.Task) object {
	c := object{
		// It guesses the kind of login wrongly when it is given an address.
		"security":  object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
		"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 2},
		"privacy":   object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false},
	}
	if t.Turns > 0 {
		c["model"] = object{"maxSessionTurns": t.Turns}
	}
	return c
}
