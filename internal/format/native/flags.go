package native

import (
	"errors"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// AgentOperator makes the operator that --agent NAME and --model MODEL name,
// held to what an operator of a file is held to. The model is written
// PROVIDER/MODEL, and comes back as the spec has to list it; "" is the agent's
// own, which needs the network. Every error is a *clade.Problem of fault usage.
func AgentOperator(agent, model string, network bool) (clade.Operator, []clade.Model, error) {
	d := &decoder{faults: &faults{}}
	h := d.host(argument("--agent", agent))
	o := completeOperator(clade.Operator{Use: useAgent, Agent: h.Name, Command: clade.Command{Network: network}})
	if model != "" {
		d.models = d.spelledModel(model)
		o.Model = model
	}
	if len(d.list) == 0 {
		d.agentFits(h, o)
	}
	if len(d.list) > 0 {
		return clade.Operator{}, nil, d.usage()
	}
	return o, d.models, nil
}

func (d *decoder) spelledModel(name string) []clade.Model {
	m, ok := spelledOut(name)
	if !ok {
		d.Add(syntax.Pos{}, "write "+strings.Join(clade.ProviderNames(), "/…, ")+"/…", "--model: %s names no model", syntax.Quote(name))
		return nil
	}
	return []clade.Model{m}
}

func argument(name, value string) *syntax.Node {
	return &syntax.Node{Kind: syntax.Text, Path: name, Text: value}
}

// agentFits is what choose is for an operator of a file.
func (d *decoder) agentFits(h clade.Host, o clade.Operator) {
	m, named := d.modelOf(o.Model)
	switch {
	case h.Name == clade.HostCustom:
		d.Add(syntax.Pos{}, "list it in operators of "+OverlayName+", with run: or argv:", "--agent: %s has no command", h.Name)
	case named && !speaks(h, m):
		d.Add(syntax.Pos{}, "give it a model of provider "+h.Provider+", or leave it out for the agent's own",
			"--model: %s speaks to %s only, and %s is of %s", h.Name, h.Provider, syntax.Quote(m.Name), m.Provider)
	case !named && !o.Network:
		d.Add(syntax.Pos{}, "give --model "+orDefault(h.Provider, clade.ProviderOpenAI)+"/…, which is reached through clade; or let it reach the network",
			"--agent: without a model %s asks its own service, over the network", h.Name)
	}
}

// usage joins the faults as those of a command line, which has no places.
func (f *faults) usage() error {
	var all []error
	for _, x := range f.list {
		all = append(all, &clade.Problem{Fault: clade.FaultUsage, Text: x.Text, Hint: x.Hint})
	}
	return errors.Join(all...)
}
