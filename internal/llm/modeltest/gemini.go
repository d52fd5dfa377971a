package modeltest

import "encoding/json"

// gemini is the Gemini API: POST …/models/MODEL:generateContent and
// :streamGenerateContent.
type gemini struct{}

func (gemini) parse(model string, body []byte) (*Conversation, error) {
	var r struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text             string          `json:"text"`
				Thought          bool            `json:"thought"`
				FunctionCall     json.RawMessage `json:"functionCall"`
				FunctionResponse json.RawMessage `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			FunctionDeclarations []struct {
				Name       string  `json:"name"`
				Parameters *Schema `json:"parameters"`
				JSONSchema *Schema `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	c := &Conversation{API: "gemini", Model: model, body: body}
	for _, t := range r.Tools {
		for _, f := range t.FunctionDeclarations {
			tool := Tool{Name: f.Name}
			if f.JSONSchema != nil {
				tool.Schema = *f.JSONSchema
			} else if f.Parameters != nil {
				tool.Schema = *f.Parameters
			}
			c.Tools = append(c.Tools, tool)
		}
	}
	for _, m := range r.Contents {
		role := m.Role
		if role == "model" {
			role = "assistant"
		}
		for _, p := range m.Parts {
			switch {
			case p.FunctionCall != nil:
				c.add("assistant", "", 1)
			case p.FunctionResponse != nil:
				c.add("tool", "", 0)
			case !p.Thought:
				c.add(role, p.Text, 0)
			}
		}
	}
	return c, nil
}

// events are two where there is text: the text, then how it ends.
func (g gemini) events(a *answer) []event {
	if a.Text == "" || a.Empty {
		return []event{{Data: g.whole(a)}}
	}
	rest := *a
	rest.Text = ""
	return []event{
		{Data: obj{"responseId": a.ID, "modelVersion": a.Model,
			"candidates": []obj{{"index": 0, "content": obj{"role": "model", "parts": []obj{{"text": a.Text}}}}}}},
		{Data: g.whole(&rest)},
	}
}

func (gemini) whole(a *answer) any {
	parts := []obj{}
	if a.Text != "" {
		parts = append(parts, obj{"text": a.Text})
	}
	for _, cl := range a.Calls {
		parts = append(parts, obj{"functionCall": obj{"id": cl.ID, "name": cl.Name, "args": cl.Args}})
	}
	all := obj{"responseId": a.ID, "modelVersion": a.Model}
	if !a.Empty {
		finish := map[Finish]string{"": "STOP", FinishLength: "MAX_TOKENS", FinishRefuse: "SAFETY"}[a.Finish]
		all["candidates"] = []obj{{"index": 0, "finishReason": finish, "content": obj{"role": "model", "parts": parts}}}
	}
	if !a.Silent {
		all["usageMetadata"] = obj{"promptTokenCount": a.Usage.Input, "cachedContentTokenCount": a.Usage.Cached,
			"candidatesTokenCount": a.Usage.Output, "totalTokenCount": a.Usage.Input + a.Usage.Output}
	}
	return all
}

func (gemini) failure(f *Fail) any {
	status := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[f.Status]
	if status == "" {
		status = "INTERNAL"
	}
	return obj{"error": obj{"code": f.Status, "message": f.Message, "status": status}}
}
