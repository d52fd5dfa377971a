package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// Search runs the search of a run in this process until it stops; see
// control.Launch. It returns where the run then stands, also beside an error.
// A search that ends without a winner is a Problem with FaultNoWinner.
func (d *Door) Search(ctx context.Context, name string, o control.Launch) (*Status, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	launched := r.Launch(ctx, o)
	s, err := d.Status(context.WithoutCancel(ctx), r.Name, 10)
	switch {
	case launched != nil:
		return s, launched // what ended the search also says why there is no status
	case err != nil:
		return nil, err
	}
	return s, verdict(s)
}

// verdict turns an ended search into the problem it is, nil for a winner.
func verdict(s *Status) error {
	switch {
	case s.Winner != nil:
		return nil
	case s.Stop == clade.StopBaseline:
		return &clade.Problem{Fault: clade.FaultBaseline, Text: "the base cannot be improved on: " + s.Reason,
			Hint: "mend the base or the spec; nothing was spent on candidates"}
	case s.Stop == clade.StopEvaluator:
		return &clade.Problem{Fault: clade.FaultBaseline, Text: "the evaluator cannot be trusted: " + s.Reason}
	case s.Stop == clade.StopInfra || s.Stop == clade.StopModel:
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "no winner yet: " + s.Reason, Hint: "mend it; " + again(s)}
	case s.Stop == clade.StopCancelled:
		return &clade.Problem{Fault: clade.FaultInterrupted, Text: "the run was cancelled: " + s.Reason, Hint: "clade resume " + s.Run + " goes on"}
	case s.Stop == clade.StopNone:
		return &clade.Problem{Fault: clade.FaultInterrupted, Text: "the search is not over", Hint: "clade resume " + s.Run + " goes on"}
	}
	if s.Proposed == 0 && slices.Contains([]clade.Stop{clade.StopMoney, clade.StopTokens, clade.StopCalls}, s.Stop) {
		return &clade.Problem{Fault: clade.FaultBudget, Text: "nothing was tried: " + s.Reason, Hint: "raise the cap; clade plan says what a run may use"}
	}
	return &clade.Problem{Fault: clade.FaultNoWinner, Text: "no winner: " + s.Reason,
		Hint: "clade log " + s.Run + " says why each was judged as it was"}
}

// again says how a search goes on that was stopped before it could end.
func again(s *Status) string {
	if s.Proposed >= s.Budget.Candidates {
		return "clade resume " + s.Run + " --candidates N goes on, with N above " + strconv.Itoa(s.Proposed)
	}
	return "clade resume " + s.Run + " goes on"
}

// Output opens the file that a background search of the run writes what it
// prints to.
func (d *Door) Output(ctx context.Context, name string) (*os.File, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := os.MkdirAll(r.Dir(), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(r.Dir(), "output.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}
