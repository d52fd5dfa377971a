package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cladehq/clade"
)

// The files in testdata are archives of cases. A case is NAME/clade.yaml (or
// .json) beside one of
//
//	NAME/errors     what is wrong; the JSON Schema refuses it too
//	NAME/semantic   what is wrong, which no schema can say: the schema takes it
//	NAME/syntax     what is wrong, where there is nothing to hold against a schema
//	NAME/spec.json  the resolved spec, without the keys that are as in
//	                defaults.json; the schema takes it
//
// and, if there are warnings, NAME/warnings. All were written by hand.
type golden struct {
	name     string // "measures/unknown key"
	file     string // "clade.yaml"
	data     []byte
	expected map[string]string
}

func goldens(t testing.TB) []*golden {
	t.Helper()
	return goldensIn(t, "testdata")
}

func goldensIn(t testing.TB, dir string) (all []*golden) {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, a := range archives {
		ar, err := txtar.ParseFile(a)
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]*golden{}
		for _, f := range ar.Files {
			dir, base := filepath.Split(f.Name)
			g := byName[dir]
			if g == nil {
				g = &golden{name: strings.TrimSuffix(filepath.Base(a), ".txtar") + "/" + filepath.Clean(dir), expected: map[string]string{}}
				byName[dir], all = g, append(all, g)
			}
			if strings.HasPrefix(strings.TrimPrefix(base, "."), "clade.") {
				g.file, g.data = base, f.Data
			} else {
				g.expected[base] = string(f.Data)
			}
		}
	}
	return all
}

// report is how errors are written in the archives: each with its hint below.
func report(t *testing.T, err error) string {
	t.Helper()
	var b strings.Builder
	for _, e := range faultsOf(err) {
		var p *clade.Problem
		if !errors.As(e, &p) || p.Fault != clade.FaultSpec {
			t.Fatalf("%v is no Problem with a spec", e)
		}
		fmt.Fprintln(&b, p.Error())
		if p.Hint != "" {
			fmt.Fprintf(&b, "\t%s\n", p.Hint)
		}
	}
	return b.String()
}

func faultsOf(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return nil
}

// P9, P9a, D21, F47: what a file may not say is refused with its place.
func TestGolden(t *testing.T) {
	t.Parallel()
	bad, good := 0, 0
	for _, g := range goldens(t) {
		if _, ok := g.expected["spec.json"]; ok {
			good++
		} else {
			bad++
		}
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			spec, warnings, err := New().Read(g.file, g.data)
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
				equalJSON(t, spec, "testdata/defaults.json", want)
				return
			}
			want := g.expected["errors"] + g.expected["semantic"] + g.expected["syntax"]
			if got := report(t, err); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if spec != nil {
				t.Error("a spec came back with the errors")
			}
		})
	}
	if bad < 40 || good < 10 {
		t.Errorf("%d bad and %d good cases, want at least 40 and 10", bad, good)
	}
}

// equalJSON wants a spec to be what a file says, with the keys of want replaced.
func equalJSON(t *testing.T, spec *clade.Spec, file, want string) {
	t.Helper()
	got, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	defaults, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	full := map[string]any{}
	for _, layer := range []string{string(defaults), want} {
		if err := json.Unmarshal([]byte(layer), &full); err != nil {
			t.Fatalf("spec.json: %v", err)
		}
	}
	if x, y := indent(t, got), marshal(t, full); x != y {
		t.Errorf("got\n%s\nwant\n%s", x, y)
	}
}

// indent lays JSON out with its keys in the order of the alphabet.
func indent(t *testing.T, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return marshal(t, v)
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func resolvedSchema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	return resolve(t, Schema())
}

func resolve(t testing.TB, data []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// instance is what a schema is held against.
func instance(t *testing.T, name string, data []byte) any {
	t.Helper()
	d := &decoder{faults: &faults{name: name}}
	root := d.source(data)
	if root == nil || len(d.list) > 0 {
		t.Fatalf("cannot be parsed: %v", d.err())
	}
	return d.any(root)
}

// TestSchemaTakesWhatIsWritten: no editor marks a spec that clade wrote.
func TestSchemaTakesWhatIsWritten(t *testing.T) {
	t.Parallel()
	schema := resolvedSchema(t)
	for seed := range uint64(100) {
		data, err := Write(randomSpec(rand.New(rand.NewPCG(seed, 1))))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance(t, "clade.yaml", data)); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
	}
}

func TestSchemaAgreesWithRead(t *testing.T) {
	t.Parallel()
	agrees(t, resolvedSchema(t), goldens(t))
}

// agrees wants a schema to take what is taken, and to refuse what any schema can.
func agrees(t *testing.T, schema *jsonschema.Resolved, all []*golden) {
	t.Helper()
	for _, g := range all {
		if _, ok := g.expected["syntax"]; ok {
			continue
		}
		_, refused := g.expected["errors"]
		err := schema.Validate(instance(t, g.file, g.data))
		if refused && err == nil {
			t.Errorf("%s: the schema takes it", g.name)
		}
		if !refused && err != nil {
			t.Errorf("%s: the schema refuses it: %v", g.name, err)
		}
	}
}
