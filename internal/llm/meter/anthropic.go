package meter

import (
	"encoding/json"

	"github.com/cladehq/clade/internal/llm"
)

// messages is the protocol of Anthropic.
type messages struct{}

func (messages) refusal(text string) any {
	// The words of the real one: its clients look for them.
	return messages{}.failure(400, "Your credit balance is too low to access the Anthropic API. ("+text+")")
}

func (messages) failure(status int, text string) any {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "api_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text}}
}

func (messages) shape(o *object, most int64) ask {
	o.drop("service_tier", "speed", "mcp_servers", "container", "inference_geo")
	o.drop(elsewhere...)
	without(o, "tools", func(t *object) bool {
		kind := t.text("type")
		return kind == "" || kind == "custom" || beginsWith(kind, "bash_", "text_editor_", "computer_", "memory_", "tool_search_tool")
	}, "tool_choice")
	return ask{stream: o.truth("stream"), wanted: reply(o.number("max_tokens"), most)}
}

// leastThinking is the smallest budget of thinking that the service takes.
const leastThinking = 1024

// limit also lowers the budget of thinking, which must be less than the reply.
func (messages) limit(o *object, _ bool, tokens int64) {
	o.setJSON("max_tokens", tokens)
	in := o.inner("thinking")
	if in == nil || in.number("budget_tokens") < tokens {
		return
	}
	if tokens <= leastThinking {
		o.drop("thinking")
		return
	}
	in.setJSON("budget_tokens", max(leastThinking, tokens/2))
	o.set("thinking", in.bytes())
}

type messagesUsage struct {
	Input  count `json:"input_tokens"`
	Read   count `json:"cache_read_input_tokens"`
	Write  count `json:"cache_creation_input_tokens"`
	Output count `json:"output_tokens"`
}

func (messages) take(t *tally, data []byte) {
	var e struct {
		Type    string `json:"type"`
		Message struct {
			Usage *messagesUsage `json:"usage"`
		} `json:"message"`
		Content []json.RawMessage `json:"content"`
		Usage   *messagesUsage    `json:"usage"`
		Error   json.RawMessage   `json:"error"`
	}
	decode(data, &e)
	t.failed(e.Error, data)
	switch e.Type {
	case "message_start":
		t.add(e.Message.Usage, false)
	case "content_block_start":
		t.answered = true
	case "message_delta":
		t.answered = true // an empty turn is an answer
		t.add(e.Usage, true)
	case "message_stop":
		t.done = true
	case "message":
		t.answered, t.done = true, true
		t.add(e.Usage, true)
	}
}

// add takes a usage, all for the reply until then: the start says what went in,
// the end what came out, and either may say both.
func (t *tally) add(u *messagesUsage, last bool) {
	if u == nil {
		return
	}
	said := llm.Usage{Input: int64(u.Input), CacheRead: int64(u.Read), CacheWrite: int64(u.Write), Output: int64(u.Output)}
	if was := t.usage; said.Plausible() {
		said = llm.Usage{Input: max(was.Input, said.Input), CacheRead: max(was.CacheRead, said.CacheRead),
			CacheWrite: max(was.CacheWrite, said.CacheWrite), Output: max(was.Output, said.Output)}
		last = last || was.Reported
	}
	t.usage.Reported = t.used(said) && last
}
