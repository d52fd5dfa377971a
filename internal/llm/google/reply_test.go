package google

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/genai"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// F47, P25: parts of kinds that nobody asked for are passed over, and a reply of
// nothing else is none.
func TestReplies(t *testing.T) {
	t.Parallel()
	const text = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true},{\"text\":\"a\"}]}}]}\n\n"
	end := func(reason string) string {
		return "data: {\"candidates\":[{\"finishReason\":\"" + reason + "\"}],\"usageMetadata\":{\"promptTokenCount\":10,\"cachedContentTokenCount\":4,\"candidatesTokenCount\":2,\"thoughtsTokenCount\":18,\"totalTokenCount\":30}}\n\n"
	}
	usage := llm.Usage{Input: 6, CacheRead: 4, Output: 20, Reported: true}
	for name, c := range map[string]struct {
		body string
		want llm.Reply
		kind llm.Kind
	}{
		"stream":               {text + end("STOP"), llm.Reply{Text: "a", Finish: llm.FinishStop, Usage: usage}, ""},
		"line ends of Windows": {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n", llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"limit":                {end("MAX_TOKENS"), llm.Reply{Finish: llm.FinishLength, Usage: usage}, ""},
		"recitation":           {text + end("RECITATION"), llm.Reply{Text: "a", Finish: llm.FinishRefuse, Usage: usage}, ""},
		"prompt blocked":       {"data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n", llm.Reply{Finish: llm.FinishRefuse}, ""},
		"another reason":       {text + end("OTHER"), llm.Reply{Text: "a", Finish: llm.FinishOther, Usage: usage}, ""},
		"malformed call":       {end("MALFORMED_FUNCTION_CALL"), llm.Reply{}, llm.KindReply},
		"cut":                  {text, llm.Reply{}, llm.KindNetwork},
		"cut within an event":  {text + "data: {\"candid", llm.Reply{}, llm.KindNetwork},
		"nonsense":             {"data: {\"candid\n\n" + text, llm.Reply{}, llm.KindReply},
		"complaint within":     {text + "data: {\"error\":{\"code\":503,\"message\":\"m\",\"status\":\"UNAVAILABLE\"}}\n\n", llm.Reply{}, llm.KindServer},
		"complaint alone":      {`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`, llm.Reply{}, llm.KindRate},
		"no candidates":        {"data: {\"candidates\":[]}\n\n", llm.Reply{}, llm.KindReply},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.body) }))
		client, err := New(clade.Model{Provider: clade.ProviderGoogle, BaseURL: server.URL}, func(string) (string, bool) { return "k", true }, llm.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Ask(t.Context(), llm.Request{Model: "m", MaxTokens: 9, Messages: []llm.Message{{Role: "user", Text: "x"}}})
		server.Close()
		if e, ok := err.(*llm.Error); err != nil && (!ok || e.Kind != c.kind || e.Calls != 1) || (err == nil) != (c.kind == "") {
			t.Errorf("%s: %+v, want %q", name, err, c.kind)
		}
		if err == nil {
			c.want.Calls = 1
		}
		if got.Took = 0; got != c.want {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, c.want)
		}
	}
}

// I3a: counts that cannot be are none; and some services count thoughts in the
// total alone.
func TestUsageIsPlausible(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]llm.Usage{
		`{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":30}`:                     {Input: 10, Output: 20, Reported: true},
		`{"promptTokenCount":10,"candidatesTokenCount":-2}`:                                         {},
		`{"promptTokenCount":-10,"candidatesTokenCount":2}`:                                         {},
		`{"promptTokenCount":2000000000,"candidatesTokenCount":2}`:                                  {},
		`{"promptTokenCount":10,"candidatesTokenCount":2,"cachedContentTokenCount":11}`:             {},
		`{"promptTokenCount":10,"candidatesTokenCount":2147483647,"thoughtsTokenCount":2147483647}`: {},
	} {
		var part genai.GenerateContentResponse
		if err := json.Unmarshal([]byte(`{"usageMetadata":`+usage+`}`), &part); err != nil {
			t.Fatal(err)
		}
		d := draft{usage: llm.Usage{Input: 10, Output: 1, Reported: true}}
		if d.add(&part); d.usage != want {
			t.Errorf("%s: %+v, want %+v", usage, d.usage, want)
		}
	}
}
