package custom_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/custom"
	"github.com/cladehq/clade/internal/sandbox"
)

func TestInvoke(t *testing.T) {
	t.Parallel()
	d := custom.New([]string{"my-agent", "--quick"})
	for name, c := range map[string]struct {
		access agent.Access
		env    map[string]string
	}{
		"nothing":   {agent.Access{}, map[string]string{}},
		"openai":    {agent.Access{Provider: "openai", BaseURL: "http://h", Key: "k"}, map[string]string{"OPENAI_BASE_URL": "http://h/v1", "OPENAI_API_KEY": "k"}},
		"anthropic": {agent.Access{Provider: "anthropic", BaseURL: "http://h", Key: "k"}, map[string]string{"ANTHROPIC_BASE_URL": "http://h", "ANTHROPIC_API_KEY": "k"}},
	} {
		c.env["CLADE_MODEL"], c.env["CLADE_AGENT_CONFIG"] = "m", "/clade/agent"
		inv, err := d.Invoke(agent.Task{Prompt: "do it", Model: "m", Config: "/clade/agent", Access: c.access})
		if err != nil || strings.Join(inv.Args, " ") != "my-agent --quick" || inv.Stdin != "do it" || !maps.Equal(inv.Env, c.env) {
			t.Errorf("%s: %q, %v, %v", name, inv.Args, inv.Env, err)
		}
	}
}

// What hung or is missing is not for the program to say.
func TestReadEnds(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]agent.End{
		`{"end":"limit"}`:   agent.EndLimit,
		`{"end":"hung"}`:    agent.EndDone,
		`{"end":"missing"}`: agent.EndDone,
		`{"end":7}`:         agent.EndDone,
	} {
		r := sandbox.Result{Stdout: sandbox.Stream{Head: []byte(line), Size: int64(len(line))}}
		if got := custom.New([]string{"x"}).Read(agent.Task{}, r, ""); got.End != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
