package evo

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// Patch is Marshal for a graph of which only the nodes with these ids, and what
// is not a node, differ from old, which Marshal or Patch made before. Only what
// differs is rendered: the file is written after every change, by processes that
// live for one, and must cost the same at 5,000 experiments as at one. Where old
// is nothing that Marshal made, all is rendered.
func (g *Graph) Patch(old []byte, ids ...string) []byte {
	entries, ok := nodesOf(old)
	if !ok {
		return g.Marshal()
	}
	frame := *g
	frame.Nodes = nil
	head, tail, ok := strings.Cut(string(Marshal(encode(&frame).With("nodes", Object()))), "\n  \"nodes\": {}")
	if !ok {
		return g.Marshal()
	}
	changed := map[string]string{}
	for _, id := range ids {
		if g.Nodes[id] == nil {
			return g.Marshal()
		}
		changed[id] = entryOf(id, g.Nodes[id])
	}
	out := make([]byte, 0, len(old)+len(old)/8+1024)
	out = append(out, head...)
	out = append(out, "\n  \"nodes\": {"...)
	out = splice(out, entries, changed)
	out = append(out, "\n  }"...)
	return append(out, tail...)
}

// Where entries of the mapping of nodes begin and end. No text has a line end of
// its own, so that what looks like one is one.
const (
	entryBegin = "\n    \""
	entryEnd   = "\n    }"
)

// nodesOf is what stands between the braces of the nodes.
func nodesOf(old []byte) (entries []byte, ok bool) {
	const begin, end = "\n  \"nodes\": {\n", "\n  }"
	i := bytes.Index(old, []byte(begin))
	if i < 0 {
		return nil, false
	}
	rest := old[i+len(begin)-1:]
	j := bytes.Index(rest, []byte(end))
	if j < 0 || !bytes.HasPrefix(rest, []byte(entryBegin)) || !bytes.HasSuffix(rest[:j], []byte(entryEnd)) {
		return nil, false
	}
	return rest[:j], true
}

// entryOf is a node as it stands among the others, without a comma.
func entryOf(id string, n *Node) string {
	lines := Indented(Object(Pair{id, encode(n).Sorted()}))
	lines = strings.TrimSuffix(strings.TrimPrefix(lines, "{"), "\n}")
	return strings.ReplaceAll(lines, "\n", "\n  ")
}

// splice appends the entries to out, those that changed in the place of what
// they were, new ones between their neighbours.
func splice(out, entries []byte, changed map[string]string) []byte {
	keys := slices.Sorted(maps.Keys(changed))
	comma := ""
	add := func(entry string) {
		out = append(append(out, comma...), entry...)
		comma = ","
	}
	for len(entries) > 0 && len(keys) > 0 {
		key, end := keyAt(entries), bytes.Index(entries, []byte(entryEnd))+len(entryEnd)
		for len(keys) > 0 && keys[0] < key {
			add(changed[keys[0]])
			keys = keys[1:]
		}
		if len(keys) > 0 && keys[0] == key {
			add(changed[key])
			keys = keys[1:]
		} else {
			add(string(entries[:end]))
		}
		entries = entries[min(end+len(","), len(entries)):]
	}
	if len(entries) > 0 {
		add(string(entries))
	}
	for _, key := range keys {
		add(changed[key])
	}
	return out
}

// keyAt is the key of the entry that s begins with.
func keyAt(s []byte) string {
	s = s[len(entryBegin)-1:]
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return unquote(string(s[:i+1]))
		}
	}
	return ""
}
