// Package claude drives Claude Code. What it relies on was seen with 2.1.332, and
// where that differs with 2.1.197.
package claude

import (
	"path"
	"strconv"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
)

// Driver is the agent.Driver of Claude Code.
type Driver struct{}

var _ agent.Driver = Driver{}

// Name is clade.HostClaude.
func (Driver) Name() string { return clade.HostClaude }

// Provider is anthropic.
func (Driver) Provider() string { return clade.ProviderAnthropic }

// Program is claude.
func (Driver) Program() string { return "claude" }

// Keys are an API key, a bearer token and a subscription's token, and the address
// that they are meant for.
func (Driver) Keys() []string {
	return []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL"}
}

// tools are what it may use unasked where nothing contains it: no shell, which
// could write anywhere.
const tools = "Read,Glob,Grep,Edit,Write,NotebookEdit"

// Invoke runs it in print mode with the prompt on standard input, which has no
// limit of length, and no servers but those of its own.
func (d Driver) Invoke(t agent.Task) (agent.Invocation, error) {
	if err := agent.Check(d, t); err != nil {
		return agent.Invocation{}, err
	}
	args := []string{d.Program(), "-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config"}
	if t.Contained {
		args = append(args, "--permission-mode", "bypassPermissions")
	} else {
		args = append(args, "--permission-mode", "acceptEdits", "--allowedTools="+tools)
	}
	if t.Model != "" {
		args = append(args, "--model="+t.Model)
	}
	if t.Resume != "" {
		args = append(args, "--resume="+t.Resume)
	}
	if t.Turns > 0 {
		args = append(args, "--max-turns="+strconv.Itoa(t.Turns))
	}
	if t.Most > 0 {
		args = append(args, "--max-budget-usd="+t.Most.String())
	}
	return agent.Invocation{Args: args, Env: environment(t), Stdin: t.Prompt}, nil
}

func environment(t agent.Task) map[string]string {
	env := map[string]string{
		"CLAUDE_CONFIG_DIR":                        path.Clean(t.Config),
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"DISABLE_AUTOUPDATER":                      "1",
		"CLAUDE_CODE_MAX_RETRIES":                  "2", // by default it is still asking after a minute
		"API_TIMEOUT_MS":                           "120000",
		"TERM":                                     "dumb",
	}
	if t.Contained {
		env["IS_SANDBOX"] = "1" // else it refuses to bypass its permissions as root
	}
	if t.Access.BaseURL != "" {
		env["ANTHROPIC_BASE_URL"] = t.Access.BaseURL
	}
	if t.Access.Key != "" {
		env["ANTHROPIC_API_KEY"] = t.Access.Key
	}
	if t.Model != "" && t.Access != (agent.Access{}) {
		// Its small and its helping models are others than the one that is served.
		for _, name := range []string{"ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL",
			"ANTHROPIC_DEFAULT_OPUS_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"} {
			env[name] = t.Model
		}
	}
	return env
}
