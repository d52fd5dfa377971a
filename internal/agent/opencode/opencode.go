// Package opencode drives OpenCode. What it relies on was seen with 1.18.33.
package opencode

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
)

// Driver is the agent.Driver of OpenCode.
type Driver struct{}

var _ agent.Driver = Driver{}

// Name is clade.HostOpenCode.
func (Driver) Name() string { return clade.HostOpenCode }

// Provider is any.
func (Driver) Provider() string { return "" }

// Program is opencode.
func (Driver) Program() string { return "opencode" }

// Keys are those of the services it knows by itself.
func (Driver) Keys() []string {
	return []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY",
		"OPENROUTER_API_KEY", "DEEPSEEK_API_KEY", "OPENCODE_API_KEY"}
}

// keyVar holds Access.Key, so that no file does.
const keyVar = "CLADE_MODEL_API_KEY"

// Invoke runs one prompt, given on standard input: as an argument it would
// arrive in quotes.
func (d Driver) Invoke(t agent.Task) (agent.Invocation, error) {
	if err := agent.Check(d, t); err != nil {
		return agent.Invocation{}, err
	}
	model := t.Model
	if t.Access != (agent.Access{}) {
		if model == "" {
			return agent.Invocation{}, &clade.Problem{
				Fault: clade.FaultSpec, Text: "the agent opencode is given a service, but no model of it",
				Hint: "name the model in the spec",
			}
		}
		model = provider + "/" + model
	}
	settings, err := json.MarshalIndent(configure(t, model), "", "  ")
	if err != nil {
		return agent.Invocation{}, err
	}
	args := []string{d.Program(), "run", "--format", "json", "--title", "clade"} // without a title it asks the model for one
	if model != "" {
		args = append(args, "--model="+model)
	}
	if t.Resume != "" {
		args = append(args, "--session="+t.Resume)
	}
	return agent.Invocation{
		Args: args, Env: environment(t), Stdin: t.Prompt,
		Files: map[string]string{configFile: string(settings) + "\n"},
	}, nil
}

const configFile = "opencode.json"

func environment(t agent.Task) map[string]string {
	config := path.Clean(t.Config)
	env := map[string]string{
		"OPENCODE_CONFIG":               path.Join(config, configFile),
		"OPENCODE_DISABLE_AUTOUPDATE":   "1",
		"OPENCODE_DISABLE_MODELS_FETCH": "1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
		"OPENCODE_DISABLE_SHARE":        "1",
		// It installs a package into each folder of configuration and, ended
		// meanwhile, leaves a lock on which the next run waits.
		"npm_config_offline": "true",
		"TERM":               "dumb",
	}
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env["XDG_"+name+"_HOME"] = path.Join(config, "xdg", strings.ToLower(name))
	}
	if t.Access.Key != "" {
		env[keyVar] = t.Access.Key
	}
	return env
}

// provider is what a task's service is called in the configuration.
const provider = "clade"

// adapters are the clients for each wire, and the path of the service's address
// that they want. They are inside the program.
var adapters = map[string]struct{ npm, path string }{
	clade.ProviderOpenAI:    {"@ai-sdk/openai-compatible", "/v1"},
	clade.ProviderAnthropic: {"@ai-sdk/anthropic", "/v1"},
	clade.ProviderGoogle:    {"@ai-sdk/google", "/v1beta"},
}

// patience is how long it waits for an answer, and for the next piece of one,
// milliseconds. By default it waits for ever.
const patience = 120_000

type object map[string]any

func configure(t agent.Task, model string) object {
	c := object{"autoupdate": false, "share": "disabled", "permission": permission(t.Contained)}
	if t.Access == (agent.Access{}) {
		return c
	}
	is := t.Access.Provider
	if is == "" {
		is = clade.ProviderOpenAI
	}
	options := object{"apiKey": "{env:" + keyVar + "}", "timeout": patience, "chunkTimeout": patience}
	if t.Access.BaseURL != "" {
		options["baseURL"] = strings.TrimRight(t.Access.BaseURL, "/") + adapters[is].path
	}
	c["enabled_providers"] = []string{provider}
	c["model"], c["small_model"] = model, model
	c["provider"] = object{provider: object{
		"npm": adapters[is].npm, "name": provider, "options": options,
		"models": object{t.Model: object{"limit": object{"context": 128_000, "output": 8192}}},
	}}
	return c
}

// permission is what it may do unasked. Where nothing contains it, that is
// reading and editing below the folder it works in: it has no sandbox, so no
// commands.
func permission(contained bool) any {
	if contained {
		return "allow"
	}
	return object{"edit": "allow", "bash": "deny", "webfetch": "deny", "external_directory": "deny"}
}
