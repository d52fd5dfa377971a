package native

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

var position = regexp.MustCompile(`^clade\.(yaml|json):[1-9][0-9]*:[1-9][0-9]*$`)

// FuzzRead: whatever the bytes, Read ends, every error has a position, and what
// it takes is taken by the schema too, and written and read back equal.
func FuzzRead(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.data, g.file == "clade.json")
	}
	f.Add([]byte("a: &a [*a]\n? [b]: c\n<<: *a"), false)
	f.Add([]byte("%YAML 1.2\n---\n!!map {a: !x b}"), false)
	f.Add([]byte("\xef\xbb\xbfversion: 1\r\nobjective: >-\r\n  x\r\nbenchmark: b\r\n"), false)
	schema := resolvedSchema(f)
	f.Fuzz(func(t *testing.T, data []byte, isJSON bool) {
		name := "clade.yaml"
		if isJSON {
			name = "clade.json"
		}
		New().Detect(name, data)
		spec, _, err := New().Read(name, data)
		if (spec == nil) == (err == nil) {
			t.Fatalf("spec %v with error %v", spec, err)
		}
		if err == nil {
			roundTrip(t, spec)
			if err := schema.Validate(instance(t, name, data)); err != nil {
				t.Fatalf("the schema refuses it: %v", err)
			}
			return
		}
		for _, e := range faultsOf(err) {
			var p *clade.Problem
			if !errors.As(e, &p) || !position.MatchString(p.Where) || p.Text == "" {
				t.Fatalf("no position: %#v", e)
			}
		}
	})
}

func TestTortures(t *testing.T) {
	t.Parallel()
	head := "version: 1\nobjective: x\nbenchmark: b\n"
	bomb := head + "operators:\n- use: x\n  with:\n    a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += "    " + string(c) + ": &" + string(c) + " [*" + string(c-1) + ", *" + string(c-1) + ", *" + string(c-1) + ", *" + string(c-1) + "]\n"
	}
	cases := map[string]struct{ data, want string }{
		"alias bomb":         {bomb, "has more than 5000 values, aliases expanded"},
		"deep flow":          {head + "operators: [{use: x, with: {a: " + repeat("[", 9_000), "is nested deeper than 32 levels"},
		"deep block":         {repeat("- ", 9_000), "is nested deeper than 32 levels"},
		"deep keys":          {repeat("? ", 9_000), "is nested deeper than 32 levels"},
		"deep maps":          {head + "a: " + repeat("{a: ", 1000), "is nested deeper than 32 levels"},
		"many tags":          {repeat("!a ", 9_000), "is nested deeper than 32 levels"},
		"many values":        {head + "allow: [" + repeat("a,", 8_000) + "a]", "has more than 5000 values, aliases expanded"},
		"many words":         {repeat("a: ", 80_000), "has more than 20000 words and signs"},
		"too large":          {head + "# " + repeat("x", 300_000), "is larger than 256 KiB"},
		"binary":             {"\x7fELF\x02\x01\x01\x00", "is not a text file"},
		"no UTF-8":           {head + "# caf\xe9", "is not a text file"},
		"NUL":                {head + "slots: \x001", "is not a text file"},
		"json deep":          {`{"version": ` + repeat("[", 9_000) + repeat("]", 9_000) + "}", "is nested deeper than 32 levels"},
		"json deeper":        {`{"version": ` + repeat("[", 50_000), "is no JSON: invalid character '[' exceeded max depth"},
		"json many values":   {`{"version": [` + repeat("1,", 8_000) + "1]}", "has more than 5000 values"},
		"deep after aliases": {head + "operators: [{use: x, with: {a: &a [[[[[[[[[[1]]]]]]]]]], b: &b [[[[[[[[[[*a]]]]]]]]]], c: [[[[[[[[[[[[*b]]]]]]]]]]]]}}]", "is nested deeper than 32 levels, aliases expanded"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "clade.yaml"
			if strings.HasPrefix(name, "json") {
				file = "clade.json"
			}
			_, _, err := New().Read(file, []byte(c.data))
			var p *clade.Problem
			if !errors.As(err, &p) || p.Text != c.want || !position.MatchString(p.Where) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func repeat(s string, n int) string { return string(bytes.Repeat([]byte(s), n)) }

// TestMarksAndLineEndsDoNotMatter: a byte order mark and CRLF are as if they
// were not there, places of faults included.
func TestMarksAndLineEndsDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		data := append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(g.data, []byte("\n"), []byte("\r\n"))...)
		a, _, errA := New().Read(g.file, g.data)
		b, _, errB := New().Read(g.file, data)
		if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
			t.Errorf("%s: %v\nwith CRLF: %v", g.name, errA, errB)
		} else if errA == nil {
			equalSpecs(t, a, b)
		}
	}
}

func TestSourceByContent(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"spec.json": `{"version": 1, "objective": "x", "benchmark": "b"}`,
		"-":         "{\n\t\"version\": 1,\n\t\"objective\": \"x\", \"benchmark\": \"b\"}",
		"spec":      "version: 1\nobjective: x\nbenchmark: b",
		"a.yml":     "{version: 1, objective: x, benchmark: b}",
	} {
		if _, _, err := New().Read(name, []byte(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		want       bool
	}{
		{"clade.yaml", "version: 1\nobjective: x\n", true},
		{"clade.yaml", "", true},
		{"clade.json", "{", true},
		{"other.yaml", "version: 1\nobjective: x\n", true},
		{"other.yaml", "version: 1\nmeasures: []\n", true},
		{"other.yaml", "version: 1\nobjective: x\n\tbroken: [\n", true},
		{"other.json", `{"version": 1, "objective": "x"}`, true},
		{"other.yaml", "objective: x\n", false},
		{"other.yaml", "version: 3\nservices: {}\n", false},
		{"evolution.yaml", "evolution_id: a\nversion: 1\nobjective: x\n", false},
		{"clade.yaml", "evolution_id: a\nobjective: x\nrubric: []\n", false},
		{"clade.yaml", "rubric: [\nversion: 1\nobjective: x\n", false},
		{"run.bin", "\x00\x01", false},
	} {
		if got := New().Detect(c.name, []byte(c.data)); got != c.want {
			t.Errorf("Detect(%s, %q) = %v", c.name, c.data, got)
		}
	}
}

func TestLargestFile(t *testing.T) {
	t.Parallel()
	data := "version: 1\nobjective: x\nbenchmark: b\nallow:\n" + repeat("  - src/a\n", 4_900)
	if _, _, err := New().Read("clade.yaml", []byte(data)); err != nil {
		t.Error(err)
	}
}
