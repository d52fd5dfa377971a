package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/worker"
)

// Looks at held-out cases are counted before they are taken, once an attempt,
// and told to be too many after the tenth.
func TestLooks(t *testing.T) {
	t.Parallel()
	held := clade.Stage{Subjects: []clade.ID{0, 4}, Split: clade.SplitTest}
	for name, c := range map[string]struct {
		dataset *clade.Dataset
		stages  []clade.Stage
		look    int
		err     error
		asked   int
		want    int
		warned  bool
		failure clade.Class
	}{
		"a final":              {dataset: &clade.Dataset{}, stages: []clade.Stage{held}, look: 3, asked: 1, want: 3},
		"two stages, one look": {dataset: &clade.Dataset{}, stages: []clade.Stage{held, held}, look: 10, asked: 1, want: 10},
		"too many":             {dataset: &clade.Dataset{File: "cases.csv"}, stages: []clade.Stage{held}, look: 11, asked: 1, want: 11, warned: true},
		"no dataset":           {stages: []clade.Stage{held}, look: 3},
		"during the search":    {dataset: &clade.Dataset{}, stages: []clade.Stage{{Subjects: []clade.ID{0}}}, look: 3},
		"cannot be counted":    {dataset: &clade.Dataset{}, stages: []clade.Stage{held}, err: errors.New("disk"), asked: 1, failure: clade.ClassInfra},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, e := 0, &evaluator{stages: [][]clade.Sample{{m1}, {m1}}}
			w := &worker.Worker{Spec: &clade.Spec{Dataset: c.dataset}, Ledger: &store{}, Template: template{}, Journal: &journal{}, Evaluator: e,
				Look: func(_ context.Context, id clade.ID) (int, error) {
					if asked++; id != 5 || len(e.jobs) > 0 {
						t.Errorf("attempt %d looked after %d stages", id, len(e.jobs))
					}
					return c.look, c.err
				}}
			life := clade.Life{Attempt: clade.Attempt{ID: 5, Parents: []clade.ID{4}, Makes: clade.MakesNumbers, After: c.stages}, Try: 1}
			o := w.Perform(t.Context(), dispatch.Task{Life: life, Try: 1, Kin: map[clade.ID]clade.Life{0: {Commit: "base"}, 4: {Commit: "four"}}})
			if asked != c.asked || o.Look != c.want || o.Failure != c.failure || (len(o.Notes) > 0) != c.warned {
				t.Errorf("asked %d times: %+v", asked, o)
			}
			if c.failure != clade.OK && len(e.jobs) > 0 {
				t.Error("looked without counting")
			}
			if c.warned && (o.Notes[0].Kind != clade.NoteWarning || !strings.Contains(o.Notes[0].Body, "rotate the split seed")) {
				t.Errorf("%+v", o.Notes)
			}
		})
	}
}
