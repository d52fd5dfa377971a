package modeltest

import "encoding/json"

// chat is OpenAI chat completions: POST …/chat/completions.
type chat struct{}

func (chat) parse(_ string, body []byte) (*Conversation, error) {
	var r struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role      string            `json:"role"`
			Content   json.RawMessage   `json:"content"`
			ToolCalls []json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name       string `json:"name"`
				Parameters Schema `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	c := &Conversation{API: "chat", Model: r.Model, Stream: r.Stream, body: body}
	for _, t := range r.Tools {
		c.Tools = append(c.Tools, Tool{Name: t.Function.Name, Schema: t.Function.Parameters})
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "user", "assistant", "tool":
			c.add(m.Role, flatten(m.Content), len(m.ToolCalls))
		}
	}
	return c, nil
}

func (chat) usage(u Usage) obj {
	return obj{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": obj{"cached_tokens": u.Cached, "cache_write_tokens": u.Written},
	}
}

func (chat) toolCalls(a *answer) []obj {
	var list []obj
	for i, cl := range a.Calls {
		list = append(list, obj{"index": i, "id": cl.ID, "type": "function",
			"function": obj{"name": cl.Name, "arguments": jsonString(cl.Args)}})
	}
	return list
}

func (chat) finish(a *answer) string {
	switch {
	case a.Finish == FinishLength:
		return "length"
	case a.Finish == FinishRefuse:
		return "content_filter"
	case len(a.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (p chat) events(a *answer) []event {
	chunk := func(delta obj, finish any) event {
		return event{Data: obj{"id": a.ID, "object": "chat.completion.chunk", "created": 1, "model": a.Model,
			"choices": []obj{{"index": 0, "delta": delta, "finish_reason": finish}}}}
	}
	ev := []event{chunk(obj{"role": "assistant", "content": ""}, nil)}
	if a.Text != "" {
		ev = append(ev, chunk(obj{"content": a.Text}, nil))
	}
	for _, tc := range p.toolCalls(a) {
		ev = append(ev, chunk(obj{"tool_calls": []obj{tc}}, nil))
	}
	ev = append(ev, chunk(obj{}, p.finish(a)))
	if a.Empty {
		ev = nil
	}
	last := obj{"id": a.ID, "object": "chat.completion.chunk", "created": 1, "model": a.Model, "choices": []obj{}}
	if !a.Silent {
		last["usage"] = p.usage(a.Usage)
	}
	return append(ev, event{Data: last}, event{Data: "[DONE]"})
}

func (p chat) whole(a *answer) any {
	msg := obj{"role": "assistant", "content": a.Text}
	if len(a.Calls) > 0 {
		msg["tool_calls"] = p.toolCalls(a)
	}
	choices := []obj{{"index": 0, "message": msg, "finish_reason": p.finish(a)}}
	if a.Empty {
		choices = []obj{}
	}
	all := obj{"id": a.ID, "object": "chat.completion", "created": 1, "model": a.Model, "choices": choices}
	if !a.Silent {
		all["usage"] = p.usage(a.Usage)
	}
	return all
}

func (chat) failure(f *Fail) any {
	kind, code := "server_error", any(nil)
	switch {
	case f.Status == 401:
		kind, code = "invalid_request_error", "invalid_api_key"
	case f.Status == 404:
		kind, code = "invalid_request_error", "model_not_found"
	case f.Status == 429:
		kind, code = "requests", "rate_limit_exceeded"
	case f.Status < 500:
		kind = "invalid_request_error"
	}
	return obj{"error": obj{"message": f.Message, "type": kind, "param": nil, "code": code}}
}
