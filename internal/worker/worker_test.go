package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/worker"
)

// journal remembers what was recorded, in order.
type journal struct {
	evaluate.Memory
	mu       sync.Mutex
	proposed []clade.Proposed
	known    map[string]clade.ID
	asked    int // of Known
	fail     error
}

func (j *journal) Proposed(_ context.Context, p clade.Proposed, _ ledger.Made) (clade.ID, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.proposed = append(j.proposed, p)
	id, ok := j.known[p.Tree]
	return id, ok, j.fail
}

func (j *journal) Known(_ context.Context, tree string) (clade.ID, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked++
	id, ok := j.known[tree]
	return id, ok
}

// store is a ledger that makes a commit of any draft.
type store struct {
	ledger.Ledger
	drafts []ledger.Draft
	diff   []ledger.Delta
	tree   string
}

func (s *store) Commit(_ context.Context, d ledger.Draft) (ledger.Made, error) {
	s.drafts = append(s.drafts, d)
	for i, c := range d.Changes {
		if i > 0 && c.Path == d.Changes[i-1].Path {
			return ledger.Made{}, fmt.Errorf("%q is given twice: %w", c.Path, ledger.ErrPath)
		}
	}
	return ledger.Made{Commit: "c1", Tree: s.tree}, nil
}

func (*store) List(context.Context, string) ([]ledger.Entry, error) {
	return []ledger.Entry{{Path: "src/a.go", Mode: ledger.ModeFile, Blob: "a"}}, nil
}

// Read gives "a", or what follows "data:" in the name of the blob.
func (*store) Read(_ context.Context, blob string) ([]byte, error) {
	if data, ok := strings.CutPrefix(blob, "data:"); ok {
		return []byte(data), nil
	}
	return []byte("a"), nil
}

func (*store) Patch(_ context.Context, from, to string) ([]byte, error) {
	return []byte("what " + to + " changed of " + from + ", planted-secret"), nil
}

func (s *store) Diff(context.Context, string, string) ([]ledger.Delta, error) { return s.diff, nil }

type template struct{}

func (template) Key() string          { return "k" }
func (template) Commit() string       { return "base" }
func (template) Making() (int, error) { return 1, nil }

// operator hands back what it is told to and counts.
type operator struct {
	got   propose.Proposal
	err   error
	asked int
	last  propose.Request
}

func (o *operator) Propose(_ context.Context, r propose.Request) (propose.Proposal, error) {
	o.asked++
	o.last = r
	return o.got, o.err
}

// evaluator answers each stage with the samples of its turn.
type evaluator struct {
	stages [][]clade.Sample
	jobs   []evaluate.Job
	err    error
}

func (*evaluator) Grade() string { return "none" }

func (e *evaluator) Evaluate(_ context.Context, j evaluate.Job) ([]clade.Evaluation, error) {
	if e.err != nil {
		return nil, e.err
	}
	samples := e.stages[len(e.jobs)]
	e.jobs = append(e.jobs, j)
	var out []clade.Evaluation
	for _, s := range j.Subjects {
		out = append(out, clade.Evaluation{Subject: s.ID, Stage: j.Index, Samples: samples})
	}
	return out, nil
}

type rule bool

func (r rule) Continue(*clade.Spec, *clade.Attempt, int, []clade.Evaluation) (bool, string) {
	return bool(r), "said so"
}

var (
	edit = ledger.Change{Path: "src/a.go", Mode: ledger.ModeFile, Data: []byte("b")}
	pass = clade.Sample{Check: "g", Gate: true, Value: 1}
	red  = clade.Sample{Check: "g", Gate: true, Value: 0, Class: clade.ClassCandidate, Detail: "no"}
	m1   = clade.Sample{Check: "m", Value: 1}
)

// F45, P5: what changes nothing is not measured.
func TestPerform(t *testing.T) {
	t.Parallel()
	one := []clade.Stage{{}}
	for name, c := range map[string]struct {
		operator  operator
		evaluator evaluator
		life      func(*clade.Life)
		known     map[string]clade.ID
		fail      error
		tree      string
		diff      []ledger.Delta
		want      func(clade.Outcome, *operator, *evaluator, *journal) string
	}{
		"a good edit is committed, recorded and measured": {
			operator:  operator{got: propose.Proposal{Changes: []ledger.Change{edit}, Summary: "a → b", Feedback: "{}"}},
			evaluator: evaluator{stages: [][]clade.Sample{{pass, m1}}},
			want: func(o clade.Outcome, _ *operator, e *evaluator, j *journal) string {
				return expect(o.Failure == clade.OK && o.Commit == "c1" && len(o.Evaluations) == 1 && len(j.proposed) == 1 &&
					j.proposed[0].Summary == "a → b" && o.Isolation == "none" && e.jobs[0].Subjects[0].Commit == "c1")
			},
		},
		"a retry does not ask the operator again": {
			life:      func(l *clade.Life) { l.Commit, l.Tree = "made", "t" },
			evaluator: evaluator{stages: [][]clade.Sample{{pass, m1}}},
			want: func(o clade.Outcome, op *operator, e *evaluator, j *journal) string {
				return expect(op.asked == 0 && len(j.proposed) == 0 && e.jobs[0].Subjects[0].Commit == "made" && o.Commit == "made")
			},
		},
		"an edit outside allow is a policy failure and is not committed": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{{Path: "x.go", Mode: ledger.ModeFile}}}},
			want: func(o clade.Outcome, _ *operator, e *evaluator, j *journal) string {
				return expect(o.Failure == clade.ClassPolicy && o.Commit == "" && len(e.jobs) == 0 && len(j.proposed) == 0 && strings.Contains(o.Detail, "x.go"))
			},
		},
		"an operator whose time was over": {
			operator: operator{got: propose.Proposal{Class: clade.ClassOperator, Detail: "hung", TimedOut: true}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassOperator && o.TimedOut)
			},
		},
		"a gate whose time was over": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{{Check: "g", Gate: true, Class: clade.ClassCandidate,
				Detail: clade.OutOfTime + "1s\nworking"}}}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassCandidate && o.TimedOut)
			},
		},
		"a gate that prints what is said of time": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{{Check: "g", Gate: true, Class: clade.ClassCandidate,
				Detail: "exit status 1\n" + clade.OutOfTime + "1s"}}}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassCandidate && !o.TimedOut)
			},
		},
		"nothing proposed costs no evaluation (F45)": {
			operator: operator{got: propose.Proposal{Detail: "no idea"}},
			want: func(o clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				return expect(o.Failure == clade.OK && o.Commit == "" && len(e.jobs) == 0 && o.Detail == "no idea")
			},
		},
		"the base's tree again is linked, not measured (F45)": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{edit}}}, tree: "tree-0",
			want: func(o clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				return expect(o.Same == clade.SameAsBase && len(e.jobs) == 0)
			},
		},
		"a judged tree again is linked, not measured (F45)": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{edit}}}, known: map[string]clade.ID{"t1": 4},
			want: func(o clade.Outcome, _ *operator, e *evaluator, j *journal) string {
				return expect(o.Same == 4 && len(e.jobs) == 0 && j.asked == 0) // the record of the proposal said so
			},
		},
		"so is one that an earlier try proposed": {
			life:  func(l *clade.Life) { l.Commit, l.Tree = "c0", "t1" },
			known: map[string]clade.ID{"t1": 4},
			want: func(o clade.Outcome, op *operator, e *evaluator, j *journal) string {
				return expect(o.Same == 4 && op.asked == 0 && len(e.jobs) == 0 && j.asked == 1)
			},
		},
		"a line that leaves a test is no candidate (H4)": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{{Path: "src/a.go", Mode: ledger.ModeFile, Data: []byte("os.Exit(0)")}}}},
			want: func(o clade.Outcome, _ *operator, e *evaluator, j *journal) string {
				return expect(o.Failure == clade.ClassPolicy && o.Commit == "" && len(e.jobs) == 0 && len(j.proposed) == 0 && strings.Contains(o.Detail, "line 1"))
			},
		},
		"a file that tools load by themselves is no candidate (H7)": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{{Path: "src/conftest.py", Mode: ledger.ModeFile, Data: []byte("x")}}}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, j *journal) string {
				return expect(o.Failure == clade.ClassPolicy && len(j.proposed) == 0)
			},
		},
		"a key is no candidate and is not told (H14)": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{{Path: "src/NOTES.md", Mode: ledger.ModeFile, Data: []byte("it is planted-secret")}}}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, j *journal) string {
				return expect(o.Failure == clade.ClassPolicy && len(j.proposed) == 0 && !strings.Contains(o.Detail, "planted-secret"))
			},
		},
		"a failed gate ends the plan": {
			operator:  operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{red}, {m1}}},
			life:      func(l *clade.Life) { l.After = []clade.Stage{{}, {}} },
			want: func(o clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassCandidate && len(e.jobs) == 1 && strings.Contains(o.Detail, "gate g"))
			},
		},
		"a measure without a number is the evaluator's failure": {
			operator:  operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{pass, {Check: "m", Class: clade.ClassEvaluator}}}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassEvaluator)
			},
		},
		"a case the candidate failed is a number": {
			operator:  operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{pass, {Check: "m", Case: "1", Class: clade.ClassCandidate}}}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, _ *journal) string {
				return expect(o.Failure == clade.OK)
			},
		},
		"a rule that says no ends the plan without a failure": {
			operator:  operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{pass, m1}, {m1}}},
			life:      func(l *clade.Life) { l.After = []clade.Stage{{Rule: "never"}, {}} },
			want: func(o clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				return expect(o.Failure == clade.OK && len(e.jobs) == 1)
			},
		},
		"a rule that says yes goes on": {
			operator:  operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{pass, m1}, {m1}}},
			life:      func(l *clade.Life) { l.After = []clade.Stage{{Rule: "always"}, {}} },
			want: func(o clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				return expect(len(e.jobs) == 2 && len(o.Evaluations) == 2)
			},
		},
		"an operator's error is infrastructure": {
			operator: operator{got: propose.Proposal{Spent: clade.Amount{Microdollars: 7, Unknown: true}}, err: errors.New("no pipe")},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassInfra && strings.Contains(o.Detail, "no pipe") && o.Spent.Microdollars == 7 && o.Spent.Unknown)
			},
		},
		"an operator's own failure keeps what it spent": {
			operator: operator{got: propose.Proposal{Class: clade.ClassOperator, Detail: "exit 3", Spent: clade.Amount{Microdollars: 7}}},
			want: func(o clade.Outcome, _ *operator, _ *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassOperator && o.Spent.Microdollars == 7)
			},
		},
		"an unrecorded proposal is not measured": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{edit}, Spent: clade.Amount{Microdollars: 7}}}, fail: errors.New("disk full"),
			want: func(o clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassInfra && o.Commit == "" && len(e.jobs) == 0 && o.Spent.Microdollars == 7)
			},
		},
		"P20a: what no tree can hold is the operator's fault": {
			operator: operator{got: propose.Proposal{Changes: []ledger.Change{edit, edit}, Spent: clade.Amount{Microdollars: 7}}},
			want: func(o clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				return expect(o.Failure == clade.ClassOperator && strings.Contains(o.Detail, "is given twice") && len(e.jobs) == 0 && o.Spent.Microdollars == 7)
			},
		},
		"numbers only need no operator": {
			life: func(l *clade.Life) {
				l.Makes, l.After = clade.MakesNumbers, []clade.Stage{{Subjects: []clade.ID{0, 0}}}
			},
			evaluator: evaluator{stages: [][]clade.Sample{{pass, m1}}},
			want: func(o clade.Outcome, op *operator, e *evaluator, _ *journal) string {
				return expect(op.asked == 0 && len(o.Evaluations) == 2 && e.jobs[0].Subjects[1].Commit == "base")
			},
		},
		"frozen files that a commit changed come from the base": {
			operator:  operator{got: propose.Proposal{Changes: []ledger.Change{edit}}},
			evaluator: evaluator{stages: [][]clade.Sample{{pass, m1}}},
			diff: []ledger.Delta{
				{Path: "src/a.go", OldMode: ledger.ModeFile, NewMode: ledger.ModeFile},
				{Path: "src/a_test.go", OldMode: ledger.ModeFile, OldBlob: "old", NewMode: ledger.ModeFile},
				{Path: "src/b_test.go", NewMode: ledger.ModeFile},
			},
			want: func(_ clade.Outcome, _ *operator, e *evaluator, _ *journal) string {
				p := e.jobs[0].Plan
				return expect(len(p.Frozen) == 1 && p.Frozen[0].Blob == "old" && len(p.Removed) == 1 && p.Removed[0] == "src/b_test.go")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &journal{known: c.known, fail: c.fail}
			tree := c.tree
			if tree == "" {
				tree = "t1"
			}
			w := &worker.Worker{
				Spec:   &clade.Spec{Allow: []string{"src/**"}, Frozen: []string{"**/*_test.go"}, Gates: []clade.Gate{{ID: "g"}}},
				Ledger: &store{tree: tree, diff: c.diff}, Template: template{}, Journal: j,
				Operators: map[string]propose.Operator{"op": &c.operator}, Evaluator: &c.evaluator,
				Secrets: []string{"planted-secret"}, Rules: policy.Rules{"never": rule(false), "always": rule(true)},
			}
			life := clade.Life{Attempt: clade.Attempt{ID: 5, Operator: "op", Makes: clade.MakesTree, After: one}, Try: 1}
			if c.life != nil {
				c.life(&life)
			}
			kin := map[clade.ID]clade.Life{0: {Commit: "base", Tree: "tree-0"}}
			o := w.Perform(t.Context(), dispatch.Task{Life: life, Try: 1, Kin: kin})
			if o.ID != 5 || o.Try != 1 {
				t.Errorf("outcome of %d try %d", o.ID, o.Try)
			}
			if bad := c.want(o, &c.operator, &c.evaluator, j); bad != "" {
				t.Errorf("%s: %+v", bad, o)
			}
		})
	}
}

func expect(ok bool) string {
	if ok {
		return ""
	}
	return "not as expected"
}

// An attempt without parents is made from the base, and its draw depends on
// nothing but the seed, the operator and its number.
func TestRequest(t *testing.T) {
	t.Parallel()
	op := &operator{}
	w := &worker.Worker{Spec: &clade.Spec{Seed: 9}, Ledger: &store{}, Template: template{}, Journal: &journal{},
		Operators: map[string]propose.Operator{"op": op}, Evaluator: &evaluator{}, Spaces: map[string]string{"op": "space"}}
	life := clade.Life{Attempt: clade.Attempt{ID: 3, Operator: "op", Makes: clade.MakesTree}}
	kin := map[clade.ID]clade.Life{0: {Commit: "base"}}
	w.Perform(t.Context(), dispatch.Task{Life: life, Try: 2, Kin: kin})
	if got := op.last; got.Draw != clade.Draw(9, "operator/op", 3) || got.Space != "space" || len(got.Parents) != 1 || got.Parents[0].Commit != "base" || got.Try != 2 {
		t.Errorf("%+v", got)
	}
}
