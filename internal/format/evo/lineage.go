package evo

import (
	"math"

	"github.com/cladehq/clade/internal/policy/frontier"
)

// A Lineage answers for each node of a graph whether it or an ancestor was
// pruned as invalid. It is made once for many questions: a walk to the root for
// each is quadratic on chains.
type Lineage struct {
	graph *Graph
	order []*Node           // all experiments, oldest first
	by    map[string]string // the first invalid node from the root, "" for none
}

// Lineage looks at the whole graph, once.
func (g *Graph) Lineage() Lineage {
	l := Lineage{g, g.Experiments(), make(map[string]string, len(g.Nodes))}
	for id := range g.Nodes {
		var chain []string
		for id != "" {
			if _, known := l.by[id]; known {
				break
			}
			chain = append(chain, id)
			id = g.parent(id)
		}
		for i := len(chain) - 1; i >= 0; i-- {
			c := chain[i]
			l.by[c] = l.by[id]
			if n := g.Nodes[c]; l.by[c] == "" && n != nil && n.ID != RootID && n.pruned(Invalid) {
				l.by[c] = c
			}
			id = c
		}
	}
	return l
}

// kids are the children of each node, oldest first.
func (l Lineage) kids() map[string][]string {
	out := make(map[string][]string, len(l.graph.Nodes))
	for _, n := range l.order {
		up := l.graph.parent(n.ID)
		out[up] = append(out[up], n.ID)
	}
	return out
}

// InvalidatedBy is the first invalid node on the way from the root to the node,
// itself included; "" if there is none.
func (l Lineage) InvalidatedBy(id string) string { return l.by[id] }

// pruned reports whether the node was pruned in this way. The kind that 0.3 did
// not write is none.
func (n *Node) pruned(kind string) bool {
	return n.Status == Pruned && n.PruneKind != nil && *n.PruneKind == kind
}

// IsResult reports whether a node's score may be the best: it is committed, or
// closed to branching with a commit, its gates did not fail, and nothing above
// it is invalid. With an epoch above 0 only scores of that epoch compare.
func (l Lineage) IsResult(n *Node, epoch int) bool {
	switch {
	case n.ID == RootID || n.Score == nil || l.by[n.ID] != "":
		return false
	case n.GateResult != nil && !*n.GateResult:
		return false
	case epoch > 0 && n.EpochOf() != epoch:
		return false
	}
	return n.Status == Committed || n.pruned(Exhausted) && n.Commit != nil && *n.Commit != ""
}

// Statuses that are derived and never stored.
const (
	Invalidated    Status = "invalidated"     // pruned as invalid
	LineageBlocked Status = "lineage_blocked" // below one that was
)

// Effective is the status with what pruning means worked in.
func (l Lineage) Effective(n *Node) Status {
	switch by := l.by[n.ID]; {
	case n.ID != RootID && by == n.ID:
		return Invalidated
	case n.ID != RootID && by != "":
		return LineageBlocked
	case n.pruned(Exhausted) && n.Commit != nil && *n.Commit != "":
		return Committed
	case n.Status == "":
		return Pending
	}
	return n.Status
}

// Best is the node with the best score of an epoch (0: of all), the first of
// equals, nil for none.
func (l Lineage) Best(metric string, epoch int) *Node {
	var best *Node
	for _, n := range l.order {
		if !l.IsResult(n, epoch) {
			continue
		}
		if best == nil || Better(metric, *n.Score, *best.Score) {
			best = n
		}
	}
	return best
}

// Spine are the ids from the root to the best node.
func (l Lineage) Spine(metric string, epoch int) map[string]bool {
	out := map[string]bool{}
	if best := l.Best(metric, epoch); best != nil {
		for _, n := range l.graph.Path(best.ID) {
			out[n.ID] = true
		}
	}
	return out
}

// Better reports whether score a is strictly better than b.
func Better(metric string, a, b float64) bool {
	if metric == string(frontier.Min) {
		return a < b
	}
	return a > b
}

// EpochOf is the epoch that the node belongs to; 0 for the root.
func (n *Node) EpochOf() int {
	if n.Epoch == nil {
		return 0
	}
	return *n.Epoch
}

// Frontier are the nodes that may be branched from in an epoch (0: any).
func (l Lineage) Frontier(epoch int) []*Node {
	points := make([]frontier.Point, 0, len(l.graph.Nodes))
	for id, n := range l.graph.Nodes {
		if id != RootID {
			points = append(points, frontier.Point{ID: id, Parent: l.graph.parent(id), State: n.state(), Epoch: n.EpochOf()})
		}
	}
	var out []*Node
	for _, id := range frontier.Set(points, epoch) {
		out = append(out, l.graph.Nodes[id])
	}
	return out
}

func (n *Node) state() frontier.State {
	switch {
	case n.Status == Committed:
		return frontier.Committed
	case n.Status == Active:
		return frontier.Active
	case n.pruned(Invalid):
		return frontier.Invalid
	}
	return frontier.Other
}

// Candidates are frontier nodes as strategies see them. tasks gives, for a node,
// the result that its latest attempt published; it may be nil.
func (g *Graph) Candidates(nodes []*Node, tasks func(*Node) Value) []frontier.Candidate {
	out := make([]frontier.Candidate, len(nodes))
	for i, n := range nodes {
		c := frontier.Candidate{ID: n.ID, Score: math.NaN(), Tries: len(n.Children)}
		if n.Score != nil {
			c.Score = *n.Score
		}
		if tasks != nil {
			c.Tasks = taskScores(tasks(n))
		}
		out[i] = c
	}
	return out
}

// EffectiveGates are the gates from the root to a node, the first of a name
// counting. A gate binds the node that it was put on as well as all below.
func (g *Graph) EffectiveGates(id string) []BoundGate {
	var out []BoundGate
	seen := map[string]bool{}
	for _, n := range g.Path(id) {
		for _, gate := range n.Gates {
			if !seen[gate.Name] {
				seen[gate.Name] = true
				out = append(out, BoundGate{gate, n.ID})
			}
		}
	}
	return out
}

// A BoundGate is a gate with the node that it is from.
type BoundGate struct {
	Gate
	From string
}

// Gate phases.
const (
	Pre  = "pre"
	Post = "post"
)

// When is the gate's phase.
func (g Gate) When() string {
	if g.Phase == Pre {
		return Pre
	}
	return Post
}

// InitGate is what the gate of the configuration is called, which comes first
// and is from "config".
const InitGate = "_init_gate"

// Gates are what a run of a node, and a check of its gates, must pass: the gate
// of the configuration, then those from the root down to the node itself.
func (c *Config) Gates(g *Graph, id string) []BoundGate {
	out := g.EffectiveGates(id)
	if c.Gate != nil && *c.Gate != "" {
		out = append([]BoundGate{{Gate{Name: InitGate, Command: *c.Gate}, "config"}}, out...)
	}
	return out
}
