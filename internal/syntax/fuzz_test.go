package syntax

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzSpans: whatever the bytes, reading ends, and every known span lies in its
// parent's, behind the one before, and holds what its value says.
func FuzzSpans(f *testing.F) {
	for seed := range uint64(40) {
		s := newScribe(seed)
		s.mapping("", 0, 3, false)
		f.Add([]byte(s.String()), false)
	}
	for _, seed := range []string{
		"a: &a [*a]\n? [b]: c\n<<: *a", "%YAML 1.2\n---\n!!map {a: !x b}", "- - a\n  - b\n-\n", "a: |+\n\n\n", "{a, b: , ? c}", "[#a",
		"---\n---\na: 1\n...\n", "'a''b': \"\\\"\"\r\n", "- |2-\n   a\n", "&a a: *a", "? a\n: b\n? c\n", "a:\rb", ">", "k: >\n\n", "a: 'b\n", "[a: b, c]",
	} {
		f.Add([]byte(seed), false)
	}
	f.Add([]byte("\ufeff{\"größe\": [1, \"\\u00e9\", {}],\r\n\"b\": null}"), true)
	f.Fuzz(func(t *testing.T, data []byte, isJSON bool) {
		name := "a.yaml"
		if isJSON {
			name = "a.json"
		}
		var faults Faults
		if root := faults.Parse(source(name, data)); root != nil && len(faults) == 0 {
			holdSpans(t, root, Span{0, len(data)}, data)
			walk(root, func(n *Node) { holdText(t, n, data, isJSON) })
		}
	})
}

func holdSpans(t *testing.T, n *Node, within Span, data []byte) {
	if n.Style == Alias {
		return
	}
	if n.Span.Known() {
		if n.Span.Start < within.Start || n.Span.End > within.End || n.Span.Start > n.Span.End {
			t.Fatalf("%s at %v is not in %v of %q", n.Path, n.Span, within, data)
		}
		within = n.Span
	}
	for _, item := range n.Items {
		holdSpans(t, item, within, data)
		within.Start = max(within.Start, item.Span.End)
	}
	for _, p := range n.Pairs {
		if p.Merged || !p.Span.Known() {
			continue
		}
		holdSpans(t, p.Value, Span{p.Span.End, within.End}, data)
		within.Start = max(within.Start, p.Value.Span.End)
	}
}

// holdText reads a scalar again from its own bytes alone.
func holdText(t *testing.T, n *Node, data []byte, isJSON bool) {
	if !n.Span.Known() || n.Span.Start == n.Span.End {
		return
	}
	own := n.Span.Of(data)
	switch {
	case isJSON && n.Kind != Text:
		if n.Kind < List && string(own) != n.Text && n.Kind != Null {
			t.Fatalf("%s: %q is not %q", n.Path, own, n.Text)
		}
	case isJSON:
		var got, want any
		if json.Unmarshal(own, &got) != nil || json.Unmarshal([]byte(mustJSON(n)), &want) != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %q is not %s", n.Path, own, mustJSON(n))
		}
	case n.Style == Single || n.Style == Double:
		if q := own[0]; q != own[len(own)-1] || q != '"' && q != '\'' {
			t.Fatalf("%s: %q has no quotes", n.Path, own)
		}
	case n.Style == Flow:
		if !bytes.ContainsAny(own[:1], "[{") && len(n.Pairs) != 1 {
			t.Fatalf("%s: %q has no brackets", n.Path, own)
		}
	case n.Style == Plain && n.Kind != Null:
		if words(string(own)) != words(n.Text) && n.Kind == Text {
			t.Fatalf("%s: %q is not %q", n.Path, own, n.Text)
		}
	}
}

func mustJSON(n *Node) string {
	out, err := json.Marshal(n.Any())
	if err != nil {
		panic(err)
	}
	return string(out)
}
