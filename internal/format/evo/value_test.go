package evo

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// The spellings of Python's repr and json.dumps, from its documentation and
// checked with Python 3.11.
func TestPythonSpelling(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{1: "1.0", 0: "0.0", .1: "0.1", -2.5: "-2.5", 1e-4: "0.0001", 1e-5: "1e-05", 1.5e-7: "1.5e-07",
		1e15: "1000000000000000.0", 1e16: "1e+16", 123456789012345680: "1.2345678901234568e+17", 5e-324: "5e-324", 1.0 / 3: "0.3333333333333333"} {
		if got := Float(f); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := Number(math.NaN()); !got.IsNull() {
		t.Errorf("%v", got)
	}
	for s, want := range map[string]string{"é": `"\u00e9"`, "😀": `"\ud83d\ude00"`, "a\"\\/\n\t\r\b\f": `"a\"\\/\n\t\r\b\f"`, "\x00\x7f": `"\u0000\u007f"`, "\u2028": `"\u2028"`} {
		if got := Indented(Text(s)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"numbers keep their spelling": {`[1, 1.0, -0, 1e5, 1E+2, 0.10]`, "[\n  1,\n  1.0,\n  -0,\n  1e5,\n  1E+2,\n  0.10\n]"},
		"what only Python writes":     {`[NaN, Infinity, -Infinity]`, "[\n  NaN,\n  Infinity,\n  -Infinity\n]"},
		"words":                       {` {"a" : null , "b":true,"c":false} `, "{\n  \"a\": null,\n  \"b\": true,\n  \"c\": false\n}"},
		"empty ones":                  {`[[], {}]`, "[\n  [],\n  {}\n]"},
		"half a pair of surrogates":   {`"\udc80\ud800x"`, `"\udc80\ud800x"`},
		"a pair":                      {`"\ud83d\ude00"`, `"\ud83d\ude00"`},
		"beyond ASCII":                {`"é"`, `"\u00e9"`},
	} {
		v, err := Parse("x.json", []byte(c.data))
		if err != nil || Indented(v) != c.want {
			t.Errorf("%s: %s %v, want %s", name, Indented(v), err, c.want)
		}
		if s, ok := v.Text(); ok && quote(s) != c.want {
			t.Errorf("%s: %s, want %s", name, quote(s), c.want)
		}
	}
	for name, c := range map[string]struct{ data, want string }{
		"empty":             {" \n", "x.json:2:1: empty"},
		"twice":             {"{\"a\": 1,\n \"a\": 2}", "x.json:2:2: the key \"a\" is given twice"},
		"more":              {`{} {}`, "x.json:1:4: more text after the JSON value"},
		"open":              {`{"a": [1, 2`, "x.json:1:12: a comma or ] is missing"},
		"within a text":     {`"abc`, "x.json:1:5: the file ends within text"},
		"a control":         {"\"a\nb\"", "x.json:1:3: a control character within text"},
		"an escape":         {`"\x"`, "x.json:1:3: an unknown escape within text"},
		"no word":           {`[nan]`, `x.json:1:2: "nan" is no JSON value`},
		"a leading zero":    {`01`, `x.json:1:1: "01" is no JSON value`},
		"no fraction":       {`1.`, `x.json:1:1: "1." is no JSON value`},
		"no exponent":       {`1e`, `x.json:1:1: "1e" is no JSON value`},
		"a key without":     {`{a: 1}`, "x.json:1:2: text in quotes is missing"},
		"a trailing comma":  {`[1,]`, `x.json:1:4: "" is no JSON value`},
		"bytes":             {"\"\xff\"", "x.json:1:2: not UTF-8"},
		"a byte order mark": {"\ufeff{}", `x.json:1:1: "\ufeff" is no JSON value`},
		"too deep":          {strings.Repeat("[", 5000), "x.json:1:1002: nested more than 1000 deep"},
	} {
		_, err := Parse("x.json", []byte(c.data))
		if err == nil || err.Error() != c.want || clade.FaultOf(err) != clade.FaultSpec {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Unknown keys survive, wherever they are; known ones that changed are written.
func TestUnknownKeysSurvive(t *testing.T) {
	t.Parallel()
	const was = `{"next_id": 2, "from_the_future": [1.50], "root": "root", "nodes": {
		"root": {"id": "root", "parent": null, "status": "root", "x": {"deep": NaN}},
		"exp_0000": {"id": "exp_0000", "parent": "root", "status": "committed", "score": NaN, "score_sem": 1e-3, "gates": [{"name": "g", "command": "true", "owner": "me"}]}}}`
	g, ws, err := ReadGraph(GraphFile, []byte(was))
	if err != nil || len(ws) != 1 || ws[0].Text != "nodes.exp_0000.score is NaN, which is no number: it is read as none" {
		t.Fatal(ws, err)
	}
	if got, want := string(g.Marshal()), string(Marshal(mustParse(t, was))); got != want {
		t.Errorf("%s", firstDifference(got, want))
	}
	g.Nodes["exp_0000"].Score = ptr(1.0)
	g.Nodes["exp_0000"].Status = Pruned
	got := string(g.Marshal())
	for _, want := range []string{`"score": 1.0`, `"status": "pruned"`, `"score_sem": 1e-3`, `"owner": "me"`, `"deep": NaN`, `1.50`} {
		if !strings.Contains(got, want) {
			t.Errorf("lost %s in\n%s", want, got)
		}
	}
}

func TestReadersAreStrict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, data, want string }{
		"a number as text":      {GraphFile, `{"nodes": {"root": {"id": "root", "score": "2.5"}}}`, "graph.json:1:44: nodes.root.score is text, not a finite number"},
		"a boolean as number":   {GraphFile, `{"nodes": {"root": {"id": "root", "score": true}}}`, "graph.json:1:44: nodes.root.score is true, not a finite number"},
		"part of a whole":       {MetaFile, `{"next_run": 1.5}`, "meta.json:1:14: next_run is the number 1.5, not a whole number"},
		"a mapping as list":     {InfraFile, `{"events": {}}`, "infra_log.json:1:12: events is a mapping, not a list"},
		"a list as mapping":     {GraphFile, `{"nodes": []}`, "graph.json:1:11: nodes is a list, not a mapping"},
		"no mapping at all":     {MetaFile, `[]`, "meta.json:1:1: the file is a list, not a mapping"},
		"null as a file":        {MetaFile, `null`, "meta.json:1:1: the file is null, not a mapping"},
		"null as a node":        {GraphFile, `{"nodes": {"root": null}}`, "graph.json:1:20: nodes.root is null, not a value"},
		"null as a gate":        {GraphFile, `{"nodes": {"root": {"gates": [null]}}}`, "graph.json:1:31: nodes.root.gates[0] is null, not a value"},
		"no nodes":              {GraphFile, `{}`, "graph.json:1:1: nodes is missing"},
		"no root":               {GraphFile, `{"nodes": {}}`, "graph.json:1:11: nodes has no root"},
		"a parent that is none": {GraphFile, `{"nodes": {"root": {"id": "root"}, "a": {"id": "a", "parent": "b"}}}`, "graph.json:1:63: nodes.a has a parent that is no node"},
		"another name":          {GraphFile, `{"nodes": {"root": {"id": "root"}, "a": {"id": "b", "parent": "root"}}}`, "graph.json:1:48: nodes.a is called b"},
		"a ring": {GraphFile, `{"nodes": {"root": {"id": "root"}, "a": {"id": "a", "parent": "b"}, "b": {"id": "b", "parent": "a"}}}`,
			"graph.json:1:41: nodes.a is its own ancestor\ngraph.json:1:74: nodes.b is its own ancestor"},
	} {
		_, _, err := readFile(c.file, []byte(c.data))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, _, err := readFile(MetaFile, []byte("{}")); err != nil {
		t.Error(err)
	}
}

func FuzzFiles(f *testing.F) {
	for _, name := range recordings {
		for place, data := range recorded(f, name) {
			if strings.HasSuffix(place, ".json") && len(data) < 4000 {
				f.Add(place, data)
			}
		}
	}
	f.Add(GraphFile, `{"nodes": {"root": {"id": "root", "score": NaN}, "a": {"id": "a", "parent": "root", "children": null}}}`)
	f.Fuzz(func(t *testing.T, place, data string) {
		file, _, err := readFile(place, []byte(data))
		if err != nil || file == nil {
			return
		}
		once := file.Marshal()
		again, _, err := readFile(place, once)
		if err != nil {
			t.Fatalf("%v of what was written:\n%s", err, once)
		}
		if twice := again.Marshal(); string(twice) != string(once) {
			t.Fatalf("%s", firstDifference(string(twice), string(once)))
		}
		if v := mustParse(t, data); string(Marshal(v)) != string(once) {
			t.Fatalf("something was lost: %s", firstDifference(string(once), string(Marshal(v))))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a": [1, "\ud800", NaN, -0.0e+10, null]}`, `"\udc80é"`, "[[[", `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse("x.json", data)
		if err != nil {
			var p *clade.Problem
			if !errors.As(err, &p) || p.Where == "" {
				t.Fatalf("%v says no place", err)
			}
			return
		}
		once := Indented(v)
		again, err := Parse("x.json", []byte(once))
		if err != nil || Indented(again) != once {
			t.Fatalf("%v: %s", err, once)
		}
		if s, ok := v.Text(); ok {
			if r, ok := Text(s).Text(); !ok || r != s {
				t.Fatalf("%q became %q", s, r)
			}
		}
	})
}
