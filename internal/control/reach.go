package control

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// A Reach is how a model would be asked.
type Reach struct {
	Name     string       `json:"name"`
	Provider string       `json:"provider"`
	Model    string       `json:"model"`
	BaseURL  string       `json:"base_url,omitempty"` // without credentials
	Price    *clade.Price `json:"price,omitempty"`
	For      []string     `json:"for"` // "operator reflect"
	// Fault says why it cannot be reached, "" if nothing speaks against it.
	Fault string `json:"fault,omitempty"`
}

// A Variable is one of the user's environment that something is given. What it
// holds is never told.
type Variable struct {
	Name string `json:"name"`
	Set  bool   `json:"set"`
	For  string `json:"for"` // "model fast"
	// Missing says that nothing works without it.
	Missing bool `json:"missing,omitempty"`
}

// An asker is what asks a model: an operator or the dataset's rollout.
type asker struct {
	what  string
	model string // "": the agent's own
	pass  []string
	agent string // the CLI, "" for reflect
	// priced says that the CLI reports what a run cost.
	priced bool
}

func askers(s *clade.Spec) (all []asker) {
	if s.Dataset != nil && s.Dataset.Rollout != nil {
		all = append(all, asking("the dataset", s.Dataset.Rollout.Model, s.Dataset.Pass, s.Dataset.Rollout.Agent))
	}
	for _, o := range s.Operators {
		if o.Use == "agent" || o.Use == "reflect" {
			all = append(all, asking("operator "+o.Name, o.Model, o.Pass, o.Agent))
		}
	}
	return all
}

func asking(what, model string, pass []string, agent string) asker {
	h, _ := clade.HostOf(agent)
	return asker{what: what, model: model, pass: pass, agent: agent, priced: h.Priced}
}

// means lists the models that are asked, and the variables by which they and
// the agents are signed in. lookup reads the user's environment.
func means(s *clade.Spec, lookup func(string) (string, bool)) (models []Reach, vars []Variable) {
	all := askers(s)
	for _, m := range s.Models {
		r := Reach{Name: m.Name, Provider: m.Provider, Model: m.Model, Price: m.Price}
		for _, a := range all {
			if a.model == m.Name {
				r.For = append(r.For, a.what)
			}
		}
		if len(r.For) == 0 {
			continue
		}
		v := Variable{Name: keyOf(m), For: "model " + m.Name}
		key, _ := lookup(v.Name)
		v.Set = key != ""
		r.BaseURL, r.Fault = address(m, v.Name, lookup)
		if _, err := llm.Reach(m, lookup); err != nil && r.Fault == "" {
			v.Missing = true
		}
		models, vars = append(models, r), append(vars, v)
	}
	for _, a := range all {
		for _, name := range a.pass {
			value, _ := lookup(name)
			vars = append(vars, Variable{Name: name, Set: value != "", For: a.what})
		}
	}
	return models, vars
}

// keyOf is the variable that holds a model's key.
func keyOf(m clade.Model) string {
	if m.KeyEnv != "" {
		return m.KeyEnv
	}
	p, _ := clade.ProviderOf(m.Provider)
	return p.KeyEnv
}

// address is where a model is asked, whether its key is set or not.
func address(m clade.Model, key string, lookup func(string) (string, bool)) (base, fault string) {
	at, err := llm.Reach(m, func(name string) (string, bool) {
		if name == key {
			return "any", true
		}
		return lookup(name)
	})
	var e *llm.Error
	if errors.As(err, &e) {
		return "", e.Text
	}
	return at.BaseURL, ""
}

// unreachable is the problem that a model cannot be asked, nil if none is known.
func (f *Forecast) unreachable() error {
	for _, m := range f.Models {
		if m.Fault != "" {
			return &clade.Problem{Fault: clade.FaultEnvironment, Text: m.Fault, Hint: "correct it, or write base_url in models"}
		}
	}
	if i := slices.IndexFunc(f.Variables, func(v Variable) bool { return v.Missing }); i >= 0 {
		v := f.Variables[i]
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: fmt.Sprintf("%s needs the variable %s, which is not set", v.For, v.Name),
			Hint: "export it, or name another in key_env of models"}
	}
	return nil
}

// mostMoney is the most that a run pays for models, nil if nothing bounds it or
// nothing is paid. Only budget.usd bounds rollouts: the hold of a try is for
// proposing.
func mostMoney(s *clade.Spec) *clade.Microdollars {
	b := s.Budget
	switch {
	case b.USD != nil:
		return b.USD
	case b.PerTry == nil || len(askers(s)) == 0 || s.Dataset != nil && s.Dataset.Rollout != nil:
		return nil
	}
	most := *b.PerTry * clade.Microdollars(b.Candidates)
	return &most
}
