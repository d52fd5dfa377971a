package control

import (
	"fmt"

	"github.com/cladehq/clade"
)

// asksModels reports whether a spec has commands that reach a model through the
// gateway: agents that propose or answer cases.
func asksModels(s *clade.Spec) bool {
	if len(s.Models) == 0 {
		return false
	}
	if s.Dataset != nil && s.Dataset.Rollout != nil {
		return true
	}
	for _, o := range s.Operators {
		if o.Use == "agent" {
			return true
		}
	}
	return false
}

// unbounded is the problem that budget.usd could not be kept, nil if it can: what
// asks a model must be metered by a price, or say itself what it costs, and each
// try must hold something back. A format may say so earlier, with the line.
func unbounded(s *clade.Spec) error {
	if s.Budget.USD == nil {
		return nil
	}
	all := askers(s)
	for _, a := range all {
		switch m := modelOf(s, a.model); {
		case m != nil && m.Price == nil:
			return &clade.Problem{Fault: clade.FaultSpec,
				Text: fmt.Sprintf("%s: nobody says what the model %s costs, so the budget of $%s cannot be kept", a.what, m.Name, *s.Budget.USD),
				Hint: "give it a price in models, in dollars per million tokens"}
		case m == nil && !a.priced:
			return &clade.Problem{Fault: clade.FaultSpec,
				Text: fmt.Sprintf("%s: %s does not say what it costs, so the budget of $%s cannot be kept", a.what, a.agent, *s.Budget.USD),
				Hint: "name a model with a price, so that clade meters it; or cap candidates, tokens or calls instead of dollars"}
		}
	}
	if len(all) > 0 && s.Budget.PerTry == nil {
		return &clade.Problem{Fault: clade.FaultSpec,
			Text: fmt.Sprintf("%s costs money, and nothing is held back for each of its tries", all[0].what),
			Hint: "budget.per_try_usd is the most that one try may cost, like 0.50"}
	}
	return nil
}

// modelOf is the model that an asker is metered by, nil if it is not: the one it
// names, or the only one there is.
func modelOf(s *clade.Spec, name string) *clade.Model {
	for i := range s.Models {
		if s.Models[i].Name == name || name == "" && len(s.Models) == 1 {
			return &s.Models[i]
		}
	}
	return nil
}
