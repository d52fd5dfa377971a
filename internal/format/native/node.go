package native

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A pos is a place in a file. Both parts start at 1; columns count characters.
type pos struct{ line, col int }

func (p pos) before(q pos) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

// A kind is what a value is in the file, before anything is made of it.
type kind int

const (
	null   kind = iota
	broken      // a fault already; nothing more is said of it
	boolean
	number
	text
	list
	mapping
)

// A node is a value with its place. YAML and JSON both become nodes, so that
// everything after knows one syntax.
type node struct {
	kind  kind
	at    pos
	path  string // "measures[0].goal"
	text  string // a scalar as written, quotes and escapes resolved
	items []*node
	pairs []pair
}

// A pair is one entry of a mapping, in the order of the file.
type pair struct {
	key   string
	at    pos // of the key
	value *node
}

func (n *node) get(key string) *node {
	for _, p := range n.pairs {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// label gives n and everything below it a path.
func (n *node) label(path string) {
	n.path = path
	for i, item := range n.items {
		item.label(fmt.Sprintf("%s[%d]", path, i))
	}
	for _, p := range n.pairs {
		p.value.label(join(path, p.key))
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// String describes the value for an error: what it is and, if short, itself.
func (n *node) String() string {
	switch n.kind {
	case null:
		return "nothing"
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	case text:
		return "text " + quote(n.text)
	}
	return cut(n.text)
}

// longest is how many characters of a value an error repeats.
const longest = 40

func quote(s string) string { return strconv.Quote(cut(s)) }

func cut(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest]) + "…"
}
