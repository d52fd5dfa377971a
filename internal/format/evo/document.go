package evo

import (
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/policy/frontier"
)

// StrategyValue is a strategy as it is printed and logged.
func StrategyValue(s frontier.Strategy) Value {
	params := Object()
	for _, name := range s.Names() {
		if s.Whole(name) {
			params = params.With(name, Int(int(s.Params[name])))
		} else {
			params = params.With(name, Number(s.Params[name]))
		}
	}
	return Object(Pair{"kind", Text(s.Kind)}, Pair{"params", params})
}

// FrontierStrategy is the configured strategy, the default if there is none.
func (c *Config) FrontierStrategy() (frontier.Strategy, error) {
	if c.Frontier == nil {
		return frontier.Default(), nil
	}
	var params []byte
	if !c.Frontier.Params.IsNull() {
		params = []byte(compact(c.Frontier.Params))
	}
	return frontier.Parse(c.Frontier.Kind, params)
}

// FrontierDoc is what frontier prints: the nodes in their order, and the seed if
// the strategy draws.
func FrontierDoc(s frontier.Strategy, nodes []*Node, seed int, at string) Value {
	items := make([]Value, len(nodes))
	for i, n := range nodes {
		items[i] = Object(Pair{"id", Text(n.ID)}, Pair{"score", numberOrNull(n.Score)}, Pair{"epoch", intOrNull(n.Epoch)},
			Pair{"hypothesis", Text(n.Hypothesis)}, Pair{"rank", Int(i + 1)})
	}
	out := Object(Pair{"strategy", StrategyValue(s)}, Pair{"generated_at", Text(at)}, Pair{"nodes", List(items...)})
	if s.Random() {
		out = out.With("seed", Int(seed))
	}
	return out
}

// FrontierEvent is the event of such a look.
func FrontierEvent(s frontier.Strategy, ids []string, seed int, at string) Event {
	e := Event{Kind: "frontier", Timestamp: at, ReturnedIDs: ids,
		Message:  "frontier(" + s.Kind + ") -> " + Int(len(ids)).raw + " id(s)",
		Strategy: &Strategy{Kind: s.Kind, Params: StrategyValue(s).Get("params")}}
	if s.Random() {
		e.Seed = &seed
		e.Message += " seed=" + Int(seed).raw
	}
	return e
}

func numberOrNull(f *float64) Value {
	if f == nil {
		return Null()
	}
	return Number(*f)
}

func intOrNull(n *int) Value {
	if n == nil {
		return Null()
	}
	return Int(*n)
}

func textOrNull(s *string) Value {
	if s == nil {
		return Null()
	}
	return Text(*s)
}

func texts(ss []string) Value {
	out := make([]Value, len(ss))
	for i, s := range ss {
		out[i] = Text(s)
	}
	return List(out...)
}

func records[T any](all []T) Value {
	out := make([]Value, len(all))
	for i := range all {
		out[i] = encode(&all[i])
	}
	return List(out...)
}

// NewDoc is what new prints: the paths are absolute, from is nil where no
// artifact is taken over.
func NewDoc(id, worktree, target string, from *ArtifactRef) Value {
	out := Object(Pair{"id", Text(id)}, Pair{"worktree", Text(worktree)}, Pair{"target", Text(target)})
	if from != nil {
		out = out.With("from_artifact", encode(from))
	}
	return out
}

// GetDoc is what get prints of a node: its record, with all gates that bind it
// and its own.
func (g *Graph) GetDoc(n *Node) Value {
	gates := make([]Value, 0, 4)
	for _, b := range g.EffectiveGates(n.ID) {
		gates = append(gates, encode(&b.Gate))
	}
	return encode(n).Sorted().With("own_gates", records(n.Gates)).With("gates", List(gates...))
}

// NodesDoc is a list of nodes, as awaiting and discards print them.
func NodesDoc(nodes []*Node) Value {
	out := make([]Value, len(nodes))
	for i, n := range nodes {
		out[i] = encode(n).Sorted()
	}
	return List(out...)
}

// With returns the nodes of a status, the one that changed last first. Of those
// that changed in the same second the older is first.
func (g *Graph) With(status Status) []*Node {
	out := slices.DeleteFunc(g.Experiments(), func(n *Node) bool { return n.Status != status })
	newestFirst(out)
	return out
}

func newestFirst(nodes []*Node) {
	slices.SortStableFunc(nodes, func(a, b *Node) int { return strings.Compare(b.UpdatedAt, a.UpdatedAt) })
}

// Discards are the discarded nodes whose hypothesis has like in it, in whatever
// case, newest first; "" is all.
func (g *Graph) Discards(like string) []*Node {
	return slices.DeleteFunc(g.With(Discarded), func(n *Node) bool {
		return !strings.Contains(strings.ToLower(n.Hypothesis), strings.ToLower(like))
	})
}

// GatesDoc is what gate list prints.
func GatesDoc(gates []BoundGate) Value {
	out := make([]Value, len(gates))
	for i, g := range gates {
		out[i] = Object(Pair{"name", Text(g.Name)}, Pair{"command", Text(g.Command)}, Pair{"phase", Text(g.When())}, Pair{"from", Text(g.From)})
	}
	return List(out...)
}

// ListDoc is a list of records as commands print it.
func ListDoc[T Annotation | Note | Event](all []T) Value { return records(all) }

// Doc is a record as commands print it.
func Doc[T Annotation | Note | Event | Gate](one T) Value { return encode(&one) }

// PoolDoc is what workspace status prints.
func PoolDoc(p *Pool, commitStrategy string) Value {
	return encode(p).Sorted().With("commit_strategy", Text(commitStrategy))
}

// An AttemptView is one attempt as show prints it.
type AttemptView struct {
	N       int
	Outcome *Outcome
	Diff    *string // nil if there is no patch
}

// ShowDoc is what show prints of a node: all that is known of it.
func (g *Graph) ShowDoc(n *Node, attempts []AttemptView, annotations []Annotation) Value {
	path := g.Path(n.ID)
	ids := make([]string, len(path))
	for i, p := range path {
		ids[i] = p.ID
	}
	var parent *float64
	if up := g.Nodes[g.parent(n.ID)]; up != nil {
		parent = up.Score
	}
	gates := make([]Value, 0, 4)
	for _, b := range g.EffectiveGates(n.ID) {
		gates = append(gates, encode(&b.Gate).Sorted())
	}
	tries := make([]Value, len(attempts))
	for i, a := range attempts {
		tries[i] = a.doc()
	}
	return Object(Pair{"id", Text(n.ID)}, Pair{"hypothesis", Text(n.Hypothesis)}, Pair{"status", Text(string(n.Status))},
		Pair{"score", numberOrNull(n.Score)}, Pair{"parent_id", textOrNull(n.Parent)}, Pair{"parent_score", numberOrNull(parent)},
		Pair{"score_delta", delta(n.Score, parent)}, Pair{"branch_root", Text(ids[min(1, len(ids)-1)])},
		Pair{"path_to_root", texts(ids)}, Pair{"children", texts(n.Children)}, Pair{"effective_gates", List(gates...)},
		Pair{"attempts", List(tries...)}, Pair{"annotations", records(annotations).Sorted()}, Pair{"notes", records(n.Notes).Sorted()},
		Pair{"tags", texts(n.Tags)}, Pair{"discard_reason", emptyNull(n.DiscardReason)}, Pair{"pruned_reason", textOrNull(n.PrunedReason)})
}

func (a AttemptView) doc() Value {
	o := a.Outcome
	out := Object(Pair{"n", Int(a.N)}, Pair{"outcome", encode(o).Sorted()}, Pair{"score_delta", delta(o.Score, o.ParentScore)},
		Pair{"change_files", texts(o.ChangeFiles)})
	if a.Diff == nil {
		return out
	}
	out = out.With("diff", Text(*a.Diff))
	if stat := StatDiff(*a.Diff); len(stat.Files) > 0 {
		out = out.With("diff_added", Int(stat.Added)).With("diff_removed", Int(stat.Removed))
	}
	return out
}

func emptyNull(s string) Value {
	if s == "" {
		return Null()
	}
	return Text(s)
}

// delta is a - b to six places, null where either is missing.
func delta(a, b *float64) Value {
	if a == nil || b == nil {
		return Null()
	}
	return Number(rounded(*a-*b, 6))
}
