package openai

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// picky is a service that refuses parameters, in the words of real ones.
type picky struct {
	refuse map[string]string // by parameter: the body of the refusal
	seen   []string          // which parameters each request had
	whole  bool              // answers with one object whatever it is asked
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var sent map[string]any
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &sent)
	var had []string
	for _, name := range []string{"max_tokens", "max_completion_tokens", "stream_options", "stream"} {
		if _, ok := sent[name]; ok {
			had = append(had, name)
		}
	}
	p.seen = append(p.seen, strings.Join(had, " "))
	for _, name := range had {
		if text := p.refuse[name]; text != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, text)
			return
		}
	}
	if p.whole || sent["stream"] == nil {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}`)
		return
	}
	_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"fine\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1,\"total_tokens\":6}}\n\ndata: [DONE]")
}

func dial(t *testing.T, h http.Handler) llm.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := New(clade.Model{Name: "m", Provider: clade.ProviderOpenAI, BaseURL: server.URL}, func(string) (string, bool) { return "", false }, llm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// P26: what a service refuses is left out, once it said so, and stays left out.
func TestLearnsWhatIsUnderstood(t *testing.T) {
	t.Parallel()
	const (
		all       = "max_tokens stream_options stream"
		reasoning = `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`
		mistral   = `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}`
		groq      = `{"error":{"message":"property 'stream_options' is unsupported, did you mean 'stream'?","type":"invalid_request_error"}}`
		swapped   = `{"error":{"message":"Unknown parameter: 'max_completion_tokens'."}}`
		plain     = `{"error":{"message":"'stream' does not support true with this model."}}`
		large     = `{"error":{"message":"max_tokens is too large: 4096. This model has at most 2048.","param":"max_tokens","code":"invalid_value"}}`
	)
	for name, c := range map[string]struct {
		service picky
		seen    []string // by two questions
		kind    llm.Kind
	}{
		"everything":      {picky{}, []string{all, all}, ""},
		"one object":      {picky{whole: true}, []string{all, all}, ""},
		"reasoning model": {picky{refuse: map[string]string{"max_tokens": reasoning}}, []string{all, "max_completion_tokens stream_options stream", "max_completion_tokens stream_options stream"}, ""},
		"Mistral":         {picky{refuse: map[string]string{"stream_options": mistral}}, []string{all, "max_tokens stream", "max_tokens stream"}, ""},
		"Groq, as it was": {picky{refuse: map[string]string{"stream_options": groq}}, []string{all, "max_tokens stream", "max_tokens stream"}, ""},
		"no stream":       {picky{refuse: map[string]string{"stream": plain}}, []string{all, "max_tokens", "max_tokens"}, ""},
		"neither":         {picky{refuse: map[string]string{"max_tokens": reasoning, "max_completion_tokens": swapped}}, []string{all, "max_completion_tokens stream_options stream", all, "max_completion_tokens stream_options stream"}, llm.KindRequest},
		"value, not name": {picky{refuse: map[string]string{"max_tokens": large}}, []string{all, all}, llm.KindRequest},
		"two of them":     {picky{refuse: map[string]string{"max_tokens": reasoning, "stream_options": mistral}}, []string{all, "max_completion_tokens stream_options stream", "max_completion_tokens stream", "max_completion_tokens stream"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := dial(t, &c.service)
			var calls int64
			for range 2 {
				reply, err := client.Ask(t.Context(), llm.Request{Model: "m", MaxTokens: 4096, Messages: []llm.Message{{Role: "user", Text: "x"}}})
				var e *llm.Error
				switch {
				case errors.As(err, &e):
					calls += e.Calls
					if e.Kind != c.kind || !e.Usage.Reported {
						t.Errorf("%+v", *e)
					}
				case err != nil || c.kind != "":
					t.Errorf("%+v, %v", reply, err)
				default:
					calls += reply.Calls
					if reply.Text != "fine" || reply.Finish != llm.FinishStop || reply.Usage != (llm.Usage{Input: 5, Output: 1, Reported: true}) {
						t.Errorf("%+v", reply)
					}
				}
			}
			if !slices.Equal(c.service.seen, c.seen) {
				t.Errorf("requests had %q, want %q", c.service.seen, c.seen)
			}
			if calls != int64(len(c.seen)) {
				t.Errorf("%d calls were counted of %d", calls, len(c.seen))
			}
		})
	}
}

func TestFirstDialect(t *testing.T) {
	t.Parallel()
	for base, completion := range map[string]bool{
		"https://api.openai.com/v1":              true,
		"https://x.openai.azure.com/openai/v1":   true,
		"http://localhost:11434/v1":              false,
		"https://api.openai.com.evil.example/v1": false,
		"https://api.mistral.ai/v1":              false,
	} {
		if got := first(base); got.completionTokens != completion || !got.stream || !got.usage {
			t.Errorf("%s: %+v", base, got)
		}
	}
}
