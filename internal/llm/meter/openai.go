package meter

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/cladehq/clade/internal/llm"
)

// openai is what both of its protocols have in common.
type openai struct{}

func (openai) refusal(text string) any {
	return map[string]any{"error": map[string]any{"message": text, "type": "insufficient_quota", "param": nil, "code": "insufficient_quota"}}
}

func (openai) failure(status int, text string) any {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	return map[string]any{"error": map[string]any{"message": text, "type": kind, "param": nil, "code": nil}}
}

// chat is chat completions, of OpenAI and everything compatible.
type chat struct{ openai }

func (chat) shape(o *object, most int64) ask {
	o.drop("n", "service_tier", "prediction", "web_search_options", "background")
	o.drop(elsewhere...)
	without(o, "tools", func(t *object) bool { return slices.Contains([]string{"", "function", "custom"}, t.text("type")) }, "tool_choice", "parallel_tool_calls")
	a := ask{stream: o.truth("stream"), wanted: reply(max(o.number("max_tokens"), o.number("max_completion_tokens")), most)}
	if !a.stream {
		return a
	}
	in := o.inner("stream_options")
	if in == nil {
		in = &object{}
	}
	if a.untold = !in.truth("include_usage"); a.untold {
		in.setJSON("include_usage", true)
		o.set("stream_options", in.bytes())
	}
	return a
}

func (chat) limit(o *object, openai bool, tokens int64) {
	set := false
	for _, key := range []string{"max_tokens", "max_completion_tokens"} {
		if o.get(key) != nil {
			o.setJSON(key, tokens)
			set = true
		}
	}
	switch {
	case set:
	case openai:
		o.setJSON("max_completion_tokens", tokens) // its newer models refuse the other
	default:
		o.setJSON("max_tokens", tokens)
	}
}

func (chat) take(t *tally, data []byte) {
	if string(data) == "[DONE]" {
		t.done = true
		return
	}
	var r struct {
		Choices []struct {
			Finish *string `json:"finish_reason"`
		} `json:"choices"`
		Usage *struct {
			Prompt     count `json:"prompt_tokens"`
			Completion count `json:"completion_tokens"`
			Total      count `json:"total_tokens"`
			CacheHit   count `json:"prompt_cache_hit_tokens"` // DeepSeek
			Details    struct {
				Read  count `json:"cached_tokens"`
				Write count `json:"cache_write_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	decode(data, &r)
	t.failed(r.Error, data)
	t.answered = t.answered || len(r.Choices) > 0
	for _, c := range r.Choices {
		t.done = t.done || c.Finish != nil
	}
	t.aside = false
	if u := r.Usage; u != nil {
		read, write := max(u.Details.Read, u.CacheHit), u.Details.Write
		// Some count reasoning only in the total.
		ok := t.used(llm.Usage{Input: int64(u.Prompt - read - write), CacheRead: int64(read), CacheWrite: int64(write), Output: int64(max(u.Completion, u.Total-u.Prompt))})
		t.aside = ok && len(r.Choices) == 0
	}
}

// failed keeps a failure reported within a reply.
func (t *tally) failed(raw json.RawMessage, data []byte) {
	if present(raw) && t.error == nil {
		t.error = slices.Clone(data)
	}
}

// responses is the Responses protocol of OpenAI.
type responses struct{ openai }

// local are its tools that the client itself performs.
var local = []string{"", "function", "custom", "local_shell", "apply_patch", "namespace", "tool_search"}

func (responses) shape(o *object, most int64) ask {
	o.drop("service_tier", "background")
	o.drop(elsewhere...)
	stays := func(t *object) bool { return slices.Contains(local, t.text("type")) }
	without(o, "tools", stays, "tool_choice", "parallel_tool_calls")
	// Newer models are told of tools there. An escape might hide the word.
	if raw := o.get("input"); bytes.Contains(raw, []byte("additional_tools")) || bytes.Contains(raw, []byte(`\u00`)) {
		o.set("input", keep(raw, func(item *object) bool {
			if item.text("type") == "additional_tools" {
				without(item, "tools", stays)
			}
			return true
		}))
	}
	return ask{stream: o.truth("stream"), wanted: reply(o.number("max_output_tokens"), most)}
}

func (responses) limit(o *object, _ bool, tokens int64) { o.setJSON("max_output_tokens", tokens) }

func (responses) take(t *tally, data []byte) {
	type body struct {
		Status string            `json:"status"`
		Output []json.RawMessage `json:"output"`
		Error  json.RawMessage   `json:"error"`
		Usage  *struct {
			Input   count `json:"input_tokens"`
			Output  count `json:"output_tokens"`
			Total   count `json:"total_tokens"`
			Details struct {
				Read  count `json:"cached_tokens"`
				Write count `json:"cache_write_tokens"`
			} `json:"input_tokens_details"`
		} `json:"usage"`
	}
	var e struct {
		Type     string `json:"type"`
		Response *body  `json:"response"`
		body
	}
	decode(data, &e)
	t.answered = t.answered || beginsWith(e.Type, "response.output_") || len(e.Output) > 0
	switch e.Type {
	case "", "response.completed", "response.incomplete", "response.failed":
		t.done = true // "": a whole reply
	case "error":
		t.failed(data, []byte(`{"error":`+string(data)+`}`))
	default:
		return // what is in progress has no usage yet
	}
	r := &e.body
	if e.Response != nil {
		r = e.Response
	}
	if present(r.Error) {
		t.failed(r.Error, []byte(`{"error":`+string(r.Error)+`}`))
	}
	t.answered = t.answered || len(r.Output) > 0
	if u := r.Usage; u != nil {
		read, write := u.Details.Read, u.Details.Write
		t.used(llm.Usage{Input: int64(u.Input - read - write), CacheRead: int64(read), CacheWrite: int64(write), Output: int64(max(u.Output, u.Total-u.Input))})
	}
}
