// Package worker performs one try of an attempt: it asks the operator, checks
// what came back, commits it, and has the commit's rebuilt tree evaluated stage
// by stage. It decides nothing and writes no log: what must survive a crash
// goes through its Journal.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/workspace"
)

// A Journal makes durable what a later try must not pay again. Its methods
// return once that is so.
type Journal interface {
	evaluate.Memory
	// Proposed also answers what Known would of the proposal's tree: a
	// transaction costs more than the question.
	Proposed(ctx context.Context, p clade.Proposed, m ledger.Made) (same clade.ID, known bool, err error)
	// Known returns the candidate that closed with this tree, if there is one.
	Known(ctx context.Context, tree string) (clade.ID, bool)
}

// Worker performs tries of one run. It is safe for concurrent use.
type Worker struct {
	Spec       *clade.Spec
	Ledger     ledger.Ledger
	Workspaces workspace.Provider
	Template   workspace.Template
	Operators  map[string]propose.Operator
	Evaluator  evaluate.Evaluator
	Rules      policy.Rules
	Cases      []evaluate.Case
	Hidden     []string // paths of the tree that no command sees
	Secrets    []string // values that no candidate may hold
	Spaces     map[string]string
	Journal    Journal
	// Look counts a look at the dataset's test split by this attempt and says
	// which one it is, from 1; see store.Index. Nil: nobody counts.
	Look func(ctx context.Context, id clade.ID) (int, error)
	// Log takes what a try's commands print, for people. Nil drops it.
	Log func(id clade.ID, try int, source, text string)
}

// Perform performs the task to its end. It implements dispatch.Perform.
func (w *Worker) Perform(ctx context.Context, t dispatch.Task) clade.Outcome {
	start := time.Now()
	p := &try{Worker: w, Task: t, start: start, out: clade.Outcome{
		ID: t.Life.ID, Try: t.Try, Commit: t.Life.Commit, Tree: t.Life.Tree, Isolation: "in-process",
	}}
	err := p.settle(ctx)
	if err == nil {
		err = p.run(ctx)
	}
	if err == nil {
		err = p.whole()
	}
	if err != nil {
		p.fail(clade.ClassInfra, err.Error())
	}
	p.hideAll(&p.out)
	p.out.Spent = p.out.Spent.Plus(p.rolled)
	p.out.Spent.Wall = max(0, time.Since(start)-p.told)
	return p.out
}

// A try is one performance of one task.
type try struct {
	*Worker
	dispatch.Task
	out   clade.Outcome
	start time.Time
	told  time.Duration // wall time that Proposed has already recorded
	// rolled is what agents used that answered cases, paid what the operator did.
	rolled, paid clade.Amount
	made         int     // the making of the template that the try works over
	twin         *answer // nil where an earlier try proposed
}

// An answer is what the journal knows of a tree.
type answer struct {
	same  clade.ID
	known bool
}

func (p *try) fail(c clade.Class, detail string) {
	p.out.Failure, p.out.Detail = c, clip(detail)
}

// clip bounds text kept in the log.
func clip(s string) string {
	const most = 4 << 10
	if len(s) > most {
		s = s[:most/2] + "\n…\n" + s[len(s)-most/2:]
	}
	return strings.ToValidUTF8(s, "�")
}

func (p *try) run(ctx context.Context) error {
	if err := p.stages(ctx, p.Life.Before, -1); err != nil || p.out.Failure != clade.OK {
		return err
	}
	if p.Life.Makes == clade.MakesNotes || p.Life.Makes == clade.MakesTree && p.out.Commit == "" {
		obtain := p.propose
		if p.Life.Probe != "" {
			obtain = p.plant
		}
		if err := obtain(ctx); err != nil || p.out.Failure != clade.OK {
			return err
		}
	}
	if p.Life.Makes == clade.MakesTree {
		if p.out.Commit == "" {
			return nil // nothing to propose
		}
		if err := p.foreign(ctx); err != nil || p.out.Failure != clade.OK {
			return err
		}
		if same, ok := p.known(ctx); ok && p.Life.Probe == "" {
			p.out.Same = same
			return nil
		}
	}
	return p.stages(ctx, p.Life.After, 1)
}

// known looks the tree up among the base and the closed candidates: a tree that
// was judged is not measured again.
func (p *try) known(ctx context.Context) (clade.ID, bool) {
	if base := p.Kin[clade.Base]; base.Tree != "" && base.Tree == p.out.Tree {
		return clade.SameAsBase, true
	}
	if p.twin != nil {
		return p.twin.same, p.twin.known
	}
	return p.Journal.Known(ctx, p.out.Tree)
}

func (p *try) propose(ctx context.Context) error {
	op, ok := p.Operators[p.Life.Operator]
	if !ok {
		p.fail(clade.ClassOperator, fmt.Sprintf("no operator is called %q", p.Life.Operator))
		return nil
	}
	if p.usedUp() {
		p.fail(clade.ClassBudget, "the cases of its parents have used up what one try may spend")
		return nil
	}
	start := time.Now()
	req, err := p.request(ctx)
	if err != nil {
		return err
	}
	got, err := op.Propose(ctx, req)
	got.Spent.Wall = time.Since(start)
	p.paid, p.out.Spent = got.Spent, got.Spent // whatever becomes of it
	if err != nil {
		return fmt.Errorf("operator %s: %w", p.Life.Operator, err)
	}
	if got.Grade != "" {
		p.out.Isolation = got.Grade
	}
	p.out.Notes = append(p.out.Notes, got.Notes...)
	if err := p.whole(); err != nil {
		return err
	}
	switch {
	case got.Class != clade.OK:
		p.fail(got.Class, got.Detail)
		p.out.TimedOut = got.TimedOut
		return nil
	case len(got.Changes) == 0 || p.Life.Makes == clade.MakesNotes:
		p.out.Detail = clip(got.Detail)
		return nil
	}
	if err := p.admit(ctx, req.Start.Commit, got.Changes); err != nil || p.out.Failure != clade.OK {
		return err
	}
	return p.commit(ctx, req, got)
}

// admit fails the try where an edit breaks the spec's rules or only serves to
// fool the evaluator.
func (p *try) admit(ctx context.Context, from string, changes []ledger.Change) error {
	if bad := append(propose.Violations(p.Spec, changes), lookalikes(p.Spec, changes)...); len(bad) > 0 {
		p.fail(clade.ClassPolicy, strings.Join(bad, "\n"))
		return nil
	}
	refused, warned, err := p.inspect(ctx, from, changes)
	if err != nil {
		return err
	}
	if len(warned) > 0 {
		p.out.Notes = append(p.out.Notes, clade.Note{About: []clade.ID{p.Life.ID}, Kind: clade.NoteWarning, Body: clip(strings.Join(warned, "\n"))})
	}
	if len(refused) > 0 {
		p.fail(clade.ClassPolicy, strings.Join(refused, "\n"))
	}
	return nil
}

// foreign holds a candidate that came from outside to the same rules as an
// operator's, by what it changes of the base.
func (p *try) foreign(ctx context.Context) error {
	if !p.Life.Outside() {
		return nil
	}
	base := p.Kin[clade.Base].Commit
	deltas, err := p.Ledger.Diff(ctx, base, p.out.Commit)
	if err != nil {
		return fmt.Errorf("read a candidate from outside: %w", err)
	}
	changes := make([]ledger.Change, 0, len(deltas))
	for _, d := range deltas {
		c := ledger.Change{Path: d.Path, Mode: d.NewMode, Blob: d.NewBlob, Delete: d.NewMode == ""}
		if !c.Delete && d.NewMode != ledger.ModeGitlink {
			if c.Data, err = p.Ledger.Read(ctx, d.NewBlob); err != nil {
				return fmt.Errorf("read a candidate from outside: %w", err)
			}
			c.Blob = ""
		}
		changes = append(changes, c)
	}
	return p.admit(ctx, base, changes)
}

func (p *try) request(ctx context.Context) (propose.Request, error) {
	told := p.Life.Attempt
	told.Hold = p.rest() // rollouts of its parents have used some
	req := propose.Request{
		Spec: p.Spec, Attempt: &told, Try: p.Try, Read: p.Ledger,
		Draw: clade.Draw(p.Spec.Seed, "operator/"+p.Life.Operator, p.Life.ID), Space: p.Spaces[p.Life.Operator],
	}
	for _, id := range clade.ParentsOrBase(p.Life.Parents) {
		k := p.Kin[id]
		req.Parents = append(req.Parents, propose.Parent{
			ID: id, Commit: k.Commit, Score: k.Score, Scored: k.Scored, Summary: k.Summary, Feedback: k.Feedback,
		})
	}
	req.Start = p.begins(req.Parents[0])
	if err := p.patches(ctx, req); err != nil {
		return req, err
	}
	req.Traces = traces(p.Spec, p.Cases, p.out.Evaluations)
	req.Open = func(ctx context.Context) (workspace.Workspace, error) {
		return p.Workspaces.Open(ctx, p.Template, workspace.Plan{Commit: req.Start.Commit, Hidden: p.Hidden, Git: true})
	}
	if p.Log != nil {
		req.Log = func(text string) { p.Log(p.Life.ID, p.Try, "operator", p.hide(text)) }
	}
	return req, nil
}

// patches tells an operator that starts elsewhere what its parents changed.
func (p *try) patches(ctx context.Context, req propose.Request) error {
	if req.Start.ID == req.Parents[0].ID {
		return nil
	}
	for i := range req.Parents {
		q := &req.Parents[i]
		patch, err := p.Ledger.Patch(ctx, req.Start.Commit, q.Commit)
		if err != nil {
			return fmt.Errorf("read what candidate %d changed: %w", q.ID, err)
		}
		q.Patch = clade.Clip(p.hide(string(patch)), patchMost)
	}
	return nil
}

// patchMost bounds what an operator is told of a parent's changes, bytes.
const patchMost = 256 << 10

// begins is the tree that the operator's workspace holds.
func (p *try) begins(parent propose.Parent) propose.Parent {
	inherits := p.Spec.Search.Start != clade.StartBase || slices.ContainsFunc(p.Spec.Operators, func(o clade.Operator) bool {
		return o.InMemory() && cmp.Or(o.Name, o.Use) == p.Life.Operator
	})
	if inherits {
		return parent
	}
	base := p.Kin[clade.Base]
	return propose.Parent{ID: clade.Base, Commit: base.Commit, Score: base.Score, Scored: base.Scored, Summary: base.Summary}
}

func (p *try) commit(ctx context.Context, req propose.Request, got propose.Proposal) error {
	got.Summary, got.Feedback = p.hide(got.Summary), p.hide(got.Feedback)
	draft := ledger.Draft{From: req.Start.Commit, Changes: got.Changes,
		Message: fmt.Sprintf("%s\n\nClade-Attempt: %d\n", got.Summary, p.Life.ID)}
	for _, parent := range req.Parents {
		draft.Parents = append(draft.Parents, parent.Commit)
	}
	made, err := p.Ledger.Commit(ctx, draft)
	if errors.Is(err, ledger.ErrPath) { // no other try of the same would fare better
		p.fail(clade.ClassOperator, fmt.Sprintf("operator %s: %v", p.Life.Operator, err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	var twin answer
	twin.same, twin.known, err = p.Journal.Proposed(ctx, clade.Proposed{
		ID: p.Life.ID, Try: p.Try, Commit: made.Commit, Tree: made.Tree,
		Summary: clip(got.Summary), Feedback: got.Feedback, Spent: got.Spent.Plus(p.rolled),
	}, made)
	if err != nil {
		return fmt.Errorf("record proposal: %w", err)
	}
	p.told, p.twin = got.Spent.Wall, &twin
	p.paid, p.rolled, p.out.Spent = p.paid.Plus(p.rolled), clade.Amount{}, clade.Amount{} // it is recorded
	p.out.Commit, p.out.Tree = made.Commit, made.Tree
	return nil
}

// stages measures stages in order; step is +1 for After and −1 for Before.
func (p *try) stages(ctx context.Context, stages []clade.Stage, step int) error {
	for i, stage := range stages {
		index := i
		if step < 0 {
			index = -1 - i
		}
		if stage.Blank {
			if err := p.blank(ctx, stage, index); err != nil {
				return err
			}
			continue
		}
		subjects, err := p.subjects(stage, step)
		if err != nil {
			return err
		}
		if err := p.look(ctx, stage); err != nil {
			return fmt.Errorf("count the look at the test split: %w", err)
		}
		plan, err := p.guard(ctx, subjects)
		if err != nil {
			return fmt.Errorf("frozen files: %w", err)
		}
		evs, err := p.Evaluator.Evaluate(ctx, p.job(stage, index, subjects, plan))
		if err != nil {
			return fmt.Errorf("evaluate: %w", err)
		}
		p.out.Evaluations = append(p.out.Evaluations, evs...)
		p.out.Isolation = p.Evaluator.Grade()
		if more := p.more(stage, index, evs); !more {
			break
		}
	}
	return nil
}

func (p *try) job(stage clade.Stage, index int, subjects []evaluate.Subject, plan workspace.Plan) evaluate.Job {
	return evaluate.Job{
		Spec: p.Spec, Attempt: &p.Life.Attempt, Index: index, Stage: stage, Subjects: subjects,
		Template: p.Template, Plan: plan, Memory: memory{p.Journal, p}, Cases: p.Cases, Log: p.checkLog(),
		Cap: p.left, Spend: p.spend, Warn: p.warn,
	}
}

// look counts a look at held-out cases before the first of them is asked: one
// that is not counted must not be taken. A later try of the attempt is the same
// look.
func (p *try) look(ctx context.Context, stage clade.Stage) (err error) {
	if stage.Split != clade.SplitTest || p.Spec.Dataset == nil || p.Worker.Look == nil || p.out.Look > 0 {
		return nil
	}
	if p.out.Look, err = p.Worker.Look(ctx, p.Life.ID); err != nil || p.out.Look <= noise.MostLooks {
		return err
	}
	p.out.Notes = append(p.out.Notes, clade.Note{About: p.Life.Parents, Kind: clade.NoteWarning, Body: fmt.Sprintf(
		"look %d at the test cases of %s: after %d, what wins there may only be fitted to them; rotate the split seed (dataset.split_seed) or add cases",
		p.out.Look, p.Spec.Dataset.File, noise.MostLooks)})
	return nil
}

// guard is the plan every subject is rebuilt with: frozen files that a commit
// changed come from the base, and new files that match a frozen glob are gone.
// Proposals that do so are refused before; commits that came another way are not.
// What a tripwire names stays as it has it: its author is the spec's.
func (p *try) guard(ctx context.Context, subjects []evaluate.Subject) (workspace.Plan, error) {
	plan := workspace.Plan{Hidden: p.Hidden}
	for _, s := range subjects {
		deltas, err := p.Ledger.Diff(ctx, p.Template.Commit(), s.Commit)
		if err != nil {
			return plan, err
		}
		for _, d := range deltas {
			switch {
			case !propose.Frozen(p.Spec, d.Path), s.ID == p.Life.ID && p.plants(d.Path):
			case d.OldMode == "":
				plan.Removed = append(plan.Removed, d.Path)
			default:
				plan.Frozen = append(plan.Frozen, ledger.Entry{Path: d.Path, Mode: d.OldMode, Blob: d.OldBlob, Size: -1})
			}
		}
	}
	return plan, nil
}

func (p *try) checkLog() func(check, text string) {
	if p.Log == nil {
		return nil
	}
	return func(check, text string) { p.Log(p.Life.ID, p.Try, check, p.hide(text)) }
}

func (p *try) subjects(stage clade.Stage, step int) (out []evaluate.Subject, err error) {
	ids := stage.Subjects
	if len(ids) == 0 && step < 0 {
		ids = clade.ParentsOrBase(p.Life.Parents)
	}
	if len(ids) == 0 {
		ids = []clade.ID{p.Life.ID}
	}
	for _, id := range ids {
		s := evaluate.Subject{ID: id, Commit: p.Kin[id].Commit, Tree: p.Kin[id].Tree}
		if id == p.Life.ID {
			s.Commit, s.Tree = p.out.Commit, p.out.Tree
		}
		if s.Commit == "" {
			return nil, fmt.Errorf("attempt %d has no tree to measure: %w", id, errNoTree)
		}
		out = append(out, s)
	}
	return out, nil
}

var errNoTree = errors.New("subject made no candidate")

// more decides whether the plan goes on, and names the failure when it does not
// because of one.
func (p *try) more(stage clade.Stage, index int, evs []clade.Evaluation) bool {
	for _, e := range evs {
		if f, failed := worst(e.Samples); failed {
			p.fail(f.class, f.detail)
			p.out.TimedOut = f.timedOut
			return false
		}
	}
	if stage.Rule == "" {
		return true
	}
	rule, ok := p.Rules[stage.Rule]
	if !ok {
		p.fail(clade.ClassInfra, fmt.Sprintf("no stage rule is called %q", stage.Rule))
		return false
	}
	more, _ := rule.Continue(p.Spec, &p.Life.Attempt, index, p.out.Evaluations)
	return more
}

// A failure is what ends an evaluation.
type failure struct {
	class    clade.Class
	detail   string
	timedOut bool
}

// worst finds what ends an evaluation: a gate that said no, or a check without a
// number. A case that only the candidate itself failed is a number (0).
func worst(samples []clade.Sample) (f failure, failed bool) {
	for _, s := range samples {
		switch {
		case s.Gate && (s.Class != clade.OK || s.Value != 1):
			class := cmp.Or(s.Class, clade.ClassCandidate)
			return failure{class, fmt.Sprintf("gate %s failed: %s", s.Check, s.Detail), s.TimedOut()}, true
		case s.Class != clade.OK && !(s.Class == clade.ClassCandidate && s.Case != ""):
			return failure{s.Class, fmt.Sprintf("%s: %s", s.Check, s.Detail), s.TimedOut()}, true
		}
	}
	return f, false
}
