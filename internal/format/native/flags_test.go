package native

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// TestAgentOperator compares what flags name with the file that says the same.
func TestAgentOperator(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent, model string
		network      bool
		file         string
	}{
		"its own model":   {"Claude Code", "", true, "operators: [{use: agent, agent: claude, network: true}]"},
		"provider/model":  {"codex", "openai/gpt-5-mini", false, "operators: [{use: agent, agent: codex, model: openai/gpt-5-mini}]"},
		"of any provider": {"opencode", "google/g", true, "operators: [{use: agent, agent: opencode, model: google/g, network: true}]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, _, err := New().Read("clade.yaml", []byte("version: 1\nobjective: x\nbenchmark: b\n"+c.file+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			o, models, err := AgentOperator(c.agent, c.model, c.network)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(o, want.Operators[0]) {
				t.Errorf("got %+v, want %+v", o, want.Operators[0])
			}
			if !reflect.DeepEqual(models, want.Models) {
				t.Errorf("models %+v, want %+v", models, want.Models)
			}
		})
	}
}

func TestAgentOperatorRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent, model string
		want         string
	}{
		"no agent":       {"", "", "--agent is empty\n\tthere are claude, codex, opencode, gemini, dsh, custom\n"},
		"misspelt agent": {"claud", "", "--agent: no coding agent is called \"claud\"\n\tdid you mean claude?\n"},
		"no way to a model": {"gemini", "", "--agent: without a model gemini asks its own service, over the network\n" +
			"\tgive --model google/…, which is reached through clade; or let it reach the network\n"},
		"custom": {"custom", "openai/x", "--agent: custom has no command\n\tlist it in operators of .clade.yaml, with run: or argv:\n"},
		"the wrong provider": {"codex", "anthropic/x", "--model: codex speaks to openai only, and \"anthropic/x\" is of anthropic\n" +
			"\tgive it a model of provider openai, or leave it out for the agent's own\n"},
		"both": {"nobody", "nothing", "--agent: no coding agent is called \"nobody\"\n\tthere are claude, codex, opencode, gemini, dsh, custom\n" +
			"--model: \"nothing\" names no model\n\twrite openai/…, anthropic/…, google/…\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := AgentOperator(c.agent, c.model, false)
			var got strings.Builder
			for _, e := range faultsOf(err) {
				var p *clade.Problem
				if !errors.As(e, &p) || p.Fault != clade.FaultUsage || p.Where != "" {
					t.Fatalf("%#v", e)
				}
				got.WriteString(p.Text + "\n\t" + p.Hint + "\n")
			}
			if got.String() != c.want {
				t.Errorf("got\n%swant\n%s", got.String(), c.want)
			}
		})
	}
}
