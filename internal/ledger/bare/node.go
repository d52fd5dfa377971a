package bare

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

const (
	modeTree = ledger.Mode("40000") // as tree objects spell it
	// group-writable files of very old repositories
	modeOldFile = ledger.Mode("100664")
)

// A node is one parsed tree object. It is never changed once made.
type node struct{ items []item }

// An item is one line of a tree object.
type item struct {
	name string
	mode ledger.Mode
	id   oid
}

func (it item) isTree() bool { return it.mode == modeTree }

// cost is roughly what the node weighs in memory, in bytes.
func (n *node) cost() int64 {
	c := int64(64)
	for _, it := range n.items {
		c += 56 + int64(len(it.name))
	}
	return c
}

// find returns the item of that name, which may be a file or a folder. Git
// sorts a folder as if its name ended in a slash, so there are two places.
func (n *node) find(name string) (item, bool) {
	for _, folder := range []bool{false, true} {
		if i, ok := n.place(name, folder); ok {
			return n.items[i], true
		}
	}
	return item{}, false
}

// place is where a file or a folder of that name is, or would be.
func (n *node) place(name string, folder bool) (int, bool) {
	i, _ := slices.BinarySearchFunc(n.items, name, func(it item, name string) int {
		return compareNames(it.name, it.isTree(), name, folder)
	})
	return i, i < len(n.items) && n.items[i].name == name && n.items[i].isTree() == folder
}

// compareNames orders the items of a tree as git does.
func compareNames(a string, aFolder bool, b string, bFolder bool) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return cmp.Compare(byteAfter(a, n, aFolder), byteAfter(b, n, bFolder))
}

func byteAfter(s string, n int, folder bool) int {
	switch {
	case n < len(s):
		return int(s[n])
	case folder:
		return '/'
	}
	return 0
}

// parseTree reads a tree object: mode, space, name, zero byte, id, …
func parseTree(data []byte) (*node, error) {
	n := &node{items: make([]item, 0, bytes.Count(data, []byte{0}))}
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, spaced := bytes.Cut(head, []byte{' '})
		if !ok || !spaced || len(name) == 0 || len(rest) < len(oid{}) {
			return nil, fmt.Errorf("tree object is malformed at %.80q", data)
		}
		m, err := parseMode(mode)
		if err != nil {
			return nil, err
		}
		it := item{name: string(name), mode: m}
		copy(it.id[:], rest)
		n.items = append(n.items, it)
		data = rest[len(it.id):]
	}
	return n, nil
}

// parseMode returns a shared string for each mode that git writes.
func parseMode(b []byte) (ledger.Mode, error) {
	for _, m := range []ledger.Mode{ledger.ModeFile, modeTree, ledger.ModeExec,
		ledger.ModeSymlink, ledger.ModeGitlink, modeOldFile} {
		if string(m) == string(b) {
			return m, nil
		}
	}
	return "", fmt.Errorf("tree object has an unknown mode %q", b)
}

// encode writes the tree object.
func (n *node) encode() []byte {
	var b bytes.Buffer
	for _, it := range n.items {
		b.WriteString(string(it.mode))
		b.WriteByte(' ')
		b.WriteString(it.name)
		b.WriteByte(0)
		b.Write(it.id[:])
	}
	return b.Bytes()
}

// patched returns a node with some names removed and others set: puts must be
// sorted by git's order and every name of puts must be in removed.
func (n *node) patched(removed map[string]bool, puts []item) *node {
	out := &node{items: make([]item, 0, len(n.items)+len(puts))}
	for _, it := range n.items {
		if removed[it.name] {
			continue
		}
		for len(puts) > 0 && compareNames(puts[0].name, puts[0].isTree(), it.name, it.isTree()) < 0 {
			out.items = append(out.items, puts[0])
			puts = puts[1:]
		}
		out.items = append(out.items, it)
	}
	out.items = append(out.items, puts...)
	return out
}
