package meter

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/cladehq/clade/internal/llm"
)

// A wire is a protocol in which a model is asked.
type wire interface {
	// shape takes out of a request what costs otherwise than by the token or
	// leads past the gateway, and sees to it that the reply says what it used.
	// most is the longest reply that the model's declaration allows, in tokens.
	shape(o *object, most int64) ask
	// limit has the reply be at most so many tokens.
	limit(o *object, openai bool, tokens int64)
	// take reads an event of a streamed reply, or a whole reply.
	take(t *tally, data []byte)
	// refusal is the error of the service for an account that is used up, by
	// which clients know that asking again does not help.
	refusal(text string) any
	// failure is the error of the service for a request that failed, with an
	// HTTP status.
	failure(status int, text string) any
}

// An ask is what matters of a request.
type ask struct {
	stream bool
	wanted int64 // tokens of the longest reply that it allows
	// told says that the client would not have been told the usage in an event
	// of its own, which is therefore kept from it.
	untold bool
}

// A tally is what a reply has said so far.
type tally struct {
	usage    llm.Usage // Reported once it is complete
	answered bool      // there was something of a reply
	done     bool      // the service said that it is the end
	error    []byte    // the failure it reported in the middle of a reply: {"error": …}
	aside    bool      // the last event held nothing but the usage
}

// elsewhere are members by which routers of requests, and servers that are only
// compatible with a service, let another model answer as well, look things up, or
// make several answers to choose from.
var elsewhere = []string{
	"models", "fallbacks", "context_window_fallbacks", "content_policy_fallbacks", "route", "router", "provider", "providerOptions",
	"plugins", "preset", "transforms", "num_retries", "user_config", "api_base", "base_url", "custom_llm_provider", "extra_body",
	"best_of", "use_beam_search", "web_search", "search_parameters", "enable_search",
}

// reply bounds what a request allows by what the declaration does.
func reply(asked, most int64) int64 {
	if asked > 0 {
		return min(asked, most)
	}
	return most
}

// used takes what a reply says it used until then. What cannot be is no word, and
// takes back what was said before; ok is false too for a usage that says nothing:
// a request always has some input.
func (t *tally) used(u llm.Usage) (ok bool) {
	if !u.Plausible() {
		t.usage = llm.Usage{}
		return false
	}
	if ok = u.Input+u.CacheRead+u.CacheWrite > 0; ok {
		u.Reported = true
		t.usage = u
	}
	return ok
}

// A count is a number of tokens as a reply says it, in any form that JSON has
// for a whole number.
type count int64

// nonsense is a count that cannot be. What it is added to, or taken from, is no
// plausible count either.
const nonsense = count(-8 * llm.TokensMost)

// UnmarshalJSON implements json.Unmarshaler. It takes everything: a reply is not
// lost for its counts.
func (c *count) UnmarshalJSON(b []byte) error {
	var f float64
	switch err := json.Unmarshal(b, &f); { // null leaves it as it is
	case err != nil, f < 0, f > llm.TokensMost, f != math.Trunc(f):
		*c = nonsense
	default:
		*c = count(f)
	}
	return nil
}

// decode reads what it can of data.
func decode(data []byte, v any) { _ = json.Unmarshal(data, v) }

// present reports whether a member is there and not null.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// without takes a list's members out that do not stay, and the list with them
// when nothing is left, together with what chooses from it.
func without(o *object, list string, stays func(*object) bool, choice ...string) {
	raw := o.get(list)
	if raw == nil {
		return
	}
	switch kept := keep(raw, stays); {
	case string(kept) == string(raw):
	case string(kept) == "[]":
		o.drop(append(choice, list)...)
	default:
		o.set(list, kept)
	}
}

// beginsWith reports whether s begins with one of the prefixes.
func beginsWith(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
