package evo

import (
	"maps"
	"slices"

	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/policy/frontier"
)

// A Graph is graph.json: the experiments of a run.
type Graph struct {
	Rest
	Root   string           `evo:"root"`
	NextID int              `evo:"next_id"` // number of the next experiment
	Notes  []Note           `evo:"workspace_notes"`
	Nodes  map[string]*Node `evo:"nodes,need"`
}

// A Node is an experiment, or the root. Times are UTC with whole seconds,
// 2006-01-02T15:04:05+00:00.
type Node struct {
	Rest
	ID           string   `evo:"id"`
	Parent       *string  `evo:"parent"` // nil for the root
	Children     []string `evo:"children"`
	Status       Status   `evo:"status"`
	Hypothesis   string   `evo:"hypothesis"`
	CreatedAt    string   `evo:"created_at"`
	UpdatedAt    string   `evo:"updated_at"`
	Epoch        *int     `evo:"eval_epoch"`
	Score        *float64 `evo:"score"`
	Branch       *string  `evo:"branch"`
	Worktree     *string  `evo:"worktree"` // absolute
	Commit       *string  `evo:"commit"`   // the parent's until it has its own
	PrunedReason *string  `evo:"pruned_reason"`
	PruneKind    *string  `evo:"prune_kind"` // Exhausted or Invalid
	Gates        []Gate   `evo:"gates"`

	// The root has none of what follows.
	Backend         string       `evo:"backend,omitempty"`
	BackendConfig   Value        `evo:"backend_config,omitempty"`
	BenchmarkResult Value        `evo:"benchmark_result,omitempty"` // what the benchmark published
	GateResult      *bool        `evo:"gate_result,omitempty"`
	GateFailures    []string     `evo:"gate_failures,omitempty"`
	Attempt         int          `evo:"current_attempt,omitempty"` // number of the latest
	Evaluated       int          `evo:"evaluated_attempts,omitempty"`
	Error           string       `evo:"error,omitempty"`
	DiscardReason   string       `evo:"discard_reason,omitempty"`
	FailureClass    string       `evo:"failure_class,omitempty"`
	FromArtifact    *ArtifactRef `evo:"from_artifact,omitempty"`
	Tags            []string     `evo:"tags,omitempty"`
	Notes           []Note       `evo:"notes,omitempty"`
	WorktreeStale   bool         `evo:"worktree_stale,omitempty"`
	SessionID       string       `evo:"session_id,omitempty"`
	SessionRuntime  string       `evo:"session_runtime,omitempty"`
}

func (n *Node) published() []Pair {
	if n.ID == RootID {
		return nil
	}
	return []Pair{{"backend", Text("worktree")}, {"backend_config", Object()}, {"benchmark_result", Null()},
		{"gate_result", Null()}, {"current_attempt", Int(0)}}
}

// A Gate is a command that an experiment must pass.
type Gate struct {
	Rest
	Name    string `evo:"name"`
	Command string `evo:"command"`
	Phase   string `evo:"phase,omitempty"` // pre or post the benchmark; "": post
	AddedAt string `evo:"added_at,omitempty"`
}

// A Note is what somebody wrote down for others.
type Note struct {
	Rest
	Text      string  `evo:"text"`
	Timestamp string  `evo:"timestamp"`
	ExpID     *string `evo:"exp_id"` // nil: of the workspace
}

// An ArtifactRef is an artifact of another experiment that one begins with.
type ArtifactRef struct {
	Rest
	SourceExp string `evo:"source_exp"`
	Label     string `evo:"label"`
	Path      string `evo:"path"` // absolute
}

// ReadGraph reads graph.json. Every parent and child is a node, no node is its
// own ancestor, and each is called what its key says. A score that is no number
// is read as none, with a warning. See Parse for errors.
func ReadGraph(name string, data []byte) (*Graph, []format.Warning, error) {
	g, ws, err := read[Graph](name, data)
	if err != nil {
		return nil, nil, err
	}
	if err := g.check(name, data); err != nil {
		return nil, nil, err
	}
	return g, ws, nil
}

// Marshal writes graph.json.
func (g *Graph) Marshal() []byte { return Marshal(encode(g)) }

// NewGraph is a graph with nothing but its root.
func NewGraph(at string) *Graph {
	return &Graph{Root: RootID, Nodes: map[string]*Node{RootID: {
		ID: RootID, Status: Root, Hypothesis: "synthetic root", CreatedAt: at, UpdatedAt: at}}}
}

// check holds the graph to being a tree.
func (g *Graph) check(name string, data []byte) error {
	d := decoder{name: name, data: data}
	nodes := g.original.Get("nodes")
	if g.Nodes[RootID] == nil {
		d.Add(position(data, nodes.at), "", "nodes has no %s", RootID)
		return d.Err(name)
	}
	for _, p := range nodes.pairs {
		n := g.Nodes[p.Key]
		switch {
		case n.ID != p.Key:
			d.Add(position(data, p.Value.Get("id").at), "", "nodes.%s is called %s", p.Key, clip(n.ID, 40))
		case n.ID != RootID && (n.Parent == nil || g.Nodes[*n.Parent] == nil):
			d.Add(position(data, p.Value.Get("parent").at), "", "nodes.%s has a parent that is no node", p.Key)
		}
	}
	if len(d.Faults) == 0 {
		for _, n := range g.rings() {
			d.Add(position(data, nodes.Get(n).at), "", "nodes.%s is its own ancestor", n)
		}
	}
	return d.Err(name)
}

// rings are the nodes that no walk from the root would reach.
func (g *Graph) rings() []string {
	reached := map[string]bool{RootID: true}
	for id := range g.Nodes {
		var chain []string
		on := map[string]bool{}
		for !reached[id] && !on[id] {
			on[id] = true
			chain = append(chain, id)
			id = g.parent(id)
		}
		for _, c := range chain {
			reached[c] = reached[id]
		}
	}
	var out []string
	for _, id := range g.IDs() {
		if !reached[id] {
			out = append(out, id)
		}
	}
	return out
}

// parent is the id of a node's parent, "" for the root and for what is no node.
func (g *Graph) parent(id string) string {
	if n := g.Nodes[id]; n != nil && n.Parent != nil {
		return *n.Parent
	}
	return ""
}

// IDs are the ids of all nodes, in the order in which they were given out; the
// root is first.
func (g *Graph) IDs() []string { return slices.SortedFunc(maps.Keys(g.Nodes), frontier.CompareIDs) }

// Experiments are all nodes but the root, oldest first.
func (g *Graph) Experiments() []*Node {
	out := make([]*Node, 0, len(g.Nodes))
	for _, id := range g.IDs() {
		if id != RootID {
			out = append(out, g.Nodes[id])
		}
	}
	return out
}

// Path is the chain from the root to a node, nil if there is no such node.
func (g *Graph) Path(id string) []*Node {
	var out []*Node
	for n := g.Nodes[id]; n != nil; n = g.Nodes[g.parent(n.ID)] {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}
