package worker_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/worker"
)

// E23: what was made outside is held to the rules of the spec by all that it
// changes of the base, before any command sees it.
func TestE23OutsideIsHeldToTheRules(t *testing.T) {
	t.Parallel()
	file := func(path, data string) ledger.Delta {
		return ledger.Delta{Path: path, NewMode: ledger.ModeFile, NewBlob: "data:" + data}
	}
	changed := func(path, data string) ledger.Delta {
		return ledger.Delta{Path: path, OldMode: ledger.ModeFile, OldBlob: "old", NewMode: ledger.ModeFile, NewBlob: "data:" + data}
	}
	for name, c := range map[string]struct {
		diff []ledger.Delta
		says string // "": it is measured
	}{
		"a good edit":                    {[]ledger.Delta{changed("src/a.go", "b")}, ""},
		"a file that it deletes":         {[]ledger.Delta{{Path: "src/a.go", OldMode: ledger.ModeFile}}, ""},
		"a frozen file":                  {[]ledger.Delta{changed("src/a_test.go", "b")}, "a_test.go"},
		"a frozen file, deleted":         {[]ledger.Delta{{Path: "src/a_test.go", OldMode: ledger.ModeFile}}, "a_test.go"},
		"a frozen file by another case":  {[]ledger.Delta{file("src/A_TEST.go", "b")}, "only in case"},
		"a file outside of allow":        {[]ledger.Delta{changed("src/a.go", "b"), file("gate.sh", "exit 0")}, "gate.sh"},
		"a file that a runner loads":     {[]ledger.Delta{file("src/conftest.py", "x")}, "conftest.py"},
		"a line that leaves a test":      {[]ledger.Delta{changed("src/a.go", "os.Exit(0)")}, "line 1"},
		"a key":                          {[]ledger.Delta{file("src/NOTES.md", "it is planted-secret")}, "NOTES.md"},
		"a link out of the tree":         {[]ledger.Delta{{Path: "src/l", NewMode: ledger.ModeSymlink, NewBlob: "data:../../etc"}}, "link"},
		"a link that was a file":         {[]ledger.Delta{{Path: "src/a.go", OldMode: ledger.ModeFile, NewMode: ledger.ModeSymlink, NewBlob: "data:/etc"}}, "link"},
		"a repository within":            {[]ledger.Delta{{Path: "src/r", NewMode: ledger.ModeGitlink, NewBlob: "c"}}, "nested git repository"},
		"one file of which is too large": {[]ledger.Delta{file("src/big", strings.Repeat("x", 1025))}, "limits.file_size"},
	} {
		for how, life := range map[string]clade.Life{
			"given":  {Attempt: clade.Attempt{Operator: clade.OperatorManual, Given: &clade.Given{Commit: "made", Tree: "t1"}}},
			"handed": {Attempt: clade.Attempt{Operator: "op"}, Handed: true},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				op, j := &operator{}, &journal{}
				e := &evaluator{stages: [][]clade.Sample{{pass, m1}}}
				w := &worker.Worker{
					Spec: &clade.Spec{Allow: []string{"src/**"}, Frozen: []string{"**/*_test.go"}, Gates: []clade.Gate{{ID: "g"}},
						Limits: clade.Limits{FileSize: 1024}},
					Ledger: &store{tree: "t1", diff: c.diff}, Template: template{}, Journal: j,
					Operators: map[string]propose.Operator{"op": op}, Evaluator: e, Secrets: []string{"planted-secret"},
				}
				life.ID, life.Makes, life.After, life.Try, life.Commit, life.Tree = 5, clade.MakesTree, []clade.Stage{{}}, 2, "made", "t1"
				kin := map[clade.ID]clade.Life{0: {Commit: "base", Tree: "tree-0"}}
				o := w.Perform(t.Context(), dispatch.Task{Life: life, Try: 2, Kin: kin})
				if op.asked > 0 || len(j.proposed) > 0 {
					t.Errorf("the operator was asked")
				}
				if c.says == "" {
					if o.Failure != clade.OK || len(e.jobs) != 1 || e.jobs[0].Subjects[0].Commit != "made" {
						t.Errorf("%+v", o)
					}
					return
				}
				if o.Failure != clade.ClassPolicy || len(e.jobs) > 0 || !strings.Contains(o.Detail, c.says) || strings.Contains(o.Detail, "planted-secret") {
					t.Errorf("%d commands, %s: %s", len(e.jobs), o.Failure, o.Detail)
				}
			})
		}
	}
}

// Where a search starts at the base, an operator with a workspace begins there,
// is told what its parents changed, and its edit is one of the base; lineage stays.
// One that works on trees in memory begins with its parent.
func TestStartOfAnOperator(t *testing.T) {
	t.Parallel()
	kin := map[clade.ID]clade.Life{
		0: {Commit: "base", Tree: "tree-0"},
		3: {Attempt: clade.Attempt{ID: 3}, Commit: "c3", Tree: "t3"}, 4: {Attempt: clade.Attempt{ID: 4}, Commit: "c4", Tree: "t4"},
	}
	for name, c := range map[string]struct {
		start, use string
		parents    []clade.ID
		from       string
		patches    []string
	}{
		"the parent":                {"", "agent", []clade.ID{3, 4}, "c3", []string{"", ""}},
		"the parent, said":          {clade.StartParent, "agent", []clade.ID{3}, "c3", []string{""}},
		"the base":                  {clade.StartBase, "agent", []clade.ID{3, 4}, "base", []string{"what c3 changed of base, [secret]", "what c4 changed of base, [secret]"}},
		"the base, without parents": {clade.StartBase, "command", nil, "base", []string{""}},
		"mutate":                    {clade.StartBase, "mutate", []clade.ID{3, 4}, "c3", []string{"", ""}},
		"reflect":                   {clade.StartBase, "reflect", []clade.ID{4}, "c4", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			op, led := &operator{got: propose.Proposal{Changes: []ledger.Change{edit}}}, &store{tree: "t1"}
			w := &worker.Worker{
				Spec:   &clade.Spec{Search: clade.Search{Start: c.start}, Operators: []clade.Operator{{Use: c.use, Name: "op"}, {Use: "mutate"}}},
				Ledger: led, Template: template{}, Journal: &journal{}, Operators: map[string]propose.Operator{"op": op},
				Evaluator: &evaluator{stages: [][]clade.Sample{{m1}}}, Secrets: []string{"planted-secret"},
			}
			life := clade.Life{Attempt: clade.Attempt{ID: 5, Operator: "op", Makes: clade.MakesTree, After: []clade.Stage{{}}, Parents: c.parents}, Try: 1}
			if o := w.Perform(t.Context(), dispatch.Task{Life: life, Try: 1, Kin: kin}); o.Failure != clade.OK {
				t.Fatalf("%+v", o)
			}
			if op.last.From() != c.from || len(op.last.Parents) != len(c.patches) {
				t.Errorf("it starts from %s with %+v", op.last.From(), op.last.Parents)
			}
			for i, p := range op.last.Parents {
				if p.Patch != c.patches[i] {
					t.Errorf("of #%d it is told %q, want %q", p.ID, p.Patch, c.patches[i])
				}
			}
			var lineage []string
			for _, id := range clade.ParentsOrBase(c.parents) {
				lineage = append(lineage, kin[id].Commit)
			}
			if d := led.drafts[0]; d.From != c.from || strings.Join(d.Parents, " ") != strings.Join(lineage, " ") {
				t.Errorf("committed over %s as a child of %v", d.From, d.Parents)
			}
		})
	}
}
