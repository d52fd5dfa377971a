package evolution

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestPrompt: everything that a worker needs is in it, as it is.
func TestPrompt(t *testing.T) {
	t.Parallel()
	e := example(t).Evolution
	v := e.Variant("v7")
	v.Approach = "Take it out.\n  Keep this indented."
	task := e.NewTask(v, "### Objective\n\nAs it is: `x`.", "/r/variants/v7/workspace", "/r/variants/v7/result.json", 20*time.Minute)
	task.Diffs = []ParentDiff{{Variant: "v2", Patch: "+```\n+code\n"}}
	got := task.Prompt()
	for _, s := range []string{
		"one variant, v7, of the evolution 1-optimize_cli_startup",
		"your current directory, is\n/r/variants/v7/workspace\n",
		"# Brief\n\n### Objective\n\nAs it is: `x`.\n\n",
		"# Hypothesis\n\nWith the version inlined, what is left is one large dependency.\n\n",
		"# Approach\n\nTake it out.\n  Keep this indented.\n\n",
		"G1: the bundle is built | cmd: `pnpm build`\nG2: the tests pass | cmd: `pnpm test`\n",
		"R1: mean of five cold starts, in ms | minimize | cmd: `hyperfine --warmup 0 --runs 5 'node dist/cli.js --version' --export-json /dev/stdout` | extract: `([0-9]+\\.[0-9]+)` (the one group; the last match counts)\n",
		"# What the parent v2 changed\n\nIts changes are not in your workspace", "````diff\n+```\n+code\n````\n",
		"Write the result to\n   /r/variants/v7/result.json\n", "Do not commit and do not push", "You have 20m0s.", "there is no rubric",
	} {
		if !strings.Contains(got, s) {
			t.Errorf("%q is not in\n%s", s, got)
		}
	}
	at := strings.Index(got, "```json\n") + 8
	shown, _, _ := strings.Cut(got[at:], "\n```")
	if _, err := ParseResult("result.json", []byte(shown), e); err != nil {
		t.Errorf("the result it shows is refused: %v\n%s", err, shown)
	}
}

func TestTaskAsJSON(t *testing.T) {
	t.Parallel()
	e := example(t).Evolution
	task := e.NewTask(e.Variant("v7"), "b", "/w", "/r", 90*time.Second)
	out, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"evolution":"1-optimize_cli_startup","variant":"v7","generation":2,"parents":["v2"],"workspace":"/w","result":"/r","brief":"b",` +
		`"hypothesis":"With the version inlined, what is left is one large dependency.","timeout":"1m30s",` +
		`"gates":[{"id":"G1","description":"the bundle is built","cmd":"pnpm build"},{"id":"G2","description":"the tests pass","cmd":"pnpm test"}],` +
		`"rubric":[{"id":"R1","description":"mean of five cold starts, in ms","direction":"minimize","weight":1,` +
		`"cmd":"hyperfine --warmup 0 --runs 5 'node dist/cli.js --version' --export-json /dev/stdout","extract":"([0-9]+\\.[0-9]+)"}]}`
	if string(out) != want {
		t.Errorf("got %s", out)
	}
}
