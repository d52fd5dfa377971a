package modeltest

import "encoding/json"

// responses is the OpenAI Responses API: POST …/responses.
type responses struct{ chat }

func (responses) parse(_ string, body []byte) (*Conversation, error) {
	var r struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		Input  json.RawMessage `json:"input"`
		Tools  []responsesTool `json:"tools"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	c := &Conversation{API: "responses", Model: r.Model, Stream: r.Stream, body: body}
	c.addResponsesTools(r.Tools)
	var text string
	if json.Unmarshal(r.Input, &text) == nil {
		c.add("user", text, 0)
		return c, nil
	}
	var items []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Tools   []responsesTool `json:"tools"`
	}
	if err := json.Unmarshal(r.Input, &items); err != nil {
		return nil, err
	}
	for _, it := range items {
		switch it.Type {
		case "additional_tools": // newer Codex models carry the tools here
			c.addResponsesTools(it.Tools)
		case "message", "":
			if it.Role == "user" || it.Role == "assistant" {
				c.add(it.Role, flatten(it.Content), 0)
			}
		case "function_call", "custom_tool_call", "local_shell_call":
			c.add("assistant", "", 1)
		case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
			c.add("tool", "", 0)
		}
	}
	return c, nil
}

type responsesTool struct {
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Parameters Schema          `json:"parameters"`
	Tools      []responsesTool `json:"tools"` // of a namespace
}

func (c *Conversation) addResponsesTools(tools []responsesTool) {
	for _, t := range tools {
		if t.Type == "namespace" {
			for _, n := range t.Tools {
				c.Tools = append(c.Tools, Tool{Name: n.Name, Namespace: t.Name, Freeform: n.Type == "custom", Schema: n.Parameters})
			}
			continue
		}
		name := t.Name
		if name == "" {
			name = t.Type
		}
		c.Tools = append(c.Tools, Tool{Name: name, Freeform: t.Type == "custom", Schema: t.Parameters})
	}
}

func (responses) items(a *answer) []obj {
	var items []obj
	if a.Text != "" {
		items = append(items, obj{"type": "message", "id": newID("msg"), "role": "assistant", "status": "completed",
			"content": []obj{{"type": "output_text", "text": a.Text, "annotations": []any{}}}})
	}
	for _, cl := range a.Calls {
		it := obj{"id": newID("fc"), "call_id": cl.ID, "name": cl.Name, "status": "completed"}
		if cl.Namespace != "" {
			it["namespace"] = cl.Namespace
		}
		if cl.Freeform {
			it["type"], it["input"] = "custom_tool_call", cl.Input
		} else {
			it["type"], it["arguments"] = "function_call", jsonString(cl.Args)
		}
		items = append(items, it)
	}
	return items
}

func (responses) response(a *answer, status string, items []obj) obj {
	if items == nil {
		items = []obj{}
	}
	return obj{"id": a.ID, "object": "response", "created_at": 1, "model": a.Model, "status": status, "output": items,
		"usage": obj{
			"input_tokens": a.Usage.Input, "input_tokens_details": obj{"cached_tokens": a.Usage.Cached},
			"output_tokens": a.Usage.Output, "output_tokens_details": obj{"reasoning_tokens": 0},
			"total_tokens": a.Usage.Input + a.Usage.Output,
		}}
}

func (p responses) events(a *answer) []event {
	var ev []event
	send := func(data obj) {
		data["sequence_number"] = len(ev)
		ev = append(ev, event{Name: data["type"].(string), Data: data})
	}
	items := p.items(a)
	send(obj{"type": "response.created", "response": p.response(a, "in_progress", nil)})
	for i, it := range items {
		send(obj{"type": "response.output_item.added", "output_index": i, "item": it})
		if it["type"] == "message" {
			at := obj{"item_id": it["id"], "output_index": i, "content_index": 0}
			send(merge(at, obj{"type": "response.content_part.added", "part": obj{"type": "output_text", "text": "", "annotations": []any{}}}))
			send(merge(at, obj{"type": "response.output_text.delta", "delta": a.Text}))
			send(merge(at, obj{"type": "response.output_text.done", "text": a.Text}))
			send(merge(at, obj{"type": "response.content_part.done", "part": it["content"].([]obj)[0]}))
		}
		if it["type"] == "function_call" {
			at := obj{"item_id": it["id"], "output_index": i}
			send(merge(at, obj{"type": "response.function_call_arguments.delta", "delta": it["arguments"]}))
			send(merge(at, obj{"type": "response.function_call_arguments.done", "arguments": it["arguments"]}))
		}
		send(obj{"type": "response.output_item.done", "output_index": i, "item": it})
	}
	send(obj{"type": "response.completed", "response": p.response(a, "completed", items)})
	return ev
}

func (p responses) whole(a *answer) any { return p.response(a, "completed", p.items(a)) }

func merge(a, b obj) obj {
	m := obj{}
	for k, v := range a {
		m[k] = v
	}
	for k, v := range b {
		m[k] = v
	}
	return m
}
