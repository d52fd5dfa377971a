package worker_test

import (
	"context"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/worker"
	"github.com/cladehq/clade/internal/workspace"
)

// fickle is a template whose makings come one after the other, 0 for none.
type fickle struct {
	template
	makings []int
	asked   int
}

func (f *fickle) Making() (int, error) {
	now := f.makings[min(f.asked, len(f.makings)-1)]
	f.asked++
	if now == 0 {
		return 0, workspace.ErrVanished
	}
	return now, nil
}

// remaker opens workspaces of no use.
type remaker struct {
	workspace.Provider
	opened int
}

func (r *remaker) Open(context.Context, workspace.Template, workspace.Plan) (workspace.Workspace, error) {
	r.opened++
	return closing{}, nil
}

type closing struct{ workspace.Workspace }

func (closing) Close() error { return nil }

// keeping counts the samples that it keeps.
type keeping struct {
	journal
	kept int
}

func (j *keeping) Keep(context.Context, evaluate.Key, clade.Sample, bool) error {
	j.kept++
	return nil
}

// keeper is an evaluator that says no and has it kept.
type keeper struct{}

func (keeper) Grade() string { return "none" }

func (keeper) Evaluate(ctx context.Context, j evaluate.Job) ([]clade.Evaluation, error) {
	if err := j.Memory.Keep(ctx, evaluate.Key{Check: "g"}, red, false); err != nil {
		return nil, err
	}
	return []clade.Evaluation{{Subject: 1, Samples: []clade.Sample{red}}}, nil
}

// F33: what failed over a template that somebody removed is the machine's
// failure, and is not remembered.
func TestF33AVanishedTemplateIsNobodysFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		makings []int // at the beginning, after the proposal, before a sample is kept, at the end
		class   clade.Class
		kept    int
		opened  int
	}{
		{"whole", []int{1, 1, 1, 1}, clade.ClassCandidate, 1, 0},
		{"gone before the proposal is in", []int{1, 0}, clade.ClassInfra, 0, 0},
		{"gone in the evaluation", []int{1, 1, 0}, clade.ClassInfra, 0, 0},
		{"made anew in the evaluation", []int{1, 1, 2, 2}, clade.ClassInfra, 0, 0},
		{"gone at its end", []int{1, 1, 1, 0}, clade.ClassInfra, 1, 0},
		{"gone before the try", []int{0, 2, 2, 2, 2}, clade.ClassCandidate, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, spaces := &keeping{}, &remaker{}
			w := &worker.Worker{
				Spec: &clade.Spec{Allow: []string{"**"}}, Ledger: &store{tree: "t1"}, Workspaces: spaces, Template: &fickle{makings: c.makings},
				Operators: map[string]propose.Operator{"o": &operator{got: propose.Proposal{Changes: []ledger.Change{edit}, Summary: "a → b"}}},
				Evaluator: keeper{}, Journal: j,
			}
			life := clade.Life{Attempt: clade.Attempt{ID: 1, Operator: "o", Makes: clade.MakesTree, After: []clade.Stage{{}}}}
			o := w.Perform(t.Context(), dispatch.Task{Life: life, Try: 1, Kin: map[clade.ID]clade.Life{clade.Base: {Commit: "base"}}})
			if o.Failure != c.class || j.kept != c.kept || spaces.opened != c.opened {
				t.Errorf("%s (%s), %d kept, %d opened", o.Failure, o.Detail, j.kept, spaces.opened)
			}
		})
	}
}
