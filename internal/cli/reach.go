package cli

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// operatorNames are the names of operators, with the agent behind each and what
// they do beside proposing.
func operatorNames(ops []clade.Operator) (all []string) {
	for _, o := range ops {
		var more []string
		if o.Agent != "" && o.Agent != o.Name {
			more = append(more, o.Agent)
		}
		if o.Role != "" && o.Role != clade.RolePropose {
			more = append(more, o.Role)
		}
		name := o.Name
		if len(more) > 0 {
			name += " (" + strings.Join(more, ", ") + ")"
		}
		all = append(all, name)
	}
	return all
}

// printReach says which models are asked where, and which variables are set.
func printReach(put func(k, format string, args ...any), f *control.Forecast) {
	for _, m := range f.Models {
		if m.Fault == "" {
			put("model", "%s (%s %s) at %s, %s, for %s", m.Name, m.Provider, m.Model, m.BaseURL, price(m.Price), strings.Join(m.For, ", "))
		}
	}
	for _, v := range f.Variables {
		state := "is set"
		if !v.Set {
			state = "is not set"
		}
		put("variable", "%s %s, for %s", v.Name, state, v.For)
	}
}

func price(p *clade.Price) string {
	if p == nil {
		return "price unknown"
	}
	return fmt.Sprintf("$%s in and $%s out per million tokens", p.Input, p.Output)
}

// printMoney says the most that models cost.
func printMoney(put func(k, format string, args ...any), w control.Worst) {
	switch {
	case w.USD != nil:
		put("money", "at most $%s", *w.USD)
	case w.Paid:
		put("money", "no bound: budget.usd is not given")
	default:
		put("money", "none: no operator of this spec is paid")
	}
	if w.Calls != nil {
		put("calls", "at most %d to models", *w.Calls)
	}
	if w.Tokens != nil {
		put("tokens", "at most %d", *w.Tokens)
	}
}
