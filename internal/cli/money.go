package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// money prints a line for each kind of what a run uses up, if it has a cap or
// anything of it was used.
func money(w io.Writer, s *run.Status) {
	for _, line := range accounts(s) {
		fmt.Fprintln(w, line)
	}
	if s.Overspent != (clade.Amount{}) && len(s.Overspenders) > 0 {
		fmt.Fprintf(w, "over the budget because of %s: it cost more than was held for it\n", listed(s.Overspenders))
	}
	if s.Spent.Unknown || s.Spent.Assumed {
		fmt.Fprintln(w, "some of it is the hold of attempts that did not say what they cost")
	}
}

// accounts are the lines of money: what is spent, held, left and over.
func accounts(s *run.Status) (lines []string) {
	add := func(spent, held, over int64, left *int64, tell func(int64) string) {
		if spent == 0 && held == 0 && left == nil {
			return
		}
		line := "spent " + tell(spent)
		if held > 0 {
			line += ", held " + tell(held)
		}
		if left != nil {
			line += ", left " + tell(*left)
		}
		if over > 0 {
			line += ", overspent " + tell(over)
		}
		lines = append(lines, line)
	}
	usd := func(n int64) string { return "$" + clade.Microdollars(n).String() }
	tokens := func(n int64) string { return clade.Counted(int(n), "token") }
	calls := func(n int64) string { return clade.Counted(int(n), "model call") }
	add(int64(s.Spent.Microdollars), int64(s.Held.Microdollars), int64(s.Overspent.Microdollars), (*int64)(s.Left.USD), usd)
	add(s.Spent.Tokens, s.Held.Tokens, s.Overspent.Tokens, s.Left.Tokens, tokens)
	add(s.Spent.Calls, s.Held.Calls, s.Overspent.Calls, s.Left.Calls, calls)
	return lines
}

// listed names attempts, the first few of many.
func listed(ids []clade.ID) string {
	const most = 5
	var out []string
	for _, id := range ids[:min(len(ids), most)] {
		out = append(out, fmt.Sprintf("#%d", id))
	}
	if more := len(ids) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}
