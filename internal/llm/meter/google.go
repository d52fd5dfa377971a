package meter

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/cladehq/clade/internal/llm"
)

// generate is generateContent and streamGenerateContent of Google. Its fields
// are understood in both spellings, since the service does.
type generate struct{}

func (generate) refusal(text string) any {
	return map[string]any{"error": map[string]any{"code": 400, "message": text, "status": "FAILED_PRECONDITION"}}
}

func (generate) failure(status int, text string) any {
	word := "INVALID_ARGUMENT"
	if status >= 500 {
		word = "UNAVAILABLE"
	}
	return map[string]any{"error": map[string]any{"code": status, "message": text, "status": word}}
}

func (generate) shape(o *object, most int64) ask {
	o.drop("serviceTier", "service_tier", "model")
	without(o, "tools", func(t *object) bool {
		for _, m := range slices.Clone(t.members) {
			if m.key != "functionDeclarations" && m.key != "function_declarations" {
				t.drop(m.key)
			}
		}
		return len(t.members) > 0
	}, "toolConfig", "tool_config")
	config := generationConfig(o)
	config.drop("candidateCount", "candidate_count")
	asked := max(config.number("maxOutputTokens"), config.number("max_output_tokens"))
	o.drop("generation_config")
	o.set("generationConfig", config.bytes())
	return ask{wanted: reply(asked, most)}
}

// generationConfig is that of a request, an empty one if it has none. Where it is
// there in both spellings, the service would not take the request; here the
// second is left out.
func generationConfig(o *object) *object {
	for _, key := range []string{"generationConfig", "generation_config"} {
		if in := o.inner(key); in != nil {
			return in
		}
	}
	return &object{}
}

func (generate) limit(o *object, _ bool, tokens int64) {
	config := generationConfig(o)
	config.drop("max_output_tokens")
	config.setJSON("maxOutputTokens", tokens)
	o.set("generationConfig", config.bytes())
}

// take reads one object, or a list of them: what is not asked for as events is
// streamed so.
func (g generate) take(t *tally, data []byte) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		var all []json.RawMessage
		decode(data, &all)
		for _, one := range all {
			g.take(t, one)
		}
		return
	}
	var r struct {
		Candidates []struct {
			Finish string `json:"finishReason"`
		} `json:"candidates"`
		Feedback json.RawMessage `json:"promptFeedback"`
		Usage    *struct {
			Prompt     count `json:"promptTokenCount"`
			Tools      count `json:"toolUsePromptTokenCount"`
			Cached     count `json:"cachedContentTokenCount"`
			Candidates count `json:"candidatesTokenCount"`
			Thoughts   count `json:"thoughtsTokenCount"`
			Total      count `json:"totalTokenCount"`
		} `json:"usageMetadata"`
		Error json.RawMessage `json:"error"`
	}
	decode(data, &r)
	t.failed(r.Error, data)
	t.answered = t.answered || len(r.Candidates) > 0 || present(r.Feedback)
	for _, c := range r.Candidates {
		t.done = t.done || c.Finish != ""
	}
	t.done = t.done || present(r.Feedback)
	if u := r.Usage; u != nil {
		in := u.Prompt + u.Tools
		t.used(llm.Usage{Input: int64(in - u.Cached), CacheRead: int64(u.Cached), Output: int64(max(u.Candidates+u.Thoughts, u.Total-in))})
	}
}
