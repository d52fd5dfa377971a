// Package codex drives OpenAI Codex. What it relies on was seen with 0.171.0.
package codex

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
)

// Driver is the agent.Driver of Codex.
type Driver struct{}

var _ agent.Driver = Driver{}

// Name is clade.HostCodex.
func (Driver) Name() string { return clade.HostCodex }

// Provider is openai: the service must speak the Responses API.
func (Driver) Provider() string { return clade.ProviderOpenAI }

// Program is codex.
func (Driver) Program() string { return "codex" }

// Keys are its own variable, which wins, and OpenAI's.
func (Driver) Keys() []string { return []string{"CODEX_API_KEY", "OPENAI_API_KEY"} }

// keyVar holds Access.Key. Its name makes Codex keep it from the commands that
// the model runs.
const keyVar = "CLADE_MODEL_API_KEY"

// Invoke runs exec with the prompt on standard input. Contained, Codex's own
// sandbox, in which nothing can be committed or reached, is off.
func (d Driver) Invoke(t agent.Task) (agent.Invocation, error) {
	if err := agent.Check(d, t); err != nil {
		return agent.Invocation{}, err
	}
	config := path.Clean(t.Config)
	env := map[string]string{"CODEX_HOME": config, "TERM": "dumb"}
	files := map[string]string{"config.toml": settings(t)}
	sandbox := "danger-full-access"
	if !t.Contained {
		sandbox = "workspace-write"
		// Its sandbox breaks, silently, when CODEX_HOME lies below the temporary
		// folder; so that is below CODEX_HOME.
		env["TMPDIR"] = path.Join(config, "tmp")
		files["tmp/keep"] = ""
	}
	args := []string{d.Program(), "exec", "--json", "--skip-git-repo-check", "--sandbox", sandbox}
	if t.Model != "" {
		args = append(args, "--model="+t.Model)
	}
	if t.Resume != "" {
		args = append(args, "resume", t.Resume)
	}
	if t.Access.Key != "" {
		env[keyVar] = t.Access.Key
	}
	return agent.Invocation{Args: append(args, "-"), Env: env, Stdin: t.Prompt, Files: files}, nil
}

// settings is config.toml. Only a provider of its own can be told how often to
// ask again.
func settings(t agent.Task) string {
	var b strings.Builder
	b.WriteString(`approval_policy = "never"
check_for_update_on_startup = false
web_search = "disabled"
`)
	if t.Access != (agent.Access{}) {
		b.WriteString("model_provider = \"clade\"\n")
	}
	b.WriteString(`
[features]
plugins = false
unbounded_connection_retries = false

[analytics]
enabled = false

[shell_environment_policy]
ignore_default_excludes = false
`)
	if t.Access != (agent.Access{}) {
		base := "https://api.openai.com"
		if t.Access.BaseURL != "" {
			base = t.Access.BaseURL
		}
		fmt.Fprintf(&b, `
[model_providers.clade]
name = "clade"
base_url = %s
wire_api = "responses"
env_key = %s
request_max_retries = 2
stream_max_retries = 2
stream_idle_timeout_ms = 120000
`, quote(strings.TrimRight(base, "/")+"/v1"), quote(keyVar))
	}
	return b.String()
}

// quote is a TOML string: JSON's escapes are among TOML's.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string can always be
	return string(b)
}
