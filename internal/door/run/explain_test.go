package run

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/cladehq/clade"
)

// kinds reads from the domain's source what kinds of events there are.
func kinds(t *testing.T) (out []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "Kind" || f.Recv == nil {
			continue
		}
		kind, err := strconv.Unquote(f.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, kind)
	}
	return out
}

func TestExplain(t *testing.T) {
	t.Parallel()
	measured := clade.Outcome{ID: 3, Commit: "c", Evaluations: []clade.Evaluation{
		{Subject: 3, Samples: []clade.Sample{{Check: "tests", Gate: true, Value: 1}, {Check: "m", Value: 1}, {Check: "m", Value: 2}, {Check: "m", Class: clade.ClassCandidate}}},
		{Subject: clade.Base, Samples: []clade.Sample{{Check: "m", Value: 4}}},
		{Subject: 2, Samples: []clade.Sample{{Check: "m", Value: 8}}},
	}}
	told := map[string]bool{}
	for _, c := range []struct {
		event clade.Event
		want  []string // nothing: people are not told
	}{
		{clade.Opened{Base: "0123456789abcdef", Digest: "fedc"}, []string{"0: opened with base 0123456789 and spec fedc"}},
		{clade.Amended{What: "seed", Epoch: 2}, []string{"0: spec amended (seed), epoch 2"}},
		{clade.Planned{Attempt: clade.Attempt{ID: 3, Why: "try"}}, []string{"3: planned from the base: try"}},
		{clade.Planned{Attempt: clade.Attempt{ID: 3, Parents: []clade.ID{0}, Why: "try"}}, []string{"3: planned from the base: try"}},
		{clade.Planned{Attempt: clade.Attempt{ID: 3, Parents: []clade.ID{2}, Why: "try"}}, []string{"3: planned from 2: try"}},
		{clade.Planned{Attempt: clade.Attempt{ID: 3, Parents: []clade.ID{1, 2}, Why: "mix"}}, []string{"3: planned from 1 and 2: mix"}},
		{clade.TryBegun{ID: 3, Try: 1}, nil},
		{clade.TryBegun{ID: 3, Try: 2}, []string{"3: try 2 begun"}},
		{clade.TryBegun{ID: 3, Try: 1, Hand: "ada"}, []string{"3: try 1 taken up by ada"}},
		{clade.Proposed{ID: 3, Commit: "0123456789abcdef", Summary: "edit"}, []string{"3: proposed 0123456789: edit"}},
		{clade.TryEnded{Outcome: clade.Outcome{ID: 3, Failure: clade.ClassInfra, Detail: "gone\nmore"}}, []string{"3: failed (infra): gone"}},
		{clade.TryEnded{Outcome: clade.Outcome{ID: 3}}, []string{"3: proposed nothing"}},
		{clade.TryEnded{Outcome: clade.Outcome{ID: 3, Notes: []clade.Note{{Kind: clade.NoteSpace, Body: "{}"}}}}, []string{"3: proposed nothing"}},
		{clade.TryEnded{Outcome: clade.Outcome{ID: 3, Notes: []clade.Note{
			{Kind: clade.NoteProposal, Body: `{"hypothesis": "a map is faster", "approach": "use one"}`}, {Kind: clade.NoteFinding, Body: "slow\nat first"}, {Kind: clade.NoteSpace, Body: "{}"}}}},
			[]string{"3: hypothesis: a map is faster", "3: finding: slow at first"}},
		{clade.TryEnded{Outcome: clade.Outcome{ID: 3, Commit: "c", Same: 2}}, []string{"3: same tree as 2"}},
		{clade.TryEnded{Outcome: clade.Outcome{ID: 3, Commit: "c", Same: clade.SameAsBase}}, []string{"3: same tree as the base"}},
		{clade.TryEnded{Outcome: clade.Outcome{ID: 3, Commit: "c"}}, []string{"3: measured: no numbers"}},
		{clade.TryEnded{Outcome: measured}, []string{"3: measured: m 1.5 (n=2), the base m 4 (n=1), 2 m 8 (n=1)"}},
		{clade.Judged{Verdicts: []clade.Verdict{{ID: 1, Status: clade.StatusAccepted, Why: "better"}, {ID: 2, Status: clade.StatusRejected, Why: "worse"}}},
			[]string{"1: accepted: better", "2: rejected: worse"}},
		{clade.Directed{What: clade.DirectSteer, Text: "left"}, []string{"0: directed to steer left"}},
		{clade.Noted{Note: clade.Note{Kind: clade.NoteWarning, Body: "hot\nvery"}}, []string{"0: warning: hot"}},
		{clade.Noted{Note: clade.Note{Kind: clade.NoteSpace, Body: "{}"}}, nil},
		{clade.Noted{Note: clade.Adopted{Name: "v2", Hypothesis: "think\nof it"}.Note()}, []string{"0: offered v2: think of it"}},
		{clade.Noted{Note: clade.Adopted{Name: "v1", Hypothesis: "mine", Given: &clade.Given{}}.Note()}, []string{"0: offered, made already: v1: mine"}},
		{clade.Noted{Note: clade.Note{Kind: clade.NoteAdopt, Body: "{"}}, []string{"0: adopt: {"}},
		{clade.Ticked{Active: 1}, nil},
		{clade.Stopped{Cause: clade.StopWall, Reason: "late"}, []string{"0: stopped (wall): late"}},
		{clade.Applying{Winner: 3, Paths: clade.Paths{"a", "b"}}, []string{"3: applying 2 paths"}},
		{clade.Applied{Winner: 3}, []string{"3: applied"}},
		{clade.Applied{Winner: 3, Undone: true}, []string{"3: undone"}},
		{clade.Mirrored{Path: "evolution.yaml"}, []string{"0: wrote evolution.yaml"}},
	} {
		var got []string
		for _, e := range Explain(clade.Record{Seq: 7, Event: c.event}) {
			got = append(got, strconv.Itoa(int(e.ID))+": "+e.Text)
			if e.Seq != 7 || e.Kind != c.event.Kind() {
				t.Errorf("%+v: entry %d of kind %s", c.event, e.Seq, e.Kind)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.event.Kind(), got, c.want)
		}
		told[c.event.Kind()] = told[c.event.Kind()] || len(got) > 0
	}
	for _, kind := range kinds(t) {
		if words, known := told[kind]; !known || !words && kind != "ticked" {
			t.Errorf("nobody is told of %s", kind)
		}
	}
}
