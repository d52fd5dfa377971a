package native

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// A walker holds the schema beside the Go types.
type walker struct {
	t    *testing.T
	defs map[string]any
}

// TestSchemaHasTheKeysOfSpec holds the keys of clade.Spec and of the schema
// equal, at every depth.
func TestSchemaHasTheKeysOfSpec(t *testing.T) {
	t.Parallel()
	var root map[string]any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	w := walker{t, root["$defs"].(map[string]any)}
	w.object("spec", root, reflect.TypeFor[clade.Spec]())
}

func (w walker) object(path string, schema map[string]any, typ reflect.Type) {
	want := jsonKeys(typ)
	got, _ := schema["properties"].(map[string]any)
	for key, field := range want {
		sub, ok := got[key].(map[string]any)
		if !ok {
			w.t.Errorf("%s.%s is not in the schema", path, key)
			continue
		}
		w.value(path+"."+key, sub, field)
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			w.t.Errorf("%s.%s is in the schema only", path, key)
		}
	}
	if schema["additionalProperties"] != false {
		w.t.Errorf("%s takes other keys", path)
	}
}

// value finds the object among what a value may be and goes into it.
func (w walker) value(path string, schema map[string]any, typ reflect.Type) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	if o := w.find(schema); o != nil {
		w.object(path, o, typ)
	} else {
		w.t.Errorf("%s has no object in the schema", path)
	}
}

func (w walker) find(schema map[string]any) map[string]any {
	if _, ok := schema["properties"]; ok {
		return schema
	}
	if ref, ok := schema["$ref"].(string); ok {
		return w.find(w.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any))
	}
	if items, ok := schema["items"].(map[string]any); ok {
		return w.find(items)
	}
	branches, _ := schema["anyOf"].([]any)
	for _, a := range branches {
		if o := w.find(a.(map[string]any)); o != nil {
			return o
		}
	}
	return nil
}

// jsonKeys are the keys of a struct, those of embedded structs among them.
func jsonKeys(typ reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || len(f.Index) > 1 && shadowed(typ, name) {
			continue
		}
		keys[name] = f.Type
	}
	return keys
}

// shadowed reports whether a field of the struct itself has this key.
func shadowed(typ reflect.Type, name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool {
		own, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return len(f.Index) == 1 && own == name
	})
}

// TestSchemaExplainsEverything: every key has a description and an example that
// its own schema takes.
func TestSchemaExplainsEverything(t *testing.T) {
	t.Parallel()
	p := page{root: (&faults{}).ParseJSON(schema, maxNodes)}
	seen := 0
	check := func(path string, n *syntax.Node) {
		for _, prop := range n.Get("properties").Pairs {
			seen++
			for _, keyword := range []string{"description", "examples"} {
				if v := p.look(prop.Value, keyword); v == nil || v.Text == "" && len(v.Items) == 0 {
					t.Errorf("%s.%s has no %s", path, prop.Key, keyword)
				}
			}
		}
	}
	check("spec", p.root)
	for _, def := range p.root.Get("$defs").Pairs {
		if d := def.Value.Get("description"); d == nil || d.Text == "" {
			t.Errorf("%s has no description", def.Key)
		}
		if def.Value.Get("properties") != nil {
			check(def.Key, def.Value)
		}
	}
	if seen < 100 {
		t.Errorf("only %d keys were looked at", seen)
	}
}

// TestExamplesOfSchemaAreTaken puts every example of a key at the top into a
// spec.
func TestExamplesOfSchemaAreTaken(t *testing.T) {
	t.Parallel()
	root := (&faults{}).ParseJSON(schema, maxNodes)
	for _, prop := range root.Get("properties").Pairs {
		for _, example := range prop.Value.Get("examples").Items {
			keys := map[string]string{"version": "1", "objective": "x", "benchmark": "b"}
			keys[prop.Key] = flow(example)
			var b strings.Builder
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				b.WriteString(k + ": " + keys[k] + "\n")
			}
			if _, _, err := New().Read("clade.yaml", []byte(b.String())); err != nil {
				t.Errorf("example of %s: %v\n%s", prop.Key, err, b.String())
			}
		}
	}
}
