package claude_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/claude"
	"github.com/cladehq/clade/internal/sandbox"
)

func TestInvoke(t *testing.T) {
	t.Parallel()
	common := "claude -p --output-format stream-json --verbose --strict-mcp-config --permission-mode "
	for name, c := range map[string]struct {
		task    agent.Task
		args    string
		sandbox string
	}{
		"contained": {agent.Task{Contained: true}, "bypassPermissions", "1"},
		"loose":     {agent.Task{}, "acceptEdits --allowedTools=Read,Glob,Grep,Edit,Write,NotebookEdit", ""},
		"all of it": {
			agent.Task{Contained: true, Model: "m", Resume: "id", Turns: 3, Most: 1_500_000},
			"bypassPermissions --model=m --resume=id --max-turns=3 --max-budget-usd=1.50", "1",
		},
	} {
		c.task.Config, c.task.Prompt = "/clade/agent/", "do it"
		inv, err := claude.Driver{}.Invoke(c.task)
		if err != nil || strings.Join(inv.Args, " ") != common+c.args || inv.Stdin != "do it" {
			t.Errorf("%s: %q, %v", name, inv.Args, err)
		}
		if inv.Env["IS_SANDBOX"] != c.sandbox || inv.Env["CLAUDE_CONFIG_DIR"] != "/clade/agent" || inv.Env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] != "1" {
			t.Errorf("%s: %v", name, inv.Env)
		}
	}
}

// All of its models are the one that is served.
func TestInvokeOneModel(t *testing.T) {
	t.Parallel()
	task := agenttest.Task(claude.Driver{})
	inv, err := claude.Driver{}.Invoke(task)
	if err != nil || inv.Env["ANTHROPIC_DEFAULT_HAIKU_MODEL"] != task.Model || inv.Env["ANTHROPIC_API_KEY"] != agenttest.Key {
		t.Errorf("%v, %v", inv.Env, err)
	}
}

// Fields that older versions lack, and what no recording shows.
func TestReadVersions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line string
		want agent.Report
	}{
		"2.1.197, cost of the run": {
			`{"type":"result","subtype":"success","num_turns":1,"total_cost_usd":0.5,"modelUsage":{"m":{"inputTokens":3,"outputTokens":4}}}`,
			agent.Report{End: agent.EndDone, Spent: clade.Amount{Microdollars: 500_000, Tokens: 7, Calls: 1}},
		},
		"no cost": {
			`{"type":"result","subtype":"success","num_turns":1,"usage":{"input_tokens":5}}`,
			agent.Report{End: agent.EndDone, Spent: clade.Amount{Tokens: 5, Calls: 1, Unknown: true}},
		},
		"a free model is not known to be": {
			`{"type":"result","subtype":"success","num_turns":1,"total_cost_usd":0,"usage":{"input_tokens":5}}`,
			agent.Report{End: agent.EndDone, Spent: clade.Amount{Tokens: 5, Calls: 1, Unknown: true}},
		},
		"refused": {
			`{"type":"result","subtype":"success","stop_reason":"refusal","num_turns":1,"total_cost_usd":0,"result":"I can't."}`,
			agent.Report{End: agent.EndRefused, Detail: "I can't.", Text: "I can't.", Spent: clade.Amount{Calls: 1}},
		},
		"signed out": {
			`{"type":"result","subtype":"success","is_error":true,"total_cost_usd":0,"result":"Not logged in · Please run /login"}`,
			agent.Report{End: agent.EndSignedOut, Detail: "Not logged in · Please run /login"},
		},
		"interrupted": {
			`{"type":"result","subtype":"error_during_execution","is_error":true,"total_cost_usd":0}`,
			agent.Report{End: agent.EndFailed, Detail: "error_during_execution"},
		},
	} {
		r := sandbox.Result{Stdout: sandbox.Stream{Head: []byte(c.line), Size: int64(len(c.line))}}
		if got := (claude.Driver{}).Read(agent.Task{}, r, ""); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
