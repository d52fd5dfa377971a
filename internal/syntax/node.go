package syntax

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A Pos is a place in a file. Both parts start at 1; columns count characters.
type Pos struct{ Line, Col int }

// Before reports whether p comes before q.
func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// A Kind is what a value is in the file, before anything is made of it.
type Kind int

const (
	Null   Kind = iota
	Broken      // a fault already; nothing more is said of it
	Boolean
	Number
	Text
	List
	Mapping
)

// A Node is a value with its place. YAML and JSON both become nodes, so that
// everything after knows one syntax.
type Node struct {
	Kind  Kind
	At    Pos
	Path  string // "measures[0].goal"
	Text  string // a scalar as written, quotes and escapes resolved
	Items []*Node
	Pairs []Pair
	// Span is where the value is written, its anchor and tag left out. Where an
	// alias stands for it that is the alias; what is below an alias has none.
	Span   Span
	Style  Style
	Anchor string // the name of its anchor, "" if it has none
}

// A Pair is one entry of a mapping, in the order of the file.
type Pair struct {
	Key    string
	At     Pos // of the key
	Span   Span
	Value  *Node
	Merged bool // taken in by <<, not written here
}

// Get returns the value of a key, nil if there is none.
func (n *Node) Get(key string) *Node {
	for _, p := range n.Pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return nil
}

// label gives n and everything below it a path.
func (n *Node) label(path string) {
	n.Path = path
	for i, item := range n.Items {
		item.label(fmt.Sprintf("%s[%d]", path, i))
	}
	for _, p := range n.Pairs {
		p.Value.label(Join(path, p.Key))
	}
}

// Join is the path of a key below path.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// String describes the value for an error: what it is and, if short, itself.
func (n *Node) String() string {
	switch n.Kind {
	case Null:
		return "nothing"
	case List:
		return "a list"
	case Mapping:
		return "a mapping"
	case Text:
		return "text " + Quote(n.Text)
	}
	return Cut(n.Text)
}

// Any is the value as encoding/json would give it.
func (n *Node) Any() any {
	switch n.Kind {
	case Boolean:
		return n.Text == "true"
	case Number:
		v, _ := strconv.ParseFloat(n.Text, 64)
		return v
	case Text:
		return n.Text
	case List:
		all := make([]any, len(n.Items))
		for i, item := range n.Items {
			all[i] = item.Any()
		}
		return all
	case Mapping:
		all := make(map[string]any, len(n.Pairs))
		for _, p := range n.Pairs {
			all[p.Key] = p.Value.Any()
		}
		return all
	}
	return nil
}

// longest is how many characters of a value an error repeats.
const longest = 40

// Quote is s in quotes, cut as Cut does.
func Quote(s string) string { return strconv.Quote(Cut(s)) }

// Cut is s, at most 40 characters of it.
func Cut(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest]) + "…"
}
