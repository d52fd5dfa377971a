package mutate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy/edit"
	"github.com/cladehq/clade/internal/propose"
)

// grade is the isolation of an operator that runs no command.
const grade = "in-process"

// summaryMost is the longest summary, in runes.
const summaryMost = 200

// redraws is how often an edit that turned out to change nothing is drawn again.
const redraws = 16

// An Operator mutates text. It is safe for concurrent use; make it with New.
type Operator struct {
	trees trees
}

// New makes the operator.
func New() *Operator { return &Operator{} }

// Propose implements propose.Operator. The same request gives the same bytes. It
// proposes nothing when, after several draws, no edit changes anything.
func (o *Operator) Propose(ctx context.Context, r propose.Request) (propose.Proposal, error) {
	brief, err := edit.ParseBrief(r.Attempt.Brief, r.Draw)
	if err != nil {
		return propose.Proposal{Class: clade.ClassOperator, Detail: err.Error(), Grade: grade}, nil
	}
	if brief.Kind == edit.Any && len(r.Parents) > 1 {
		brief.Kind = edit.Cross
	}
	if brief.Kind == edit.Any {
		brief = edit.Default(r.Space, brief.Draw)
	}
	t, err := o.trees.open(ctx, r, r.Parents[0].Commit)
	if err != nil {
		return propose.Proposal{}, err
	}
	w := work{Request: r, tree: t, brief: brief, trees: &o.trees, feedback: edit.ParseFeedback(r.Parents[0].Feedback)}
	return w.do(ctx)
}

// work is one proposal in the making.
type work struct {
	propose.Request
	tree     tree
	trees    *trees
	brief    edit.Brief
	feedback edit.Feedback
}

func (w *work) do(ctx context.Context) (propose.Proposal, error) {
	g := edit.Source(w.brief.Draw ^ 0x6d7574617465)
	var p propose.Proposal
	var err error
	switch w.brief.Kind {
	case edit.Cross:
		p, err = w.cross(ctx, g)
	case edit.Tune:
		p, err = w.tune(ctx)
	default:
		p, err = w.asked(ctx, g)
	}
	if err == nil && len(p.Changes) == 0 {
		p, err = w.any(ctx, g)
	}
	p.Grade = grade
	p.Summary = clade.Line(p.Summary, summaryMost)
	if len(p.Changes) == 0 {
		p.Detail = "found nothing to change in the files that may be edited"
	}
	return p, err
}

// asked does what the brief says where it says.
func (w *work) asked(ctx context.Context, g *rand.Rand) (propose.Proposal, error) {
	e, ok := w.tree.entry(w.brief.File)
	if !ok {
		return propose.Proposal{}, nil
	}
	return w.edit(ctx, e, w.brief.Kind, w.brief.Moves, g)
}

// fallbacks are tried when what was asked for is not to be had.
var fallbacks = []edit.Kind{edit.Number, edit.LineSwap, edit.LineReplace, edit.LineDelete, edit.TokenReplace,
	edit.TokenFlip, edit.LineInsert, edit.TokenDelete}

// any makes some edit of some file.
func (w *work) any(ctx context.Context, g *rand.Rand) (propose.Proposal, error) {
	if len(w.tree.files) == 0 {
		return propose.Proposal{}, nil
	}
	for i := range redraws {
		e := w.tree.files[g.IntN(len(w.tree.files))]
		k := fallbacks[(g.IntN(len(fallbacks))+i)%len(fallbacks)]
		move := edit.Move{At: g.Float64(), Z: []float64{g.NormFloat64()}, Grow: []float64{1}}
		p, err := w.edit(ctx, e, k, []edit.Move{move}, g)
		if err != nil || len(p.Changes) > 0 {
			return p, err
		}
	}
	return propose.Proposal{}, nil
}

// edit makes one edit of one file and has it proposed unless it changes nothing.
func (w *work) edit(ctx context.Context, e ledger.Entry, k edit.Kind, moves []edit.Move, g *rand.Rand) (propose.Proposal, error) {
	s, err := w.tree.source(ctx, e)
	if err != nil || s == nil {
		return propose.Proposal{}, err
	}
	for range redraws {
		var c change
		switch k {
		case edit.Number, edit.NumberLine, edit.NumberFew:
			c = s.nudge(moves, w.feedback.Of(s.path))
		case edit.LineDelete, edit.LineReplace, edit.LineInsert, edit.LineSwap:
			c = s.editLine(k, g)
		case edit.TokenDelete, edit.TokenReplace, edit.TokenFlip:
			c = s.editToken(k, g)
		}
		if len(c.splices) == 0 {
			return propose.Proposal{}, nil
		}
		now := apply(s.data, c.splices)
		if bytes.Equal(now, s.data) {
			continue
		}
		w.follow(s, read(s.path, now), c.splices)
		return w.propose(c.summary, ledger.Change{Path: e.Path, Mode: e.Mode, Data: now}), nil
	}
	return propose.Proposal{}, nil
}

// follow moves the remembered steps along with an edit that changes how many
// numbers there are.
func (w *work) follow(was, now *source, splices []splice) {
	if len(was.numbers) == len(now.numbers) || len(splices) == 0 {
		return
	}
	first, last := 0, 0
	for _, l := range was.numbers {
		if l.end <= splices[0].start {
			first++
		}
		if l.start >= splices[len(splices)-1].end {
			last++
		}
	}
	first = min(first, len(now.numbers))
	last = min(last, len(now.numbers)-first, len(was.numbers)-first)
	w.feedback.Of(was.path).Shift(first, len(was.numbers)-first-last, len(now.numbers)-first-last)
}

func (w *work) propose(summary string, changes ...ledger.Change) propose.Proposal {
	return propose.Proposal{Changes: changes, Summary: summary, Feedback: w.feedback.String()}
}

// tune sets the tuned parameters, wherever they are.
func (w *work) tune(ctx context.Context) (propose.Proposal, error) {
	var changes []ledger.Change
	var said []string
	for _, path := range w.tunedFiles() {
		e, ok := w.tree.entry(path)
		if !ok {
			continue
		}
		s, err := w.tree.source(ctx, e)
		if err != nil {
			return propose.Proposal{}, err
		}
		if s == nil {
			continue
		}
		if c := s.set(w.brief.Values); len(c.splices) > 0 {
			changes = append(changes, ledger.Change{Path: e.Path, Mode: e.Mode, Data: apply(s.data, c.splices)})
			said = append(said, c.summary)
		}
	}
	if len(changes) == 0 {
		return propose.Proposal{}, nil
	}
	w.feedback.Tunes = w.brief.Values
	return w.propose(strings.Join(said, "; "), changes...), nil
}

// tunedFiles are the files in which the survey saw markers, without a survey all.
func (w *work) tunedFiles() []string {
	paths := map[string]bool{}
	if space, ok := edit.ParseSpace(w.Space); ok {
		for _, p := range space.Tunes {
			paths[p.Path] = true
		}
	} else {
		for _, e := range w.tree.files {
			paths[e.Path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// crossMost bounds how many files one crossover recombines.
const crossMost = 64

// cross recombines the files in which the two first parents differ.
func (w *work) cross(ctx context.Context, g *rand.Rand) (propose.Proposal, error) {
	if len(w.Parents) < 2 {
		return propose.Proposal{}, nil
	}
	other, err := w.trees.open(ctx, w.Request, w.Parents[1].Commit)
	if err != nil {
		return propose.Proposal{}, err
	}
	var ancestor tree
	if w.brief.Ancestor != "" {
		if ancestor, err = w.trees.open(ctx, w.Request, w.brief.Ancestor); err != nil {
			return propose.Proposal{}, err
		}
	}
	differing := differ(w.tree, other)
	theirs := edit.ParseFeedback(w.Parents[1].Feedback)
	for range redraws {
		changes, said, full, err := w.recombine(ctx, g, differing, other, ancestor, theirs)
		if err != nil {
			return propose.Proposal{}, err
		}
		if len(changes) > 0 && !full {
			return w.propose(fmt.Sprintf("crossed %d with %d: %s", w.Parents[0].ID, w.Parents[1].ID, said), changes...), nil
		}
	}
	return propose.Proposal{}, nil
}

// differ lists the files of theirs that ours lacks or has otherwise.
func differ(ours, theirs tree) (out []ledger.Entry) {
	for _, e := range theirs.files {
		if mine, ok := ours.entry(e.Path); (!ok || mine.Blob != e.Blob) && len(out) < crossMost {
			out = append(out, e)
		}
	}
	return out
}

// recombine draws one child; full says that every file became the second
// parent's.
func (w *work) recombine(ctx context.Context, g *rand.Rand, differing []ledger.Entry, other, ancestor tree,
	theirs edit.Feedback) (changes []ledger.Change, said string, full bool, err error) {
	full = true
	var parts []string
	for _, e := range differing {
		mine, both := w.tree.entry(e.Path)
		if !both {
			if g.Float64() < 0.5 {
				changes = append(changes, ledger.Change{Path: e.Path, Mode: e.Mode, Blob: e.Blob})
				parts = append(parts, "added "+e.Path)
			} else {
				full = false
			}
			continue
		}
		data, what, whole, err := w.recombineFile(ctx, g, mine, e, other, ancestor, theirs)
		if err != nil {
			return nil, "", false, err
		}
		full = full && whole
		if data != nil {
			changes = append(changes, ledger.Change{Path: e.Path, Mode: mine.Mode, Data: data})
			parts = append(parts, what)
		}
	}
	return changes, strings.Join(parts, ", "), full, nil
}

// recombineFile returns nil data when the child's file is the first parent's;
// whole says that it is the second's.
func (w *work) recombineFile(ctx context.Context, g *rand.Rand, mine, e ledger.Entry, other, ancestor tree,
	theirs edit.Feedback) (data []byte, what string, whole bool, err error) {
	a, err := w.tree.source(ctx, mine)
	if err != nil {
		return nil, "", false, err
	}
	b, err := other.source(ctx, e)
	if err != nil || a == nil || b == nil {
		return nil, "", false, err
	}
	var now []byte
	if alike(a, b) {
		c := mix(a, b, w.feedback.Of(a.path), theirs.Of(a.path), g)
		now, what = apply(a.data, c.splices), c.summary
	} else {
		base := ""
		if old, ok := ancestor.entry(e.Path); ok {
			s, err := ancestor.source(ctx, old)
			if err != nil {
				return nil, "", false, err
			}
			if s != nil {
				base = string(s.data)
			}
		}
		if base == "" {
			base = string(a.data)
		}
		child, took := crossed(base, string(a.data), string(b.data), g)
		now, what = []byte(child), fmt.Sprintf("%d hunks of %s from the second parent", took, e.Path)
	}
	if bytes.Equal(now, a.data) || len(now) == 0 {
		return nil, "", false, nil
	}
	return now, what, bytes.Equal(now, b.data), nil
}
