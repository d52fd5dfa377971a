package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

func datasetSpec(file string, edit func(*clade.Dataset)) *clade.Spec {
	d := &clade.Dataset{File: file, CaseID: "id", Input: "q", Expected: "a",
		Scorer: clade.Scorer{Kind: "exact"}, Splits: clade.SplitSizes{Select: 2}}
	if edit != nil {
		edit(d)
	}
	return &clade.Spec{Dataset: d}
}

// The same two cases in every format.
var formats = map[string]string{
	"cases.json":  "[\n {\"id\": \"x\", \"q\": \"1 < 2\\n\", \"a\": \"yes\"},\n {\"id\": \"y\", \"q\": \"é\", \"a\": \"4\"}\n]\n",
	"cases.jsonl": "{\"id\": \"x\", \"q\": \"1 < 2\\n\", \"a\": \"yes\"}\r\n\n{\"id\": \"y\", \"q\": \"é\", \"a\": \"4\"}",
	"cases.csv":   "\ufeffid,q,a\r\nx,\"1 < 2\n\",yes\r\ny,é,4\r\n",
	"cases.tsv":   "id\tq\ta\nx\t\"1 < 2\n\"\tyes\ny\té\t4\n",
}

func TestLoadFormats(t *testing.T) {
	t.Parallel()
	for file, data := range formats {
		cases, err := Load(datasetSpec(file, nil), []byte(data))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		want := []Case{{"x", "select", []byte("1 < 2\n"), "yes"}, {"y", "select", []byte("é"), "4"}}
		if fmt.Sprintf("%q", cases) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: %q, want %q", file, cases, want)
		}
	}
}

func TestLoadKeepsBytes(t *testing.T) {
	t.Parallel()
	data := `{ "n": 1.50, "s": "a\u00e9", "o": {"k" : [1, 2]} , "e": 1e2}` + "\n"
	for field, want := range map[string]string{
		"": strings.TrimSpace(data), "n": "1.50", "s": "aé", "o": `{"k" : [1, 2]}`,
	} {
		cases, err := Load(datasetSpec("c.jsonl", func(d *clade.Dataset) {
			d.CaseID, d.Input, d.Expected, d.Splits = "", field, "e", clade.SplitSizes{Select: 1}
		}), []byte(data))
		if err != nil || string(cases[0].Input) != want || cases[0].Expected != "1e2" {
			t.Errorf("input %q: %q, %v; want %q", field, cases, err, want)
		}
	}
	cases, err := Load(datasetSpec("c.csv", func(d *clade.Dataset) {
		d.Input, d.Splits = "", clade.SplitSizes{Select: 1}
	}), []byte("id,z,a\n1,<&>,2\n"))
	if err != nil || string(cases[0].Input) != `{"id":"1","z":"<&>","a":"2"}` {
		t.Errorf("a row as JSON: %q, %v", cases, err)
	}
}

func TestLoadDigestIgnoresFormatAndSpace(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for file, data := range formats {
		cases, err := Load(datasetSpec(file, func(d *clade.Dataset) { d.CaseID = "" }), []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			ids[c.ID] = true
		}
	}
	if len(ids) != 2 {
		t.Errorf("two cases have %d digests in four formats: %v", len(ids), ids)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	noID := func(d *clade.Dataset) { d.CaseID = "" }
	for name, tc := range map[string]struct {
		file, data string
		edit       func(*clade.Dataset)
		where, say string
	}{
		"same id":            {"c.jsonl", "{\"id\":1,\"q\":1,\"a\":1}\n\n{\"id\":\"1\",\"q\":2,\"a\":2}\n", nil, "c.jsonl:3", "line 1"},
		"same row":           {"c.csv", "q,a\n1,2\n3,4\n1,2\n", noID, "c.csv:4", "line 2"},
		"same row, spaces":   {"c.jsonl", "{\"q\":1,\"a\":1}\n{\"q\": 1, \"a\": 1}\n", noID, "c.jsonl:2", "line 1"},
		"no such field":      {"c.json", "[{\"id\":1,\"q\":1,\"a\":1},\n\n{\"id\":2,\"q\":1}]", nil, "c.json:3", `"a"`},
		"null field":         {"c.jsonl", `{"id":1,"q":null,"a":1}`, nil, "c.jsonl:1", "null"},
		"field's case":       {"c.jsonl", `{"id":1,"Q":1,"a":1}`, nil, "c.jsonl:1", `"q"`},
		"key twice":          {"c.jsonl", `{"id":1,"q":1,"a":1,"a":2}`, nil, "c.jsonl:1", "twice"},
		"not an object":      {"c.json", "[\n{\"id\":1,\"q\":1,\"a\":1},\n[1]]", nil, "c.json:3", "array"},
		"not an array":       {"c.json", `{"id":1}`, nil, "c.json:1", "array"},
		"array without end":  {"c.json", "[{\"id\":1,\"q\":1,\"a\":1}\n", nil, "c.json:1", ""},
		"after the array":    {"c.json", "[{\"id\":1,\"q\":1,\"a\":1}]\n[]", nil, "c.json:2", "after"},
		"broken line":        {"c.jsonl", "{\"id\":1,\"q\":1,\"a\":1}\n{\"id\":2,", nil, "c.jsonl:2", "JSON"},
		"broken element":     {"c.json", "[{\"id\":1,\"q\":1,\"a\":1},\n{\"id\":}]", nil, "c.json:2", ""},
		"fields missing":     {"c.csv", "id,q,a\n1,2,3\n4,5\n", nil, "c.csv:3", "2 fields"},
		"quote in a field":   {"c.csv", "id,q,a\n1,a\"b,3\n", nil, "c.csv:2", "quote"},
		"quote without end":  {"c.csv", "id,q,a\n1,\"a,3\n", nil, "c.csv", ""},
		"column twice":       {"c.csv", "id,q,q\n1,2,3\n", nil, "c.csv:1", `"q"`},
		"nameless column":    {"c.tsv", "id\t\ta\n1\t2\t3\n", nil, "c.tsv:1", "empty"},
		"empty id":           {"c.csv", "id,q,a\n,2,3\n", nil, "c.csv:2", "id"},
		"control in id":      {"c.jsonl", `{"id":"a\u001bb","q":1,"a":1}`, nil, "c.jsonl:1", "control"},
		"not UTF-8":          {"c.csv", "id,q,a\n1,\xff,3\n", nil, "c.csv:2", "UTF-8"},
		"empty":              {"c.jsonl", "\n", nil, "c.jsonl", "no cases"},
		"empty array":        {"c.json", "[]", nil, "c.json", "no cases"},
		"no format":          {"c.txt", "1", nil, "c.txt", "txt"},
		"nothing expected":   {"c.jsonl", `{"id":1,"q":1}`, func(d *clade.Dataset) { d.Expected = "" }, "c.jsonl", "exact"},
		"fewer than splits":  {"c.csv", "id,q,a\n1,2,3\n", nil, "c.csv", "fewer"},
		"batch above train":  {"c.csv", "id,q,a\n1,2,3\n2,3,4\n", func(d *clade.Dataset) { d.Splits, d.Batch = clade.SplitSizes{Train: 1, Select: 1}, 2 }, "c.csv", "1 train case"},
		"too few for thirds": {"c.csv", "id,q,a\n1,2,3\n", func(d *clade.Dataset) { d.Splits = clade.SplitSizes{} }, "c.csv", "too few"},
		"nothing selects":    {"c.csv", "id,q,a\n1,2,3\n", func(d *clade.Dataset) { d.Splits = clade.SplitSizes{Test: 1} }, "c.csv", "no search"},
		"sizes that wrap":    {"c.csv", "id,q,a\n1,2,3\n", func(d *clade.Dataset) { d.Splits = clade.SplitSizes{Train: 1 << 62, Select: 1 << 62, Test: 1 << 62} }, "c.csv", "fewer"},
	} {
		cases, err := Load(datasetSpec(tc.file, tc.edit), []byte(tc.data))
		var p *clade.Problem
		if !errors.As(err, &p) {
			t.Errorf("%s: %q, %v; want a Problem", name, cases, err)
			continue
		}
		if p.Fault != clade.FaultSpec || !strings.HasPrefix(p.Where, tc.where) || !strings.Contains(err.Error(), tc.say) {
			t.Errorf("%s: %v; want %s and %q", name, err, tc.where, tc.say)
		}
	}
}

func numbered(n int, extra ...int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "{\"id\":\"c%d\",\"q\":1,\"a\":1}\n", i)
	}
	for _, i := range extra {
		fmt.Fprintf(&b, "{\"id\":\"c%d\",\"q\":1,\"a\":1}\n", i)
	}
	return b.Bytes()
}

func splitsOf(t *testing.T, data []byte, sizes clade.SplitSizes, seed uint64) map[string]string {
	t.Helper()
	cases, err := Load(datasetSpec("c.jsonl", func(d *clade.Dataset) { d.Splits, d.Seed = sizes, seed }), data)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range cases {
		out[c.ID] = c.Split
	}
	return out
}

func count(splits map[string]string) (s clade.SplitSizes) {
	for _, name := range splits {
		switch name {
		case clade.SplitTrain:
			s.Train++
		case clade.SplitSelect:
			s.Select++
		case clade.SplitTest:
			s.Test++
		}
	}
	return s
}

func TestSplitSizes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n           int
		sizes, want clade.SplitSizes
	}{
		{3, clade.SplitSizes{}, clade.SplitSizes{Train: 1, Select: 1, Test: 1}},
		{10, clade.SplitSizes{}, clade.SplitSizes{Train: 3, Select: 3, Test: 4}},
		{11, clade.SplitSizes{}, clade.SplitSizes{Train: 3, Select: 4, Test: 4}},
		{30, clade.SplitSizes{Train: 10, Select: 10, Test: 10}, clade.SplitSizes{Train: 10, Select: 10, Test: 10}},
		{30, clade.SplitSizes{Select: 5}, clade.SplitSizes{Select: 5}},
	} {
		if got := count(splitsOf(t, numbered(tc.n), tc.sizes, 1)); got != tc.want {
			t.Errorf("%d cases as %+v: %+v, want %+v", tc.n, tc.sizes, got, tc.want)
		}
	}
}

// A case more moves at most one over each border; a file in another order or
// another seed for the run moves none.
func TestSplitsAreStable(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		sizes := clade.SplitSizes{Train: 10, Select: 10, Test: 10}
		before := splitsOf(t, numbered(33), sizes, seed)
		after := splitsOf(t, numbered(33, 1000), sizes, seed)
		moved := 0
		for id, split := range before {
			if after[id] != split {
				moved++
			}
		}
		if moved > 3 {
			t.Errorf("seed %d: a case more moved %d others", seed, moved)
		}
		lines := bytes.SplitAfter(numbered(33), []byte("\n"))
		rand.New(rand.NewPCG(seed, 1)).Shuffle(33, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if got := splitsOf(t, bytes.Join(lines, nil), sizes, seed); fmt.Sprint(got) != fmt.Sprint(before) {
			t.Errorf("seed %d: the order of lines changed the splits", seed)
		}
	}
	if fmt.Sprint(splitsOf(t, numbered(33), clade.SplitSizes{}, 1)) == fmt.Sprint(splitsOf(t, numbered(33), clade.SplitSizes{}, 2)) {
		t.Error("two split seeds dealt 33 cases alike")
	}
}

func FuzzLoad(f *testing.F) {
	for file, data := range formats {
		f.Add(file[len("cases."):], []byte(data))
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		spec := datasetSpec("cases", func(d *clade.Dataset) { d.Format, d.Splits = format, clade.SplitSizes{Select: 1} })
		cases, err := Load(spec, data)
		var p *clade.Problem
		if err != nil && !errors.As(err, &p) {
			t.Errorf("%v is no Problem", err)
		}
		if err == nil && (len(cases) != 1 || cases[0].ID == "") {
			t.Errorf("%q gave %q", data, cases)
		}
	})
}
