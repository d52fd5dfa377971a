package native

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/cladehq/clade"
)

// clone is a spec that shares nothing with the first.
func clone(t testing.TB, s *clade.Spec) *clade.Spec {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var c clade.Spec
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// TestCompleteLeavesWhatIsRead: what Read returns is complete.
func TestCompleteLeavesWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		spec, _, err := New().Read(g.file, g.data)
		if err != nil {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			again, _, _ := New().Read(g.file, g.data)
			Complete(again)
			equalSpecs(t, spec, again)
		})
	}
	for seed := range uint64(100) {
		spec := randomSpec(rand.New(rand.NewPCG(seed, 2)))
		again := randomSpec(rand.New(rand.NewPCG(seed, 2)))
		Complete(again)
		equalSpecs(t, spec, again)
	}
}

// TestCompleteIsWhatReadWouldSay compares specs that another format could have
// made with the file that says the same.
func TestCompleteIsWhatReadWouldSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec clade.Spec
		file string
	}{
		"least": {clade.Spec{Objective: "x", Seed: 1, Benchmark: &clade.Benchmark{Command: clade.Command{Run: "b"}},
			Operators: []clade.Operator{{Use: "mutate"}}},
			"benchmark: b"},
		"dataset": {clade.Spec{Objective: "x", Seed: 1, Operators: []clade.Operator{{Use: "mutate"}},
			Dataset: &clade.Dataset{File: "c.JSONL", Expected: "e", Scorer: clade.Scorer{Kind: "exact"},
				Rollout: &clade.Rollout{Agent: "Claude Code", Model: "anthropic/m"}}},
			"dataset: {file: c.JSONL, expected: e, scorer: exact, rollout: {agent: claude, model: anthropic/m}}"},
		"measures": {clade.Spec{Objective: "x", Seed: 1, Operators: []clade.Operator{{Use: "mutate"}}, Measures: []clade.Measure{
			{ID: "a", Command: clade.Command{Run: "a"}, Read: clade.Read{Kind: clade.ReadRegex, Regex: "(.)"}, Goal: clade.Minimize},
			{ID: "b", Command: clade.Command{Run: "b"}, Read: clade.Read{Kind: clade.ReadMemory}, Goal: clade.Minimize, Weight: 2}}},
			"measures: [{id: a, run: a, read: {regex: (.)}, goal: min}, {id: b, run: b, read: peak_memory, goal: min, weight: 2}]"},
		"the only model": {clade.Spec{Objective: "x", Seed: 1, Benchmark: &clade.Benchmark{Command: clade.Command{Run: "b"}},
			Models: []clade.Model{{Name: "m", Provider: "openai"}},
			Operators: []clade.Operator{{Use: "agent", Agent: "codex_cli"}, {Use: "reflect", Role: "ideate"},
				{Use: "agent", Name: "c", Agent: "claude", Command: clade.Command{Network: true}}}},
			"benchmark: b\nmodels: [{name: m, provider: openai}]\n" +
				"operators: [{use: agent, agent: codex}, {use: reflect, role: ideate, share: 0}, {use: agent, name: c, agent: claude, network: true}]"},
		"final, batch and shares": {clade.Spec{Objective: "x", Seed: 1, Benchmark: &clade.Benchmark{Command: clade.Command{Run: "b"}},
			Operators: []clade.Operator{{Use: "mutate"}}, Search: clade.Search{Strategy: "race", Cross: 1}, Final: clade.FinalRule{Looks: []int{5, 9}}},
			"benchmark: b\nsearch: {strategy: race, explore: 0, cross: 1}\nfinal: {looks: [5, 9]}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, _, err := New().Read("clade.yaml", []byte("version: 1\nobjective: x\n"+c.file+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			before := clone(t, &c.spec)
			got := c.spec
			Complete(&got)
			equalSpecs(t, &got, want)
			equalSpecs(t, &c.spec, before)
		})
	}
}

// TestCompleteAddsNoOperator: who edits is for the caller to say.
func TestCompleteAddsNoOperator(t *testing.T) {
	t.Parallel()
	var s clade.Spec
	Complete(&s)
	if len(s.Operators) != 0 || s.Search.Strategy != "hillclimb" || s.Seed != 0 {
		t.Errorf("%+v", s)
	}
}
