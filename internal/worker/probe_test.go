package worker_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/worker"
)

func perform(spec *clade.Spec, s *store, e *evaluator, l clade.Life) (clade.Outcome, *operator, *journal) {
	op, j := &operator{}, &journal{}
	w := &worker.Worker{Spec: spec, Ledger: s, Template: template{}, Operators: map[string]propose.Operator{"": op}, Evaluator: e, Rules: policy.Rules{}, Journal: j}
	o := w.Perform(context.Background(), dispatch.Task{Life: l, Try: 1, Kin: map[clade.ID]clade.Life{clade.Base: {Commit: "base", Tree: "base-tree"}}})
	return o, op, j
}

// C16: a tripwire's tree is made by clade itself, whatever is frozen or not
// allowed, and the overlay of frozen files leaves it what it names.
func TestTripwireIsPlanted(t *testing.T) {
	t.Parallel()
	wire := clade.Tripwire{ID: "w", Write: map[string]string{"src/a.go": "wrong", "fail_test.go": "must fail"}, Delete: []string{"src/a.go"}}
	for name, c := range map[string]struct {
		wires []clade.Tripwire
		tree  string
		class clade.Class
		say   string
	}{
		"planted":     {[]clade.Tripwire{{ID: "w", Write: wire.Write}}, "t", clade.OK, ""},
		"deleted":     {[]clade.Tripwire{{ID: "w", Delete: wire.Delete}}, "t", clade.OK, ""},
		"no change":   {[]clade.Tripwire{{ID: "w", Write: wire.Write}}, "base-tree", clade.ClassPolicy, "leaves the base as it is"},
		"not there":   {[]clade.Tripwire{{ID: "w", Delete: []string{"nowhere"}}}, "t", clade.ClassPolicy, "not in the base"},
		"not in spec": {nil, "t", clade.ClassPolicy, "no tripwire"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := &clade.Spec{Allow: []string{"docs/**"}, Frozen: []string{"**/*_test.go"}, Protect: clade.Protect{Tripwires: c.wires}}
			s := &store{tree: c.tree, diff: []ledger.Delta{{Path: "fail_test.go", NewMode: ledger.ModeFile}, {Path: "other_test.go", NewMode: ledger.ModeFile}}}
			e := &evaluator{stages: [][]clade.Sample{{red}}}
			o, op, j := perform(spec, s, e, clade.Life{Attempt: clade.Attempt{ID: 2, Makes: clade.MakesTree, Probe: "w", After: []clade.Stage{{}}}})
			if op.asked != 0 {
				t.Error("an operator was asked")
			}
			if c.class != clade.OK {
				if o.Failure != c.class || !strings.Contains(o.Detail, c.say) || len(e.jobs) > 0 || o.Commit != "" {
					t.Errorf("%+v", o)
				}
				return
			}
			if o.Commit != "c1" || len(j.proposed) != 1 || len(e.jobs) != 1 || o.Failure != clade.ClassCandidate || o.Same != 0 {
				t.Fatalf("%+v", o)
			}
			if d := s.drafts[0]; d.From != "base" || !slices.Equal(d.Parents, []string{"base"}) {
				t.Errorf("%+v", d)
			}
			if got := e.jobs[0].Plan.Removed; name == "planted" && !slices.Equal(got, []string{"other_test.go"}) {
				t.Errorf("removed %q: what the tripwire names stays, and nothing else does", got)
			}
		})
	}
}

// The base with every editable file emptied is measured once, and only warned of.
func TestEmptiedBase(t *testing.T) {
	t.Parallel()
	other := clade.Sample{Check: "m", Value: 0}
	none := clade.Sample{Check: "m", Class: clade.ClassEvaluator, Detail: "no number"}
	for name, c := range map[string]struct {
		blank  []clade.Sample
		allow  []string
		goal   clade.Direction
		warned bool
		asked  bool
	}{
		"as good":            {[]clade.Sample{pass, m1}, nil, clade.Maximize, true, true},
		"worse":              {[]clade.Sample{pass, other}, nil, clade.Maximize, false, true},
		"better":             {[]clade.Sample{pass, other}, nil, clade.Minimize, true, true},
		"refused by a gate":  {[]clade.Sample{red}, nil, clade.Maximize, false, true},
		"no number":          {[]clade.Sample{pass, none}, nil, clade.Maximize, false, true},
		"nothing to be done": {nil, []string{"docs/**"}, clade.Maximize, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := &clade.Spec{Allow: c.allow, Gates: []clade.Gate{{ID: "g"}}, Measures: []clade.Measure{{ID: "m", Goal: c.goal}}}
			s, e := &store{tree: "t"}, &evaluator{stages: [][]clade.Sample{{pass, m1}, c.blank}}
			o, _, j := perform(spec, s, e, clade.Life{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesNumbers,
				After: []clade.Stage{{Subjects: []clade.ID{clade.Base}}, {Subjects: []clade.ID{clade.Base}, Blank: true}}}})
			if o.Failure != clade.OK || len(o.Evaluations) != 1 || o.Commit != "" || len(j.proposed) != 0 {
				t.Errorf("the emptied base left more than a warning: %+v", o)
			}
			if (len(o.Notes) == 1) != c.warned || (len(e.jobs) == 2) != c.asked {
				t.Errorf("%d jobs, notes %+v", len(e.jobs), o.Notes)
			}
			if c.asked && (len(s.drafts) != 1 || len(s.drafts[0].Changes) != 1 || len(s.drafts[0].Changes[0].Data) != 0 || s.drafts[0].Changes[0].Path != "src/a.go") {
				t.Errorf("%+v", s.drafts)
			}
		})
	}
}
