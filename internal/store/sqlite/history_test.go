package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cladehq/clade"
)

func spec() clade.Spec {
	usd, tokens := clade.Microdollars(3000), int64(500) // little: histories overspend them
	return clade.Spec{
		Version: 1, Objective: "go faster", Seed: 7,
		Gates:     []clade.Gate{{ID: "test", Command: clade.Command{Run: "go test ./..."}}},
		Measures:  []clade.Measure{{ID: "score", Goal: clade.Maximize, Noise: clade.NoiseNone}},
		Search:    clade.Search{Strategy: "hillclimb"},
		Operators: []clade.Operator{{Use: "own", Name: "own", With: clade.Options{"width": 3.5, "names": []any{"a", "b"}}}},
		Budget:    clade.Budget{USD: &usd, Tokens: &tokens},
	}
}

func opened(run string) clade.Opened {
	return clade.Opened{Run: run, Spec: spec(), Digest: "d0", Base: "c0", Tree: "t0", Where: "/home/u/p"}
}

// A history makes events that may follow what a view shows: plans, claims,
// proposals, outcomes on time and too late, verdicts, amendments, notes.
type history struct {
	rng *rand.Rand
}

func (h *history) next(v clade.View) clade.Event {
	head := v.Head()
	any := clade.ID(h.rng.IntN(int(head.Count) + 1))
	switch n := h.rng.IntN(100); {
	case n < 22 || head.Count == 0:
		return clade.Planned{Attempt: h.attempt(head.Count)}
	case n < 25: // anew, perhaps
		a := h.attempt(head.Count)
		a.ID = max(1, any)
		return clade.Planned{Attempt: a}
	case n < 40:
		return clade.TryBegun{ID: any, Try: v.Life(any).Try + h.rng.IntN(3), Worker: "w"}
	case n < 45:
		return clade.TryBegun{ID: any, Try: v.Life(any).Try + h.rng.IntN(3), Hand: "ada \xff", Until: time.Unix(int64(n), 5).UTC()}
	case n < 55:
		return clade.Proposed{
			ID: any, Try: h.try(v, any), Commit: fmt.Sprintf("c%d", head.Seq), Tree: fmt.Sprintf("t%d", head.Seq),
			Summary: "0.1 → 0.2 \xff", Feedback: `{"step":0.5}`, Spent: h.amount(),
		}
	case n < 72:
		return clade.TryEnded{Outcome: h.outcome(v, any)}
	case n < 87:
		verdicts := []clade.Verdict{h.verdict(any)}
		if open := v.Open(); len(open) > 0 {
			verdicts = append(verdicts, h.verdict(open[h.rng.IntN(len(open))]))
		}
		return clade.Judged{Verdicts: verdicts}
	case n < 89:
		return clade.Noted{Note: clade.Adopted{Name: fmt.Sprint("v", n), Hypothesis: "better", Parents: []string{"v1"}}.Note()}
	case n < 91:
		return clade.Noted{Note: clade.Note{About: []clade.ID{any}, Kind: clade.NoteFinding, Body: fmt.Sprint("note ", n)}}
	case n < 94:
		s := spec()
		s.Objective = fmt.Sprint("objective ", n)
		return clade.Amended{Spec: s, Digest: "d", What: "objective", Epoch: head.Epoch + h.rng.IntN(2)}
	case n < 96:
		return clade.Directed{To: any, What: []clade.Directive{clade.DirectPause, clade.DirectResume, clade.DirectSteer}[n%3], Text: "left"}
	case n < 98:
		return clade.Ticked{Active: head.Active + time.Second}
	}
	if head.Applying != nil {
		return clade.Applied{Winner: head.Applying.Winner, Undone: head.Applying.Undo}
	}
	return clade.Applying{Winner: any, Undo: h.rng.IntN(3) == 0, Before: "b", After: "a", Paths: []string{"f", "g\xff"}}
}

func (h *history) attempt(count clade.ID) clade.Attempt {
	a := clade.Attempt{ID: count + 1, Operator: "mutate", Makes: clade.MakesTree, Why: "try it"}
	for range h.rng.IntN(3) {
		a.Parents = append(a.Parents, clade.ID(h.rng.IntN(int(count)+1)))
	}
	if h.rng.IntN(2) == 0 {
		a.Hold = clade.Amount{Microdollars: 500, Tokens: 100}
	}
	switch h.rng.IntN(4) {
	case 0:
		a.Operator, a.Tries, a.Kept, a.Name, a.Generation = clade.OperatorManual, 2, true, fmt.Sprint("v", count), h.rng.IntN(5)
	case 1:
		a.Given, a.Adopts = &clade.Given{Commit: fmt.Sprint("g", count), Tree: "tg", Summary: "\xfe"}, h.rng.IntN(3)
	}
	if h.rng.IntN(6) == 0 {
		a.Makes, a.After = clade.MakesNumbers, []clade.Stage{{Subjects: []clade.ID{clade.Base}}}
	}
	return a
}

func (h *history) try(v clade.View, id clade.ID) int {
	return max(1, v.Life(id).Try-h.rng.IntN(2))
}

func (h *history) amount() clade.Amount {
	return clade.Amount{
		Microdollars: clade.Microdollars(h.rng.IntN(3) * 300), Tokens: int64(h.rng.IntN(200)),
		Unknown: h.rng.IntN(5) == 0,
	}
}

func (h *history) outcome(v clade.View, id clade.ID) clade.Outcome {
	o := clade.Outcome{ID: id, Try: h.try(v, id), Commit: fmt.Sprintf("c%d", v.Head().Seq), Tree: "t", Isolation: "none", Spent: h.amount()}
	if h.rng.IntN(4) == 0 {
		o.Failure = []clade.Class{clade.ClassInfra, clade.ClassCandidate, clade.ClassBudget}[h.rng.IntN(3)]
		o.Detail = "exit 1 <&> \xfe"
	}
	subject := id
	if v.Life(id).Makes == clade.MakesNumbers {
		subject = clade.Base
	}
	o.Evaluations = []clade.Evaluation{{Subject: subject, Tree: "t", Samples: []clade.Sample{
		{Check: "test", Gate: true, Value: float64(min(1, h.rng.IntN(5)))},
		{Check: "score", Value: float64(h.rng.IntN(8)) - 2.5},
	}}}
	if h.rng.IntN(3) == 0 {
		o.Notes = []clade.Note{{Kind: clade.NoteProposal, Body: "idea"}}
		o.Files = map[string]string{"trace": "sha"}
	}
	return o
}

func (h *history) verdict(id clade.ID) clade.Verdict {
	all := []clade.Status{
		clade.StatusPending, clade.StatusEvaluated, clade.StatusAccepted, clade.StatusAccepted, clade.StatusStable,
		clade.StatusRejected, clade.StatusAbsorbed, clade.StatusFinalist, clade.StatusWinner,
	}
	return clade.Verdict{ID: id, Status: all[h.rng.IntN(len(all))], Category: "tie", Why: "it is so"}
}
