package native

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// yaml parses a YAML file. A syntax error hides whatever follows it, so it is
// reported alone, with the line and a caret below it.
func (f *faults) yaml(data []byte) *node {
	tokens := lexer.Tokenize(string(data))
	if len(tokens) > maxTokens {
		f.add(yamlPos(tokens[maxTokens]), "move data into files of their own", "has more than %d words and signs", maxTokens)
		return nil
	}
	if at, deep := tooDeep(tokens); deep {
		f.add(at, "", "is nested deeper than %d levels", maxDepth)
		return nil
	}
	file, err := parse(tokens)
	if err != nil {
		f.syntax(err)
		return nil
	}
	y := yamlReader{faults: f, anchors: map[string]*node{}, left: maxNodes}
	return y.file(file)
}

// parse calls the library, which panics on some malformed input.
func parse(tokens token.Tokens) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("cannot be parsed")
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// syntaxError is what the library's errors offer.
type syntaxError interface {
	GetToken() *token.Token
	GetMessage() string
	FormatError(colored, source bool) string
}

func (f *faults) syntax(err error) {
	var s syntaxError
	if !errors.As(err, &s) || s.GetToken() == nil {
		f.add(pos{}, "", "is no YAML: %v", err)
		return
	}
	_, excerpt, _ := strings.Cut(s.FormatError(false, true), "\n")
	hint := ""
	if strings.Contains(s.GetMessage(), "cannot start any token") {
		hint = "quote the text, and indent with spaces, never tabs"
	}
	f.add(yamlPos(s.GetToken()), hint, "is no YAML: %s\n%s", strings.ReplaceAll(s.GetMessage(), "\t", `\t`), strings.TrimRight(excerpt, "\n"))
}

func yamlPos(t *token.Token) pos {
	if t == nil || t.Position == nil {
		return pos{}
	}
	return pos{t.Position.Line, t.Position.Column}
}

// tooDeep finds nesting that would exhaust the parser, which recurses. Only
// what nests within a line needs counting: other nesting takes indentation and
// so, under the cap on size, cannot become deep enough to harm.
func tooDeep(tokens token.Tokens) (at pos, deep bool) {
	flow, inline, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, inline = t.Position.Line, 0
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType:
			inline++
		}
		if flow > maxDepth || inline > maxDepth {
			return yamlPos(t), true
		}
	}
	return pos{}, false
}

type yamlReader struct {
	*faults
	anchors map[string]*node
	left    int // values that may still be made
	full    bool
}

func (y *yamlReader) file(file *ast.File) *node {
	var root *node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			y.add(y.start(doc), "keep one spec per file", "a second document begins here")
			return nil
		}
		root = y.node(doc.Body, 0)
	}
	if y.full {
		return nil
	}
	if root == nil {
		y.add(pos{}, "clade init writes a first spec", "is empty")
	}
	return root
}

func (y *yamlReader) start(doc *ast.DocumentNode) pos {
	if doc.Start != nil {
		return yamlPos(doc.Start)
	}
	return yamlPos(doc.Body.GetToken())
}

// spend counts a value against the cap.
func (y *yamlReader) spend(at pos) bool {
	if y.left--; y.left < 0 && !y.full {
		y.full = true
		y.add(at, "", "has more than %d values, aliases expanded", maxNodes)
	}
	return !y.full
}

func (y *yamlReader) node(n ast.Node, depth int) *node {
	out := &node{}
	if n == nil {
		return out
	}
	out.at = yamlPos(n.GetToken())
	if depth > maxDepth {
		y.add(out.at, "", "is nested deeper than %d levels", maxDepth)
		y.full = true
		return out
	}
	if !y.spend(out.at) {
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		y.mapping(out, n.Values, depth)
		if n.IsFlowStyle {
			out.at = yamlPos(n.Start)
		}
	case *ast.MappingValueNode:
		y.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range n.Values {
			out.items = append(out.items, y.node(v, depth+1))
		}
	case *ast.AnchorNode:
		return y.anchor(n, depth)
	case *ast.AliasNode:
		return y.alias(n, depth)
	case *ast.TagNode:
		out.kind = broken
		y.add(out.at, "remove the tag; quote a value to make it text", "tags such as %s are not read", quote(n.GetToken().Value))
	default:
		y.scalar(out, n)
	}
	return out
}

// plainNumber is how YAML and JSON agree to write a number.
var plainNumber = pattern(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func (y *yamlReader) scalar(out *node, n ast.Node) {
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = null
	case *ast.BoolNode:
		out.kind, out.text = boolean, fmt.Sprint(n.Value)
	case *ast.StringNode:
		out.kind, out.text = text, n.Value
		if n.Token.Type == token.StringType && plainNumber().MatchString(n.Value) {
			out.kind = number // 1e3, which the library takes for text
		}
	case *ast.LiteralNode:
		out.kind, out.text = text, n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.kind, out.text = number, strings.TrimSpace(n.GetToken().Value)
		if !plainNumber().MatchString(out.text) {
			y.add(out.at, "write it in decimal, like 16 or 0.5, or quote it to make it text", "%s is no plain number", cut(out.text))
			out.kind = broken
		}
	default:
		out.kind = broken
		y.add(out.at, "", "%s is not read here", strings.ToLower(n.Type().YAMLName()))
	}
}

func (y *yamlReader) mapping(out *node, values []*ast.MappingValueNode, depth int) {
	out.kind = mapping
	var merged []*node
	for i, v := range values {
		at := yamlPos(v.Key.GetToken())
		if i == 0 {
			out.at = at
		}
		value := y.node(v.Value, depth+1)
		if value.kind == null { // has no place of its own where it is not written
			value.at = at
		}
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			merged = append(merged, y.merged(value)...)
			continue
		}
		key, ok := keyText(v.Key)
		if !ok {
			y.add(at, "", "a key must be a word")
			continue
		}
		y.put(out, pair{key, at, value})
	}
	for _, m := range merged { // own keys win, then the first merged mapping
		for _, p := range m.pairs {
			if out.get(p.key) == nil {
				out.pairs = append(out.pairs, p)
			}
		}
	}
}

// merged lists the mappings that << takes in.
func (y *yamlReader) merged(n *node) []*node {
	all := []*node{n}
	if n.kind == list {
		all = n.items
	}
	for _, m := range all {
		if m.kind != mapping {
			y.add(m.at, "name an anchor of a mapping: <<: *name", "<< takes in a mapping, not %s", m)
			return nil
		}
	}
	return all
}

func keyText(k ast.MapKeyNode) (string, bool) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, true
	}
	return "", false
}

// put adds a pair unless its key is there already.
func (f *faults) put(n *node, p pair) {
	for _, q := range n.pairs {
		if q.key == p.key {
			f.add(p.at, fmt.Sprintf("the first is on line %d; keep one", q.at.line), "key %s is given twice", quote(p.key))
			return
		}
	}
	n.pairs = append(n.pairs, p)
}

// anchor registers a value only once it is whole, so an alias inside itself
// names nothing.
func (y *yamlReader) anchor(n *ast.AnchorNode, depth int) *node {
	out := y.node(n.Value, depth+1)
	if n.Name != nil {
		y.anchors[n.Name.GetToken().Value] = out
	}
	return out
}

func (y *yamlReader) alias(n *ast.AliasNode, depth int) *node {
	at := yamlPos(n.GetToken())
	if n.Value == nil {
		return &node{at: at}
	}
	name := n.Value.GetToken().Value
	from, ok := y.anchors[name]
	if !ok {
		y.add(at, "write &"+cut(name)+" before the value it stands for", "no anchor above is called %s", quote(name))
		return &node{at: at, kind: broken}
	}
	return y.copy(from, at, depth)
}

// copy expands an alias. Faults inside point at the alias's original.
func (y *yamlReader) copy(n *node, at pos, depth int) *node {
	if depth > maxDepth && !y.full {
		y.add(at, "", "is nested deeper than %d levels, aliases expanded", maxDepth)
		y.full = true
	}
	out := *n
	if !y.spend(at) {
		return &out
	}
	out.items, out.pairs = nil, nil
	for _, item := range n.items {
		out.items = append(out.items, y.copy(item, at, depth+1))
	}
	for _, p := range n.pairs {
		p.value = y.copy(p.value, at, depth+1)
		out.pairs = append(out.pairs, p)
	}
	return &out
}
