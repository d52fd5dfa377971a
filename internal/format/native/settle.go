package native

import (
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// An asker is what asks a model: an operator or a rollout.
type asker struct {
	at    *syntax.Node // the mapping or word it is written as, or else the whole file
	what  string       // "operators[0]"
	host  *clade.Host  // nil: reflect
	model *string
	// network says that it reaches services by itself.
	network bool
}

// modelAt is where its model is named, or else where it is.
func (a asker) modelAt() syntax.Pos {
	if m := a.at.Get("model"); m != nil {
		return m.At
	}
	return a.at.At
}

// settle decides what depends on several parts of a spec: which model is asked,
// and whether a cap on money can hold.
func (d *decoder) settle(s *clade.Spec, root *syntax.Node) {
	all := askers(s, root)
	for _, a := range all {
		d.choose(a)
	}
	s.Models = d.models
	if len(all) > 0 && s.Budget.USD != nil {
		d.capped(s, root, all)
	}
}

// askers lists what asks a model. What root does not say has root for its place.
func askers(s *clade.Spec, root *syntax.Node) (all []asker) {
	if s.Rolls() && s.Dataset.Rollout.Agent != "" {
		h, _ := clade.HostOf(s.Dataset.Rollout.Agent)
		at := first(first(root, "dataset"), "rollout")
		all = append(all, asker{at, "dataset.rollout", &h, &s.Dataset.Rollout.Model, s.Dataset.Network})
	}
	said := first(root, "operators").Items
	for i := range s.Operators {
		o, what, at := &s.Operators[i], fmt.Sprintf("operators[%d]", i), root
		if i < len(said) {
			at = said[i]
		}
		switch {
		case o.Use == useAgent && o.Agent != "":
			h, _ := clade.HostOf(o.Agent)
			all = append(all, asker{at, what, &h, &o.Model, o.Network})
		case o.Use == useReflect:
			all = append(all, asker{at, what, nil, &o.Model, false})
		}
	}
	return all
}

// completeAskers lists the models that are spelled out, and names the only one
// where none is named.
func completeAskers(s *clade.Spec) {
	all := askers(s, &syntax.Node{})
	for _, a := range all {
		m, ok := spelledOut(*a.model)
		if ok && !slices.ContainsFunc(s.Models, func(x clade.Model) bool { return x.Name == m.Name }) {
			s.Models = append(s.Models, m)
		}
	}
	for _, a := range all {
		*a.model = orDefault(*a.model, a.only(s.Models))
	}
}

// only is the name of the only model there is, "" if that cannot be asked.
func (a asker) only(models []clade.Model) string {
	if len(models) == 1 && (a.host == nil || speaks(*a.host, models[0])) {
		return models[0].Name
	}
	return ""
}

// choose fills in the only model where none is named, and refuses one that an
// agent cannot speak to. Without a model an agent takes its own.
func (d *decoder) choose(a asker) {
	m, known := d.modelOf(*a.model)
	switch {
	case known && a.host != nil && !speaks(*a.host, m):
		d.Add(a.modelAt(), "give it a model of provider "+a.host.Provider+", or leave it out for the agent's own",
			"%s.model: %s speaks to %s only, and %s is of %s", a.what, a.host.Name, a.host.Provider, syntax.Quote(m.Name), m.Provider)
	case a.at.Get("model") != nil || *a.model != "":
	case a.only(d.models) != "":
		*a.model = a.only(d.models)
	case a.host != nil && a.host.Name != clade.HostCustom && !a.network:
		d.Add(a.at.At, "write model: "+orDefault(a.host.Provider, clade.ProviderOpenAI)+"/…, which is reached through clade; or network: true",
			"%s reaches no model: without one of models %s asks its own service, over the network", a.what, a.host.Name)
	case a.host == nil && len(d.models) == 0:
		d.Add(a.at.At, "write model: PROVIDER/MODEL, like openai/…, or list models", "%s.model is missing, and there are no models", a.what)
	case a.host == nil:
		d.Add(a.at.At, "name one of models", "%s.model is missing, and there are %d models", a.what, len(d.models))
	}
}

// speaks reports whether an agent can be pointed to a model. What is wrong with
// the model's provider was said already.
func speaks(h clade.Host, m clade.Model) bool {
	return h.Provider == "" || m.Provider == "" || h.Provider == m.Provider
}

func (d *decoder) modelOf(name string) (clade.Model, bool) {
	for _, m := range d.models {
		if m.Name == name && name != "" {
			return m, true
		}
	}
	return clade.Model{}, false
}

// capped checks that a cap on money can be kept: something is held back for
// each try, and what is used can be priced.
func (d *decoder) capped(s *clade.Spec, root *syntax.Node, all []asker) {
	budget := first(root, "budget")
	if s.Budget.PerTry == nil && budget.Get("per_try_usd") == nil {
		d.Add(first(budget, "usd").At, "add per_try_usd: with the most that one try may cost, like 0.50",
			"budget.per_try_usd is missing: %s costs money, and usd is kept by holding some back for each try", all[0].what)
	}
	for _, a := range all {
		m, known := d.modelOf(*a.model)
		switch {
		case known && m.Price == nil:
			d.Add(a.modelAt(), "list it in models with price: {input: …, output: …}, in dollars per million tokens",
				"%s: nobody says what the model %s costs, so budget.usd cannot be kept", a.what, syntax.Quote(m.Name))
		case *a.model == "" && a.host != nil && !a.host.Priced:
			d.Add(a.modelAt(), "name a model with a price, so that clade meters it; or leave out usd and cap candidates, tokens or calls",
				"%s: %s does not say what it costs, so budget.usd cannot be kept", a.what, a.host.Name)
		}
	}
}
