package gemini_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/gemini"
)

func TestInvoke(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task  agent.Task
		args  string
		turns bool
	}{
		"contained": {agent.Task{Contained: true}, "yolo --output-format stream-json", false},
		"loose":     {agent.Task{}, "auto_edit --output-format stream-json", false},
		"all of it": {agent.Task{Contained: true, Model: "m", Resume: "id", Turns: 3, Most: 1}, "yolo --output-format stream-json --model=m --resume=id", true},
	} {
		c.task.Config, c.task.Prompt = "/clade/agent", "do it"
		inv, err := gemini.Driver{}.Invoke(c.task)
		if err != nil || strings.Join(inv.Args, " ") != "gemini --approval-mode "+c.args || inv.Stdin != "do it" {
			t.Errorf("%s: %q, %v", name, inv.Args, err)
		}
		settings := inv.Files[".gemini/settings.json"]
		if strings.Contains(settings, `"maxSessionTurns": 3`) != c.turns || !strings.Contains(settings, `"maxAttempts": 2`) || inv.Env["GEMINI_CLI_HOME"] != "/clade/agent" {
			t.Errorf("%s: %s\n%v", name, settings, inv.Env)
		}
	}
}
