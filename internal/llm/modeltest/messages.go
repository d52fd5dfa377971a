package modeltest

import "encoding/json"

// messages is the Anthropic Messages API: POST …/messages.
type messages struct{}

func (messages) parse(_ string, body []byte) (*Conversation, error) {
	var r struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string `json:"name"`
			InputSchema Schema `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	c := &Conversation{API: "messages", Model: r.Model, Stream: r.Stream, body: body}
	for _, t := range r.Tools {
		c.Tools = append(c.Tools, Tool{Name: t.Name, Schema: t.InputSchema})
	}
	for _, m := range r.Messages {
		var text string
		if json.Unmarshal(m.Content, &text) == nil {
			c.add(m.Role, text, 0)
			continue
		}
		var blocks []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return nil, err
		}
		for _, b := range blocks {
			switch b.Type {
			case "text":
				c.add(m.Role, b.Text, 0)
			case "tool_use":
				c.add("assistant", "", 1)
			case "tool_result":
				c.add("tool", "", 0)
			}
		}
	}
	return c, nil
}

func (messages) usage(u Usage) obj {
	return obj{"input_tokens": u.Input - u.Cached - u.Written, "cache_read_input_tokens": u.Cached,
		"cache_creation_input_tokens": u.Written, "output_tokens": u.Output}
}

func (messages) blocks(a *answer) []obj {
	blocks := []obj{}
	if a.Empty {
		return blocks
	}
	if a.Text != "" {
		blocks = append(blocks, obj{"type": "text", "text": a.Text})
	}
	for _, cl := range a.Calls {
		blocks = append(blocks, obj{"type": "tool_use", "id": cl.ID, "name": cl.Name, "input": cl.Args})
	}
	return blocks
}

func (messages) stop(a *answer) string {
	switch {
	case a.Finish == FinishLength:
		return "max_tokens"
	case a.Finish == FinishRefuse:
		return "refusal"
	case len(a.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (p messages) message(a *answer, content []obj, stop any) obj {
	m := obj{"id": a.ID, "type": "message", "role": "assistant", "model": a.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil}
	if !a.Silent {
		m["usage"] = p.usage(a.Usage)
	}
	return m
}

func (p messages) events(a *answer) []event {
	var ev []event
	send := func(data obj) { ev = append(ev, event{Name: data["type"].(string), Data: data}) }
	send(obj{"type": "message_start", "message": p.message(a, []obj{}, nil)})
	for i, b := range p.blocks(a) {
		start, delta := obj{"type": "text", "text": ""}, obj{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = obj{"type": "tool_use", "id": b["id"], "name": b["name"], "input": obj{}}
			delta = obj{"type": "input_json_delta", "partial_json": jsonString(b["input"])}
		}
		send(obj{"type": "content_block_start", "index": i, "content_block": start})
		send(obj{"type": "content_block_delta", "index": i, "delta": delta})
		send(obj{"type": "content_block_stop", "index": i})
	}
	end := obj{"type": "message_delta", "delta": obj{"stop_reason": p.stop(a), "stop_sequence": nil}}
	if !a.Silent {
		end["usage"] = p.usage(a.Usage)
	}
	send(end)
	send(obj{"type": "message_stop"})
	return ev
}

func (p messages) whole(a *answer) any { return p.message(a, p.blocks(a), p.stop(a)) }

func (messages) failure(f *Fail) any {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}[f.Status]
	if kind == "" {
		kind = "api_error"
	}
	return obj{"type": "error", "error": obj{"type": kind, "message": f.Message}}
}
