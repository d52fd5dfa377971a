package worker

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/propose"
)

// plant makes the tree of a tripwire. No operator is asked, and the rules that
// hold candidates do not hold it: it does what a candidate must not get away with.
func (p *try) plant(ctx context.Context) error {
	w, ok := p.tripwire()
	if !ok {
		p.fail(clade.ClassPolicy, fmt.Sprintf("the spec has no tripwire %q", p.Life.Probe))
		return nil
	}
	entries, err := p.Ledger.List(ctx, p.Template.Commit())
	if err != nil {
		return fmt.Errorf("tripwire %s: %w", w.ID, err)
	}
	modes := map[string]ledger.Mode{}
	for _, e := range entries {
		modes[e.Path] = e.Mode
	}
	draft := ledger.Draft{Parents: []string{p.Template.Commit()}, From: p.Template.Commit(),
		Message: fmt.Sprintf("tripwire %s\n\nClade-Attempt: %d\n", w.ID, p.Life.ID)}
	for _, name := range slices.Sorted(maps.Keys(w.Write)) {
		c := ledger.Change{Path: p.inTree(name), Mode: ledger.ModeFile, Data: []byte(w.Write[name])}
		if modes[c.Path] == ledger.ModeExec {
			c.Mode = ledger.ModeExec
		}
		draft.Changes = append(draft.Changes, c)
	}
	for _, name := range w.Delete {
		if modes[p.inTree(name)] == "" {
			p.fail(clade.ClassPolicy, fmt.Sprintf("%s is not in the base, so that it cannot be deleted", name))
			return nil
		}
		draft.Changes = append(draft.Changes, ledger.Change{Path: p.inTree(name), Delete: true})
	}
	made, err := p.Ledger.Commit(ctx, draft)
	if err != nil {
		return fmt.Errorf("tripwire %s: %w", w.ID, err)
	}
	if made.Tree == p.Kin[clade.Base].Tree {
		p.fail(clade.ClassPolicy, "it leaves the base as it is")
		return nil
	}
	if _, _, err := p.Journal.Proposed(ctx, clade.Proposed{ID: p.Life.ID, Try: p.Try, Commit: made.Commit, Tree: made.Tree,
		Summary: "tripwire " + w.ID}, made); err != nil {
		return fmt.Errorf("record tripwire: %w", err)
	}
	p.out.Commit, p.out.Tree = made.Commit, made.Tree
	return nil
}

func (p *try) tripwire() (clade.Tripwire, bool) {
	for _, w := range p.Spec.Protect.Tripwires {
		if w.ID == p.Life.Probe {
			return w, true
		}
	}
	return clade.Tripwire{}, false
}

// plants reports whether the attempt is a tripwire that names this path of the
// tree.
func (p *try) plants(at string) bool {
	w, ok := p.tripwire()
	if !ok {
		return false
	}
	for name := range w.Write {
		if p.inTree(name) == at {
			return true
		}
	}
	return slices.ContainsFunc(w.Delete, func(name string) bool { return p.inTree(name) == at })
}

func (p *try) inTree(name string) string { return path.Join(p.Spec.Target.Prefix, name) }

const (
	// blankMost files are emptied; a larger target is not tried.
	blankMost = 1000
	// Emptied files may make a command wait for what never comes. A warning is
	// not worth more than a few times what the base took, and no less than this.
	blankTimes = 3
	blankLeast = 10 * time.Second
)

// blank tries the evaluator with every editable file emptied, and warns when that
// does as well as the base. It is a courtesy: nothing that goes wrong with it ends
// the try, unless ctx ended it, and nothing is decided by it.
func (p *try) blank(ctx context.Context, stage clade.Stage, index int) error {
	within, stop := context.WithTimeout(ctx, max(blankLeast, blankTimes*time.Since(p.start)))
	defer stop()
	s, err := p.emptied(within)
	if err != nil || s.Commit == "" {
		return context.Cause(ctx)
	}
	plan, err := p.guard(within, []evaluate.Subject{s})
	if err != nil {
		return context.Cause(ctx)
	}
	stage.Subjects = []clade.ID{s.ID}
	evs, err := p.Evaluator.Evaluate(within, p.job(stage, index, []evaluate.Subject{s}, plan))
	if err != nil { // it takes much longer than the base, perhaps: then it is not as good
		return context.Cause(ctx)
	}
	base, _ := clade.Values(p.Spec, p.out.Evaluations, clade.Base)
	w := noise.Wrong{Attempt: &p.Life.Attempt, Subject: s.ID, Evaluations: evs, Base: base}
	for _, e := range evs {
		if f, failed := worst(e.Samples); failed {
			w.Failure, w.Detail = f.class, f.detail
		}
	}
	if held, why := w.HeldBlank(p.Spec); !held {
		p.warn(clade.Base, "with every file that edits may touch emptied, all gates pass and the score is as good as the base's ("+why+
			"): the evaluator may not look at what is evolved")
	}
	return nil
}

// emptied is the base with every editable file emptied; without a commit when
// there is none, or there are too many.
func (p *try) emptied(ctx context.Context) (s evaluate.Subject, err error) {
	entries, err := p.Ledger.List(ctx, p.Template.Commit())
	if err != nil {
		return s, fmt.Errorf("empty the base's files: %w", err)
	}
	draft := ledger.Draft{Parents: []string{p.Template.Commit()}, From: p.Template.Commit(), Message: "every editable file emptied\n"}
	for _, e := range entries {
		plain := e.Mode == ledger.ModeFile || e.Mode == ledger.ModeExec
		if plain && propose.Editable(p.Spec, e.Path) && !slices.Contains(p.Hidden, e.Path) {
			draft.Changes = append(draft.Changes, ledger.Change{Path: e.Path, Mode: e.Mode, Data: []byte{}})
		}
	}
	if n := len(draft.Changes); n == 0 || n > blankMost {
		return s, nil
	}
	made, err := p.Ledger.Commit(ctx, draft)
	if err != nil {
		return s, fmt.Errorf("empty the base's files: %w", err)
	}
	if made.Tree == p.Kin[clade.Base].Tree {
		return s, nil // they are empty already
	}
	return evaluate.Subject{ID: p.Life.ID, Commit: made.Commit, Tree: made.Tree}, nil
}

// warn notes what a person should know of a candidate.
func (p *try) warn(about clade.ID, text string) {
	n := clade.Note{About: []clade.ID{about}, Kind: clade.NoteWarning, Body: clip(text)}
	if !slices.ContainsFunc(p.out.Notes, func(o clade.Note) bool { return o.Body == n.Body && slices.Equal(o.About, n.About) }) {
		p.out.Notes = append(p.out.Notes, n)
	}
}
