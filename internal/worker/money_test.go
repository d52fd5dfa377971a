package worker

import (
	"context"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/propose"
)

// I3d: what is used up is not let again, of whichever kind: one more call would be
// a call.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	hold := clade.Amount{Microdollars: 1000, Tokens: 5000, Calls: 5}
	for name, c := range map[string]struct {
		hold, used clade.Amount
		want       llm.Cap
		usedUp     bool
	}{
		"some":         {hold, clade.Amount{Microdollars: 400, Tokens: 4999, Calls: 4}, llm.Cap{Microdollars: 600, Tokens: 1, Calls: 1}, false},
		"no calls":     {hold, clade.Amount{Microdollars: 400, Tokens: 100, Calls: 5}, llm.Cap{Microdollars: 600, Tokens: 1, Calls: 1}, true},
		"calls alone":  {clade.Amount{Calls: 5}, clade.Amount{Tokens: 100, Calls: 7}, llm.Cap{Tokens: 1, Calls: 1}, true},
		"no money":     {clade.Amount{Microdollars: 1000}, clade.Amount{Microdollars: 1000}, llm.Cap{Microdollars: 1, Tokens: 1}, true},
		"nothing held": {clade.Amount{}, clade.Amount{Microdollars: 9, Tokens: 9, Calls: 9}, llm.Cap{}, false},
	} {
		p := &try{Worker: &Worker{}, Task: dispatch.Task{Life: clade.Life{Attempt: clade.Attempt{Hold: c.hold}}}}
		p.spend(c.used)
		if got := p.left(); got != c.want || p.usedUp() != c.usedUp {
			t.Errorf("%s: %+v, used up %v; want %+v", name, got, p.usedUp(), c.want)
		}
	}
}

// I3d: an operator is not asked when its parents' cases have used up the hold.
func TestUsedUpIsNotAsked(t *testing.T) {
	t.Parallel()
	p := &try{Worker: &Worker{Operators: map[string]propose.Operator{"op": nil}}, Task: dispatch.Task{Life: clade.Life{Attempt: clade.Attempt{Hold: clade.Amount{Calls: 2}, Operator: "op"}}}}
	p.spend(clade.Amount{Calls: 2})
	if err := p.propose(context.Background()); err != nil || p.out.Failure != clade.ClassBudget {
		t.Errorf("%+v, %v", p.out, err)
	}
}
