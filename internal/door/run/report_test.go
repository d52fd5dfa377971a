package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

func TestLeaderboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, family()...)
	s, err := w.Status(t.Context(), "", 9)
	if err != nil {
		t.Fatal(err)
	}
	// The best first, the newest first among equals; what was rejected is no parent.
	if got, want := ids(s.Top), []clade.ID{4, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("the leaders are %v, want %v", got, want)
	}
	if s.State != StateInterrupted || s.Proposed != 4 || s.Judged != 4 || s.Winner != nil || s.Best == nil || *s.Best.Score != .9 || len(s.Open) != 0 {
		t.Errorf("%+v", s)
	}
	if few, err := w.Status(t.Context(), theRun, 2); err != nil || !slices.Equal(ids(few.Top), []clade.ID{4, 2}) {
		t.Errorf("two leaders: %v, %v", few, err)
	}
	rows, err := w.Rows(t.Context(), "")
	if want := []clade.ID{0, 1, 2, 3, 4}; err != nil || !slices.Equal(ids(rows), want) {
		t.Errorf("rows %v, %v, want %v", ids(rows), err, want)
	}
	if r := rows[3]; r.Status != "rejected" || r.Verdict != "so" || r.Why != "try" || *r.Score != .7 {
		t.Errorf("row %+v", r)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	stopped := clade.Stopped{Cause: clade.StopCandidates, Reason: "used"}
	won := []clade.Event{clade.Judged{Verdicts: []clade.Verdict{{ID: 2, Status: clade.StatusWinner, Why: "proven", Final: &clade.Final{}}}}, stopped}
	landed := append(slices.Clone(won), clade.Applying{Winner: 2, Paths: clade.Paths{"a"}}, clade.Applied{Winner: 2})
	for _, c := range []struct {
		name   string
		events []clade.Event
		held   bool
		want   State
	}{
		{"searched", nil, true, StateSearching},
		{"left alone", nil, false, StateInterrupted},
		{"paused", []clade.Event{clade.Directed{What: clade.DirectPause}}, true, StatePaused},
		{"paused and left alone", []clade.Event{clade.Directed{What: clade.DirectPause}}, false, StateInterrupted},
		{"ended", []clade.Event{stopped}, false, StateStopped},
		{"won", won, false, StateWon},
		{"applied", landed, false, StateApplied},
		{"taken back", append(slices.Clone(landed), clade.Applying{Winner: 2, Undo: true, Paths: clade.Paths{"a"}}, clade.Applied{Winner: 2, Undone: true}), false, StateWon},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, append(family(), c.events...)...)
			if c.held {
				lease, _, err := w.store.Lease(t.Context(), theRun)
				if err != nil {
					t.Fatal(err)
				}
				defer lease.Release() //nolint:errcheck // the test is over
			}
			s, err := w.Status(t.Context(), "", 0)
			if err != nil || s.State != c.want || (s.Holder != nil) != c.held {
				t.Errorf("%s, %v, held by %v, want %s", s.State, err, s.Holder, c.want)
			}
		})
	}
}

func TestRunningRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesTree, Operator: "op", Why: "try"}})
	for _, want := range []string{"waiting", "running"} {
		s, err := w.Status(t.Context(), "", 0)
		if err != nil || len(s.Open) != 1 || s.Open[0].Status != want || s.Open[0].Score != nil {
			t.Fatalf("%+v, %v, want one that is %s", s.Open, err, want)
		}
		if want == "waiting" {
			w.add(clade.TryBegun{ID: 1, Try: 1})
		}
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, family()...)
	for all, want := range map[bool]string{false: "0(1(2)4)", true: "0(1(23)4)"} {
		root, err := w.Tree(t.Context(), "", all)
		if err != nil {
			t.Fatal(err)
		}
		if got := drawn(root); got != want {
			t.Errorf("all %v: %s, want %s", all, got, want)
		}
	}
}

func drawn(n *Node) string {
	var b strings.Builder
	b.WriteString(string(rune('0' + n.ID)))
	if len(n.Children) > 0 {
		b.WriteByte('(')
		for _, c := range n.Children {
			b.WriteString(drawn(c))
		}
		b.WriteByte(')')
	}
	return b.String()
}

func TestShow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, family()...)
	got, err := w.Show(t.Context(), "", 1)
	if err != nil || got.Commit != "c1" || !slices.Equal(got.Children, []clade.ID{2, 3}) || len(got.Evaluations) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.Show(t.Context(), "", 5); clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("no such candidate: %v", err)
	}
	if _, err := w.Show(t.Context(), "other", 1); clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("no such run: %v", err)
	}
}

// A search that infrastructure ended says how it goes on: where its candidates
// are used up, with more of them.
func TestF55VerdictSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	for proposed, want := range map[int]string{3: "mend it; clade resume " + theRun + " goes on",
		4: "mend it; clade resume " + theRun + " --candidates N goes on, with N above 4"} {
		s := &Status{Run: theRun, Stop: clade.StopInfra, Proposed: proposed}
		s.Budget.Candidates = 4
		var p *clade.Problem
		if err := verdict(s); !errors.As(err, &p) || p.Hint != want {
			t.Errorf("%d of 4: %+v", proposed, p)
		}
	}
}

// A cap that bears not even a first candidate is the budget's fault.
func TestVerdictOnACapThatBearsNothing(t *testing.T) {
	t.Parallel()
	for _, stop := range []clade.Stop{clade.StopMoney, clade.StopTokens, clade.StopCalls} {
		if err := verdict(&Status{Run: theRun, Stop: stop, Reason: "r"}); clade.FaultOf(err) != clade.FaultBudget {
			t.Errorf("%q: %v", stop, err)
		}
	}
}

// Every way a search ends without a winner has its fault, and so its exit code.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stop clade.Stop
		want clade.Fault
	}{
		{clade.StopBaseline, clade.FaultBaseline}, {clade.StopEvaluator, clade.FaultBaseline}, {clade.StopInfra, clade.FaultEnvironment},
		{clade.StopCancelled, clade.FaultInterrupted}, {clade.StopNone, clade.FaultInterrupted}, {clade.StopCandidates, clade.FaultNoWinner},
		{clade.StopWall, clade.FaultNoWinner}, {clade.StopMoney, clade.FaultNoWinner},
	} {
		err := verdict(&Status{Run: theRun, Stop: c.stop, Reason: "r", Proposed: 1})
		if clade.FaultOf(err) != c.want {
			t.Errorf("%q: %v", c.stop, err)
		}
		if err := verdict(&Status{Stop: c.stop, Winner: &Row{ID: 1}}); err != nil {
			t.Errorf("%q with a winner: %v", c.stop, err)
		}
	}
}
