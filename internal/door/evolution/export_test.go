package evolution

import (
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/format/native"
)

func printed(id, cmd string, goal clade.Direction) clade.Measure {
	return clade.Measure{ID: id, Command: clade.Command{Run: cmd}, Read: clade.Read{Kind: clade.ReadWhole}, Goal: goal, Weight: 1, Repeats: 1, Noise: clade.NoiseNone}
}

func exportingSpec(s clade.Spec) *exporting {
	if len(s.Measures) == 0 {
		s.Measures = []clade.Measure{printed("size", "wc -c <a", clade.Minimize)}
	}
	if s.Target.Kind == "" {
		s.Target.Kind = clade.TargetGit
	}
	x := &exporting{name: "r-aaaaa", spec: s}
	x.number()
	return x
}

func TestUnsayable(t *testing.T) {
	t.Parallel()
	measure := func(id string, r clade.Read) clade.Measure { return clade.Measure{ID: id, Read: r} }
	gate := measure("warnings", clade.Read{Kind: clade.ReadWhole})
	gate.From = "lint"
	x := exportingSpec(clade.Spec{
		Benchmark: &clade.Benchmark{}, Dataset: &clade.Dataset{File: "cases.jsonl"},
		Measures: []clade.Measure{measure("size", clade.Read{Kind: clade.ReadWhole}), measure("score", clade.Read{Kind: clade.ReadPointer, Pointer: "/a"}),
			measure("mem", clade.Read{Kind: clade.ReadMemory}), measure("log", clade.Read{Kind: clade.ReadRegex, Regex: "(a)", File: "out"}),
			gate, measure("result", clade.Read{Kind: clade.ReadResult}), measure("cases", clade.Read{Kind: clade.ReadCases})},
	})
	refused(t, x.unsayable(), clade.FaultUsage, `run r-aaaaa is measured: score reads the JSON pointer "/a"; mem reads peak memory; log reads the file out`,
		"warnings reads the run of gate lint", "result reads the result of a benchmark; cases reads the scores of cases; the run has a benchmark; the run has the dataset cases.jsonl")
	regex := measure("n", clade.Read{Kind: clade.ReadRegex, Regex: "([0-9]+)"})
	if err := exportingSpec(clade.Spec{Measures: []clade.Measure{regex, measure("t", clade.Read{Kind: clade.ReadClock})}}).unsayable(); err != nil {
		t.Error(err)
	}
}

func TestExportedIDs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ids  []string
		want map[string]string
	}{
		"an evolution's": {[]string{"G2", "G1"}, map[string]string{"G2": "G2", "G1": "G1"}},
		"others":         {[]string{"build", "tests"}, map[string]string{"build": "G1", "tests": "G2"}},
		"some of each":   {[]string{"tests", "G1"}, map[string]string{"tests": "G1", "G1": "G2"}},
		"a leading zero": {[]string{"G01"}, map[string]string{"G01": "G1"}},
		"none":           {nil, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			if renumber(got, c.ids, gateForm, "G%d"); !maps.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestExportedLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rel  string
		c    clade.Command
		want string
	}{
		"a line":                    {"", clade.Command{Run: "make test || false\n"}, "make test || false"},
		"arguments":                 {"", clade.Command{Argv: []string{"./bench", "a b", "it's", ""}}, `./bench 'a b' 'it'\''s' ''`},
		"a line in a folder":        {"", clade.Command{Run: "go test ./...", Dir: "src"}, "cd src && go test ./..."},
		"more than one command":     {"pkg", clade.Command{Run: "a || b", Dir: "src"}, "cd pkg/src && sh -c 'a || b'"},
		"arguments in a folder":     {"p q", clade.Command{Argv: []string{"ls"}}, "cd 'p q' && ls"},
		"variables":                 {"", clade.Command{Argv: []string{"ls"}, Env: map[string]string{"B": "x y", "A": "1"}}, "env A=1 'B=x y' ls"},
		"variables of a line":       {"pkg", clade.Command{Run: "echo $A", Env: map[string]string{"A": "1"}}, "cd pkg && env A=1 sh -c 'echo $A'"},
		"a folder like a flag":      {"", clade.Command{Run: "ls", Dir: "-P"}, "cd ./-P && ls"},
		"the folder of the project": {"", clade.Command{Run: "ls", Dir: "."}, "ls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (&exporting{rel: c.rel}).line(c.c); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// FuzzExportedLines: a shell takes the words for what they were.
func FuzzExportedLines(f *testing.F) {
	if runtime.GOOS == "windows" {
		f.Skip("there is no sh")
	}
	for _, seed := range []string{"a b", "it's", `"$x"\`, "", "-n", "a\nb", "*", "=", "ä"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if strings.Contains(word, "\x00") {
			t.Skip()
		}
		line := (&exporting{}).line(clade.Command{Argv: []string{"printf", "%s|%s", word, "end"}, Env: map[string]string{"A": word}})
		out, err := exec.CommandContext(t.Context(), "sh", "-c", line+`; env `+quoteWord("A="+word)+` sh -c 'printf "|%s" "$A"'`).Output()
		if want := word + "|end|" + word; err != nil || string(out) != want {
			t.Errorf("%q, %v; want %q", out, err, want)
		}
	})
}

func TestExportedDraft(t *testing.T) {
	t.Parallel()
	s := &Seed{ID: 2, Slug: "s", at: then}
	seconds := clade.Measure{ID: "time", Command: clade.Command{Run: "./bench"}, Read: clade.Read{Kind: clade.ReadClock}, Goal: clade.Minimize, Weight: 0.5, Unit: "s"}
	last := printed("n", "cat n", clade.Maximize)
	last.Read = clade.Read{Kind: clade.ReadRegex, Regex: "([0-9]+)"}
	x := exportingSpec(clade.Spec{Objective: "Be\nsmall.", Allow: []string{"src/**"}, Measures: []clade.Measure{printed("size", "wc -c <a", clade.Minimize), seconds, last},
		Search: clade.Search{Strategy: "hillclimb", Batch: 4}, Budget: clade.Budget{Candidates: 30, Plateau: 9, Wall: clade.Duration(61 * time.Second)}})
	got := x.draft(s)
	want := evolution.Draft{ID: 2, Slug: "s", CreatedAt: then, Objective: "Be small.", Budget: evolution.Budget{MaxVariants: 30, Parallel: 4, MaxMinutes: 2, PlateauGenerations: 3},
		Scope: evolution.Scope{Kind: evolution.ScopeWorktree, Include: []string{"src/"}}, MayChange: []string{"src/**"},
		Gates: []evolution.Gate{{ID: "G1", Description: "always passes: run r-aaaaa has no gates", Cmd: "true"}},
		Rubric: []evolution.Axis{{ID: "R1", Description: "size in run r-aaaaa: wc -c <a", Direction: "minimize", Cmd: "wc -c <a"},
			{ID: "R2", Description: "time in run r-aaaaa: ./bench, in s", Direction: "minimize", Weight: 0.5, Cmd: "./bench", Extract: evolution.WallClock},
			{ID: "R3", Description: "n in run r-aaaaa: cat n", Direction: "maximize", Cmd: "cat n", Extract: "([0-9]+)"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if len(x.notes) != 1 || !strings.HasPrefix(x.notes[0], "R3 takes the last match") {
		t.Errorf("%q", x.notes)
	}
	if _, _, err := evolution.Seed(got); err != nil {
		t.Error(err)
	}
	// A generation's plateau stays, and what the run's own evolution says.
	y := exportingSpec(clade.Spec{Brief: "b", Gates: []clade.Gate{{ID: "G1", Command: clade.Command{Run: "make"}}}, Search: clade.Search{Strategy: "generational", Batch: 4},
		Budget: clade.Budget{Candidates: 5, Plateau: 9}})
	y.own = &evolution.Evolution{Gates: []evolution.Gate{{ID: "G1", Description: "it is built", Cmd: "make"}}, Scope: &evolution.Scope{Kind: evolution.ScopeWorktree, Exclude: []string{"docs/"}}}
	if got = y.draft(s); got.Budget.PlateauGenerations != 9 || got.Gates[0].Description != "it is built" || got.Brief != "b" || !slices.Equal(got.Scope.Exclude, []string{"docs/"}) {
		t.Errorf("%+v", got)
	}
}

func TestExportedScope(t *testing.T) {
	t.Parallel()
	git, dir := clade.TargetGit, clade.TargetDir
	for name, c := range map[string]struct {
		kind          clade.TargetKind
		rel           string
		allow, frozen []string
		only          []string
		include       []string
		exclude       []string
		notes         int
	}{
		"everything":                    {kind: git, allow: []string{"**"}},
		"patterns":                      {kind: git, allow: []string{"src/**", "./a.go", "**/*.c"}, frozen: []string{"tests/**", "{a,b}.txt"}, include: []string{"src/", "a.go", "**/*.c"}, exclude: []string{"tests/", "{[a],b}.txt"}},
		"a folder of it":                {kind: git, rel: "p[1]", include: []string{"p[1]/"}, frozen: []string{"*.x"}, exclude: []string{"p[[]1]/*.x"}},
		"evolutions":                    {kind: git, frozen: []string{".agents/evolutions/**", "clade.yaml"}, exclude: []string{"clade.yaml"}},
		"what a scope cannot say":       {kind: git, allow: []string{"src/**", `a\*`}, frozen: []string{`b\*`}, notes: 2},
		"a plain folder":                {kind: dir, frozen: []string{"clade.yaml"}, include: []string{"."}, exclude: []string{"clade.yaml"}},
		"a selection":                   {kind: dir, rel: "sub", only: []string{"a", "b/"}, include: []string{"sub/a", "sub/b/"}},
		"a plain folder, partly frozen": {kind: dir, rel: "sub", allow: []string{"n"}, include: []string{"sub"}, notes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := exportingSpec(clade.Spec{Allow: c.allow, Frozen: c.frozen, Target: clade.Target{Kind: c.kind}})
			x.rel, x.only = c.rel, c.only
			s := x.scope()
			if (s.Kind == evolution.ScopeFiles) != (c.kind == dir) || !slices.Equal(s.Include, c.include) || !slices.Equal(s.Exclude, c.exclude) || len(x.notes) != c.notes {
				t.Errorf("%+v, %q", s, x.notes)
			}
		})
	}
	// A brace is a pattern there, too.
	s := evolution.Scope{Kind: evolution.ScopeWorktree, Exclude: []string{entryOf("{a,b}.txt"), entryOf("{/x,y}")}}
	for p, want := range map[string]bool{"a.txt": true, "b.txt": true, "c.txt": false, "{a,b}.txt": false, "y": true} {
		if s.Excludes(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}

// A run of clade in words: base 4, candidates #2 to #5, and #6 that is still open.
const exportedRun = `
	base R1=4 R2=1
	plan 2 . a fresh start
	begin 2
	made 2 t2
	end 2 G1=1 R1=3 R2=1
	judge 2 accepted better so
	plan 3 . parents=2 from #2
	begin 3
	made 3 t3
	end 3 G1=1 R1=1 R2=1
	judge 3 accepted better so
	plan 4 . a fresh start
	begin 4
	made 4 t4
	end 4 G1=broken
	judge 4 rejected gate so
	plan 5 . parents=4 from #4
	begin 5
	made 5 t5
	end 5 G1=1 R1=2 R2=1
	judge 5 accepted better so
	plan 6 . open
	begin 6
	winner 3 better than #2
	stop candidates
`

// exported is that run, whose gates and measures are called build, size and n.
func exported(t *testing.T) (*exporting, *clade.State, evolution.Draft) {
	t.Helper()
	e := &evolution.Evolution{Gates: []evolution.Gate{{ID: "G1", Cmd: "make"}}, Budget: evolution.Budget{MaxVariants: 5, Parallel: 2},
		Rubric: []evolution.Axis{{ID: "R1", Direction: "minimize", Cmd: "a"}, {ID: "R2", Direction: "maximize", Cmd: "b"}}}
	v := runOf(t, e, exportedRun)
	h := v.Head()
	h.Spec.Search.Names = ""
	x := exportingSpec(h.Spec)
	d := x.draft(&Seed{ID: 1, Slug: "s", at: then})
	return x, v, d
}

func TestChosen(t *testing.T) {
	t.Parallel()
	x, v, d := exported(t)
	names, left, err := x.names(v, d, 100)
	if want := map[clade.ID]string{2: "v1", 3: "v2", 4: "v3", 5: "v4", 6: "v5"}; err != nil || left != 0 || !maps.Equal(names, want) {
		t.Fatal(names, left, err)
	}
	e, _ := project(seeded(t, d), x.choose(v, names), false)
	var got []string
	for _, v := range e.Variants {
		got = append(got, fmt.Sprintf("%s %d %v %s %s %v", v.ID, v.Generation, v.Parents, v.Hypothesis, v.Status, v.Rubric))
	}
	if want := []string{
		"v1 1 [] a fresh start evaluated [{R1 3} {R2 1}]", "v2 2 [v1] from v1 evaluated [{R1 1} {R2 1}]", "v3 1 [] a fresh start evaluated []",
		"v4 2 [v3] from v3 evaluated [{R1 2} {R2 1}]", "v5 1 [] open pending []",
	}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if e.Winner == nil || e.Winner.Variant != "v2" || !strings.HasSuffix(e.Winner.Rationale, "Measured fresh beside the base: better than v1.") {
		t.Errorf("%+v", e.Winner)
	}
	// Other ids, as the run had them, come to the same.
	foreign := *x
	foreign.gates, foreign.axes = map[string]string{"G1": "G7"}, map[string]string{"R1": "R2", "R2": "R1"}
	l := foreign.choose(v, names).Life(3)
	if want := (map[string]float64{"R2": 1, "R1": 1}); !maps.Equal(l.Values, want) || l.Evaluations[0].Samples[0].Check != "G7" || v.Life(3).Evaluations[0].Samples[0].Check != "G1" {
		t.Errorf("%+v", l)
	}
	// The candidates of an evolution's run are called what they were.
	x.spec.Search.Names = variantNames
	if names, _, _ := x.names(v, d, 100); names[3] != v.Life(3).Name {
		t.Error(names)
	}
}

func seeded(t *testing.T, d evolution.Draft) *evolution.Evolution {
	t.Helper()
	yaml, _, err := evolution.Seed(d)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := evolution.Open("evolution.yaml", yaml)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Evolution
}

func TestNamesOfTheBest(t *testing.T) {
	t.Parallel()
	x, v, d := exported(t)
	for most, want := range map[int]map[clade.ID]string{
		1: {2: "v1", 3: "v2"},                   // #3 and whence it came
		2: {2: "v1", 3: "v2", 4: "v3", 5: "v4"}, // #5 comes from what failed
		3: {2: "v1", 3: "v2", 4: "v3", 5: "v4"},
		5: {2: "v1", 3: "v2", 4: "v3", 5: "v4", 6: "v5"},
	} {
		names, left, err := x.names(v, d, most)
		if err != nil || left != 5-len(want) || !maps.Equal(names, want) {
			t.Errorf("%d: %v, %d, %v", most, names, left, err)
		}
		e, _ := project(seeded(t, d), x.choose(v, names), false)
		if len(e.Variants) != len(want) || e.Winner == nil || e.Winner.Variant != "v2" {
			t.Errorf("%d: %+v", most, e)
		}
	}
}

// What the settings beside an evolution say makes it measured as the run was.
func TestExportedSettings(t *testing.T) {
	t.Parallel()
	low := 0.5
	spec := clade.Spec{Version: 1, Objective: "o", Setup: &clade.Command{Run: "make deps", Network: true}, Carry: []string{"node_modules"}, Frozen: []string{"tests/**"},
		Gates:     []clade.Gate{{ID: "build", Command: clade.Command{Argv: []string{"make"}, Dir: "src", Timeout: clade.Duration(time.Minute)}}},
		Measures:  []clade.Measure{printed("size", "cat n", clade.Minimize)},
		Operators: []clade.Operator{{Use: "command", Name: "worker", Command: clade.Command{Run: "echo 1 >n"}}},
		Search:    clade.Search{Strategy: "generational", Batch: 2}, Budget: clade.Budget{Candidates: 4}, Seed: 7}
	spec.Measures[0].Min, spec.Measures[0].Pass, spec.Measures[0].Unit = &low, []string{"LANG"}, "B"
	native.Complete(&spec)
	spec.Limits.Wall = clade.Duration(3 * time.Minute)
	x := exportingSpec(spec)
	x.rel = "pkg"
	e := seeded(t, x.draft(&Seed{ID: 1, Slug: "s", at: then}))
	have := e.Spec("evolution.yaml")
	have.Gates[0].Network, have.Measures[0].Network = true, true // as every evolution's
	native.Complete(have)
	if not, err := x.kept(have); err != nil || !slices.Equal(not, []string{"gates", "measures", "setup", "carry", "limits"}) {
		t.Errorf("without: %q, %v", not, err)
	}
	data, err := x.settings(have)
	must(t, err)
	for _, want := range []string{
		`carry: ["pkg/node_modules"]`, `frozen: ["pkg/tests/**"]`, `gates: {G1: {network: false, timeout: "1m0s"}}`, `limits: {wall: "3m0s"}`,
		`measures: {R1: {min: 0.5, network: false, pass_env: ["LANG"], unit: "B"}}`, `setup: {dir: "pkg", network: true, run: "make deps"}`, `seed: 7`,
	} {
		if !strings.Contains(string(data), "\n"+want+"\n") {
			t.Errorf("%s is not in\n%s", want, data)
		}
	}
	if _, err := native.Overlay(native.OverlayName, data, have); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if not, err := x.kept(have); err != nil || len(not) > 0 {
		t.Errorf("with: %q, %v", not, err)
	}
	if again, err := x.settings(have); err != nil || strings.Contains(string(again), "limits") {
		t.Errorf("%s, %v", again, err)
	}
	have.Carry = append(have.Carry, "more")
	if not, _ := x.kept(have); !slices.Equal(not, []string{"carry"}) {
		t.Errorf("%q", not)
	}
}
