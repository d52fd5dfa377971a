package native

import (
	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// An asker is what asks a model: an operator or a rollout.
type asker struct {
	at    *syntax.Node // the mapping or word it is written as
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
	all := d.askers(s, root)
	for _, a := range all {
		d.choose(a)
	}
	s.Models = d.models
	if len(all) > 0 && s.Budget.USD != nil {
		d.capped(s, root, all)
	}
}

func (d *decoder) askers(s *clade.Spec, root *syntax.Node) (all []asker) {
	if set := root.Get("dataset"); s.Dataset != nil && s.Dataset.Rollout != nil && s.Dataset.Rollout.Agent != "" {
		h, _ := clade.HostOf(s.Dataset.Rollout.Agent)
		n := set.Get("rollout")
		all = append(all, asker{n, n.Path, &h, &s.Dataset.Rollout.Model, s.Dataset.Network})
	}
	for i := range s.Operators {
		o := &s.Operators[i]
		switch n := root.Get("operators"); {
		case o.Use == useAgent && o.Agent != "":
			h, _ := clade.HostOf(o.Agent)
			all = append(all, asker{n.Items[i], n.Items[i].Path, &h, &o.Model, o.Network})
		case o.Use == useReflect:
			all = append(all, asker{n.Items[i], n.Items[i].Path, nil, &o.Model, false})
		}
	}
	return all
}

// choose fills in the only model where none is named, and refuses one that an
// agent cannot speak to. Without a model an agent takes its own.
func (d *decoder) choose(a asker) {
	m, known := d.modelOf(*a.model)
	switch {
	case known && a.host != nil && !speaks(*a.host, m):
		d.Add(a.modelAt(), "give it a model of provider "+a.host.Provider+", or leave it out for the agent's own",
			"%s.model: %s speaks to %s only, and %s is of %s", a.what, a.host.Name, a.host.Provider, syntax.Quote(m.Name), m.Provider)
	case a.at.Get("model") != nil:
	case len(d.models) == 1 && (a.host == nil || speaks(*a.host, d.models[0])):
		*a.model = d.models[0].Name
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
	budget := root.Get("budget")
	if budget.Get("per_try_usd") == nil {
		d.Add(budget.Get("usd").At, "add per_try_usd: with the most that one try may cost, like 0.50",
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
