package edit

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// A history is a run's log in the making.
type history struct {
	t     *testing.T
	state clade.State
	seq   int64
}

func newHistory(t *testing.T, space Space) *history {
	h := &history{t: t}
	h.put(clade.Opened{Run: "r", Base: "c0", Tree: "c0", Spec: clade.Spec{Seed: 11,
		Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize, Noise: clade.NoiseNone, Weight: 1}}}})
	if space.Use != "" {
		h.put(clade.Noted{Note: clade.Note{Kind: clade.NoteSpace, Body: space.String()}})
	}
	h.put(clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesNumbers, Why: "baseline", After: []clade.Stage{{Subjects: []clade.ID{0}}}}},
		clade.TryBegun{ID: 1, Try: 1}, h.ended(1, 0, "", 0), h.judged(1, clade.StatusMeasured))
	return h
}

func (h *history) put(events ...clade.Event) {
	h.t.Helper()
	for _, e := range events {
		h.seq++
		if err := h.state.Apply(clade.Record{Seq: h.seq, Event: e}); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *history) ended(id, subject clade.ID, commit string, value float64) clade.Event {
	return clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: 1, Commit: commit, Tree: commit, Evaluations: []clade.Evaluation{
		{Subject: subject, Samples: []clade.Sample{{Check: "m", Replicate: 1, Value: value}}}}}}
}

func (h *history) judged(id clade.ID, s clade.Status) clade.Event {
	return clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: s, Why: "test"}}}
}

// plan asks b for the next attempt's brief and plans it.
func (h *history) plan(b *Briefer, parents ...clade.ID) (clade.ID, string) {
	a := clade.Attempt{ID: h.state.Head().Count + 1, Operator: "mutate", Makes: clade.MakesTree, Parents: parents, After: []clade.Stage{{}}}
	a.Brief, a.Why = b.Brief(&h.state, &a)
	h.put(clade.Planned{Attempt: a}, clade.TryBegun{ID: a.ID, Try: 1})
	return a.ID, a.Brief
}

func (h *history) end(id clade.ID, value float64) {
	h.put(h.ended(id, id, fmt.Sprintf("c%d", id), value), h.judged(id, clade.StatusAccepted))
}

func full() Space {
	return Space{Version: Version, Use: "mutate",
		Files: []File{{Path: "a.go", Numbers: 10, Lines: 20, Tokens: 80}, {Path: "b.txt", Numbers: 30, Data: true}},
		Tunes: []Parameter{{Name: "rate", Path: "a.go", Value: "0.5", Low: 0, High: 1},
			{Name: "n", Path: "a.go", Value: "3", Low: 1, High: 9, Int: true}, {Name: "mode", Path: "a.go", Value: "x", Choices: []string{"x", "y"}}}}
}

// What a Briefer remembers shows in nothing: a fresh one writes the same briefs,
// whatever the order in which attempts end.
func TestFreshBrieferWritesTheSame(t *testing.T) {
	t.Parallel()
	h, kept, g := newHistory(t, full()), NewBriefer("mutate"), rand.New(rand.NewPCG(1, 2))
	var open, done []clade.ID
	kinds := map[Kind]int{}
	for range 400 {
		var parents []clade.ID
		for range min(len(done), g.IntN(3)) {
			parents = append(parents, done[g.IntN(len(done))])
		}
		a := clade.Attempt{ID: h.state.Head().Count + 1, Operator: "mutate", Parents: parents, Generation: g.IntN(3)}
		fresh, why := NewBriefer("mutate").Brief(&h.state, &a)
		again, why2 := kept.Brief(&h.state, &a)
		if fresh != again || why != why2 || why == "" || strings.ContainsAny(why, "\n") {
			t.Fatalf("attempt %d: a fresh briefer says %s (%s), the kept one %s (%s)", a.ID, fresh, why, again, why2)
		}
		id, brief := h.plan(kept, parents...)
		b, err := ParseBrief(brief, 0)
		if err != nil {
			t.Fatal(err)
		}
		kinds[b.Kind]++
		if open = append(open, id); len(open) > 3 {
			i := g.IntN(len(open))
			h.end(open[i], g.Float64())
			done, open = append(done, open[i]), append(open[:i], open[i+1:]...)
		}
	}
	for _, k := range []Kind{Number, NumberFew, Tune, LineDelete, TokenFlip, Cross} {
		if kinds[k] == 0 {
			t.Errorf("no brief of kind %s: %v", k, kinds)
		}
	}
}

func TestTunesAreFound(t *testing.T) {
	t.Parallel()
	space := full()
	space.Files = nil
	h, b := newHistory(t, space), NewBriefer("mutate")
	b.catchUp(&h.state)
	best := -1e9
	var open []clade.ID
	score := func(id clade.ID) float64 {
		brief, err := ParseBrief(h.state.Life(id).Brief, 0)
		if err != nil || brief.Kind != Tune {
			t.Fatalf("brief %s", h.state.Life(id).Brief)
		}
		rate, _ := strconv.ParseFloat(brief.Values["rate"], 64)
		n, _ := strconv.ParseFloat(brief.Values["n"], 64)
		s := -(rate-0.2)*(rate-0.2) - (n-7)*(n-7)/64
		if brief.Values["mode"] == "y" {
			s++
		}
		return s
	}
	tune := func() clade.ID { // Brief with files absent would leave the choice to the operator
		a := clade.Attempt{ID: h.state.Head().Count + 1, Operator: "mutate", Makes: clade.MakesTree, After: []clade.Stage{{}}}
		b.catchUp(&h.state)
		out, why := b.choose(Brief{Version: Version, Draw: clade.DrawOf(&h.state, stream, a.ID)}, b.tuned(&h.state, &a), false)
		a.Brief, a.Why = out.String(), why
		h.put(clade.Planned{Attempt: a}, clade.TryBegun{ID: a.ID, Try: 1})
		return a.ID
	}
	for range 240 {
		if open = append(open, tune()); len(open) == 4 {
			s := score(open[0])
			best = max(best, s)
			h.end(open[0], s)
			open = open[1:]
		}
	}
	if best < 1-1e-4 { // the optimum is 1, at 0.2, 7 and y
		t.Errorf("240 attempts reach %.6f", best)
	}
}

func TestUnknownSpaceLeavesItToTheOperator(t *testing.T) {
	t.Parallel()
	h := newHistory(t, Space{})
	_, brief := h.plan(NewBriefer("mutate"))
	if b, err := ParseBrief(brief, 0); err != nil || b.Kind != Any {
		t.Errorf("brief %s, %v", brief, err)
	}
}

func TestCommonAncestor(t *testing.T) {
	t.Parallel()
	h, b := newHistory(t, full()), NewBriefer("mutate")
	end := func(parents ...clade.ID) clade.ID {
		id, _ := h.plan(b, parents...)
		h.end(id, 1)
		return id
	}
	two := end()
	three, four := end(two), end(two)
	five := end(three)
	for _, c := range []struct{ a, b, want clade.ID }{{five, four, two}, {three, five, three}, {four, four, four}, {end(), five, 0}} {
		if got := common(&h.state, c.a, c.b); got != c.want {
			t.Errorf("common(%d, %d) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	_, brief := h.plan(b, five, four)
	if got, _ := ParseBrief(brief, 0); got.Kind != Cross || got.Ancestor != "c2" {
		t.Errorf("brief %s, want a cross against c2", brief)
	}
}

func BenchmarkBrief(b *testing.B) {
	t := &testing.T{}
	h, br := newHistory(t, full()), NewBriefer("mutate")
	for range 10000 {
		id, _ := h.plan(br)
		h.end(id, 0)
	}
	a := clade.Attempt{ID: h.state.Head().Count + 1, Operator: "mutate"}
	for b.Loop() {
		br.Brief(&h.state, &a)
	}
}
