package evo

import (
	"math/rand/v2"
	"testing"
)

// Whatever is changed, added or handed to it: a patched file is the file that
// would be written anew.
func TestPatch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	g := NewGraph("2026-01-01T00:00:00+00:00")
	file := g.Marshal()
	for i := range 300 {
		var ids []string
		if i%3 == 0 {
			id := ExpID(g.NextID)
			if i%30 == 0 {
				id = "é \": {\n    }" + id // keys and texts that look like the layout
			}
			up := g.Nodes[RootID]
			g.Nodes[id] = &Node{ID: id, Parent: ptr(RootID), Status: Pending, Hypothesis: "x\n    }\n  }\n    \"exp_0000\": {"}
			up.Children = append(up.Children, id)
			g.NextID++
			ids = append(ids, id, RootID)
		} else {
			all := g.IDs()
			id := all[r.IntN(len(all))]
			g.Nodes[id].Score = ptr(float64(i))
			g.Nodes[id].BenchmarkResult = mustParse(t, `{"nodes": {"a": {}}, "tasks": [{}, {"b": []}]}`)
			g.Notes = append(g.Notes, Note{Text: "n"})
			ids = append(ids, id)
		}
		file = g.Patch(file, ids...)
		if want := string(g.Marshal()); string(file) != want {
			t.Fatalf("change %d: %s", i, firstDifference(string(file), want))
		}
	}
	for _, old := range []string{"", "{}", "{\n  \"nodes\": {}\n}\n", "{\n  \"nodes\": {\n", `{"nodes": {"root": {}}}`, "{\n  \"nodes\": {\n    1\n  }\n}"} {
		if got := string(g.Patch([]byte(old), RootID)); got != string(g.Marshal()) {
			t.Errorf("patched %q", old)
		}
	}
}

// A file that the real program wrote is patched as well.
func TestPatchOfARecordedFile(t *testing.T) {
	t.Parallel()
	for _, name := range recordings {
		data := recorded(t, name)["end/run_0000/graph.json"]
		g, _, err := ReadGraph(GraphFile, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(g.Patch([]byte(data), "exp_0001")); got != data {
			t.Errorf("%s: %s", name, firstDifference(got, data))
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add(string(NewGraph("t").Marshal()), "exp_0000")
	f.Add("{\n  \"nodes\": {\n    \"a\": {\n    }\n  }\n}\n", "root")
	f.Fuzz(func(_ *testing.T, old, id string) {
		g := NewGraph("t")
		g.Nodes[id] = &Node{ID: id, Parent: ptr(RootID)}
		g.Patch([]byte(old), id) // must not panic, whatever lies there
	})
}

func BenchmarkPatch(b *testing.B) {
	g := grow(10_000, func(i int) int { return i/3 - 1 }, nil)
	file := g.Marshal()
	for b.Loop() {
		g.Patch(file, "exp_5000", RootID)
	}
}
