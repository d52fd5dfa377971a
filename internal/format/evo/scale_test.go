package evo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cladehq/clade/internal/policy/frontier"
)

// grow makes a graph of n experiments, each below the one that parent says.
func grow(n int, parent func(i int) int, each func(i int, n *Node)) *Graph {
	g := NewGraph("2026-01-01T00:00:00+00:00")
	g.NextID = n
	for i := range n {
		up := RootID
		if p := parent(i); p >= 0 && p < i {
			up = ExpID(p)
		}
		node := &Node{ID: ExpID(i), Parent: ptr(up), Status: Committed, Hypothesis: fmt.Sprintf("idea %d %s", i, strings.Repeat("wörter ", 40)),
			UpdatedAt: fmt.Sprintf("2026-01-02T%02d:%02d:%02d+00:00", i/3600%24, i/60%60, i%60), Epoch: ptr(1), Score: ptr(float64(i)), Commit: ptr("c")}
		if each != nil {
			each(i, node)
		}
		g.Nodes[node.ID] = node
		g.Nodes[up].Children = append(g.Nodes[up].Children, node.ID)
	}
	return g
}

func board(g *Graph) *Board {
	b := &Board{Config: &Config{Metric: "max", Epoch: 1}, Graph: g, Strategy: frontier.Strategy{Kind: frontier.TopK, Params: map[string]float64{"k": 50}}}
	nodes := g.Lineage().Frontier(1)
	for _, id := range frontier.Pick(b.Strategy, frontier.Max, g.Candidates(nodes, nil), 0) {
		b.Frontier = append(b.Frontier, g.Nodes[id])
	}
	return b
}

// §8: bounded for any shape; chains of thousands have crashed it, siblings of
// thousands made it 177 KB.
func TestScratchpadIsBounded(t *testing.T) {
	t.Parallel()
	chain, flat := func(i int) int { return i - 1 }, func(int) int { return -1 }
	r := rand.New(rand.NewPCG(3, 4))
	statuses := []Status{Pending, Active, Committed, Evaluated, Failed, Discarded, Pruned}
	anything := func(i int, n *Node) {
		n.Status = statuses[r.IntN(len(statuses))]
		n.Gates = []Gate{{Name: strings.Repeat("gäte", r.IntN(300)), Command: strings.Repeat("x", 5000)}}
		n.GateFailures = []string{strings.Repeat("f", 5000)}
		n.PrunedReason, n.PruneKind = ptr("r"), ptr([]string{Exhausted, Invalid}[i%2])
		n.Notes = []Note{{Text: strings.Repeat("nöte\n", 5000), Timestamp: n.UpdatedAt}}
		n.Epoch = ptr(1 + i%3)
	}
	for name, g := range map[string]*Graph{
		"nothing":                NewGraph(""),
		"10,000 siblings":        grow(10_000, flat, nil),
		"a chain of 5,000":       grow(5_000, chain, nil),
		"everything is active":   grow(3_000, func(i int) int { return i - 1 - i%7 }, func(_ int, n *Node) { n.Status = Active }),
		"everything waits":       grow(3_000, flat, func(_ int, n *Node) { n.Status = Evaluated }),
		"a binary tree":          grow(4_000, func(i int) int { return (i+1)/2 - 1 }, nil),
		"random, with long text": grow(600, func(i int) int { return r.IntN(i+1) - 1 }, anything),
		"a comb":                 grow(600, func(i int) int { return i - i%2 - 2 }, anything),
	} {
		b := board(g)
		for i := range 500 {
			b.Annotations = append(b.Annotations, Annotation{ExperimentID: ExpID(i), TaskID: ptr(strings.Repeat("tåsk", i)), Analysis: strings.Repeat("a b\n", 500)})
			b.Events = append(b.Events, Event{Message: strings.Repeat("m", 5000), Timestamp: "t", Breaking: ptr(true)})
		}
		got := b.Scratchpad()
		if len(got) >= ScratchpadSize || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, text %v", name, len(got), utf8.ValidString(got))
		}
		for _, want := range []string{"# Scratchpad\n", "## Status\n- metric=max", "\nroot ·", "## Drill-downs\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if strings.Count(got, "```") != 2 {
			t.Errorf("%s: the tree is not closed", name)
		}
	}
}

// What a large tree shows: the best with where it comes from, what is active,
// and how much is left out, down to the last experiment.
func TestScratchpadKeepsWhatMatters(t *testing.T) {
	t.Parallel()
	g := grow(5_000, func(i int) int { return i - 1 }, func(i int, n *Node) {
		if i == 2_500 {
			n.Status = Active
		}
	})
	got := board(g).Scratchpad()
	for _, want := range []string{"★ exp_4999 C 4999.0", "★ exp_4998", "★ exp_0000", "… ", "exp_2500 A", "★ exp_0001"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	tree := got[strings.Index(got, "```\n")+4:]
	tree = tree[:strings.Index(tree, "```")]
	shown, folded := 0, 0
	for line := range strings.Lines(tree) {
		var n int
		if i := strings.Index(line, "… (+"); i >= 0 {
			if _, err := fmt.Sscanf(line[i:], "… (+%d", &n); err != nil {
				t.Fatal(err)
			}
			folded += n
			continue
		}
		shown++
	}
	if shown+folded != 5_001 || shown < 15 {
		t.Errorf("%d shown and %d folded of 5001:\n%s", shown, folded, tree)
	}
}

// §8: trees of thousands of levels are drawn, in lines of bounded length.
func TestTreeOfAChain(t *testing.T) {
	t.Parallel()
	got := grow(5_000, func(i int) int { return i - 1 }, func(_ int, n *Node) { n.Hypothesis = "h" }).Tree()
	lines := strings.Split(got, "\n")
	if len(lines) != 5_001 || lines[5_000] != "(5000) └── exp_4999 committed score=4999.0 epoch=1 h" {
		t.Errorf("%d lines, the last %s", len(lines), lines[len(lines)-1])
	}
	if longest := slices.MaxFunc(lines, func(a, b string) int { return len(a) - len(b) }); len(longest) > 600 {
		t.Errorf("%d bytes", len(longest))
	}
}

// Looking at 10,000 experiments walks each chain once: an invalid root of a
// chain blocks all below it.
func TestLineageOfAChain(t *testing.T) {
	t.Parallel()
	g := grow(20_000, func(i int) int { return i - 1 }, func(i int, n *Node) {
		if i == 1 {
			n.Status, n.PruneKind = Pruned, ptr(Invalid)
		}
	})
	l := g.Lineage()
	if l.InvalidatedBy("exp_19999") != "exp_0001" || l.InvalidatedBy("exp_0000") != "" || l.InvalidatedBy(RootID) != "" {
		t.Error("the chain is not blocked")
	}
	if b := l.Best("max", 0); b == nil || b.ID != "exp_0000" {
		t.Errorf("%v", b)
	}
	if c := l.Counts(); c.All != 20_000 || c.Committed != 1 {
		t.Errorf("%+v", c)
	}
	if l.Effective(g.Nodes["exp_0001"]) != Invalidated || l.Effective(g.Nodes["exp_0002"]) != LineageBlocked {
		t.Error("the statuses are not derived")
	}
}

// The graph of 10,000 is read, looked at and written; go test -bench says how fast.
func BenchmarkTenThousand(b *testing.B) {
	g := grow(10_000, func(i int) int { return i/3 - 1 }, nil)
	data := g.Marshal()
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := ReadGraph(GraphFile, data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			g.Marshal()
		}
	})
	b.Run("status", func(b *testing.B) {
		for b.Loop() {
			StatusLine(&Config{Metric: "max", Epoch: 1}, g)
		}
	})
	b.Run("frontier", func(b *testing.B) {
		for b.Loop() {
			g.Lineage().Frontier(1)
		}
	})
	b.Run("scratchpad", func(b *testing.B) {
		on := board(g)
		for b.Loop() {
			on.Scratchpad()
		}
	})
}
