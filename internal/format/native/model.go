package native

import (
	"net/url"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// defaultMaxTokens bounds one reply of a model.
const defaultMaxTokens = 32_000

// mostPrice is far above what anyone asks for a million tokens: it catches
// slips, and keeps sums far from overflowing.
const mostPrice = clade.Microdollars(10_000e6)

const (
	modelHint    = "write a mapping with name and provider"
	providerHint = "for any other service that speaks OpenAI's protocol write openai and its base_url"
	keyHint      = "name the variable that holds it, like key_env: OPENAI_API_KEY"
)

// modelForm is how models are called; many are called so by their providers.
var modelForm = pattern(`^[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,99}$`)

// readModels reads the models that operators and rollouts may name.
func (d *decoder) readModels(n *syntax.Node) {
	for _, item := range d.Each(n, "list mappings with name and provider") {
		d.models = append(d.models, d.model(item))
	}
}

func (d *decoder) model(n *syntax.Node) (m clade.Model) {
	f := d.Fields(n, modelHint)
	name := f.Need("name", "name the model, as operators call it")
	m.Name = d.Text(name, "name the model, as operators call it")
	switch {
	case m.Name == "":
	case !modelForm().MatchString(m.Name):
		d.Add(name.At, "letters, digits and . _ / : @ + -, a letter or digit first, at most 100", "%s: %s is no valid name", name.Path, syntax.Quote(m.Name))
	case slices.Contains(d.modelNames(), m.Name):
		d.Add(name.At, "give each a name of its own; model: says what the provider calls it", "%s: %s is taken", name.Path, syntax.Quote(m.Name))
	}
	m.Provider = d.provider(f.Need("provider", "choose one of "+strings.Join(clade.ProviderNames(), ", ")))
	m.Model = d.Text(f.Get("model"), "write what the provider calls it")
	m.BaseURL = d.baseURL(f.Get("base_url"))
	m.BaseURLEnv = d.variableName(f.Get("base_url_env"))
	if f.Has("base_url") {
		f.Refuse("has no use beside base_url", "keep base_url or base_url_env", "base_url_env")
	}
	m.KeyEnv = d.variableName(f.Get("key_env"))
	f.Refuse("would hold a secret, and this file is kept", keyHint, "key", "api_key", "apikey", "token", "password")
	if p := f.Get("price"); p != nil {
		m.Price = d.price(p)
	}
	m.MaxTokens = d.Whole(f.Get("max_tokens"), 1, 10_000_000)
	m.Temperature = d.temperature(f.Get("temperature"))
	f.Done()
	return completeModel(m)
}

func (d *decoder) modelNames() []string {
	names := make([]string, len(d.models))
	for i, m := range d.models {
		names[i] = m.Name
	}
	return names
}

func (d *decoder) provider(n *syntax.Node) string {
	if n == nil {
		return ""
	}
	names := clade.ProviderNames()
	if n.Kind == syntax.Text && !slices.Contains(names, n.Text) {
		hint := syntax.Near(n, names)
		switch h, _ := clade.HostOf(n.Text); {
		case hint != "":
		case h.Provider != "" && h.Name != clade.HostDSH:
			hint = "did you mean " + h.Provider + "?"
		default:
			hint = providerHint
		}
		d.Wrong(n, "one of "+strings.Join(names, ", "), hint)
		return ""
	}
	return d.Choice(n, names...)
}

// urlForm is an address without a user, a query or a fragment, any of which
// could hold a key.
var urlForm = pattern(`^https?://[^\s/?#@]+(/[^\s?#]*)?$`)

// baseURL reads the address of a service. It is never repeated in an error,
// since what is wrong with it may be a key.
func (d *decoder) baseURL(n *syntax.Node) string {
	s := d.Text(n, "write it like https://host/v1")
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err == nil && u.User != nil:
		d.Add(n.At, keyHint, "%s holds a user or password, and this file is kept", n.Path)
	case err != nil || !urlForm().MatchString(s):
		d.Add(n.At, "write it like https://host/v1", "%s is no address of a service", n.Path)
	}
	return s
}

// variableName reads the name of a variable. What is no name is not repeated,
// since it may be the key itself.
func (d *decoder) variableName(n *syntax.Node) string {
	name := d.Text(n, "name a variable, like OPENAI_API_KEY")
	if name != "" && !variableForm().MatchString(name) {
		d.Add(n.At, "write the name of a variable, like OPENAI_API_KEY: letters, digits and _, no digit first", "%s is no name of a variable", n.Path)
	}
	return name
}

func (d *decoder) price(n *syntax.Node) *clade.Price {
	f := d.Fields(n, "write input: and output:, in dollars per million tokens")
	p := &clade.Price{CacheRead: d.perMillion(f.Get("cache_read")), CacheWrite: d.perMillion(f.Get("cache_write"))}
	if v := d.perMillion(f.Need("input", "say what a million tokens of a request cost, in dollars")); v != nil {
		p.Input = *v
	}
	if v := d.perMillion(f.Need("output", "say what a million tokens of a reply cost, in dollars")); v != nil {
		p.Output = *v
	}
	f.Done()
	return p
}

// perMillion reads dollars per million tokens; nothing may be free.
func (d *decoder) perMillion(n *syntax.Node) *clade.Microdollars {
	if n == nil {
		return nil
	}
	var v clade.Microdollars
	switch {
	case n.Kind != syntax.Number || v.UnmarshalJSON([]byte(n.Text)) != nil:
		d.Wrong(n, "an amount of US dollars", "write dollars per million tokens, like 2.50, with at most six decimals")
	case v < 0 || v > mostPrice:
		d.Wrong(n, "from 0 to 10000", "write dollars per million tokens")
	}
	return &v
}

func (d *decoder) temperature(n *syntax.Node) *float64 {
	v := d.Optional(n)
	if v != nil && (*v < 0 || *v > 2) {
		d.Wrong(n, "from 0 to 2", "")
	}
	return v
}

// modelName reads which model is asked: the name of one in models, or
// PROVIDER/MODEL, which adds one.
func (d *decoder) modelName(n *syntax.Node) string {
	name := d.Text(n, "name one of models, or write PROVIDER/MODEL")
	names := d.modelNames()
	if name == "" || slices.Contains(names, name) {
		return name
	}
	if m, ok := spelledOut(name); ok {
		d.models = append(d.models, m)
		return name
	}
	hint := "list it in models, or write " + strings.Join(clade.ProviderNames(), "/…, ") + "/…"
	if len(names) > 0 {
		hint = orDefault(syntax.Near(n, names), hint)
	}
	d.Add(n.At, hint, "%s: no model is called %s", n.Path, syntax.Quote(name))
	return name
}

// spelledOut is the model that PROVIDER/MODEL says.
func spelledOut(name string) (m clade.Model, ok bool) {
	provider, model, ok := strings.Cut(name, "/")
	_, known := clade.ProviderOf(provider)
	if !ok || !known || model == "" || !modelForm().MatchString(name) {
		return m, false
	}
	return completeModel(clade.Model{Name: name, Provider: provider, Model: model}), true
}
