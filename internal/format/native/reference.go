package native

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/syntax"
)

//go:generate go test -run TestReferenceIsCurrent . -update

// referenceHead begins the page. What it says of the file as a whole is in no
// schema.
const referenceHead = `# clade.yaml

<!-- Made from internal/format/native/schema.json by go generate; edit that. -->

%s One file, in YAML or, with the ending .json, in JSON. The least that works:

` + "```yaml" + `
version: 1
objective: Make parsing faster.
gates:
  - go test ./...
measures:
  - {id: speed, run: ./bench, read: wall_clock, goal: min}
` + "```" + `

The file is read strictly. A key that is not on this page, a key given twice, a value of the wrong type and a value that
makes no sense are errors, all of them reported at once, each with line and column and a way to mend it. YAML anchors,
aliases and ` + "`<<`" + ` are read, tags and further documents are not. ` + "`clade init`" + ` writes a first spec for a folder, ` + "`clade plan`" + `
shows one with every default filled in, and ` + "`clade schema`" + ` prints the JSON Schema for an editor.

Short forms, wherever they fit: a command may be a line for the shell instead of a mapping; a gate may be a line; an
operator, ` + "`read`" + `, ` + "`scorer`, `search` and `sandbox`" + ` may be a word; ` + "`target`" + ` may be a path; ` + "`budget`" + ` may be a number of candidates.
`

// referenceSections are the mappings of the schema, in the order of the page,
// with their headings.
var referenceSections = [][2]string{
	{"target", "target"}, {"program", "command"}, {"gate", "gates"}, {"measure", "measures"}, {"read", "read"}, {"dataset", "dataset"},
	{"rollout", "rollout"}, {"scorer", "scorer"}, {"splits", "splits"}, {"operator", "operators"}, {"model", "models"}, {"price", "price"},
	{"search", "search"}, {"budget", "budget"}, {"limits", "limits"}, {"sandbox", "sandbox"}, {"protect", "protect"},
	{"tripwire", "tripwires"}, {"final", "final"},
}

// referenceValues are the kinds of value that have a name.
var referenceValues = [][2]string{
	{"text", "text"}, {"path", "path"}, {"globs", "patterns"}, {"line", "line"}, {"duration", "duration"}, {"size", "size"},
	{"money", "money"}, {"perMillion", "price per million"}, {"count", "count"},
}

// Reference renders docs/spec.md: every key of the format with its type,
// default, meaning and an example, in Markdown.
func Reference() []byte {
	p := page{root: (&faults{name: "schema.json"}).ParseJSON(schema, maxNodes)}
	fmt.Fprintf(&p.out, referenceHead, p.root.Get("description").Text)
	p.section("The keys at the top", p.root)
	for _, s := range referenceSections {
		p.section(s[1], p.def(s[0]))
	}
	p.values()
	return p.out.Bytes()
}

// A page is the reference being written.
type page struct {
	root *syntax.Node
	out  bytes.Buffer
}

func (p *page) def(name string) *syntax.Node { return p.root.Get("$defs").Get(name) }

func (p *page) section(title string, n *syntax.Node) {
	fmt.Fprintf(&p.out, "\n## %s\n\n", title)
	if n != p.root {
		fmt.Fprintf(&p.out, "%s\n\n", n.Get("description").Text)
	}
	p.out.WriteString("| key | type | default | meaning | example |\n|---|---|---|---|---|\n")
	required := words(n.Get("required"))
	for _, prop := range n.Get("properties").Pairs {
		if n != p.def("program") && n.Get("properties").Get("network") != nil && slices.Contains(commandKeys, prop.Key) {
			if prop.Key == "run" {
				fmt.Fprintf(&p.out, "| `%s` | | | Those of a [command](#command). | |\n", strings.Join(commandKeys, "`, `"))
			}
			continue
		}
		p.row(prop.Key, prop.Value, slices.Contains(required, prop.Key))
	}
}

func (p *page) row(key string, n *syntax.Node, required bool) {
	def := ""
	if v := p.look(n, "default"); v != nil {
		def = code(flow(v))
	} else if required {
		def = "required"
	}
	example := ""
	if v := p.look(n, "examples"); v != nil {
		example = code(flow(v.Items[0]))
	}
	fmt.Fprintf(&p.out, "| `%s` | %s | %s | %s | %s |\n", key, p.kind(n), def, cell(p.look(n, "description").Text), example)
}

// look finds a keyword of a property, or of the definition it refers to.
func (p *page) look(n *syntax.Node, keyword string) *syntax.Node {
	if v := n.Get(keyword); v != nil {
		return v
	}
	if ref := n.Get("$ref"); ref != nil {
		return p.look(p.def(refName(ref)), keyword)
	}
	return nil
}

func refName(ref *syntax.Node) string { return strings.TrimPrefix(ref.Text, "#/$defs/") }

// kind says in words what a value may be.
func (p *page) kind(n *syntax.Node) string {
	if ref := n.Get("$ref"); ref != nil {
		return p.named(refName(ref))
	}
	if c := n.Get("const"); c != nil {
		return code(c.Text)
	}
	if e := n.Get("enum"); e != nil {
		return code(strings.Join(words(e), "`, `"))
	}
	if either := n.Get("anyOf"); either != nil {
		var parts []string
		for _, a := range either.Items {
			parts = append(parts, p.kind(a))
		}
		return strings.Join(parts, " or ")
	}
	t := n.Get("type")
	if t == nil {
		return ""
	}
	switch t.Text {
	case "array":
		return "list of " + p.kind(n.Get("items"))
	case "integer":
		return "whole number" + bounds(n)
	case "number":
		return "number" + bounds(n)
	case "boolean":
		return "`true`, `false`"
	case "object":
		return "mapping"
	}
	return "text"
}

// named is a link to what a definition is about, or else what it may be.
func (p *page) named(def string) string {
	if def == "command" {
		def = "program"
	}
	for _, s := range referenceSections {
		if s[0] == def {
			return fmt.Sprintf("[%s](#%s)", s[1], s[1])
		}
	}
	for _, v := range referenceValues {
		if v[0] == def {
			return fmt.Sprintf("[%s](#values)", v[1])
		}
	}
	return p.kind(p.def(def))
}

func bounds(n *syntax.Node) string {
	low, above, high := n.Get("minimum"), n.Get("exclusiveMinimum"), n.Get("maximum")
	if high != nil && high.Text == fmt.Sprint(int64(syntax.Exact)) {
		high = &syntax.Node{Text: "2^53 - 1"}
	}
	switch {
	case low != nil && high != nil:
		return ", " + low.Text + " to " + high.Text
	case above != nil && high != nil:
		return ", above " + above.Text + ", at most " + high.Text
	case low != nil:
		return ", at least " + low.Text
	case above != nil:
		return ", above " + above.Text
	}
	return ""
}

func (p *page) values() {
	p.out.WriteString("\n## values\n\n| what | how it is written |\n|---|---|\n")
	for _, v := range referenceValues {
		fmt.Fprintf(&p.out, "| %s | %s |\n", v[1], cell(p.def(v[0]).Get("description").Text))
	}
}

func words(n *syntax.Node) (all []string) {
	if n == nil {
		return nil
	}
	for _, item := range n.Items {
		all = append(all, item.Text)
	}
	return all
}

// code and cell keep a bar from ending a cell of the table.
func code(s string) string { return "`" + cell(s) + "`" }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
