package meter

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/llm/modeltest"
)

// F47: whatever a service does, the request ends in bounded time, the failure is
// known for what it is, and only what may have been used is paid.
func TestF47EveryFailureIsTold(t *testing.T) {
	t.Parallel()
	hang := modeltest.Duration(time.Minute)
	for _, c := range []struct {
		name   string
		step   modeltest.Step
		status int // of the whole reply; a stream has begun
		kind   llm.Kind
		class  clade.Class
		wait   time.Duration
		spent  bool // at its reservation
	}{
		{name: "401", step: modeltest.Step{Fail: &modeltest.Fail{Status: 401}}, status: 401, kind: llm.KindAccess, class: clade.ClassAccess},
		{name: "403", step: modeltest.Step{Fail: &modeltest.Fail{Status: 403}}, status: 403, kind: llm.KindAccess, class: clade.ClassAccess},
		{name: "400", step: modeltest.Step{Fail: &modeltest.Fail{Status: 400}}, status: 400, kind: llm.KindRequest, class: clade.ClassOperator},
		{name: "429", step: modeltest.Step{Fail: &modeltest.Fail{Status: 429, RetryAfter: "7"}}, status: 429, kind: llm.KindRate, class: clade.ClassModel, wait: 7 * time.Second},
		{name: "500", step: modeltest.Step{Fail: &modeltest.Fail{Status: 500}}, status: 500, kind: llm.KindServer, class: clade.ClassModel},
		{name: "529", step: modeltest.Step{Fail: &modeltest.Fail{Status: 529}}, status: 529, kind: llm.KindServer, class: clade.ClassModel},
		{name: "504", step: modeltest.Step{Fail: &modeltest.Fail{Status: 504}}, status: 504, kind: llm.KindServer, class: clade.ClassModel, spent: true},
		{name: "half a stream", step: modeltest.Step{Text: "yes", Cut: true}, kind: llm.KindNetwork, class: clade.ClassModel, spent: true},
		{name: "a stream that stalls", step: modeltest.Step{Text: "yes", Stall: hang}, kind: llm.KindNetwork, class: clade.ClassModel, spent: true},
		{name: "nothing at all", step: modeltest.Step{Hang: hang}, status: 504, kind: llm.KindNetwork, class: clade.ClassModel, spent: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, answering(t, c.step))
			if c.step.Hang > 0 || c.step.Stall > 0 {
				quick(t, w)
			}
			for _, d := range dialects {
				for _, d := range []dialect{d, d.streamed()} {
					s := w.open(d.provider, llm.Cap{Microdollars: 100_000})
					status, header, body := w.ask(s, d)
					m := s.Close()
					if c.status != 0 && status != c.status {
						t.Errorf("%s: %d %s", d.name, status, body)
					}
					if m.Last == nil || m.Last.Kind != c.kind || m.Last.Class() != c.class || m.Last.RetryAfter != c.wait {
						t.Errorf("%s: %+v, want %s", d.name, m.Last, c.kind)
					}
					if c.wait > 0 && header.Get("Retry-After") != "7" {
						t.Errorf("%s: the client is told to wait %q", d.name, header.Get("Retry-After"))
					}
					if m.Spent.Calls != 1 || m.Spent.Assumed != c.spent || c.spent != (m.Spent.Microdollars > 10_000) {
						t.Errorf("%s: spent %+v", d.name, m.Spent)
					}
				}
			}
		})
	}
}

// quick gives the world a gateway with little patience.
func quick(t *testing.T, w *world) {
	t.Helper()
	g, err := New(Options{Lookup: w.lookup, Silence: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	w.gateway = g
}

// raw replies with status 200 and a body, in pieces.
func raw(kind string, parts ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		for _, p := range parts {
			_, _ = io.WriteString(w, p)
			_ = http.NewResponseController(w).Flush()
		}
	})
}

const (
	jsonType   = "application/json"
	streamType = "text/event-stream; charset=utf-8"
)

// Replies of status 200 that are none, or say of themselves that they failed.
func TestF47RepliesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, dialect, kind, body string
		want                      llm.Kind
	}{
		{"no choices", "chat", jsonType, `{"choices":[]}`, llm.KindReply},
		{"no choices, streamed", "chat", streamType, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", llm.KindReply},
		{"an empty reply", "chat", jsonType, "", llm.KindReply},
		{"a page", "chat", "text/html", "<html><title>Sign in</title></html>", llm.KindReply},
		{"no candidates", "generate", jsonType, `{"candidates":[]}`, llm.KindReply},
		{"an error in place of a reply", "chat", jsonType, `{"error":{"message":"down","type":"server_error"}}`, llm.KindServer},
		{"overloaded in the middle", "messages", streamType, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n", llm.KindServer},
		{"rate limited in the middle", "responses", streamType, `data: {"type":"response.failed","response":{"status":"failed","output":[],"error":{"code":"rate_limit_exceeded","type":"rate_limit_error","message":"slow down"}}}` + "\n\n", llm.KindRate},
		{"an error event", "responses", streamType, `data: {"type":"error","code":"server_error","message":"down"}` + "\n\n", llm.KindServer},
		{"a redirect in words", "generate", jsonType, `[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]`, llm.KindServer},
	} {
		w := newWorld(t, raw(c.kind, c.body))
		for _, d := range dialects {
			if d.name != c.dialect {
				continue
			}
			if c.kind == streamType {
				d = d.streamed()
			}
			s := w.open(d.provider, llm.Cap{Microdollars: 100_000})
			w.ask(s, d)
			if m := s.Close(); m.Last == nil || m.Last.Kind != c.want || !m.Spent.Assumed {
				t.Errorf("%s: %+v, spent %+v; want %s", c.name, m.Last, m.Spent, c.want)
			}
		}
	}
}

// Redirects are not followed: they would carry the key elsewhere.
func TestFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, http.RedirectHandler("https://elsewhere.example/", http.StatusTemporaryRedirect))
	s := w.open(clade.ProviderOpenAI, llm.Cap{})
	status, header, _ := w.ask(s, dialects[0])
	if m := s.Close(); status != 502 || header.Get("Location") != "" || m.Last.Kind != llm.KindAccess {
		t.Errorf("%d, %v, %+v", status, header, m.Last)
	}
}

// Nothing is paid to a service that cannot be reached.
func TestUnreachableIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	s := w.open(clade.ProviderOpenAI, llm.Cap{})
	w.service.Close()
	status, _, _ := w.ask(s, dialects[0])
	if m := s.Close(); status != 502 || m.Spent != (clade.Amount{}) || m.Last == nil || m.Last.Kind != llm.KindNetwork {
		t.Errorf("%d, %+v", status, m)
	}
}

// A reply that does not say what it used costs its reservation, and is unknown.
func TestUntoldIsCountedAtTheMost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, kind, body string }{
		{"no usage", jsonType, `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}]}`},
		{"null", jsonType, `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":null}`},
		{"nothing went in", jsonType, `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":5}}`},
		{"negative", jsonType, `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":50}}}`},
		{"beyond sense", jsonType, `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":9000000000000,"completion_tokens":5}}`},
		{"a stream without it", streamType, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"},
	} {
		w := newWorld(t, raw(c.kind, c.body))
		s := w.open(clade.ProviderOpenAI, llm.Cap{Microdollars: 50_000})
		w.ask(s, dialects[0])
		if m := s.Close(); !m.Spent.Assumed || m.Spent.Microdollars < 49_990 || m.Spent.Microdollars > 50_000 || m.Usage.Reported || m.Last != nil {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
}

func TestNoPriceIsUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	s, err := w.gateway.Open(clade.Model{Name: "m", Provider: clade.ProviderOpenAI, BaseURL: w.service.URL}, llm.Cap{})
	if err != nil {
		t.Fatal(err)
	}
	w.ask(s, dialects[0])
	if m := s.Close(); m.Spent != (clade.Amount{Tokens: 1050, Calls: 1, Unknown: true}) {
		t.Errorf("%+v", m)
	}
}

// Some services count reasoning only in the total, some compress what nobody
// asked to be, some stream as a list.
func TestReadsWhatServicesSay(t *testing.T) {
	t.Parallel()
	zipped := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", jsonType)
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)
		_ = z.Close()
	})
	for _, c := range []struct {
		name    string
		dialect dialect
		service http.Handler
		want    llm.Usage
	}{
		{"compressed", dialects[0], zipped, llm.Usage{Input: 10, Output: 5}},
		{"reasoning apart", dialects[0], raw(jsonType, `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":40}}`), llm.Usage{Input: 10, Output: 30}},
		{"DeepSeek's cache", dialects[0], raw(jsonType, `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4}}`), llm.Usage{Input: 6, CacheRead: 4, Output: 5}},
		{"with every event", dialects[0].streamed(), raw(streamType, "data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":1}}\r\n\r\n",
			"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\r\n\r\n"), llm.Usage{Input: 10, Output: 2}},
		{"incomplete", dialects[1].streamed(), raw(streamType, `data: {"type":"response.output_text.delta","delta":"x"}`+"\n\n",
			`data: {"type":"response.incomplete","response":{"status":"incomplete","output":[{}],"usage":{"input_tokens":10,"output_tokens":3,"input_tokens_details":{"cached_tokens":2,"cache_write_tokens":1}}}}`+"\n\n"), llm.Usage{Input: 7, CacheRead: 2, CacheWrite: 1, Output: 3}},
		{"written to a cache", dialects[2].streamed(), raw(streamType, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":9,\"output_tokens\":1}}}\n\n",
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"), llm.Usage{Input: 3, CacheWrite: 9, Output: 7}},
		{"thoughts", dialects[3].streamed(), raw(streamType, "data: {\"candidates\":[{}],\"usageMetadata\":{\"promptTokenCount\":10,\"totalTokenCount\":10}}\r\n\r\n",
			"data: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":2,\"thoughtsTokenCount\":4,\"totalTokenCount\":16}}\r\n\r\n"), llm.Usage{Input: 10, Output: 6}},
		{"a list", dialects[3], raw(jsonType, `[{"candidates":[{}]},`, `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2}}]`), llm.Usage{Input: 10, Output: 2}},
	} {
		w := newWorld(t, c.service)
		s := w.open(c.dialect.provider, llm.Cap{})
		if status, header, body := w.ask(s, c.dialect); status != 200 || header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
		c.want.Reported = true
		if m := s.Close(); m.Usage != c.want || m.Spent.Assumed || m.Last != nil {
			t.Errorf("%s: %+v, want %+v", c.name, m, c.want)
		}
	}
}

// I3a: counts that cannot be are no usage on any wire: the request is settled at
// the most it could have cost, and no sum goes around.
func TestAbsurdUsageIsNone(t *testing.T) {
	t.Parallel()
	chat := func(usage string) string {
		return `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":` + usage + `}`
	}
	start := `data: {"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}` + "\n\n"
	stop := `data: {"type":"message_stop"}` + "\n\n"
	for _, c := range []struct {
		name    string
		dialect dialect
		form    string
		body    string
	}{
		{"chat, large", dialects[0], jsonType, chat(`{"prompt_tokens":5000000000000,"completion_tokens":5}`)},
		{"chat, above 64 bits", dialects[0], jsonType, chat(`{"prompt_tokens":10,"completion_tokens":1e30}`)},
		{"chat, negative", dialects[0], jsonType, chat(`{"prompt_tokens":10,"completion_tokens":-5}`)},
		{"chat, no number", dialects[0], jsonType, chat(`{"prompt_tokens":10,"completion_tokens":"many"}`)},
		{"chat, around", dialects[0], jsonType, chat(`{"prompt_tokens":9223372036854775807,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":9223372036854775807}}`)},
		{"chat, taken back", dialects[0].streamed(), streamType, "data: " + chat(`{"prompt_tokens":10,"completion_tokens":1}`) + "\n\ndata: " + chat(`{"prompt_tokens":10,"completion_tokens":-1}`) + "\n\n"},
		{"responses", dialects[1].streamed(), streamType, `data: {"type":"response.completed","response":{"output":[{}],"usage":{"input_tokens":10,"output_tokens":4000000000000000000}}}` + "\n\n"},
		{"messages, large", dialects[2].streamed(), streamType, start + `data: {"type":"message_delta","usage":{"output_tokens":4000000000000000000}}` + "\n\n" + stop},
		{"messages, negative", dialects[2].streamed(), streamType, start + `data: {"type":"message_delta","usage":{"output_tokens":-7}}` + "\n\n" + stop},
		{"google", dialects[3], jsonType, `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":-2}}`},
	} {
		w := newWorld(t, raw(c.form, c.body))
		s := w.open(c.dialect.provider, llm.Cap{})
		w.ask(s, c.dialect)
		if m := s.Close(); m.Usage.Reported || !m.Spent.Assumed || m.Spent.Tokens < 1000 || m.Spent.Tokens > llm.TokensMost || m.Spent.Microdollars <= 0 {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
	// Whole numbers have more than one form.
	w := newWorld(t, raw(jsonType, chat(`{"prompt_tokens":10.0,"completion_tokens":5e0}`)))
	s := w.open(dialects[0].provider, llm.Cap{})
	w.ask(s, dialects[0])
	if m := s.Close(); m.Usage != (llm.Usage{Input: 10, Output: 5, Reported: true}) {
		t.Errorf("%+v", m)
	}
}

// The event with the usage is for clients that asked for it.
func TestUsageIsOnlyForWhoAsked(t *testing.T) {
	t.Parallel()
	const text, usage, done = "data: {\"choices\":[{\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n",
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\n", "data: [DONE]\n\n"
	for asked, want := range map[string]string{"": text + done, `,"stream_options":{"include_usage":true}`: text + usage + done, `,"stream_options":{"include_usage":false,"x":1}`: text + done} {
		w := newWorld(t, raw(streamType, text+usage[:20], usage[20:]+done))
		s := w.open(clade.ProviderOpenAI, llm.Cap{})
		d := dialects[0].streamed()
		d.body += asked
		if _, _, body := w.ask(s, d); body != want {
			t.Errorf("%s: the client got %q", asked, body)
		}
		if field(t, w.last().body, "stream_options.include_usage") != true {
			t.Errorf("%s: the service was sent %s", asked, w.last().body)
		}
		if m := s.Close(); m.Usage.Input != 10 {
			t.Errorf("%s: %+v", asked, m)
		}
	}
}

// What arrives is passed on at once.
func TestStreamsAreNotHeld(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", streamType)
		_, _ = io.WriteString(rw, "data: {\"choices\":[{\"delta\":{}}]}\n\n")
		_ = http.NewResponseController(rw).Flush()
		<-more
		_, _ = io.WriteString(rw, "data: [DONE]\n\n")
	}))
	s := w.open(clade.ProviderOpenAI, llm.Cap{})
	res, err := http.DefaultClient.Do(w.request(s, dialects[0].streamed()))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "choices") {
		t.Fatal(line, err)
	}
	close(more) // only now does the service go on
	if rest, err := io.ReadAll(in); err != nil || !strings.Contains(string(rest), "[DONE]") {
		t.Error(string(rest), err)
	}
}

// A session that ends while the service has said nothing knows whose silence it was.
func TestTheServicesSilenceIsKept(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	w := newWorld(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
	}))
	s := w.open(clade.ProviderOpenAI, llm.Cap{Microdollars: 50_000})
	over := make(chan struct{})
	go func() {
		defer close(over)
		if res, err := http.DefaultClient.Do(w.request(s, dialects[0].streamed())); err == nil {
			_ = res.Body.Close()
		}
	}()
	<-asked
	if m := s.Close(); m.Last == nil || m.Last.Kind != llm.KindNetwork || m.Usage.Tokens() != 0 || !m.Spent.Assumed {
		t.Errorf("%+v", m)
	}
	<-over
}

// A client that goes takes its request with it; what it may have used is paid.
func TestTheClientsEndIsTheServices(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*http.Response, llm.Session){
		"the client hangs up": func(res *http.Response, _ llm.Session) { _ = res.Body.Close() },
		"the session ends":    func(_ *http.Response, s llm.Session) { s.Close() },
	} {
		gone := make(chan struct{})
		w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", streamType)
			_, _ = io.WriteString(rw, "data: {\"choices\":[{\"delta\":{}}]}\n\n")
			_ = http.NewResponseController(rw).Flush()
			<-r.Context().Done()
			close(gone)
		}))
		s := w.open(clade.ProviderOpenAI, llm.Cap{Microdollars: 50_000})
		res, err := http.DefaultClient.Do(w.request(s, dialects[0].streamed()))
		if err != nil {
			t.Fatal(err)
		}
		end(res, s)
		<-gone
		first := s.Close()
		if !first.Spent.Assumed || first.Spent.Microdollars < 49_990 || first.Spent.Microdollars > 50_000 || first.Last != nil {
			t.Errorf("%s: %+v", name, first)
		}
		if again := s.Close(); again != first {
			t.Errorf("%s: closed again it says %+v", name, again)
		}
		_ = res.Body.Close()
	}
}

// A reply of any size passes, and takes bounded memory.
func TestRepliesOfAnySizePass(t *testing.T) {
	t.Parallel()
	const size = 24 << 20
	block := strings.Repeat("x", 1<<20)
	for name, kind := range map[string]string{"one piece": jsonType, "one line": streamType} {
		w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(rw, "data: ")
			for range size >> 20 {
				_, _ = io.WriteString(rw, block)
			}
			_, _ = io.WriteString(rw, "\n\ndata: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\n")
		}))
		s := w.open(clade.ProviderOpenAI, llm.Cap{})
		res, err := http.DefaultClient.Do(w.request(s, dialects[0].streamed()))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || n < size {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
		if m := s.Close(); m.Spent.Assumed != (kind == jsonType) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// What costs otherwise than by the token, or leads past the gateway, is taken
// out; all else stays as it was written.
func TestTakesOutWhatHasNoBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for _, c := range []struct {
		dialect    int
		add        string
		gone, kept []string
	}{
		{0, `,"n":4,"service_tier":"priority","web_search_options":{},"x":{"a" :1},"tools":[{"type":"function","function":{"name":"f"}},{"type":"web_search"}]`,
			[]string{`"n"`, "service_tier", "web_search"}, []string{`"x":{"a" :1}`, `"name":"f"`}},
		{1, `,"background":true,"tools":[{"type":"web_search_preview"}],"tool_choice":"auto"`, []string{"background", "web_search", "tool_choice"}, nil},
		{1, `,"tools":[{"type":"custom","name":"c"},{"type":"code_interpreter","container":{}},{"type":"mcp","server_url":"u"}]`, []string{"code_interpreter", "mcp"}, []string{`{"type":"custom","name":"c"}`}},
		{2, `,"speed":"fast","mcp_servers":[{}],"tools":[{"name":"Write","input_schema":{}},{"type":"web_search_20250305","name":"w"},{"type":"bash_20250124","name":"bash"}]`,
			[]string{"speed", "mcp_servers", "web_search"}, []string{`"name":"Write"`, "bash_20250124"}},
		{3, `,"tools":[{"functionDeclarations":[{"name":"f"}],"googleSearch":{}},{"urlContext":{}}],"generationConfig":{"candidateCount":3,"topK":5}`,
			[]string{"googleSearch", "urlContext", "candidateCount"}, []string{`"name":"f"`, `"topK":5`}},
	} {
		d := dialects[c.dialect]
		d.body += c.add
		if status, _, body := w.ask(w.open(d.provider, llm.Cap{}), d); status != 200 {
			t.Errorf("%s: %d %s", d.name, status, body)
		}
		sent := string(w.last().body)
		for _, word := range c.gone {
			if strings.Contains(sent, word) {
				t.Errorf("%s: the service was sent %s: %s", d.name, word, sent)
			}
		}
		for _, word := range c.kept {
			if !strings.Contains(sent, word) {
				t.Errorf("%s: %s is gone: %s", d.name, word, sent)
			}
		}
	}
	extra := dialects[1]
	extra.body = `{"model":"m","input":[{"type":"additional_tools","tools":[{"type":"function","name":"f"},{"type":"image_generation"}]},{"role":"user","content":"additional_tools"}]`
	w.ask(w.open(extra.provider, llm.Cap{}), extra)
	if sent := string(w.last().body); strings.Contains(sent, "image_generation") || !strings.Contains(sent, `"name":"f"`) {
		t.Error(sent)
	}
}

// Thinking must fit into the reply, or the service refuses the request.
func TestThinkingFitsIntoTheReply(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]string{20_000: `{"type":"enabled","budget_tokens":10000}`, 1_500: `{"type":"enabled","budget_tokens":1024}`, 1_000: "", 40_000: `{"type":"enabled","budget_tokens":31999}`} {
		o, err := parse([]byte(`{"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":31999}}`))
		if err != nil {
			t.Fatal(err)
		}
		messages{}.limit(o, false, most)
		if got := string(o.get("thinking")); got != want || o.number("max_tokens") != most {
			t.Errorf("%d: %s", most, o.bytes())
		}
	}
}

func TestRequestsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for name, body := range map[string]string{
		"no JSON":          `{"model":`,
		"a list":           `[1]`,
		"a key twice":      `{"max_tokens":1,"max_tokens":99999}`,
		"an escaped twice": `{"max_tokens":1,"max\u005ftokens":99999}`,
		"nothing":          ``,
	} {
		s := w.open(clade.ProviderOpenAI, llm.Cap{})
		r := w.request(s, dialects[0])
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if m := s.Close(); res.StatusCode != 400 || m.Spent != (clade.Amount{}) {
			t.Errorf("%s: %d, %+v", name, res.StatusCode, m)
		}
	}
	if len(w.seen) > 0 {
		t.Errorf("the service saw %d of them", len(w.seen))
	}
}

// The gateway's part of a request, with the service and the client on the same
// machine. direct is without it.
func BenchmarkOverhead(b *testing.B) {
	service := raw(streamType, "data: {\"choices\":[{\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n")
	w := &world{}
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20} {
		body := fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":%q}]}`, strings.Repeat("some words of a prompt\n", size/23))
		for _, through := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dkB/gateway=%v", size>>10, through), func(b *testing.B) {
				address, key := w.bench(b, service, through)
				for b.Loop() {
					r, err := http.NewRequest("POST", address, strings.NewReader(body))
					if err != nil {
						b.Fatal(err)
					}
					r.Header.Set("Authorization", "Bearer "+key)
					res, err := http.DefaultClient.Do(r)
					if err != nil {
						b.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			})
		}
	}
}

func (w *world) bench(b *testing.B, service http.Handler, through bool) (address, key string) {
	b.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		service.ServeHTTP(rw, r)
	}))
	b.Cleanup(srv.Close)
	if !through {
		return srv.URL + "/v1/chat/completions", "none"
	}
	g, err := New(Options{Lookup: w.lookup})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = g.Close() })
	s, err := g.Open(clade.Model{Name: "m", Provider: clade.ProviderOpenAI, BaseURL: srv.URL, Price: price()}, llm.Cap{Microdollars: 1_000_000_000})
	if err != nil {
		b.Fatal(err)
	}
	return s.BaseURL() + "/v1/chat/completions", s.Key()
}
