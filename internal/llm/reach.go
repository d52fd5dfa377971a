package llm

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/cladehq/clade"
)

// addresses are the providers' own, as Endpoint.BaseURL gives them.
var addresses = map[string]string{
	clade.ProviderOpenAI:    "https://api.openai.com/v1",
	clade.ProviderAnthropic: "https://api.anthropic.com",
	clade.ProviderGoogle:    "https://generativelanguage.googleapis.com",
}

// An Endpoint is where a model's service is and how it is signed in to.
type Endpoint struct {
	// BaseURL is as the provider's own SDK takes it: with the version path for
	// openai, without it for anthropic and google; no slash at the end.
	BaseURL string
	// Key is "" where none is needed: a service on this machine of which the
	// user's environment says none.
	Key string
}

// Reach finds out how a model is reached: the address the model says, else the
// one in its variable, else the provider's; and the key in its variable. lookup
// reads variables of the user's environment, as os.LookupEnv does. The error is
// an *Error of KindAccess, and never repeats what a variable holds.
func Reach(m clade.Model, lookup func(name string) (string, bool)) (Endpoint, error) {
	p, ok := clade.ProviderOf(m.Provider)
	if !ok {
		return Endpoint{}, &Error{Kind: KindAccess, Text: fmt.Sprintf("model %s: no provider is called %q", m.Name, m.Provider)}
	}
	base, from := m.BaseURL, "base_url"
	if name := first(m.BaseURLEnv, p.BaseURLEnv); base == "" {
		base, _ = lookup(name)
		from = "the address in " + name
	}
	if base == "" {
		base = addresses[p.Name]
	}
	base, ok = canonical(p.Name, base)
	if !ok {
		return Endpoint{}, &Error{Kind: KindAccess, Text: fmt.Sprintf("model %s: %s is no address of a service; write it like https://host/v1", m.Name, from)}
	}
	name := first(m.KeyEnv, p.KeyEnv)
	key, _ := lookup(name)
	if key = strings.TrimSpace(key); key == "" && !loopback(base) {
		return Endpoint{}, &Error{Kind: KindAccess, Text: fmt.Sprintf("model %s: the variable %s, which holds the key of its service, is not set", m.Name, name)}
	}
	return Endpoint{BaseURL: base, Key: key}, nil
}

// loopback reports whether an address is this machine's own, written as such.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	name := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// canonical brings an address into the form of Endpoint.BaseURL, whether it was
// written with the version path or without.
func canonical(provider, base string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	path := strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/messages"} {
		path = strings.TrimSuffix(path, end) // the address of the call itself
	}
	switch {
	case provider != clade.ProviderOpenAI:
		for _, version := range []string{"/v1", "/v1beta"} {
			path = strings.TrimSuffix(path, version)
		}
	case path == "":
		path = "/v1"
	}
	return u.Scheme + "://" + u.Host + path, true
}
