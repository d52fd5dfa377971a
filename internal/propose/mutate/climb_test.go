package mutate_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/edit"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/propose/mutate"
	"github.com/cladehq/clade/internal/propose/proposetest"
)

// A climb is the smallest search there is: every attempt starts from the best so
// far, ties move it, and slots results are always on their way. It folds real
// events, so that briefs see what they see in a run.
type climb struct {
	t      testing.TB
	spec   clade.Spec
	mem    *proposetest.Memory
	op     *mutate.Operator
	brief  *edit.Briefer
	state  clade.State
	seq    int64
	space  string
	score  func(files map[string]string) (float64, bool)
	parent clade.ID
}

func newClimb(t testing.TB, seed uint64, files map[string]string, score func(map[string]string) (float64, bool)) *climb {
	c := &climb{t: t, mem: proposetest.NewMemory(), op: mutate.New(), brief: edit.NewBriefer("mutate"), score: score}
	c.spec = clade.Spec{Version: 1, Seed: seed, Operators: []clade.Operator{{Use: "mutate", Name: "mutate"}},
		Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize, Noise: clade.NoiseNone, Weight: 1}}}
	base := c.mem.Commit(files)
	c.put(clade.Opened{Run: "r", Spec: c.spec, Base: base, Tree: base})
	found, err := c.op.Survey(context.Background(), propose.Request{Spec: &c.spec, Attempt: &clade.Attempt{}, Read: c.mem,
		Parents: []propose.Parent{{Commit: base}}})
	if err != nil {
		t.Fatal(err)
	}
	c.space = found.Space
	c.put(clade.Noted{Note: clade.Note{About: []clade.ID{0}, Kind: clade.NoteSpace, Body: found.Space}})
	c.baseline(files)
	return c
}

func (c *climb) put(events ...clade.Event) {
	for _, e := range events {
		c.seq++
		if err := c.state.Apply(clade.Record{Seq: c.seq, Event: e}); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *climb) evaluation(of clade.ID, files map[string]string) []clade.Evaluation {
	v, ok := c.score(files)
	s := clade.Sample{Check: "m", Value: v, Split: clade.SplitSelect, Replicate: 1}
	if !ok {
		s.Class = clade.ClassCandidate
	}
	return []clade.Evaluation{{Subject: of, Stage: 0, Samples: []clade.Sample{s}}}
}

func (c *climb) baseline(files map[string]string) {
	c.put(clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesNumbers, Why: "baseline", After: []clade.Stage{{Subjects: []clade.ID{0}}}}},
		clade.TryBegun{ID: 1, Try: 1},
		clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Evaluations: c.evaluation(0, files)}},
		clade.Judged{Verdicts: []clade.Verdict{{ID: 1, Status: clade.StatusMeasured, Why: "baseline"}}})
}

func (c *climb) plan() clade.ID {
	a := clade.Attempt{ID: c.state.Head().Count + 1, Operator: "mutate", Makes: clade.MakesTree, After: []clade.Stage{{}}}
	if c.parent != clade.Base {
		a.Parents = []clade.ID{c.parent}
	}
	a.Brief, a.Why = c.brief.Brief(&c.state, &a)
	c.put(clade.Planned{Attempt: a}, clade.TryBegun{ID: a.ID, Try: 1})
	return a.ID
}

func (c *climb) perform(id clade.ID) {
	l := c.state.Life(id)
	r := propose.Request{Spec: &c.spec, Attempt: &l.Attempt, Try: 1, Draw: uint64(id), Read: c.mem, Space: c.space}
	for _, p := range clade.ParentsOrBase(l.Parents) {
		k := c.state.Life(p)
		r.Parents = append(r.Parents, propose.Parent{ID: p, Commit: k.Commit, Feedback: k.Feedback, Score: k.Score, Scored: k.Scored})
	}
	p, err := c.op.Propose(context.Background(), r)
	if err != nil || p.Class != clade.OK {
		c.t.Fatalf("attempt %d (%s): %v %s %s", id, l.Brief, err, p.Class, p.Detail)
	}
	if len(p.Changes) == 0 {
		c.put(clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: 1}}, c.verdict(id, clade.StatusRejected))
		return
	}
	commit := c.mem.Change(r.Parents[0].Commit, p.Changes)
	c.put(clade.Proposed{ID: id, Try: 1, Commit: commit, Tree: commit, Summary: p.Summary, Feedback: p.Feedback},
		clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: 1, Commit: commit, Tree: commit, Evaluations: c.evaluation(id, c.mem.Files(commit))}})
	best, child := c.state.Life(c.parent), c.state.Life(id)
	switch {
	case child.Scored && child.Score > best.Score:
		c.parent = id
		c.put(c.verdict(id, clade.StatusAccepted))
	case child.Scored && child.Score == best.Score:
		c.parent = id
		c.put(c.verdict(id, clade.StatusStable))
	default:
		c.put(c.verdict(id, clade.StatusRejected))
	}
}

func (c *climb) verdict(id clade.ID, s clade.Status) clade.Event {
	return clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: s, Why: "test"}}}
}

// run makes n attempts with slots of them always on their way.
func (c *climb) run(n, slots int) float64 {
	var open []clade.ID
	for range n {
		if open = append(open, c.plan()); len(open) == slots {
			c.perform(open[0])
			open = open[1:]
		}
	}
	for _, id := range open {
		c.perform(id)
	}
	v := c.state.Life(c.parent)
	return v.Values["m"]
}

// packed is the score of examples/packing in floating point.
func packed(files map[string]string) (float64, bool) {
	var p [][3]float64
	for line := range strings.Lines(files["packing.txt"]) {
		var d [3]float64
		if n, _ := fmt.Sscan(line, &d[0], &d[1], &d[2]); n != 3 || len(strings.Fields(line)) != 3 || d[2] < 0 {
			return 0, false
		}
		p = append(p, d)
	}
	if len(p) != 26 {
		return 0, false
	}
	sum := 0.0
	for i := range p {
		a := &p[i]
		a[2] = max(0, min(a[2], a[0], a[1], 1-a[0], 1-a[1]))
		for j := range i {
			b := &p[j]
			if d := math.Hypot(a[0]-b[0], a[1]-b[1]); a[2]+b[2] > d {
				f := d / (a[2] + b[2])
				a[2], b[2] = a[2]*f, b[2]*f
			}
		}
	}
	for i := range p {
		sum += p[i][2]
	}
	return sum, true
}

func seedPacking(t testing.TB) map[string]string {
	data, err := os.ReadFile("../../../examples/packing/packing.txt")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"packing.txt": string(data)}
}

func BenchmarkPacking(b *testing.B) {
	for b.Loop() {
		var scores []float64
		for seed := range uint64(5) {
			c := newClimb(b, seed+1, seedPacking(b), packed)
			scores = append(scores, c.run(10000, 4))
		}
		slices.Sort(scores)
		b.ReportMetric(scores[2], "median")
		b.ReportMetric(scores[0], "least")
		b.ReportMetric(scores[4], "most")
	}
}
