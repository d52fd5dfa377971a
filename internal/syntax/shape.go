package syntax

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A shape is where a value lies in the text. Its methods are asked for what the
// parser found there, and answer nil where the layout found something else; nil
// answers nil to everything.
type shape struct {
	Span
	text  string // the whole text
	style Style
	// pairs tells a mapping from a list; only with it are there keys.
	pairs bool
	keys  []*shape
	items []*shape
}

func (n *Node) take(s *shape) {
	if s != nil {
		n.Span, n.Style = s.Span, s.style
	}
}

func (s *shape) collection() bool { return s != nil && (s.style == Block || s.style == Flow) }

func (s *shape) list(count int) *shape {
	if s.collection() && !s.pairs && len(s.items) == count {
		return s
	}
	return nil
}

func (s *shape) mapping(count int) *shape {
	if s.collection() && s.pairs && len(s.items) == count {
		return s
	}
	return nil
}

func (s *shape) item(i int) *shape {
	if s == nil {
		return nil
	}
	return s.items[i]
}

func (s *shape) key(i int, key string) Span {
	if s == nil {
		return Span{}
	}
	k := s.keys[i]
	if k.style == Plain && k.words() != words(key) || k.style == Alias {
		return Span{}
	}
	return k.Span
}

func (s *shape) alias() *shape {
	if s == nil || s.style != Alias {
		return nil
	}
	return s
}

// scalar checks that a scalar is written in the style that the parser saw and,
// where it is plain, in the same letters.
func (s *shape) scalar(n ast.Node) *shape {
	if s == nil || s.style != styleOf(n) {
		return nil
	}
	if s.style != Plain {
		return s
	}
	want := n.GetToken().Value
	switch n := n.(type) {
	case *ast.StringNode:
		want = n.Value
	case *ast.NullNode:
		if s.Start == s.End {
			return s
		}
	}
	if s.words() != words(want) {
		return nil
	}
	return s
}

func styleOf(n ast.Node) Style {
	switch n := n.(type) {
	case *ast.LiteralNode:
		if strings.HasPrefix(n.Start.Value, ">") {
			return Folded
		}
		return Literal
	case *ast.StringNode:
		switch n.Token.Type {
		case token.SingleQuoteType:
			return Single
		case token.DoubleQuoteType:
			return Double
		}
	}
	return Plain
}

func (s *shape) words() string { return words(s.text[s.Start:s.End]) }

// words is text without its blanks, which folding may move.
func words(text string) string { return strings.Join(strings.Fields(text), "") }
