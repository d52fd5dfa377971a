package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// Write renders a spec as YAML with every key in the order of clade.Spec. What
// it writes is read back equal, if the spec is one that Read returns.
func Write(spec *clade.Spec) ([]byte, error) {
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("writing a spec: %w", err)
	}
	f := &faults{name: "spec.json"}
	root := f.json(data)
	if root == nil {
		return nil, fmt.Errorf("writing a spec: %w", f.err())
	}
	root.dropEmpty("target")
	if set := root.get("dataset"); set != nil {
		set.dropEmpty("splits")
	}
	spellZeros(root, spec)
	var b bytes.Buffer
	for _, p := range root.pairs {
		writePair(&b, p, 0)
	}
	if len(b.Bytes()) > maxSize {
		return nil, errors.New("writing a spec: it is larger than 256 KiB")
	}
	return b.Bytes(), nil
}

// spellZeros adds the zeros that a file must say, since leaving them out there
// means a default.
func spellZeros(root *node, spec *clade.Spec) {
	search := root.get("search")
	if spec.Search.Explore == 0 {
		search.insert("explore", "strategy", "batch")
	}
	if spec.Search.Cross == 0 {
		search.insert("cross", "strategy", "batch", "explore")
	}
	for i, o := range spec.Operators {
		if o.Share == 0 {
			root.get("operators").items[i].insert("share", "use", "name")
		}
	}
}

// insert adds key: 0 after those keys that come before it in clade.Spec.
func (n *node) insert(key string, before ...string) {
	at := 0
	for at < len(n.pairs) && slices.Contains(before, n.pairs[at].key) {
		at++
	}
	n.pairs = slices.Insert(n.pairs, at, pair{key: key, value: &node{kind: number, text: "0"}})
}

// dropEmpty removes a mapping that says nothing.
func (n *node) dropEmpty(key string) {
	n.pairs = slices.DeleteFunc(n.pairs, func(p pair) bool { return p.key == key && len(p.value.pairs) == 0 })
}

func writePair(b *bytes.Buffer, p pair, depth int) {
	fmt.Fprintf(b, "%s%s:", strings.Repeat("  ", depth), scalar(p.key))
	writeValue(b, p.value, depth)
}

// writeValue writes what follows a colon, up to the end of its last line.
func writeValue(b *bytes.Buffer, n *node, depth int) {
	if n.flat() {
		b.WriteString(" " + flow(n) + "\n")
		return
	}
	b.WriteByte('\n')
	for _, p := range n.pairs {
		writePair(b, p, depth+1)
	}
	indent := strings.Repeat("  ", depth+1)
	for _, item := range n.items {
		if item.kind != mapping || item.flat() {
			b.WriteString(indent + "- " + flow(item) + "\n")
			continue
		}
		var inner bytes.Buffer
		for _, p := range item.pairs {
			writePair(&inner, p, depth+2)
		}
		b.WriteString(indent + "- " + strings.TrimLeft(inner.String(), " "))
	}
}

// flat reports whether a value is written on one line: scalars, what is empty,
// short mappings of scalars, and lists of them.
func (n *node) flat() bool {
	if n.kind == mapping {
		return len(n.pairs) <= 3 && !slices.ContainsFunc(n.pairs, func(p pair) bool { return len(p.value.items)+len(p.value.pairs) > 0 })
	}
	return !slices.ContainsFunc(n.items, func(i *node) bool { return i.kind == mapping && len(i.pairs) > 0 })
}

func flow(n *node) string {
	var parts []string
	switch n.kind {
	case list:
		for _, item := range n.items {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mapping:
		for _, p := range n.pairs {
			parts = append(parts, scalar(p.key)+": "+flow(p.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case text:
		return scalar(n.text)
	case null:
		return "null"
	}
	return n.text
}

// bare is text that needs no quotes anywhere; words that YAML takes for
// something else are left out below.
var bare = pattern(`^[A-Za-z_./][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)

// quantity is a length of time or a size, which needs none either.
var quantity = pattern(`^([0-9]+(\.[0-9]+)?(h|m|s|ms|KiB|MiB|GiB))+$`)

var reserved = pattern(`^(?i:true|false|null|yes|no|on|off|y|n|[-+]?\.?(inf|nan)|\.[0-9].*|\.+)$`)

// scalar writes text, in double quotes where it must be: a string of JSON is
// one of YAML too.
func scalar(s string) string {
	if quantity().MatchString(s) || bare().MatchString(s) && !reserved().MatchString(s) && !strings.Contains(s, " -") {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // cannot fail for text
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
