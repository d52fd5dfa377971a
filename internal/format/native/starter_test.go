package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// summary is what a starter says, in a form that is quick to compare.
func summary(s *clade.Spec) string {
	var b strings.Builder
	if s.Setup != nil {
		fmt.Fprintf(&b, "setup %s net=%v\n", s.Setup.Run, s.Setup.Network)
	}
	for _, g := range s.Gates {
		fmt.Fprintf(&b, "gate %s %s\n", g.ID, g.Run)
	}
	for _, m := range s.Measures {
		fmt.Fprintf(&b, "measure %s %s%s %s%s %s %s\n", m.ID, m.Run, m.From, m.Read.Kind, m.Read.Regex, m.Goal, m.Noise)
	}
	if d := s.Dataset; d != nil {
		fmt.Fprintf(&b, "dataset %s %s %q %q %q %s %s\n", d.File, d.Format, d.CaseID, d.Input, d.Expected, d.Run, d.Scorer.Kind)
	}
	fmt.Fprintf(&b, "allow %s\nfrozen %s\ncarry %s\n", strings.Join(s.Allow, " "), strings.Join(s.Frozen, " "), strings.Join(s.Carry, " "))
	return b.String()
}

const goFrozen = "**/*_test.go **/testdata/** **/go.mod **/go.sum"

const pyFrozen = "**/test_*.py **/*_test.py **/tests/** **/conftest.py **/sitecustomize.py **/usercustomize.py **/*.pth"

const nodeFrozen = "**/package.json **/*.{test,spec,bench}.* **/{test,tests,__tests__,__mocks__}/** **/*.config.*"

const score = "measure score  cases maximize cases\n"

func TestStarters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		notes []string // each a part of some note
	}{
		{"go with a benchmark", map[string]string{
			"go.mod": "module x\n", "go.sum": "", "Makefile": "test:\n", "main.go": "package main\n", "vendor/x/y_test.go": "func BenchmarkVendored(b *testing.B) {\n",
			"parse/a_test.go": "package parse\n\nfunc BenchmarkAll(b *testing.B) {\n\tb.Run(\"x\", f)\n}\n\nfunc BenchmarkParse(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n",
		}, "setup go test -count=1 -run '^$' ./... net=false\ngate tests go test -count=1 ./...\n" +
			`measure speed go test -run '^$' -bench '^BenchmarkParse$' ./parse regex\s([0-9.]+) ns/op minimize timing` + "\n" +
			"allow **/*.go\nfrozen " + goFrozen + " vendor/** Makefile clade.yaml\ncarry \n",
			[]string{"go test is the gate", "BenchmarkParse in ./parse is the measure"}},
		{"go without a benchmark", map[string]string{"go.mod": "module x\n", "go.sum": "", "a_test.go": "package x\n"},
			"setup go mod download && go test -count=1 -run '^$' ./... net=true\ngate tests go test -count=1 ./...\nmeasure speed tests wall_clock minimize timing\n" +
				"allow **/*.go\nfrozen " + goFrozen + " clade.yaml\ncarry \n",
			[]string{"no benchmark was found"}},
		{"go without tests", map[string]string{"go.mod": "module x\n", "package.json": "{}"},
			"setup go test -count=1 -run '^$' ./... net=false\ngate build go build ./...\nmeasure speed build wall_clock minimize timing\n" +
				"allow **/*.go\nfrozen " + goFrozen + " clade.yaml\ncarry \n",
			[]string{"no tests were found", "this is a Node package as well"}},
		{"python with pytest and a benchmark", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n", "uv.lock": "", "src/a.py": "", "tests/test_a.py": "",
			"benchmarks/bench_a.py": "", ".venv/bin/python": "", ".env": "K=v"},
			"gate tests .venv/bin/python -m pytest -q\nmeasure speed .venv/bin/python benchmarks/bench_a.py wall_clock minimize timing\n" +
				"allow **/*.py\nfrozen " + pyFrozen + " pyproject.toml uv.lock benchmarks/bench_a.py .env clade.yaml\ncarry .venv .env\n",
			[]string{"pytest is the gate", "benchmarks/bench_a.py is the measure"}},
		{"python with unittest", map[string]string{"a.py": "", "test_a.py": "import unittest\n"},
			"gate tests python3 -m unittest discover\nmeasure speed tests wall_clock minimize timing\nallow **/*.py\nfrozen " + pyFrozen + " clade.yaml\ncarry \n",
			[]string{"unittest is the gate"}},
		{"python without tests", map[string]string{"a.py": ""},
			"gate syntax python3 -m compileall -q -f .\nmeasure speed syntax wall_clock minimize timing\nallow **/*.py\nfrozen " + pyFrozen + " clade.yaml\ncarry \n",
			[]string{"no tests were found"}},
		{"node with scripts", map[string]string{"package.json": `{"scripts": {"test": "jest", "bench": "node b.js"}, "dependencies": {"x": "1"}}`, "package-lock.json": "{}"},
			"setup npm ci net=true\ngate tests npm test\nmeasure speed npm run bench wall_clock minimize timing\n" +
				"allow **/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}\nfrozen " + nodeFrozen + " package-lock.json clade.yaml\ncarry \n",
			[]string{"npm test is the gate", "npm run bench is the measure"}},
		{"node installed", map[string]string{"package.json": `{"scripts": {"test": "vitest"}, "devDependencies": {"x": "1"}}`, "pnpm-lock.yaml": "", "node_modules/x/index.js": "", "tsconfig.json": "{}"},
			"gate tests pnpm test\nmeasure speed tests wall_clock minimize timing\n" +
				"allow **/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}\nfrozen " + nodeFrozen + " pnpm-lock.yaml tsconfig.json clade.yaml\ncarry node_modules\n",
			[]string{"no benchmark was found"}},
		{"node without scripts", map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`},
			"measure score ./measure.sh whole maximize none\n" +
				"allow **/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}\nfrozen " + nodeFrozen + " measure.sh clade.yaml\ncarry \n",
			[]string{"no test script", "write ./measure.sh"}},
		{"rust with criterion", map[string]string{"Cargo.toml": "[dev-dependencies]\ncriterion = \"0.5\"\n", "Cargo.lock": "", "benches/parse.rs": "", "build.rs": "", ".cargo/config.toml": ""},
			"setup cargo fetch && cargo test --offline --no-run net=true\ngate tests cargo test --offline\n" +
				`measure speed cargo bench --offline --bench parse -- --output-format bencher regexbench:\s+([0-9]+) ns/iter minimize timing` + "\n" +
				"allow **/*.rs\nfrozen **/Cargo.toml **/build.rs **/tests/** **/benches/** Cargo.lock .cargo/** clade.yaml\ncarry \n",
			[]string{"the benchmark parse is the measure"}},
		{"rust with another benchmark", map[string]string{"Cargo.toml": "", "benches/parse.rs": ""},
			"setup cargo fetch && cargo test --offline --no-run net=true\ngate tests cargo test --offline\nmeasure speed cargo bench --offline --bench parse wall_clock minimize timing\n" +
				"allow **/*.rs\nfrozen **/Cargo.toml **/build.rs **/tests/** **/benches/** clade.yaml\ncarry \n", nil},
		{"rust without a benchmark", map[string]string{"Cargo.toml": ""},
			"setup cargo fetch && cargo test --offline --no-run net=true\ngate tests cargo test --offline\nmeasure speed tests wall_clock minimize timing\n" +
				"allow **/*.rs\nfrozen **/Cargo.toml **/build.rs **/tests/** **/benches/** clade.yaml\ncarry \n", nil},
		{"skill with cases", map[string]string{"SKILL.md": "# x", "README.md": "", "scripts/x.py": "", "answer.py": "", "evals/cases.jsonl": "{\"id\": 1, \"question\": \"q\", \"answer\": \"a\"}\n"},
			score + "dataset evals/cases.jsonl jsonl \"id\" \"question\" \"answer\" python3 answer.py exact\n" +
				"allow **/*.md\nfrozen README.md scripts/** answer.py evals/cases.jsonl clade.yaml\ncarry \n",
			[]string{"evals/cases.jsonl holds the cases", "python3 answer.py answers a case"}},
		{"skill alone", map[string]string{"SKILL.md": "# x"},
			score + "dataset cases.jsonl jsonl \"id\" \"input\" \"expected\" ./answer exact\nallow **/*.md\nfrozen answer cases.jsonl clade.yaml\ncarry \n",
			[]string{"write cases.jsonl", "write ./answer"}},
		{"prompt with a table", map[string]string{"system.md": "Be kind.", "README.md": "", "cases.tsv": "prompt\tlabel\nq\ta\n"},
			score + "dataset cases.tsv tsv \"\" \"prompt\" \"label\" ./answer exact\nallow system.md\nfrozen answer cases.tsv clade.yaml\ncarry \n", nil},
		{"prompt with an array", map[string]string{"a prompt.txt": "Be kind.", "data.json": "[{\"task\": 1}]"},
			score + "dataset data.json json \"\" \"task\" \"expected\" ./answer exact\nallow a prompt.txt\nfrozen answer data.json clade.yaml\ncarry \n",
			[]string{"say in dataset.expected"}},
		{"prompt with a strange name", map[string]string{"[x].md": "Be kind.", "cases.csv": "\"broken"},
			score + "dataset cases.csv csv \"\" \"\" \"expected\" ./answer exact\nallow *.md\nfrozen answer cases.csv clade.yaml\ncarry \n", nil},
		{"makefile", map[string]string{"Makefile": "test: all\n\tx\nbench:\n\ty\ncheck := 1\n", "a.c": ""},
			"gate tests make test\nmeasure speed make bench wall_clock minimize timing\nallow \nfrozen Makefile clade.yaml\ncarry \n",
			[]string{"make test is the gate", "make bench is the measure"}},
		{"nothing", map[string]string{},
			"measure score ./measure.sh whole maximize none\nallow \nfrozen measure.sh clade.yaml\ncarry \n", []string{"write ./measure.sh"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, c.files)
			data, notes, err := Starter(dir)
			if err != nil {
				t.Fatal(err)
			}
			spec, warnings, err := New().Read("clade.yaml", data)
			if err != nil || len(warnings) > 0 {
				t.Fatalf("%v %v\n%s", err, warnings, data)
			}
			if got := summary(spec); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			for _, want := range c.notes {
				if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, want) }) {
					t.Errorf("no note says %q: %q", want, notes)
				}
			}
			again, _, _ := Starter(dir)
			if string(again) != string(data) {
				t.Error("a second look gives something else")
			}
			if !New().Detect("other.yaml", data) {
				t.Error("not detected")
			}
		})
	}
}

func TestStarterLooksLikeThis(t *testing.T) {
	t.Parallel()
	there := func(program string) bool { return program == "claude" || program == "opencode" }
	data, _, err := starter(write(t, map[string]string{"go.mod": "module x\n", "a_test.go": "package x\n\nfunc BenchmarkSum(b *testing.B) {\n}\n"}), there)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# What clade evolves, and what is better. Written for a Go module by clade init.
# Read it through, look at what it would do with clade plan, then start clade run.

version: 1

# In a sentence, what should get better. Operators that understand prose are told it.
objective: Make BenchmarkSum faster without changing what the code does.

# An edit may touch these files only.
allow:
  - "**/*.go"

# An edit may never touch these: what measures it, and what tools load by themselves.
frozen:
  - "**/*_test.go"
  - "**/testdata/**"
  - "**/go.mod"
  - "**/go.sum"
  - clade.yaml

# Run once, in the template that every candidate starts from.
setup:
  run: "go test -count=1 -run '^$' ./..."
  timeout: 10m

# Every candidate must pass these, in order.
gates:
  - id: tests
    run: "go test -count=1 ./..."
    timeout: 5m

# What is better.
measures:
  - id: speed
    run: "go test -run '^$' -bench '^BenchmarkSum$' ."
    timeout: 5m
    read: {regex: '\s([0-9.]+) ns/op'}
    goal: min
    unit: ns
    noise: timing

# What makes edits. mutate works offline on any text; coding agents, models and commands of your own go beside it.
operators:
  - mutate
  # - {use: agent, agent: claude, model: anthropic/MODEL} # the key is that in ANTHROPIC_API_KEY
  # - {use: agent, name: opencode, agent: opencode, model: openai/MODEL} # the key is that in OPENAI_API_KEY
  # - {use: command, run: ./improve.sh, network: true}

# The first bound reached ends the search.
budget:
  candidates: 100
  wall: 1h
`
	if string(data) != want {
		t.Errorf("got\n%s", data)
	}
}

func TestStarterOfNoFolder(t *testing.T) {
	t.Parallel()
	if _, _, err := Starter(filepath.Join(t.TempDir(), "none")); clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("got %v", err)
	}
	file := filepath.Join(write(t, map[string]string{"a": ""}), "a")
	if _, _, err := Starter(file); clade.FaultOf(err) != clade.FaultEnvironment {
		t.Errorf("got %v", err)
	}
}

// TestStarterFollowsNoLinks: a link out of the folder is not read.
func TestStarterFollowsNoLinks(t *testing.T) {
	t.Parallel()
	out := write(t, map[string]string{"cases.jsonl": `{"secret": 1}`})
	dir := write(t, map[string]string{"SKILL.md": ""})
	if err := os.Symlink(filepath.Join(out, "cases.jsonl"), filepath.Join(dir, "cases.jsonl")); err != nil {
		t.Skip("no links here")
	}
	data, _, err := Starter(dir)
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("%v\n%s", err, data)
	}
}

// What a starter offers in comments is taken as it stands.
func TestStarterOffersAMeasure(t *testing.T) {
	t.Parallel()
	data, _, err := Starter(write(t, map[string]string{"prompt.txt": "Be kind."}))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), "# measures: ")
	offered, rest, ok2 := strings.Cut(rest, "\n")
	_, after, ok3 := strings.Cut(rest, "\n\n")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("nothing is offered:\n%s", data)
	}
	spec, _, err := New().Read("clade.yaml", []byte(before+"\nmeasures: "+offered+"\n\n"+after))
	if err != nil {
		t.Fatal(err)
	}
	if m := spec.Measures[0]; m.ID != "score" || m.Goal != clade.Maximize || spec.Dataset != nil {
		t.Errorf("got %+v", m)
	}
}

// Every agent that is found is offered, and the offer is taken as it stands.
func TestStarterOffersAgents(t *testing.T) {
	t.Parallel()
	data, notes, err := starter(t.TempDir(), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	spec, _, err := New().Read("clade.yaml", []byte(strings.ReplaceAll(string(data), "# - {use: agent", "- {use: agent")))
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	var got []string
	for _, o := range spec.Operators[1:] {
		got = append(got, o.Agent+" "+o.Model)
	}
	want := []string{"claude anthropic/MODEL", "codex openai/MODEL", "opencode openai/MODEL", "gemini google/MODEL", "dsh openai/MODEL"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "a coding agent is installed") }) {
		t.Errorf("no note says so: %q", notes)
	}
	none, _, err := starter(t.TempDir(), func(string) bool { return false })
	if err != nil || strings.Contains(string(none), "use: agent") {
		t.Errorf("%v\n%s", err, none)
	}
}
