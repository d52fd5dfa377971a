package opencode_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/opencode"
	"github.com/cladehq/clade/internal/sandbox"
)

func TestInvoke(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task   agent.Task
		args   string
		holds  string
		refuse bool
	}{
		"contained": {agent.Task{Contained: true}, "", `"permission": "allow"`, false},
		"loose":     {agent.Task{}, "", `"bash": "deny"`, false},
		"its own":   {agent.Task{Model: "anthropic/m", Resume: "id"}, " --model=anthropic/m --session=id", `"share": "disabled"`, false},
		"openai":    {agent.Task{Model: "m", Access: agent.Access{Provider: "openai", BaseURL: "http://h/"}}, " --model=clade/m", `"baseURL": "http://h/v1"`, false},
		"google":    {agent.Task{Model: "m", Access: agent.Access{Provider: "google", BaseURL: "http://h"}}, " --model=clade/m", `"baseURL": "http://h/v1beta"`, false},
		"anthropic": {agent.Task{Model: "m", Access: agent.Access{Provider: "anthropic", Key: "k"}}, " --model=clade/m", `"npm": "@ai-sdk/anthropic"`, false},
		"no model":  {agent.Task{Access: agent.Access{Key: "k"}}, "", "", true},
	} {
		c.task.Config, c.task.Prompt = "/clade/agent", "do it"
		inv, err := opencode.Driver{}.Invoke(c.task)
		if c.refuse {
			if err == nil {
				t.Errorf("%s: %q", name, inv.Args)
			}
			continue
		}
		if err != nil || strings.Join(inv.Args, " ") != "opencode run --format json --title clade"+c.args || inv.Stdin != "do it" {
			t.Errorf("%s: %q, %v", name, inv.Args, err)
		}
		if inv.Env["OPENCODE_CONFIG"] != "/clade/agent/opencode.json" || inv.Env["npm_config_offline"] != "true" || !strings.Contains(inv.Files["opencode.json"], c.holds) {
			t.Errorf("%s: %v\n%s", name, inv.Env, inv.Files["opencode.json"])
		}
	}
}

// A cost is the sum over steps, as far as all were kept.
func TestReadCost(t *testing.T) {
	t.Parallel()
	step := `{"type":"step_finish","part":{"reason":"stop","cost":0.00107,"tokens":{"input":800,"output":50,"reasoning":7,"cache":{"read":200,"write":3}}}}` + "\n"
	out := sandbox.Stream{Head: []byte(step + step), Size: int64(2 * len(step))}
	want := clade.Amount{Microdollars: 2140, Tokens: 2120, Calls: 2}
	if got := (opencode.Driver{}).Read(agent.Task{}, sandbox.Result{Stdout: out}, ""); got.Spent != want || got.End != agent.EndDone {
		t.Errorf("%+v, want %+v", got, want)
	}
	out.Size++
	want.Unknown = true
	if got := (opencode.Driver{}).Read(agent.Task{}, sandbox.Result{Stdout: out}, ""); got.Spent != want {
		t.Errorf("%+v, want %+v", got.Spent, want)
	}
}
