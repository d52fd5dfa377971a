package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/workspace"
)

// An editor is an operator in process: it opens a workspace, edits one file and
// hands back what is found there.
type editor struct{ begun func() }

// Propose implements propose.Operator.
func (e editor) Propose(ctx context.Context, r propose.Request) (p propose.Proposal, err error) {
	e.begun()
	ws, err := r.Open(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	p.Summary = "edit " + edited
	p.Changes, err = change(ctx, ws, int(r.Attempt.ID))
	return p, err
}

// A reader is an evaluator in process: it opens the rebuilt tree and reads a
// number from a file of it.
type reader struct {
	spaces workspace.Provider
	grade  string
	begun  func()
	delay  func(clade.ID) time.Duration // what an evaluation takes
}

// Grade implements evaluate.Evaluator.
func (r reader) Grade() string { return r.grade }

// Evaluate implements evaluate.Evaluator. Every gate passes.
func (r reader) Evaluate(ctx context.Context, j evaluate.Job) (out []clade.Evaluation, err error) {
	r.begun()
	for place, s := range j.Subjects {
		value, err := r.read(ctx, j, s.Commit)
		if err != nil {
			return nil, err
		}
		if r.delay != nil {
			time.Sleep(r.delay(j.Attempt.ID))
		}
		ev := clade.Evaluation{Subject: s.ID, Tree: s.Tree, Stage: j.Index, Samples: samples(j, value)}
		if err := keep(ctx, j, place, ev); err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	return out, nil
}

// keep makes the samples of an evaluation durable, all at once.
func keep(ctx context.Context, j evaluate.Job, place int, ev clade.Evaluation) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, one := range ev.Samples {
		key := evaluate.Key{Attempt: j.Attempt.ID, Stage: j.Index, Place: place, Subject: ev.Subject, Tree: ev.Tree,
			Evaluator: "bench", Check: one.Check, Split: one.Split, Replicate: one.Replicate}
		g.Go(func() error { return j.Memory.Keep(ctx, key, one, false) })
	}
	return g.Wait()
}

// samples are what a job asks for, every measure with the same value.
func samples(j evaluate.Job, value float64) (out []clade.Sample) {
	split := j.Stage.Split
	if split == "" {
		split = clade.SplitSelect
	}
	first := max(1, j.Stage.First)
	for rep := first; rep < first+max(1, j.Stage.Replicates); rep++ {
		for _, g := range j.Spec.Gates {
			out = append(out, clade.Sample{Check: g.ID, Split: split, Replicate: rep, Gate: true, Value: 1})
		}
		for _, m := range j.Spec.Measures {
			out = append(out, clade.Sample{Check: m.ID, Split: split, Replicate: rep, Value: value})
		}
	}
	return out
}

// read draws a score for the number in the edited file of a rebuilt tree.
func (r reader) read(ctx context.Context, j evaluate.Job, commit string) (value float64, err error) {
	plan := j.Plan
	plan.Commit = commit
	ws, err := r.spaces.Open(ctx, j.Template, plan)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	s, err := ws.Scope(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	data, err := s.ReadFile(edited, 1<<20)
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0, fmt.Errorf("%s does not begin with its number: %w", edited, err)
	}
	return float64(clade.Draw(1, "score", clade.ID(n)) % 1000), nil
}

// once calls f at its first call only.
func once(f func()) func() {
	var o sync.Once
	return func() { o.Do(f) }
}
