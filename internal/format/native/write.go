package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// Write renders a spec as YAML with every key in the order of clade.Spec. What
// it writes is read back equal, if the spec is one that Read returns.
func Write(spec *clade.Spec) ([]byte, error) {
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("writing a spec: %w", err)
	}
	f := &faults{name: "spec.json"}
	root := f.ParseJSON(data, maxNodes)
	if root == nil {
		return nil, fmt.Errorf("writing a spec: %w", f.err())
	}
	dropEmpty(root, "target")
	if set := root.Get("dataset"); set != nil {
		dropEmpty(set, "splits")
	}
	spellZeros(root, spec)
	var b bytes.Buffer
	for _, p := range root.Pairs {
		writePair(&b, p, 0)
	}
	if len(b.Bytes()) > maxSize {
		return nil, errors.New("writing a spec: it is larger than 256 KiB")
	}
	return b.Bytes(), nil
}

// spellZeros adds the zeros that a file must say, since leaving them out there
// means a default.
func spellZeros(root *syntax.Node, spec *clade.Spec) {
	search := root.Get("search")
	if spec.Search.Explore == 0 {
		insert(search, "explore", "strategy", "batch")
	}
	if spec.Search.Cross == 0 {
		insert(search, "cross", "strategy", "batch", "explore")
	}
	for i, o := range spec.Operators {
		if o.Share == 0 {
			insert(root.Get("operators").Items[i], "share", "use", "name")
		}
	}
}

// insert adds key: 0 after those keys that come before it in clade.Spec.
func insert(n *syntax.Node, key string, before ...string) {
	at := 0
	for at < len(n.Pairs) && slices.Contains(before, n.Pairs[at].Key) {
		at++
	}
	n.Pairs = slices.Insert(n.Pairs, at, syntax.Pair{Key: key, Value: &syntax.Node{Kind: syntax.Number, Text: "0"}})
}

// dropEmpty removes a mapping that says nothing.
func dropEmpty(n *syntax.Node, key string) {
	n.Pairs = slices.DeleteFunc(n.Pairs, func(p syntax.Pair) bool { return p.Key == key && len(p.Value.Pairs) == 0 })
}

func writePair(b *bytes.Buffer, p syntax.Pair, depth int) {
	fmt.Fprintf(b, "%s%s:", strings.Repeat("  ", depth), scalar(p.Key))
	writeValue(b, p.Value, depth)
}

// writeValue writes what follows a colon, up to the end of its last line.
func writeValue(b *bytes.Buffer, n *syntax.Node, depth int) {
	if flat(n) {
		b.WriteString(" " + flow(n) + "\n")
		return
	}
	b.WriteByte('\n')
	for _, p := range n.Pairs {
		writePair(b, p, depth+1)
	}
	indent := strings.Repeat("  ", depth+1)
	for _, item := range n.Items {
		if item.Kind != syntax.Mapping || flat(item) {
			b.WriteString(indent + "- " + flow(item) + "\n")
			continue
		}
		var inner bytes.Buffer
		for _, p := range item.Pairs {
			writePair(&inner, p, depth+2)
		}
		b.WriteString(indent + "- " + strings.TrimLeft(inner.String(), " "))
	}
}

// flat reports whether a value is written on one line: scalars, what is empty,
// short mappings of scalars, and lists of them.
func flat(n *syntax.Node) bool {
	if n.Kind == syntax.Mapping {
		return len(n.Pairs) <= 3 && !slices.ContainsFunc(n.Pairs, func(p syntax.Pair) bool { return len(p.Value.Items)+len(p.Value.Pairs) > 0 })
	}
	return !slices.ContainsFunc(n.Items, func(i *syntax.Node) bool { return i.Kind == syntax.Mapping && len(i.Pairs) > 0 })
}

func flow(n *syntax.Node) string {
	var parts []string
	switch n.Kind {
	case syntax.List:
		for _, item := range n.Items {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case syntax.Mapping:
		for _, p := range n.Pairs {
			parts = append(parts, scalar(p.Key)+": "+flow(p.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case syntax.Text:
		return scalar(n.Text)
	case syntax.Null:
		return "null"
	}
	return n.Text
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
