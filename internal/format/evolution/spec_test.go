package evolution

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

func TestSpec(t *testing.T) {
	t.Parallel()
	d := example(t)
	spec, warnings, err := New().Read(".agents/evolutions/1-optimize_cli_startup/evolution.yaml", d.Data)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	got, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"objective":"Shorten the cold start of ` + "`mycli --version`" + ` for people who call it in scripts.","target":{"path":"../../..","kind":"git"},` +
		`"gates":[{"id":"G1","run":"pnpm build"},{"id":"G2","run":"pnpm test"}],` +
		`"measures":[{"id":"R1","run":"hyperfine --warmup 0 --runs 5 'node dist/cli.js --version' --export-json /dev/stdout",` +
		`"read":{"kind":"regex","regex":"([0-9]+\\.[0-9]+)","match":"last"},"goal":"minimize","weight":1,"repeats":1}],` +
		`"search":{"strategy":"generational","batch":6},"budget":{"candidates":30,"plateau":2},"limits":{},"sandbox":{},"protect":{},"final":{},"slots":6,"seed":1}`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestSpecOfAxesAndFiles(t *testing.T) {
	t.Parallel()
	data := strings.Replace(head, "objective", "scope: {kind: files, include: [src/, a.txt, 'x{1}', 'lib/*.go'], exclude: [src/gen]}\nobjective", 1)
	data = strings.Replace(data, "parallel: 2", "parallel: 2, max_minutes: 90", 1)
	data = strings.Replace(data, "cmd: ./bench}", "cmd: ./bench, extract: wall_clock_seconds, weight: 2.5}\n  - {id: R2, description: size, direction: maximize, cmd: wc}", 1)
	spec, _, err := New().Read("x/.agents/evolutions/1-a/evolution.yaml", []byte(data+"variants: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal([]any{spec.Measures, spec.Allow, spec.Budget, spec.Frozen})
	if err != nil {
		t.Fatal(err)
	}
	want := `[[{"id":"R1","run":"./bench","read":{"kind":"wall_clock"},"goal":"minimize","unit":"s","weight":2.5,"repeats":1,"noise":"timing"},` +
		`{"id":"R2","run":"wc","read":{"kind":"whole"},"goal":"maximize","weight":1,"repeats":1}],` +
		`["src/**","a.txt","a.txt/**","x[{]1[}]","x[{]1[}]/**","lib/*.go","lib/*.go/**"],{"candidates":8,"wall":"1h30m0s"},null]`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
	for _, p := range spec.Allow {
		if !doublestar.ValidatePattern(p) {
			t.Errorf("%s is no pattern", p)
		}
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		".agents/evolutions/1-a/evolution.yaml":         "../../..",
		"/home/.agents/r/.agents/evolutions/1-a/e.yaml": "../../..",
		filepath.Join("a", ".agents", "evolution.yaml"): "..",
		"evolution.yaml": "",
		"-":              "",
	} {
		if got := repository(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	s := &Scope{Kind: ScopeFiles, Include: []string{"src/", "./a.txt", "lib/*.go"}, Exclude: []string{"src/gen", "**/secret*"}}
	for p, want := range map[string][2]bool{ // in scope, excluded
		"src/a.go": {true, false}, "src": {true, false}, "srcs/a.go": {false, false}, "a.txt": {true, false}, "b.txt": {false, false},
		"src/gen": {false, true}, "src/gen/x.go": {false, true}, "src/generate.go": {true, false}, "lib/a.go": {true, false},
		"lib/a/b.go": {false, false}, "src/secret.txt": {false, true}, "secrets/a": {false, true},
	} {
		if got := [2]bool{s.Includes(p), s.Excludes(p)}; got != want {
			t.Errorf("%s: %v", p, got)
		}
	}
	var none *Scope
	if !none.Includes("a") || none.Excludes("a") || !(&Scope{Kind: ScopeWorktree, Include: []string{"."}}).Includes("x/y") {
		t.Error("what says nothing restricts nothing")
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		want       bool
	}{
		{"evolution.yaml", head + "variants: []\n", true},
		{"other.yml", head, true},
		{"a.json", `{"evolution_id": 1, "variants": []}`, true},
		{"evolution.yaml", "evolution_id: 1\nrubric: [\n", true},
		{"evolution.yaml", "\ufeffslug: a\r\nevolution_id: 1\r\nvariants:\r\n\tx\r\n", true},
		{"evolution.yaml", "version: 1\nobjective: x\n", false},
		{"evolution.yaml", "evolution_id: 1\n", false},
		{"evolution.yaml", "", false},
		{"run.bin", "\x00\x01", false},
	} {
		if got := New().Detect(c.name, []byte(c.data)); got != c.want {
			t.Errorf("Detect(%s, %q) = %v", c.name, c.data, got)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	spec, _, err := New().Read("evolution.yaml", []byte(head+"variants: {}\n"))
	if spec != nil || len(faultsOf(err)) != 1 {
		t.Errorf("%v, %v", spec, err)
	}
}
