package evo

import (
	"fmt"
	"strings"
)

// deepest is how deep a tree is drawn with lines. Further down the depth is a
// number: lines of thousands of levels would be longer than all they say.
const deepest = 60

// Tree draws all experiments, each on a line of its own.
func (g *Graph) Tree() string {
	type step struct {
		id, prefix string
		depth      int
		last       bool
	}
	kids := g.Lineage().kids()
	var b strings.Builder
	stack := []step{{id: RootID}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		inner := ""
		if s.id != RootID {
			b.WriteByte('\n')
			branch, below := "├── ", "│   "
			if s.last {
				branch, below = "└── ", "    "
			}
			if s.depth <= deepest {
				b.WriteString(s.prefix + branch)
				inner = s.prefix + below
			} else {
				fmt.Fprintf(&b, "(%d) %s", s.depth, branch)
			}
		}
		b.WriteString(g.Nodes[s.id].treeLine())
		for i := len(kids[s.id]) - 1; i >= 0; i-- {
			stack = append(stack, step{kids[s.id][i], inner, s.depth + 1, i == len(kids[s.id])-1})
		}
	}
	return b.String()
}

func (n *Node) treeLine() string {
	parts := []string{n.ID, string(n.Status)}
	if n.Score != nil {
		parts = append(parts, "score="+Float(*n.Score))
	}
	if n.Epoch != nil {
		parts = append(parts, fmt.Sprintf("epoch=%d", *n.Epoch))
	}
	if n.PrunedReason != nil && *n.PrunedReason != "" {
		parts = append(parts, "pruned")
	}
	if len(n.Gates) > 0 {
		parts = append(parts, fmt.Sprintf("gates=%d", len(n.Gates)))
	}
	if n.Hypothesis != "" && n.ID != RootID {
		parts = append(parts, oneLine(n.Hypothesis))
	}
	return strings.Join(parts, " ")
}
