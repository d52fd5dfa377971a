package native

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

func equalSpecs(t *testing.T, a, b *clade.Spec) {
	t.Helper()
	if !reflect.DeepEqual(a, b) {
		x, _ := json.MarshalIndent(a, "", "  ")
		y, _ := json.MarshalIndent(b, "", "  ")
		t.Fatalf("not equal:\n%s\n%s", x, y)
	}
}

func roundTrip(t *testing.T, spec *clade.Spec) {
	t.Helper()
	data, err := Write(spec)
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := New().Read("written.yaml", data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	equalSpecs(t, spec, back)
}

func TestGoodSpecsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		if spec, _, err := New().Read(g.file, g.data); err == nil {
			roundTrip(t, spec)
		}
	}
}

// TestWriteLooksLikeThis shows the layout once.
func TestWriteLooksLikeThis(t *testing.T) {
	t.Parallel()
	spec, _, err := New().Read("clade.yaml", []byte(strings.TrimSpace(`
version: 1
objective: "Say: yes"
gates: [go test ./...]
measures:
  - {id: speed, argv: [./b, "a b", ""], read: wall_clock, goal: min}
operators: [{use: mutate, share: 0}, {use: llm, with: {deep: [{a: 1}]}}]
search: {explore: 0, cross: 0}
`)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Write(spec)
	if err != nil {
		t.Fatal(err)
	}
	const want = `version: 1
objective: "Say: yes"
gates:
  - {id: gate-1, run: go test ./...}
measures:
  - id: speed
    argv: [./b, a b, ""]
    read: {kind: wall_clock}
    goal: minimize
    weight: 1
    repeats: 1
    noise: timing
operators:
  - use: mutate
    name: mutate
    share: 0
    role: propose
  - use: llm
    name: llm
    share: 1
    role: propose
    with:
      deep:
        - {a: 1}
search:
  strategy: hillclimb
  explore: 0
  cross: 0
  parents: 4
  operators: shares
budget: {candidates: 100}
limits:
  wall: 1m0s
  memory: 2GiB
  processes: 256
  output: 16MiB
  file_size: 10MiB
sandbox: {use: auto, home: hide}
protect:
  autoload: reject
  lint: reject
  secrets: reject
  census: warn
  blank: warn
  jump: 10
final:
  finalists: 1
  alpha: 0.05
  looks: [6, 10, 15, 20]
  look_alpha: 0.0182
seed: 1
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
}

// awkward are texts that YAML would take for something else.
var awkward = []string{"true", "No", "null", "~", "1", "1e3", "0x10", ".5", ".inf", "-", "- a", "a: b", "a #b", "#", "'", `"`, `\`, "a\nb\n",
	" a", "a ", "\ta", "é", "日本", "a\u2028b", "😀", "&a", "*a", "!a", "%a", "@a", "`a", "{a", "[a", "a,b", "?", "? a", ":", "|", ">", "<<", "...", "---",
	"=", "2001-01-01", "12:30", "0o7", "+1", "a - b", "<&>", "\x7f", "a\u0085b", "y", "1_000"}

// TestAwkwardTextsRoundTrip puts each where text goes: alone, in a list, as a
// value and as a key.
func TestAwkwardTextsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range awkward {
		t.Run(fmt.Sprintf("%q", s), func(t *testing.T) {
			t.Parallel()
			spec, _, err := New().Read("clade.yaml", []byte("version: 1\nobjective: x\nbenchmark: b\n"))
			if err != nil {
				t.Fatal(err)
			}
			spec.Objective = s
			spec.Benchmark.Run, spec.Benchmark.Argv = "", []string{"x", s, ""}
			spec.Benchmark.Env = map[string]string{"A": s}
			spec.Operators = []clade.Operator{{Use: "x", Name: "x", Share: 1, Role: clade.RolePropose,
				With: clade.Options{s: s, "list": []any{s, map[string]any{s: s}, nil, true, 1.5e-7, 1e21}}}}
			roundTrip(t, spec)
		})
	}
}

// TestRandomSpecsRoundTrip draws specs as Read could return them.
func TestRandomSpecsRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		roundTrip(t, randomSpec(r))
	}
}

func randomSpec(r *rand.Rand) *clade.Spec {
	word := func() string { return awkward[r.IntN(len(awkward))] + "x" }
	command := func() (c clade.Command) {
		if r.IntN(2) == 0 {
			c.Run = word()
		} else {
			c.Argv = []string{word(), word()}
		}
		if r.IntN(2) == 0 {
			c.Timeout = clade.Duration(1 + r.Int64N(1e15))
			c.Network = true
			c.Pass = []string{"B"}
		}
		return c
	}
	s := &clade.Spec{Version: 1, Objective: word(), Brief: word(), Seed: r.Uint64N(syntax.Exact + 1), Slots: r.IntN(5)}
	for i := range r.IntN(3) {
		s.Gates = append(s.Gates, clade.Gate{ID: fmt.Sprintf("g%d", i), Command: command()})
	}
	for i := range 1 + r.IntN(3) {
		low := r.NormFloat64()
		high := low + 1
		s.Measures = append(s.Measures, clade.Measure{ID: fmt.Sprintf("m%d", i), Command: command(), Goal: clade.Minimize, Min: &low, Max: &high,
			Read: clade.Read{Kind: clade.ReadRegex, Regex: `(\d+)`, Match: "last"}, Weight: r.ExpFloat64() + 1e-9, Repeats: 1 + r.IntN(9), Noise: clade.NoiseNone})
	}
	s.Models, s.Operators = randomAskers(r, word)
	s.Search = clade.Search{Strategy: "race", Batch: 1 + r.IntN(9), Explore: float64(r.IntN(2)) / 2, Cross: float64(r.IntN(2)) / 2, Parents: 1 + r.IntN(9), Operators: "bandit",
		Start: "base", Names: "exp_%04d", Hopeless: r.IntN(3), Retries: r.IntN(3)}
	usd, tokens := clade.Microdollars(1+r.Int64N(1e12)), 1+r.Int64N(syntax.Exact)
	s.Budget = clade.Budget{Candidates: 1 + r.IntN(99), USD: &usd, PerTry: &usd, Tokens: &tokens, Wall: clade.Duration(1 + r.Int64N(1e15))}
	s.Limits = clade.Limits{Wall: 1, Memory: clade.Bytes(1 + r.Int64N(1<<50)), Processes: 1, Output: 1 << 20, FileSize: 1024, Disk: clade.Bytes(r.Int64N(3))}
	s.Sandbox = clade.Sandbox{Use: "none", Floor: "none", Read: []string{"/" + word()}, Home: "show"}
	jump := float64(r.IntN(2)) * (1 + r.ExpFloat64())
	s.Protect = clade.Protect{Autoload: "off", Lint: "warn", Secrets: "reject", Census: "off", Blank: "off", Jump: &jump, Nonce: r.IntN(2) == 0,
		Tripwires: []clade.Tripwire{{ID: "t", Write: map[string]string{"a/b: c.py": word(), "yes": ""}, Delete: []string{"on"}, Expect: "worse"}}}
	s.Final = clade.FinalRule{Finalists: 1, Alpha: 0.01, Looks: []int{1, 2}, LookAlpha: 0.007, Leader: "composite"}
	return s
}

// randomAskers draws two models and operators of which the first is mutate.
func randomAskers(r *rand.Rand, word func() string) (models []clade.Model, ops []clade.Operator) {
	temperature, read := float64(r.IntN(3))/2, clade.Microdollars(r.Int64N(1e10))
	models = []clade.Model{
		{Name: "openai/a:1", Provider: "openai", Model: word(), BaseURL: "http://localhost:8000/v1", KeyEnv: "K", MaxTokens: 1 + r.Int64N(1e6),
			Price: &clade.Price{Input: clade.Microdollars(r.Int64N(1e10)), CacheRead: &read}},
		{Name: "1e3", Provider: "google", Model: "m", BaseURLEnv: "B", KeyEnv: "K", MaxTokens: 8192, Temperature: &temperature, Price: &clade.Price{Output: 1}},
	}
	ops = []clade.Operator{{Use: "mutate", Name: "o0", Share: 1, Role: "propose"}}
	for i := range r.IntN(4) {
		o := clade.Operator{Name: fmt.Sprintf("p%d", i), Share: float64(r.IntN(3)), Role: []string{"propose", "ideate", "review"}[r.IntN(3)]}
		switch r.IntN(3) {
		case 0:
			o.Use, o.Model = "reflect", models[r.IntN(2)].Name
			o.Timeout = clade.Duration(1 + r.Int64N(1e15))
			o.With = clade.Options{"attempts": 3.0, "format": "blocks"}
		case 1:
			o.Use, o.Agent, o.Model, o.Idle = "agent", "gemini", "1e3", 1
			o.Command = clade.Command{Timeout: 1, Network: true, Env: map[string]string{"A": word()}, Pass: []string{"NO"}}
			o.With = clade.Options{"turns": 5.0}
		case 2:
			o.Use, o.Agent, o.Model, o.Idle = "agent", "custom", models[r.IntN(2)].Name, 1
			o.Command = clade.Command{Timeout: 1, Argv: []string{word(), ""}, Dir: "sub"}
		}
		ops = append(ops, o)
	}
	return models, ops
}
