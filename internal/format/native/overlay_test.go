package native

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// evolved is a spec as another format makes one: with gates and measures, and
// with nothing of what an overlay says.
func evolved() *clade.Spec {
	return &clade.Spec{
		Version: 1, Objective: "Start faster.", Seed: 1, Slots: 2,
		Target: clade.Target{Path: "../../..", Kind: clade.TargetGit},
		Allow:  []string{"src/**"},
		Gates:  []clade.Gate{{ID: "G1", Command: clade.Command{Run: "make test"}}, {ID: "G2", Command: clade.Command{Run: "make lint"}}},
		Measures: []clade.Measure{
			{ID: "R1", Command: clade.Command{Run: "./start"}, Read: clade.Read{Kind: clade.ReadClock}, Goal: clade.Minimize, Unit: "s",
				Noise: clade.NoiseTiming, Weight: 0.7, Repeats: 1},
			{ID: "R2", Command: clade.Command{Run: "./size"}, Read: clade.Read{Kind: clade.ReadRegex, Regex: "([0-9]+)", Match: "last"},
				Goal: clade.Minimize, Weight: 0.3, Repeats: 1},
		},
		Search: clade.Search{Strategy: "generational", Batch: 2, Start: clade.StartBase, Names: "v%d"},
		Budget: clade.Budget{Candidates: 8, Plateau: 2},
		Final:  clade.FinalRule{Leader: clade.LeaderComposite},
	}
}

// The archives in testdata/overlay are like those in testdata, with .clade.yaml
// or clade.json beside evolved. Without an overlay that is complete.json.
func TestGoldenOverlays(t *testing.T) {
	t.Parallel()
	bad, good := 0, 0
	for _, g := range goldensIn(t, "testdata/overlay") {
		if _, ok := g.expected["spec.json"]; ok {
			good++
		} else {
			bad++
		}
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			spec := evolved()
			warnings, err := Overlay(g.file, g.data, spec)
			var warned strings.Builder
			for _, w := range warnings {
				fmt.Fprintf(&warned, "%s: %s\n", w.Where, w.Text)
			}
			if got := warned.String(); got != g.expected["warnings"] {
				t.Errorf("warnings\n%swant\n%s", got, g.expected["warnings"])
			}
			if want, ok := g.expected["spec.json"]; ok {
				if err != nil {
					t.Fatalf("refused:\n%s", report(t, err))
				}
				equalJSON(t, spec, "testdata/overlay/complete.json", want)
				return
			}
			want := g.expected["errors"] + g.expected["semantic"] + g.expected["syntax"]
			if got := report(t, err); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			equalSpecs(t, spec, evolved())
		})
	}
	if bad < 12 || good < 6 {
		t.Errorf("%d bad and %d good cases, want at least 12 and 6", bad, good)
	}
}

// TestCompleteWithoutOverlay: with nothing beside it a foreign file is as
// complete as with an overlay that says nothing of it.
func TestCompleteWithoutOverlay(t *testing.T) {
	t.Parallel()
	spec := evolved()
	Complete(spec)
	equalJSON(t, spec, "testdata/overlay/complete.json", "{}")
}

// TestOverlayOverAnother lays a second overlay over what a first one said: what
// it does not say stays.
func TestOverlayOverAnother(t *testing.T) {
	t.Parallel()
	lay := func(t *testing.T, spec *clade.Spec, data string) {
		t.Helper()
		if _, err := Overlay("clade.yaml", []byte(data), spec); err != nil {
			t.Fatal(report(t, err))
		}
	}
	whole, other := evolved(), evolved()
	for _, data := range []string{
		"frozen: [a]\nmodels: [{name: m, provider: anthropic}]\nsetup: make",
		"frozen: [b]\nmodels: [{name: n, provider: openai, price: {input: 1, output: 1}}]",
		"operators: [{use: reflect, model: n}]",
		"limits: {disk: 1GiB, wall: 3m}\nfinal: {alpha: 0.01, looks: [5]}\nslots: 3\nseed: 0",
		"limits: {memory: 1GiB}\nfinal: {finalists: 2}\nprotect: {nonce: true, jump: 0}\nbudget: {usd: 4, per_try_usd: 2}",
		"sandbox: {floor: namespaces, home: show}\nprotect: {lint: warn}\nbudget: {usd: 3}\nsearch: {explore: 0}",
		"sandbox: bwrap\nsearch: {cross: 0.5}\ngates: {G1: {env: {A: b}}}\nmeasures: {R2: {min: 1}}",
		"gates: {G1: {pass_env: [B]}, G2: {network: true, dir: a}}\nmeasures: {R2: {max: 2}}",
		"gates: {G2: {network: false}}",
	} {
		lay(t, other, data)
	}
	lay(t, whole, `
frozen: [a, b]
models: [{name: m, provider: anthropic}, {name: n, provider: openai, price: {input: 1, output: 1}}]
setup: make
operators: [{use: reflect, model: n}]
limits: {disk: 1GiB, wall: 3m, memory: 1GiB}
final: {alpha: 0.01, looks: [5], finalists: 2}
slots: 3
seed: 0
protect: {nonce: true, jump: 0, lint: warn}
budget: {usd: 3, per_try_usd: 2}
sandbox: {use: bwrap, floor: namespaces, home: show}
search: {explore: 0, cross: 0.5}
gates: {G1: {env: {A: b}, pass_env: [B]}, G2: {dir: a}}
measures: {R2: {min: 1, max: 2}}
`)
	equalSpecs(t, other, whole)
}

// TestOverlayFaultsOfTheWhole: what only both together do wrong has a place in
// the file that was read.
func TestOverlayFaultsOfTheWhole(t *testing.T) {
	t.Parallel()
	usd := clade.Microdollars(1e6)
	threshold, low := 3.0, 5.0
	for name, c := range map[string]struct {
		data   string
		change func(*clade.Spec)
		want   string
	}{
		"the other's operators": {"budget: {usd: 1, per_try_usd: 1}",
			func(s *clade.Spec) {
				s.Operators = []clade.Operator{{Use: "agent", Agent: "codex", Command: clade.Command{Network: true}}}
			},
			"clade.yaml:1:1: operators[0]: codex does not say what it costs, so budget.usd cannot be kept"},
		"the other's money": {"operators: [{use: agent, agent: claude, network: true}]",
			func(s *clade.Spec) { s.Budget.USD = &usd },
			"clade.yaml:1:1: budget.per_try_usd is missing: operators[0] costs money, and usd is kept by holding some back for each try"},
		"the other's hold": {"budget: {usd: 0.5}",
			func(s *clade.Spec) { s.Budget.PerTry = &usd },
			"clade.yaml:1:15: budget.per_try_usd is more than the whole budget of 0.50"},
		"the other's floor": {"sandbox: none",
			func(s *clade.Spec) { s.Sandbox.Floor = "namespaces" },
			"clade.yaml:1:10: sandbox.floor: use: none gives less than namespaces"},
		"the other's threshold": {"measures: {R2: {noise: timing}}",
			func(s *clade.Spec) { s.Measures[1].Threshold = &threshold },
			"clade.yaml:1:24: measures.R2.threshold of a timing is a share and must be below 1"},
		"the other's least": {"measures: {R2: {max: 5}}",
			func(s *clade.Spec) { s.Measures[1].Min = &low },
			"clade.yaml:1:22: measures.R2.max must be above min"},
		"the other's repeats": {"measures: {R2: {noise: timing}}",
			func(s *clade.Spec) { s.Measures[1].Repeats = 3 },
			"clade.yaml:1:24: measures.R2 is repeated, and a timing is measured in pairs until it is clear"},
		"the other's variables": {"gates: {G1: {env: {A: b}}}",
			func(s *clade.Spec) { s.Gates[0].Pass = []string{"A"} },
			"clade.yaml:1:19: gates.G1.env: \"A\" is set in env as well"},
		"the other's model": {"models: [{name: m, provider: google}]",
			func(s *clade.Spec) { s.Models = []clade.Model{{Name: "m", Provider: "openai"}} },
			"clade.yaml:1:17: models[0].name: \"m\" is taken"},
		"reads a gate": {"measures: {R2: {timeout: 5s}}",
			func(s *clade.Spec) { s.Measures[1].From, s.Measures[1].Run = "G1", "" },
			"clade.yaml:1:17: measures.R2.timeout has no use beside from, which reads the run of a gate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, before := evolved(), evolved()
			c.change(spec)
			c.change(before)
			_, err := Overlay("clade.yaml", []byte(c.data), spec)
			var got []string
			for _, e := range faultsOf(err) {
				got = append(got, e.Error())
			}
			if !slices.Equal(got, []string{c.want}) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			equalSpecs(t, spec, before)
		})
	}
}

func TestOverlaySchemaAgreesWithOverlay(t *testing.T) {
	t.Parallel()
	agrees(t, resolve(t, OverlaySchema()), goldensIn(t, "testdata/overlay"))
}

// TestOverlaySchemaExplainsEverything: every key is described, and its examples
// are taken by Overlay.
func TestOverlaySchemaExplainsEverything(t *testing.T) {
	t.Parallel()
	p := page{root: (&faults{}).ParseJSON(OverlaySchema(), 1<<20)}
	for _, prop := range p.root.Get("properties").Pairs {
		if p.look(prop.Value, "description") == nil || p.look(prop.Value, "examples") == nil {
			t.Errorf("%s is not explained", prop.Key)
			continue
		}
		for _, example := range p.look(prop.Value, "examples").Items {
			data := prop.Key + ": " + flow(example) + "\n"
			if prop.Key != "models" && strings.Contains(data, "fast") {
				data += "models: [{name: fast, provider: openai, price: {input: 1, output: 1}}]\n"
			}
			if _, err := Overlay(OverlayName, []byte(data), evolved()); err != nil {
				t.Errorf("%s: %v", data, err)
			}
		}
	}
}

// TestOverlayKeysAreTheSchemas: a key that nobody knows makes Overlay list those
// it does, which are the schema's.
func TestOverlayKeysAreTheSchemas(t *testing.T) {
	t.Parallel()
	_, err := Overlay(OverlayName, []byte("zzzzzzzz: 1"), evolved())
	var p *clade.Problem
	if !errors.As(err, &p) {
		t.Fatal(err)
	}
	var keys []string
	for _, pair := range (&faults{}).ParseJSON(OverlaySchema(), 1<<20).Get("properties").Pairs {
		keys = append(keys, pair.Key)
	}
	slices.Sort(keys)
	if want := "known here: " + strings.Join(keys, ", "); p.Hint != want {
		t.Errorf("got  %s\nwant %s", p.Hint, want)
	}
}

var overlayPosition = regexp.MustCompile(`^(\.clade\.yaml|clade\.json):[1-9][0-9]*:[1-9][0-9]*$`)

// FuzzOverlay: whatever the bytes, Overlay ends; what it refuses has a place and
// changes nothing, and what it takes the schema takes too and is complete.
func FuzzOverlay(f *testing.F) {
	for _, g := range goldensIn(f, "testdata/overlay") {
		f.Add(g.data, g.file == "clade.json")
	}
	for _, g := range goldens(f) {
		f.Add(g.data, g.file == "clade.json")
	}
	schema := resolve(f, OverlaySchema())
	f.Fuzz(func(t *testing.T, data []byte, isJSON bool) {
		name, spec := OverlayName, evolved()
		if isJSON {
			name = "clade.json"
		}
		_, err := Overlay(name, data, spec)
		if err != nil {
			for _, e := range faultsOf(err) {
				var p *clade.Problem
				if !errors.As(e, &p) || !overlayPosition.MatchString(p.Where) || p.Text == "" {
					t.Fatalf("no position: %#v", e)
				}
			}
			equalSpecs(t, spec, evolved())
			return
		}
		again := *spec
		Complete(&again)
		equalSpecs(t, &again, spec)
		if err := schema.Validate(instance(t, name, data)); err != nil {
			t.Fatalf("the schema refuses it: %v", err)
		}
	})
}

// TestOverlayRepeatsNoKey: as in a spec, what looks like a key is refused and
// not repeated.
func TestOverlayRepeatsNoKey(t *testing.T) {
	t.Parallel()
	key := "sk-" + strings.Repeat("a1B2", 8)
	for _, data := range []string{"gates: {" + key + ": {}}", "gates: {G1: {env: {A: " + key + "}}}", key + ": 1", key} {
		spec := evolved()
		warnings, err := Overlay(OverlayName, []byte(data), spec)
		if err == nil || strings.Contains(fmt.Sprint(err, warnings), key) || !reflect.DeepEqual(spec, evolved()) {
			t.Errorf("%s: %v %v", data, err, warnings)
		}
	}
}

// TestOverlaysOfTheDocs reads what the documentation shows.
func TestOverlaysOfTheDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/evolution-files.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "\n```yaml overlay\n")[1:]
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "\n```")
		if warnings, err := Overlay(OverlayName, []byte(block), evolved()); err != nil || len(warnings) > 0 {
			t.Errorf("%v %v\n%s", err, warnings, block)
		}
	}
	if len(blocks) == 0 {
		t.Error("it shows none")
	}
}

// TestOverlayOfTooMuch: its limits are those of a spec.
func TestOverlayOfTooMuch(t *testing.T) {
	t.Parallel()
	data := slices.Repeat([]byte(" "), maxSize+1)
	if _, err := Overlay(OverlayName, data, evolved()); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Error(err)
	}
	deep := "operators: [{use: x, with: " + strings.Repeat("[", syntax.MaxDepth) + strings.Repeat("]", syntax.MaxDepth) + "}]"
	if _, err := Overlay(OverlayName, []byte(deep), evolved()); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Error(err)
	}
}
