package evolution

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cladehq/clade/internal/syntax"
)

func resolved(t testing.TB, schema []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
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
	r := reader{name: name}
	root := r.Parse(syntax.Source{Name: name, Data: data, Limits: limits})
	if root == nil {
		t.Fatalf("cannot be parsed: %v", r.Err(name))
	}
	return root.Any()
}

// TestSchemasAgreeWithParse: on every case of the archives the schema refuses
// what is among errors, and takes what only comparison can refuse.
func TestSchemasAgreeWithParse(t *testing.T) {
	t.Parallel()
	evolution, result := resolved(t, Schema()), resolved(t, ResultSchema())
	for _, g := range goldens(t, "errors", "results") {
		if _, ok := g.files["syntax"]; ok {
			continue
		}
		_, refused := g.files["errors"]
		schema, name, data := evolution, "evolution.yaml", g.evolution()
		if r, ok := g.files["result.json"]; ok {
			schema, name, data = result, "result.json", []byte(r)
		}
		err := schema.Validate(instance(t, name, data))
		if refused && err == nil {
			t.Errorf("%s: the schema takes it", g.name)
		}
		if !refused && err != nil {
			t.Errorf("%s: the schema refuses it: %v", g.name, err)
		}
	}
}

// TestSchemaTakesWhatIsWritten: no editor marks a file that clade changed.
func TestSchemaTakesWhatIsWritten(t *testing.T) {
	t.Parallel()
	schema := resolved(t, Schema())
	for _, g := range goldens(t, "splices") {
		want, ok := g.files["want"]
		if !ok {
			continue
		}
		name := "evolution.yaml"
		if _, ok := g.files["body"]; ok {
			want = head + want
		}
		if _, ok := g.files["evolution.json"]; ok {
			name = "evolution.json"
		}
		if err := schema.Validate(instance(t, name, []byte(want))); err != nil {
			t.Errorf("%s: %v", g.name, err)
		}
	}
}

// TestSchemasExplainEverything: every key has a description, of its own or
// where it refers to.
func TestSchemasExplainEverything(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{"evolution": Schema(), "result": ResultSchema()} {
		var root map[string]any
		if err := json.Unmarshal(data, &root); err != nil {
			t.Fatal(err)
		}
		defs := root["$defs"].(map[string]any)
		all := map[string]map[string]any{"": root}
		for n, d := range defs {
			all[n] = d.(map[string]any)
		}
		for def, d := range all {
			if d["description"] == nil {
				t.Errorf("%s: %s has no description", name, def)
			}
			props, _ := d["properties"].(map[string]any)
			for key, p := range props {
				p := p.(map[string]any)
				if p["description"] == nil && p["$ref"] == nil {
					t.Errorf("%s: %s.%s has no description", name, def, key)
				}
			}
			if props != nil && d["additionalProperties"] != false {
				t.Errorf("%s: %s takes other keys", name, def)
			}
		}
	}
}
