package run

import (
	"fmt"
	"testing"

	"github.com/cladehq/clade"
)

// What is spent, held, left and over of each cap, and who passed it.
func TestSummaryOfMoney(t *testing.T) {
	t.Parallel()
	usd, calls := clade.Microdollars(100), int64(10)
	s := &clade.State{}
	for _, e := range []clade.Event{
		clade.Opened{Run: "r", Base: "c", Tree: "t", Spec: clade.Spec{Budget: clade.Budget{USD: &usd, Calls: &calls}}},
		clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesTree, Why: "w", Hold: clade.Amount{Microdollars: 50, Calls: 3}}},
		clade.Planned{Attempt: clade.Attempt{ID: 2, Makes: clade.MakesTree, Why: "w", Hold: clade.Amount{Microdollars: 50, Calls: 3}}},
		clade.TryBegun{ID: 1, Try: 1}, clade.TryBegun{ID: 2, Try: 1},
		clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Spent: clade.Amount{Microdollars: 70, Tokens: 9, Calls: 2}}},
	} {
		if err := s.Apply(clade.Record{Seq: s.Head().Seq + 1, Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	got := Summarise(s, 5)
	if got.Spent.Microdollars != 70 || got.Held != (clade.Amount{Microdollars: 50, Calls: 3}) || got.Overspent != (clade.Amount{Microdollars: 20}) {
		t.Errorf("spent %+v, held %+v, overspent %+v", got.Spent, got.Held, got.Overspent)
	}
	if got.Left.USD == nil || *got.Left.USD != 0 || got.Left.Tokens != nil || got.Left.Calls == nil || *got.Left.Calls != 5 {
		t.Errorf("left %+v", got.Left)
	}
	if fmt.Sprint(got.Overspenders) != "[1]" {
		t.Errorf("overspent by %v", got.Overspenders)
	}
}
