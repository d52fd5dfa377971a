package evo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// mostKept is how many nodes a tree shows that does not fit whole.
const mostKept = 80

// letter is a node's status in one character.
func (n *Node) letter() string {
	switch n.Status {
	case Root:
		return "·"
	case Active:
		return "A"
	case Evaluated:
		return "E"
	case Committed:
		return "C"
	case Discarded:
		return "D"
	case Pruned:
		return "P"
	case Failed:
		return "F"
	}
	return "?"
}

// tree shows what is being worked on and where the best is; subtrees without
// either take a line. Where that is too much, the nodes that matter least are
// left out and counted.
func (s *scratch) tree() {
	legend := "A active, C committed, E evaluated, D discarded, P pruned, F failed; ★ best path"
	if s.epoch > 0 {
		legend += fmt.Sprintf("; all of epoch %d", s.epoch)
	}
	room := treeRoom
	lines, fits := s.unfolded(room)
	for most := mostKept; !fits; most = most * 3 / 4 {
		lines, fits = s.thinned(most, room)
	}
	s.page.section("## Tree ("+legend+")", treeRoom+len(legend)+200, append(append([]string{"```"}, lines...), "```"), len(lines)+2, "")
}

// fitting takes lines as long as they fit into a room.
type fitting struct {
	lines []string
	room  int
}

func (f *fitting) add(depth int, line string) bool {
	line = strings.Repeat("  ", depth) + cutBytes(line, longestLine/2)
	f.room -= len(line) + 1
	f.lines = append(f.lines, cutBytes(line, longestLine))
	return f.room >= 0
}

// unfolded is the tree with every relevant node on a line, and every other child
// of one with its subtree on another.
func (s *scratch) unfolded(room int) (lines []string, fits bool) {
	type step struct {
		id    string
		depth int
	}
	relevant, below := s.relevant(), s.below()
	out := fitting{room: room}
	for stack := []step{{RootID, 0}}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		line := s.label(s.Graph.Nodes[at.id])
		if !relevant[at.id] {
			line += below[at.id].String()
		}
		if !out.add(at.depth, line) {
			return nil, false
		}
		if relevant[at.id] {
			for _, kid := range slices.Backward(s.kids[at.id]) {
				stack = append(stack, step{kid, at.depth + 1})
			}
		}
	}
	return out.lines, true
}

// relevant are the root, the best path, what is active or was evaluated lately,
// and all above them.
func (s *scratch) relevant() map[string]bool {
	out := map[string]bool{RootID: true}
	mark := func(id string) {
		for ; id != "" && !out[id]; id = s.Graph.parent(id) {
			out[id] = true
		}
	}
	for i, n := range s.newest {
		if n.Status == Active || s.spine[n.ID] || n.Status == Evaluated && i < recentEvaluated {
			mark(n.ID)
		}
	}
	return out
}

// A fold is what is not shown below a node.
type fold struct {
	count int
	best  *float64
}

func (f fold) String() string {
	switch {
	case f.count == 0:
		return ""
	case f.best == nil:
		return fmt.Sprintf(" (+%d)", f.count)
	}
	return fmt.Sprintf(" (+%d best=%s)", f.count, Float(*f.best))
}

func (f *fold) take(metric string, count int, score *float64) {
	f.count += count
	if score != nil && (f.best == nil || Better(metric, *score, *f.best)) {
		f.best = score
	}
}

// below counts what is below each node.
func (s *scratch) below() map[string]fold {
	out := make(map[string]fold, len(s.Graph.Nodes))
	for _, id := range slices.Backward(s.preorder()) {
		f := out[id]
		for _, kid := range s.kids[id] {
			f.take(s.Config.Metric, 1, s.Graph.Nodes[kid].Score)
			f.take(s.Config.Metric, out[kid].count, out[kid].best)
		}
		out[id] = f
	}
	return out
}

// preorder are all nodes, each before what is below it.
func (s *scratch) preorder() []string {
	out := make([]string, 0, len(s.Graph.Nodes))
	for stack := []string{RootID}; len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, id)
		for _, kid := range slices.Backward(s.kids[id]) {
			stack = append(stack, kid)
		}
	}
	return out
}

// thinned is the tree of the most important nodes, each below the nearest of its
// ancestors that is shown, with what is left out counted where it would be. With
// no nodes left it fits in any case.
func (s *scratch) thinned(most, room int) (lines []string, fits bool) {
	kept := map[string]bool{RootID: true}
	for _, n := range s.byImportance() {
		if len(kept) > most {
			break
		}
		kept[n.ID] = true
	}
	var (
		under = map[string]string{RootID: RootID} // the nearest kept, itself included
		kids  = map[string][]string{}
		folds = map[string]*fold{}
	)
	for _, id := range s.preorder() {
		up := under[s.Graph.parent(id)]
		switch {
		case id == RootID:
		case kept[id]:
			under[id] = id
			kids[up] = append(kids[up], id)
		default:
			under[id] = up
			if folds[up] == nil {
				folds[up] = &fold{}
			}
			folds[up].take(s.Config.Metric, 1, s.Graph.Nodes[id].Score)
		}
	}
	type step struct {
		id    string
		depth int
		rest  bool // not the node, but what is left out below it
	}
	out := fitting{room: room}
	for stack := []step{{id: RootID}}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		line := "…"
		if at.rest {
			line += folds[at.id].String()
		} else {
			n := s.Graph.Nodes[at.id]
			line = s.label(n)
			if up := s.Graph.parent(at.id); at.id != RootID && !kept[up] {
				line = "… " + line
			}
			if folds[at.id] != nil {
				stack = append(stack, step{at.id, at.depth + 1, true})
			}
			for _, kid := range slices.Backward(kids[at.id]) {
				stack = append(stack, step{kid, at.depth + 1, false})
			}
		}
		if !out.add(at.depth, line) && most > 0 {
			return nil, false
		}
	}
	return out.lines, true
}

// byImportance are the nodes that a thinned tree is made of, the most important
// first: the best and where it comes from, what is active, what was evaluated
// lately, the ends of the frontier, and what changed last.
func (s *scratch) byImportance() []*Node {
	const few = 12
	var path []*Node
	if s.best != nil {
		path = s.Graph.Path(s.best.ID)[1:]
		slices.Reverse(path)
	}
	front := slices.SortedStableFunc(slices.Values(s.Frontier), func(a, b *Node) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	active, evaluated := s.in(Active), s.in(Evaluated)
	return slices.Concat(path[:min(few, len(path))], path[max(0, len(path)-2):], active[:min(few, len(active))],
		evaluated[:min(few, len(evaluated))], front[:min(few, len(front))], s.newest[:min(mostKept, len(s.newest))])
}

func (s *scratch) label(n *Node) string {
	parts := []string{n.ID, n.letter()}
	if s.spine[n.ID] && n.ID != RootID {
		parts[0] = "★ " + n.ID
	}
	if n.Score != nil {
		parts = append(parts, Float(*n.Score))
	}
	if e := strings.TrimSpace(s.epochOf(n)); e != "" {
		parts = append(parts, e)
	}
	if n.PrunedReason != nil && *n.PrunedReason != "" {
		parts = append(parts, "pruned")
	}
	if len(n.Gates) > 0 {
		parts = append(parts, fmt.Sprintf("g%d", len(n.Gates)))
	}
	if n.Hypothesis != "" && n.ID != RootID {
		parts = append(parts, short(n.Hypothesis, hypothesisCut))
	}
	return strings.Join(parts, " ")
}
