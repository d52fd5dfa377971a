package codex_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/codex"
)

func TestInvoke(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task agent.Task
		args string
		tmp  string
	}{
		"contained": {agent.Task{Contained: true}, "danger-full-access -", ""},
		// Its sandbox does not work with CODEX_HOME below the temporary folder.
		"loose":     {agent.Task{}, "workspace-write -", "/tmp/agent/tmp"},
		"all of it": {agent.Task{Contained: true, Model: "m", Resume: "id", Turns: 3, Most: 1}, "danger-full-access --model=m resume id -", ""},
	} {
		c.task.Config, c.task.Prompt = "/tmp/agent", "do it"
		inv, err := codex.Driver{}.Invoke(c.task)
		if err != nil || strings.Join(inv.Args, " ") != "codex exec --json --skip-git-repo-check --sandbox "+c.args || inv.Stdin != "do it" {
			t.Errorf("%s: %q, %v", name, inv.Args, err)
		}
		_, made := inv.Files["tmp/keep"]
		if inv.Env["CODEX_HOME"] != "/tmp/agent" || inv.Env["TMPDIR"] != c.tmp || made != (c.tmp != "") {
			t.Errorf("%s: %v, %v", name, inv.Env, inv.Files)
		}
	}
}

// Strings of the configuration are TOML, whatever they hold.
func TestSettingsAreQuoted(t *testing.T) {
	t.Parallel()
	task := agenttest.Task(codex.Driver{})
	task.Access.BaseURL = "http://h/\"\\\n[x]"
	inv, err := codex.Driver{}.Invoke(task)
	if want := `base_url = "http://h/\"\\\n[x]/v1"`; err != nil || !strings.Contains(inv.Files["config.toml"], want) {
		t.Errorf("%s, %v", inv.Files["config.toml"], err)
	}
	task.Access = agent.Access{}
	inv, err = codex.Driver{}.Invoke(task)
	if err != nil || strings.Contains(inv.Files["config.toml"], "model_provider") || !strings.Contains(inv.Files["config.toml"], "unbounded_connection_retries = false") {
		t.Errorf("%s, %v", inv.Files["config.toml"], err)
	}
}
