package control

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// Under a cap on money whatever asks a model is metered or says what it costs.
func TestACapOnMoneyCanBeKept(t *testing.T) {
	t.Parallel()
	usd, try := clade.Microdollars(5e6), clade.Microdollars(5e5)
	priced := clade.Model{Name: "priced", Provider: clade.ProviderOpenAI, Price: &clade.Price{Input: 1, Output: 1}}
	unpriced := clade.Model{Name: "unpriced", Provider: clade.ProviderOpenAI}
	agent := func(host, model string) clade.Operator {
		return clade.Operator{Use: "agent", Name: "a", Agent: host, Model: model}
	}
	reflect := func(model string) clade.Operator { return clade.Operator{Use: "reflect", Name: "r", Model: model} }
	for name, c := range map[string]struct {
		ops     []clade.Operator
		models  []clade.Model
		rollout *clade.Rollout
		free    bool // no cap
		noTry   bool
		want    string // in the problem, "" for none
	}{
		"edits cost nothing":                 {ops: []clade.Operator{{Use: "mutate"}}, noTry: true},
		"metered":                            {ops: []clade.Operator{agent("codex", "priced")}, models: []clade.Model{priced}},
		"metered by the only model":          {ops: []clade.Operator{agent("gemini", "")}, models: []clade.Model{priced}},
		"says what it costs":                 {ops: []clade.Operator{agent("claude", "")}},
		"an alias says what it costs":        {ops: []clade.Operator{agent("claude_code", "")}},
		"does not say what it costs":         {ops: []clade.Operator{agent("codex", "")}, want: "codex does not say what it costs"},
		"does not, and nothing is capped":    {ops: []clade.Operator{agent("codex", "")}, free: true},
		"a model without a price":            {ops: []clade.Operator{agent("claude", "unpriced")}, models: []clade.Model{unpriced}, want: "the model unpriced costs"},
		"a reflecting model without a price": {ops: []clade.Operator{reflect("unpriced")}, models: []clade.Model{unpriced}, want: "operator r"},
		"a reflecting model":                 {ops: []clade.Operator{reflect("priced")}, models: []clade.Model{priced, unpriced}},
		"rollouts":                           {rollout: &clade.Rollout{Agent: "dsh"}, want: "the dataset: dsh"},
		"nothing held back":                  {ops: []clade.Operator{agent("claude", "")}, noTry: true, want: "nothing is held back"},
	} {
		s := clade.Spec{Operators: c.ops, Models: c.models, Budget: clade.Budget{USD: &usd, PerTry: &try}}
		if c.rollout != nil {
			s.Dataset = &clade.Dataset{Rollout: c.rollout}
		}
		if c.free {
			s.Budget.USD = nil
		}
		if c.noTry {
			s.Budget.PerTry = nil
		}
		err := unbounded(&s)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || clade.FaultOf(err) != clade.FaultSpec):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestAGatewayIsForAgentsWithModels(t *testing.T) {
	t.Parallel()
	models := []clade.Model{{Name: "m"}}
	for name, c := range map[string]struct {
		s    clade.Spec
		want bool
	}{
		"edits":           {clade.Spec{Models: models, Operators: []clade.Operator{{Use: "mutate"}}}, false},
		"a model alone":   {clade.Spec{Models: models, Operators: []clade.Operator{{Use: "reflect"}}}, false},
		"an agent":        {clade.Spec{Models: models, Operators: []clade.Operator{{Use: "agent"}}}, true},
		"its own model":   {clade.Spec{Operators: []clade.Operator{{Use: "agent"}}}, false},
		"answering cases": {clade.Spec{Models: models, Dataset: &clade.Dataset{Rollout: &clade.Rollout{}}}, true},
	} {
		if got := asksModels(&c.s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
