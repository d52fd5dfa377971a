package cli

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

func TestMoneyInWords(t *testing.T) {
	t.Parallel()
	usd := func(n clade.Microdollars) *clade.Microdollars { return &n }
	count := func(n int64) *int64 { return &n }
	for name, c := range map[string]struct {
		s    run.Status
		want string
	}{
		"nothing to tell": {run.Status{}, ""},
		"a cap":           {run.Status{Left: run.Left{USD: usd(5e6)}}, "spent $0.00, left $5.00\n"},
		"under way": {run.Status{Spent: clade.Amount{Microdollars: 1_200_000, Tokens: 90_000, Calls: 1}, Held: clade.Amount{Microdollars: 300_000},
			Left: run.Left{USD: usd(3_500_000)}}, "spent $1.20, held $0.30, left $3.50\nspent 90000 tokens\nspent 1 model call\n"},
		"not told":         {run.Status{Spent: clade.Amount{Microdollars: 1e6, Unknown: true}}, "spent $1.00\nsome of it is the hold of attempts that did not say what they cost\n"},
		"not told in part": {run.Status{Spent: clade.Amount{Microdollars: 1e6, Assumed: true}}, "spent $1.00\nsome of it is the hold of attempts that did not say what they cost\n"},
		"over": {run.Status{Spent: clade.Amount{Tokens: 130}, Left: run.Left{Tokens: count(0)}, Overspent: clade.Amount{Tokens: 30}, Overspenders: []clade.ID{3, 5}},
			"spent 130 tokens, left 0 tokens, overspent 30 tokens\nover the budget because of #3, #5: it cost more than was held for it\n"},
		"many": {run.Status{Overspent: clade.Amount{Calls: 1}, Overspenders: []clade.ID{1, 2, 3, 4, 5, 6, 7}},
			"over the budget because of #1, #2, #3, #4, #5, 2 more: it cost more than was held for it\n"},
	} {
		var b strings.Builder
		if money(&b, &c.s); b.String() != c.want {
			t.Errorf("%s: %q, want %q", name, b.String(), c.want)
		}
	}
}
