package native

import (
	"net/url"
	"slices"
	"strings"

	"github.com/cladehq/clade"
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
func (d *decoder) readModels(n *node) {
	for _, item := range d.each(n, "list mappings with name and provider") {
		d.models = append(d.models, d.model(item))
	}
}

func (d *decoder) model(n *node) (m clade.Model) {
	f := d.fields(n, modelHint)
	name := f.need("name", "name the model, as operators call it")
	m.Name = d.text(name, "name the model, as operators call it")
	switch {
	case m.Name == "":
	case !modelForm().MatchString(m.Name):
		d.add(name.at, "letters, digits and . _ / : @ + -, a letter or digit first, at most 100", "%s: %s is no valid name", name.path, quote(m.Name))
	case slices.Contains(d.modelNames(), m.Name):
		d.add(name.at, "give each a name of its own; model: says what the provider calls it", "%s: %s is taken", name.path, quote(m.Name))
	}
	m.Provider = d.provider(f.need("provider", "choose one of "+strings.Join(clade.ProviderNames(), ", ")))
	m.Model = d.text(f.get("model"), "write what the provider calls it")
	m.BaseURL = d.baseURL(f.get("base_url"))
	m.BaseURLEnv = d.variableName(f.get("base_url_env"))
	if f.has("base_url") {
		f.refuse("has no use beside base_url", "keep base_url or base_url_env", "base_url_env")
	}
	m.KeyEnv = d.variableName(f.get("key_env"))
	f.refuse("would hold a secret, and this file is kept", keyHint, "key", "api_key", "apikey", "token", "password")
	if p := f.get("price"); p != nil {
		m.Price = d.price(p)
	}
	m.MaxTokens = d.whole(f.get("max_tokens"), 1, 10_000_000)
	m.Temperature = d.temperature(f.get("temperature"))
	f.done()
	return filled(m)
}

// filled is a model with its defaults.
func filled(m clade.Model) clade.Model {
	p, _ := clade.ProviderOf(m.Provider)
	m.Model = orDefault(m.Model, m.Name)
	if m.BaseURL == "" {
		m.BaseURLEnv = orDefault(m.BaseURLEnv, p.BaseURLEnv)
	}
	m.KeyEnv = orDefault(m.KeyEnv, p.KeyEnv)
	m.MaxTokens = orDefault(m.MaxTokens, defaultMaxTokens)
	return m
}

func (d *decoder) modelNames() []string {
	names := make([]string, len(d.models))
	for i, m := range d.models {
		names[i] = m.Name
	}
	return names
}

func (d *decoder) provider(n *node) string {
	if n == nil {
		return ""
	}
	names := clade.ProviderNames()
	if n.kind == text && !slices.Contains(names, n.text) {
		hint := near(n, names)
		switch h, _ := clade.HostOf(n.text); {
		case hint != "":
		case h.Provider != "" && h.Name != clade.HostDSH:
			hint = "did you mean " + h.Provider + "?"
		default:
			hint = providerHint
		}
		d.wrong(n, "one of "+strings.Join(names, ", "), hint)
		return ""
	}
	return d.choice(n, names...)
}

// urlForm is an address without a user, a query or a fragment, any of which
// could hold a key.
var urlForm = pattern(`^https?://[^\s/?#@]+(/[^\s?#]*)?$`)

// baseURL reads the address of a service. It is never repeated in an error,
// since what is wrong with it may be a key.
func (d *decoder) baseURL(n *node) string {
	s := d.text(n, "write it like https://host/v1")
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err == nil && u.User != nil:
		d.add(n.at, keyHint, "%s holds a user or password, and this file is kept", n.path)
	case err != nil || !urlForm().MatchString(s):
		d.add(n.at, "write it like https://host/v1", "%s is no address of a service", n.path)
	}
	return s
}

// variableName reads the name of a variable. What is no name is not repeated,
// since it may be the key itself.
func (d *decoder) variableName(n *node) string {
	name := d.text(n, "name a variable, like OPENAI_API_KEY")
	if name != "" && !variableForm().MatchString(name) {
		d.add(n.at, "write the name of a variable, like OPENAI_API_KEY: letters, digits and _, no digit first", "%s is no name of a variable", n.path)
	}
	return name
}

func (d *decoder) price(n *node) *clade.Price {
	f := d.fields(n, "write input: and output:, in dollars per million tokens")
	p := &clade.Price{CacheRead: d.perMillion(f.get("cache_read")), CacheWrite: d.perMillion(f.get("cache_write"))}
	if v := d.perMillion(f.need("input", "say what a million tokens of a request cost, in dollars")); v != nil {
		p.Input = *v
	}
	if v := d.perMillion(f.need("output", "say what a million tokens of a reply cost, in dollars")); v != nil {
		p.Output = *v
	}
	f.done()
	return p
}

// perMillion reads dollars per million tokens; nothing may be free.
func (d *decoder) perMillion(n *node) *clade.Microdollars {
	if n == nil {
		return nil
	}
	var v clade.Microdollars
	switch {
	case n.kind != number || v.UnmarshalJSON([]byte(n.text)) != nil:
		d.wrong(n, "an amount of US dollars", "write dollars per million tokens, like 2.50, with at most six decimals")
	case v < 0 || v > mostPrice:
		d.wrong(n, "from 0 to 10000", "write dollars per million tokens")
	}
	return &v
}

func (d *decoder) temperature(n *node) *float64 {
	v := d.optional(n)
	if v != nil && (*v < 0 || *v > 2) {
		d.wrong(n, "from 0 to 2", "")
	}
	return v
}

// modelName reads which model is asked: the name of one in models, or
// PROVIDER/MODEL, which adds one.
func (d *decoder) modelName(n *node) string {
	name := d.text(n, "name one of models, or write PROVIDER/MODEL")
	names := d.modelNames()
	if name == "" || slices.Contains(names, name) {
		return name
	}
	provider, model, ok := strings.Cut(name, "/")
	if _, known := clade.ProviderOf(provider); known && ok && model != "" && modelForm().MatchString(name) {
		d.models = append(d.models, filled(clade.Model{Name: name, Provider: provider, Model: model}))
		return name
	}
	hint := "list it in models, or write " + strings.Join(clade.ProviderNames(), "/…, ") + "/…"
	if len(names) > 0 {
		hint = orDefault(near(n, names), hint)
	}
	d.add(n.at, hint, "%s: no model is called %s", n.path, quote(name))
	return name
}
