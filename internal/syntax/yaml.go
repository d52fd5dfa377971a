package syntax

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseYAML parses a YAML file. A syntax error hides whatever follows it, so it is
// reported alone, with the line and a caret below it.
func (f *Faults) parseYAML(data []byte, s Source) *Node {
	tokens := lexer.Tokenize(string(data))
	if len(tokens) > s.Words {
		f.Add(yamlPos(tokens[s.Words]), s.Large, "has more than %d words and signs", s.Words)
		return nil
	}
	if at, deep := tooDeep(tokens); deep {
		f.Add(at, "", "is nested deeper than %d levels", MaxDepth)
		return nil
	}
	file, err := parse(tokens)
	if err != nil {
		f.syntax(err)
		return nil
	}
	y := yamlReader{Faults: f, Source: s, shape: layoutOf(string(data)), anchors: map[string]*Node{}, left: s.Values}
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

func (f *Faults) syntax(err error) {
	var s syntaxError
	if !errors.As(err, &s) || s.GetToken() == nil {
		f.Add(Pos{}, "", "is no YAML: %v", err)
		return
	}
	_, excerpt, _ := strings.Cut(s.FormatError(false, true), "\n")
	hint := ""
	if strings.Contains(s.GetMessage(), "cannot start any token") {
		hint = "quote the text, and indent with spaces, never tabs"
	}
	f.Add(yamlPos(s.GetToken()), hint, "is no YAML: %s\n%s", strings.ReplaceAll(s.GetMessage(), "\t", `\t`), strings.TrimRight(excerpt, "\n"))
}

func yamlPos(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{}
	}
	return Pos{t.Position.Line, t.Position.Column}
}

// tooDeep finds nesting that would exhaust the parser, which recurses. Only
// what nests within a line needs counting: other nesting takes indentation and
// so, under the cap on size, cannot become deep enough to harm.
func tooDeep(tokens token.Tokens) (at Pos, deep bool) {
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
		if flow > MaxDepth || inline > MaxDepth {
			return yamlPos(t), true
		}
	}
	return Pos{}, false
}

type yamlReader struct {
	*Faults
	Source
	shape   *shape // of the first document, nil where it cannot be told
	anchors map[string]*Node
	left    int // values that may still be made
	full    bool
}

func (y *yamlReader) file(file *ast.File) *Node {
	var root *Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			y.Add(y.start(doc), "keep one "+y.What+" per file", "a second document begins here")
			return nil
		}
		root = y.node(doc.Body, 0, y.shape)
	}
	if y.full {
		return nil
	}
	if root == nil {
		y.Add(Pos{}, y.Empty, "is empty")
	}
	return root
}

func (y *yamlReader) start(doc *ast.DocumentNode) Pos {
	if doc.Start != nil {
		return yamlPos(doc.Start)
	}
	return yamlPos(doc.Body.GetToken())
}

// spend counts a value against the cap.
func (y *yamlReader) spend(at Pos) bool {
	if y.left--; y.left < 0 && !y.full {
		y.full = true
		y.Add(at, "", "has more than %d values, aliases expanded", y.Values)
	}
	return !y.full
}

// node makes a value. What the shape says is believed only where both found the
// same structure.
func (y *yamlReader) node(n ast.Node, depth int, s *shape) *Node {
	out := &Node{}
	if n == nil {
		return out
	}
	out.At = yamlPos(n.GetToken())
	if depth > MaxDepth {
		y.Add(out.At, "", "is nested deeper than %d levels", MaxDepth)
		y.full = true
		return out
	}
	if !y.spend(out.At) {
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		y.mapping(out, n.Values, depth, s)
		if n.IsFlowStyle {
			out.At = yamlPos(n.Start)
		}
	case *ast.MappingValueNode:
		y.mapping(out, []*ast.MappingValueNode{n}, depth, s)
	case *ast.SequenceNode:
		out.Kind = List
		s = s.list(len(n.Values))
		out.take(s)
		for i, v := range n.Values {
			out.Items = append(out.Items, y.node(v, depth+1, s.item(i)))
		}
	case *ast.AnchorNode:
		return y.anchor(n, depth, s)
	case *ast.AliasNode:
		return y.alias(n, depth, s)
	case *ast.TagNode:
		out.Kind = Broken
		y.Add(out.At, "remove the tag; quote a value to make it text", "tags such as %s are not read", Quote(n.GetToken().Value))
	default:
		y.scalar(out, n)
		out.take(s.scalar(n))
	}
	return out
}

// plainNumber is how YAML and JSON agree to write a number.
var plainNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`) })

func (y *yamlReader) scalar(out *Node, n ast.Node) {
	switch n := n.(type) {
	case *ast.NullNode:
		out.Kind = Null
	case *ast.BoolNode:
		out.Kind, out.Text = Boolean, fmt.Sprint(n.Value)
	case *ast.StringNode:
		out.Kind, out.Text = Text, n.Value
		if n.Token.Type == token.StringType && plainNumber().MatchString(n.Value) {
			out.Kind = Number // 1e3, which the library takes for text
		}
	case *ast.LiteralNode:
		out.Kind, out.Text = Text, n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.Kind, out.Text = Number, strings.TrimSpace(n.GetToken().Value)
		if !plainNumber().MatchString(out.Text) {
			y.Add(out.At, "write it in decimal, like 16 or 0.5, or quote it to make it text", "%s is no plain number", Cut(out.Text))
			out.Kind = Broken
		}
	default:
		out.Kind = Broken
		y.Add(out.At, "", "%s is not read here", strings.ToLower(n.Type().YAMLName()))
	}
}

func (y *yamlReader) mapping(out *Node, values []*ast.MappingValueNode, depth int, s *shape) {
	out.Kind = Mapping
	s = s.mapping(len(values))
	out.take(s)
	var merged []*Node
	seen := make(map[string]Pos, len(values))
	for i, v := range values {
		at := yamlPos(v.Key.GetToken())
		if i == 0 {
			out.At = at
		}
		value := y.node(v.Value, depth+1, s.item(i))
		if value.Kind == Null { // has no place of its own where it is not written
			value.At = at
		}
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			merged = append(merged, y.merged(value)...)
			continue
		}
		key, ok := keyText(v.Key)
		if !ok {
			y.Add(at, "", "a key must be a word")
			continue
		}
		y.put(out, Pair{Key: key, At: at, Span: s.key(i, key), Value: value}, seen)
	}
	for _, m := range merged { // own keys win, then the first merged mapping
		for _, p := range m.Pairs {
			if _, ok := seen[p.Key]; !ok {
				seen[p.Key] = p.At
				p.Value.forget()
				out.Pairs = append(out.Pairs, Pair{Key: p.Key, At: p.At, Value: p.Value, Merged: true})
			}
		}
	}
}

// merged lists the mappings that << takes in.
func (y *yamlReader) merged(n *Node) []*Node {
	all := []*Node{n}
	if n.Kind == List {
		all = n.Items
	}
	for _, m := range all {
		if m.Kind != Mapping {
			y.Add(m.At, "name an anchor of a mapping: <<: *name", "<< takes in a mapping, not %s", m)
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

// put adds a pair unless its key was seen already.
func (f *Faults) put(n *Node, p Pair, seen map[string]Pos) {
	if first, again := seen[p.Key]; again {
		f.Add(p.At, fmt.Sprintf("the first is on line %d; keep one", first.Line), "key %s is given twice", Quote(p.Key))
		return
	}
	seen[p.Key] = p.At
	n.Pairs = append(n.Pairs, p)
}

// anchor registers a value only once it is whole, so an alias inside itself
// names nothing.
func (y *yamlReader) anchor(n *ast.AnchorNode, depth int, s *shape) *Node {
	out := y.node(n.Value, depth+1, s)
	if n.Name != nil {
		out.Anchor = n.Name.GetToken().Value
		y.anchors[out.Anchor] = out
	}
	return out
}

func (y *yamlReader) alias(n *ast.AliasNode, depth int, s *shape) *Node {
	at := yamlPos(n.GetToken())
	if n.Value == nil {
		return &Node{At: at}
	}
	name := n.Value.GetToken().Value
	from, ok := y.anchors[name]
	if !ok {
		y.Add(at, "write &"+Cut(name)+" before the value it stands for", "no anchor above is called %s", Quote(name))
		return &Node{At: at, Kind: Broken}
	}
	out := y.copy(from, at, depth)
	out.forget()
	out.take(s.alias())
	return out
}

// copy expands an alias. Faults inside point at the alias's original.
func (y *yamlReader) copy(n *Node, at Pos, depth int) *Node {
	if depth > MaxDepth && !y.full {
		y.Add(at, "", "is nested deeper than %d levels, aliases expanded", MaxDepth)
		y.full = true
	}
	out := *n
	if !y.spend(at) {
		return &out
	}
	out.Items, out.Pairs = nil, nil
	for _, item := range n.Items {
		out.Items = append(out.Items, y.copy(item, at, depth+1))
	}
	for _, p := range n.Pairs {
		p.Value = y.copy(p.Value, at, depth+1)
		out.Pairs = append(out.Pairs, p)
	}
	return &out
}
