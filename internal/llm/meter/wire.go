package meter

import (
	"encoding/json"
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

// reply bounds what a request allows by what the declaration does.
func reply(asked, most int64) int64 {
	if asked > 0 {
		return min(asked, most)
	}
	return most
}

// sound is a usage with sensible numbers; ok is false for one that says nothing:
// a request always has some input.
func sound(u llm.Usage) (llm.Usage, bool) {
	for _, n := range []int64{u.Input, u.CacheRead, u.CacheWrite, u.Output} {
		if n < 0 || n > mostTokens {
			return llm.Usage{}, false
		}
	}
	u.Reported = u.Input+u.CacheRead+u.CacheWrite > 0
	return u, u.Reported
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
