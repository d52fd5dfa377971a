// Package llmtest holds every client of models to the contract, against a
// scripted server of its provider's protocol.
package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/llm/modeltest"
)

// A Dial makes a client, as the New of every provider does.
type Dial = func(m clade.Model, lookup func(name string) (string, bool), l llm.Limits) (llm.Client, error)

// key is planted wherever a key goes, and must be seen nowhere else.
const key = "sk-planted-6fd9b1c2a7"

// A suite is what all cases of one provider share.
type suite struct {
	provider clade.Provider
	dial     Dial
}

// Run holds the clients that dial makes for a provider to the contract.
func Run(t *testing.T, provider string, dial Dial) {
	p, ok := clade.ProviderOf(provider)
	if !ok {
		t.Fatalf("no provider is called %q", provider)
	}
	s := &suite{p, dial}
	t.Run("TakesNothingFromTheEnvironment", s.environment) // first: it sets variables
	t.Run("Replies", s.replies)
	t.Run("Failures", s.failures)
	t.Run("Sends", s.sends)
	t.Run("JoinsAddresses", s.addresses)
	t.Run("Keys", s.keys)
	t.Run("KeepsClocks", s.clocks)
	t.Run("EndsWithItsContext", s.contexts)
	t.Run("FollowsNoRedirect", s.redirect)
	t.Run("NothingListens", s.unreachable)
}

// model is one whose service is at an address.
func (s *suite) model(base string) clade.Model {
	return clade.Model{Name: "m", Provider: s.provider.Name, Model: "m-1", BaseURL: base}
}

// signedIn is an environment with the provider's key and nothing else.
func (s *suite) signedIn(name string) (string, bool) {
	if name == s.provider.KeyEnv {
		return key, true
	}
	return "", false
}

func nothing(string) (string, bool) { return "", false }

func (s *suite) client(t testing.TB, base string, l llm.Limits) llm.Client {
	t.Helper()
	c, err := s.dial(s.model(base), s.signedIn, l)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// scripted serves one step for ever.
func scripted(t testing.TB, step modeltest.Step) (*modeltest.Server, string) {
	t.Helper()
	server, err := modeltest.New(&modeltest.Script{Toolless: true, Default: []modeltest.Step{step}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return server, serve(t, server)
}

func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	ts := httptest.NewServer(h)
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return ts.URL
}

func question() llm.Request {
	return llm.Request{
		Model:     "m-1",
		System:    "You are terse.",
		Messages:  []llm.Message{{Role: "user", Text: "one"}, {Role: "assistant", Text: "two"}, {Role: "user", Text: "three"}},
		MaxTokens: 1234,
	}
}

func (s *suite) replies(t *testing.T) {
	usage := modeltest.Usage{Input: 900, Cached: 200, Written: 100, Output: 50}
	counted := llm.Usage{Input: 600, CacheRead: 200, CacheWrite: 100, Output: 50, Reported: true}
	if s.provider.Name == clade.ProviderGoogle {
		counted.Input, counted.CacheWrite = 700, 0 // it does not say what it wrote to a cache
	}
	tool := []modeltest.RawCall{{Name: "look", Args: map[string]any{}}}
	for name, c := range map[string]struct {
		step modeltest.Step
		want llm.Reply
	}{
		"whole":        {modeltest.Step{Text: "Ümläut \n```go\n", Usage: &usage}, llm.Reply{Text: "Ümläut \n```go\n", Finish: llm.FinishStop, Usage: counted}},
		"usage unsaid": {modeltest.Step{Text: "a", Silent: true}, llm.Reply{Text: "a", Finish: llm.FinishStop}},
		"cut by limit": {modeltest.Step{Text: "a", Usage: &usage, Finish: modeltest.FinishLength}, llm.Reply{Text: "a", Finish: llm.FinishLength, Usage: counted}},
		"only thought": {modeltest.Step{Usage: &usage, Finish: modeltest.FinishLength}, llm.Reply{Finish: llm.FinishLength, Usage: counted}},
		"refused":      {modeltest.Step{Text: "no", Usage: &usage, Finish: modeltest.FinishRefuse}, llm.Reply{Text: "no", Finish: llm.FinishRefuse, Usage: counted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, url := scripted(t, c.step)
			got, err := s.client(t, url, llm.Limits{}).Ask(t.Context(), question())
			if err != nil {
				t.Fatal(err)
			}
			c.want.Calls, got.Took = 1, 0
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if n := len(server.Log()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
	t.Run("text beside a call of a tool", func(t *testing.T) {
		t.Parallel()
		_, url := scripted(t, modeltest.Step{Text: "a", Calls: tool})
		got, err := s.client(t, url, llm.Limits{}).Ask(t.Context(), question())
		if err != nil || got.Text != "a" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// A failing is a step and how asking ends by it.
type failing struct {
	step   modeltest.Step
	limits llm.Limits
	want   llm.Error // Kind, Status, RetryAfter and Usage.Reported count
	says   string    // occurs in the text
}

// failures is F47 as far as a service goes, and the replies of PEERS that others
// take for good.
func (s *suite) failures(t *testing.T) {
	fail := func(status int, message string) modeltest.Step {
		return modeltest.Step{Fail: &modeltest.Fail{Status: status, Message: message}}
	}
	raw := func(contentType, text string) modeltest.Step {
		return modeltest.Step{Raw: &modeltest.Raw{ContentType: contentType, Text: text}}
	}
	refused := func(k llm.Kind, status int) llm.Error {
		return llm.Error{Kind: k, Status: status, Usage: llm.Usage{Reported: true}}
	}
	late := modeltest.Step{Fail: &modeltest.Fail{Status: 429, RetryAfter: "7"}}
	limited := refused(llm.KindRate, 429)
	limited.RetryAfter = 7 * time.Second
	quiet := llm.Limits{Silence: 40 * time.Millisecond, Whole: 5 * time.Second}
	hour := modeltest.Duration(time.Hour)
	tool := []modeltest.RawCall{{Name: "look", Args: map[string]any{}}}
	counted := llm.Error{Kind: llm.KindReply, Usage: llm.Usage{Reported: true}}

	for name, c := range map[string]failing{
		"400":                  {step: fail(400, "no such thing"), want: refused(llm.KindRequest, 400), says: "no such thing"},
		"401":                  {step: fail(401, "wrong key "+key), want: refused(llm.KindAccess, 401), says: "wrong key (key)"},
		"403":                  {step: fail(403, "not for you"), want: refused(llm.KindAccess, 403), says: "not for you"},
		"404 model":            {step: fail(404, "no model m-1"), want: refused(llm.KindAccess, 404), says: "no model m-1"},
		"429":                  {step: late, want: limited},
		"500":                  {step: fail(500, "oops"), want: refused(llm.KindServer, 500), says: "oops"},
		"503":                  {step: fail(503, "busy"), want: refused(llm.KindServer, 503)},
		"504":                  {step: fail(504, "late"), want: llm.Error{Kind: llm.KindServer, Status: 504}},
		"529":                  {step: fail(529, "overloaded"), want: refused(llm.KindServer, 529)},
		"long complaint":       {step: fail(400, strings.Repeat("long ", 1e4)), want: refused(llm.KindRequest, 400)},
		"no choices":           {step: modeltest.Step{Empty: true}, want: counted},
		"only a tool":          {step: modeltest.Step{Calls: tool}, want: counted, says: "tool"},
		"no text":              {step: modeltest.Step{}, want: counted},
		"page":                 {step: raw("text/html", "<!doctype html><title>Sign in</title>"), want: llm.Error{Kind: llm.KindReply}, says: "Sign in"},
		"page said to be JSON": {step: raw("application/json", "\n<html>"), want: llm.Error{Kind: llm.KindReply}},
		"nothing":              {step: raw("application/json", ""), want: llm.Error{Kind: llm.KindReply}, says: "empty"},
		"blanks":               {step: raw("text/event-stream", "\n\n\n"), want: llm.Error{Kind: llm.KindReply}},
		"words":                {step: raw("text/plain", "upstream connect error"), want: llm.Error{Kind: llm.KindReply}},
		"other JSON":           {step: raw("application/json", `{"ok":true}`), want: llm.Error{Kind: llm.KindReply}},
		"null":                 {step: raw("application/json", `null`), want: llm.Error{Kind: llm.KindReply}},
		"a list":               {step: raw("application/json", `[]`), want: llm.Error{Kind: llm.KindReply}},
		"events of null":       {step: raw("text/event-stream", "data: null\n\n"), want: llm.Error{Kind: llm.KindReply}},
		"deep":                 {step: raw("application/json", strings.Repeat("[", 1e5)), want: llm.Error{Kind: llm.KindReply}},
		"key in words":         {step: raw("text/plain", "data: {"+key+"}\n\n"), want: llm.Error{Kind: llm.KindReply}},
		"not UTF-8":            {step: modeltest.Step{Raw: &modeltest.Raw{Bytes: []byte("data: {\"\xff\":1}\n\n")}}, want: llm.Error{Kind: llm.KindReply}, says: "UTF-8"},
		"cut at the start":     {step: modeltest.Step{Text: "half", Cut: true}, want: llm.Error{Kind: llm.KindNetwork}, says: "cut off"},
		"half a stream":        {step: modeltest.Step{Text: "half", Cut: true, After: 2}, want: llm.Error{Kind: llm.KindNetwork}, says: "cut off"},
		"hangs":                {step: modeltest.Step{Hang: hour}, limits: quiet, want: llm.Error{Kind: llm.KindNetwork}, says: "nothing for 40ms"},
		"stalls":               {step: modeltest.Step{Text: "half", Stall: hour, After: 2}, limits: quiet, want: llm.Error{Kind: llm.KindNetwork}, says: "nothing for 40ms"},
		"huge":                 {step: modeltest.Step{Text: strings.Repeat("x", 1<<20)}, limits: llm.Limits{Bytes: 64 << 10}, want: llm.Error{Kind: llm.KindReply}, says: "larger than"},
		"huge without an end":  {step: raw("text/event-stream", strings.Repeat("x", 1<<20)), limits: llm.Limits{Bytes: 64 << 10}, want: llm.Error{Kind: llm.KindReply}, says: "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.fails(t, c)
		})
	}
}

func (s *suite) fails(t *testing.T, c failing) {
	server, url := scripted(t, c.step)
	reply, err := s.client(t, url, c.limits).Ask(t.Context(), question())
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if e.Kind != c.want.Kind || e.Status != c.want.Status || e.RetryAfter != c.want.RetryAfter || e.Usage.Reported != c.want.Usage.Reported {
		t.Errorf("got %+v, want %+v", *e, c.want)
	}
	if e.Calls != 1 || !strings.Contains(e.Text, c.says) {
		t.Errorf("%d calls, says %q, want %q", e.Calls, e.Text, c.says)
	}
	wellSaid(t, e)
	if n := len(server.Log()); n > 1 { // one that was cut is logged after its end
		t.Errorf("%d requests", n)
	}
}

// wellSaid wants words that can be shown.
func wellSaid(t *testing.T, e *llm.Error) {
	t.Helper()
	if e.Text == "" || len(e.Error()) > 2000 || strings.ContainsAny(e.Text, "\n\x1b") {
		t.Errorf("says %q", e.Text)
	}
	for err := error(e); err != nil; err = errors.Unwrap(err) {
		if strings.Contains(err.Error(), key) {
			t.Errorf("shows the key: %v", err)
		}
	}
}

func (s *suite) sends(t *testing.T) {
	server, url := scripted(t, modeltest.Step{Text: "a"})
	c := s.client(t, url, llm.Limits{})
	warm := 0.25
	for _, temperature := range []*float64{nil, &warm} {
		q := question()
		q.Temperature = temperature
		if _, err := c.Ask(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	log := server.Log()
	for i, e := range log {
		body := string(e.Body)
		for _, want := range []string{"You are terse.", "one", "two", "three", "1234"} {
			if !strings.Contains(body, want) {
				t.Errorf("lacks %q: %s", want, body)
			}
		}
		for _, not := range []string{"seed", "top_p", "topP", "topK", "n\":"} {
			if strings.Contains(body, `"`+not) {
				t.Errorf("sends %s unasked: %s", not, body)
			}
		}
		if got := strings.Contains(body, `"temperature":0.25`); got != (i == 1) {
			t.Errorf("request %d sends a temperature: %v: %s", i, got, body)
		}
		if e.Model != "m-1" || strings.Contains(body, key) || strings.Contains(e.Path, key) {
			t.Errorf("model %q at %s: %s", e.Model, e.Path, body)
		}
	}
	if s.provider.Name == clade.ProviderGoogle {
		return // it has the model in the address and the roles in another form
	}
	var sent struct{ Messages []struct{ Role string } }
	if err := json.Unmarshal(log[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	roles := ""
	for _, m := range sent.Messages {
		roles += m.Role + " "
	}
	if !strings.HasSuffix(roles, "user assistant user ") {
		t.Errorf("roles %s", roles)
	}
}

func (s *suite) addresses(t *testing.T) {
	server, url := scripted(t, modeltest.Step{Text: "a"})
	want := map[string]string{
		clade.ProviderOpenAI:    "/v1/chat/completions",
		clade.ProviderAnthropic: "/v1/messages",
		clade.ProviderGoogle:    "/v1beta/models/m-1:streamGenerateContent?alt=sse",
	}[s.provider.Name]
	version := map[string]string{clade.ProviderGoogle: "/v1beta"}[s.provider.Name]
	if version == "" {
		version = "/v1"
	}
	for _, end := range []string{"", "/", version, version + "/"} {
		if _, err := s.client(t, url+end, llm.Limits{}).Ask(t.Context(), question()); err != nil {
			t.Errorf("%q: %v", end, err)
		}
		log := server.Log()
		if got := log[len(log)-1].Path; got != want {
			t.Errorf("%q: asked at %s, want %s", end, got, want)
		}
	}
	m := s.model("")
	c, err := s.dial(m, func(name string) (string, bool) {
		return map[string]string{s.provider.BaseURLEnv: url, s.provider.KeyEnv: key}[name], true
	}, llm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), question()); err != nil {
		t.Errorf("address in %s: %v", s.provider.BaseURLEnv, err)
	}
}

func (s *suite) keys(t *testing.T) {
	var e *llm.Error
	_, err := s.dial(s.model("https://models.invalid"), nothing, llm.Limits{})
	if !errors.As(err, &e) || e.Kind != llm.KindAccess || !strings.Contains(e.Text, s.provider.KeyEnv) {
		t.Errorf("no key: %v", err)
	}
	m := s.model("https://models.invalid")
	m.KeyEnv = "MY_KEY"
	if _, err = s.dial(m, s.signedIn, llm.Limits{}); err == nil || !strings.Contains(err.Error(), "MY_KEY") {
		t.Errorf("no key of one's own: %v", err)
	}
	if _, err = s.dial(m, func(name string) (string, bool) { return "k", name == "MY_KEY" }, llm.Limits{}); err != nil {
		t.Errorf("a key of one's own: %v", err)
	}
	server, url := scripted(t, modeltest.Step{Text: "a"})
	c, err := s.dial(s.model(url), nothing, llm.Limits{})
	if err != nil {
		t.Fatalf("a service on this machine needs no key: %v", err)
	}
	if _, err := c.Ask(t.Context(), question()); err != nil {
		t.Error(err)
	}
	if h := server.Log()[0].Headers; h.Get("Authorization")+h.Get("X-Api-Key") != "" {
		t.Errorf("a key was sent: %v", h)
	}
}

// environment has variables that SDKs read by themselves.
func (s *suite) environment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY",
		"ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(name, "ambient")
	}
	for _, name := range []string{"OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"} {
		t.Setenv(name, "X-Ambient: ambient")
	}
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"} {
		t.Setenv(name, "http://ambient.invalid")
	}
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	var words bytes.Buffer
	to := log.Writer()
	log.SetOutput(&words)
	t.Cleanup(func() {
		log.SetOutput(to)
		if words.Len() > 0 {
			t.Errorf("logged: %s", &words)
		}
	})
	server, err := modeltest.New(&modeltest.Script{Toolless: true, Default: []modeltest.Step{{Text: "a"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if all := strings.Join(values, " "); strings.Contains(all, "ambient") {
				t.Errorf("%s: %s was sent", name, all)
			}
		}
		server.ServeHTTP(w, r)
	}))
	if _, err := s.client(t, url, llm.Limits{}).Ask(t.Context(), question()); err != nil {
		t.Error(err)
	}
}

// clocks has a service that is never silent and does not end in time.
func (s *suite) clocks(t *testing.T) {
	t.Parallel()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for n := 0; n < 1000 && r.Context().Err() == nil; n++ {
			<-tick.C
			_, _ = w.Write([]byte(": still here\n\n"))
			_ = http.NewResponseController(w).Flush()
		}
	}))
	c := s.client(t, url, llm.Limits{Silence: time.Minute, Whole: 50 * time.Millisecond})
	_, err := c.Ask(t.Context(), question())
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindNetwork || e.Usage.Reported || !strings.Contains(e.Text, "within 50ms") {
		t.Errorf("%v", err)
	}
}

func (s *suite) contexts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices only then that the client has gone
		cancel()
		<-r.Context().Done()
	}))
	if _, err := s.client(t, url, llm.Limits{}).Ask(ctx, question()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, url = scripted(t, modeltest.Step{Hang: modeltest.Duration(time.Hour)})
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.client(t, url, llm.Limits{}).Ask(ctx, question()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timed out: %v", err)
	}
}

func (s *suite) redirect(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the key was carried elsewhere") }))
	url := serve(t, http.RedirectHandler(elsewhere, http.StatusTemporaryRedirect))
	_, err := s.client(t, url, llm.Limits{}).Ask(t.Context(), question())
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindAccess || !strings.Contains(e.Text, elsewhere) {
		t.Errorf("%v", err)
	}
}

func (s *suite) unreachable(t *testing.T) {
	t.Parallel()
	ts := httptest.NewServer(http.NotFoundHandler())
	ts.Close()
	_, err := s.client(t, ts.URL, llm.Limits{}).Ask(t.Context(), question())
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindNetwork || !e.Usage.Reported {
		t.Fatalf("%v", err)
	}
	wellSaid(t, e)
}

// Bench measures a question to a service in this process.
func Bench(b *testing.B, provider string, dial Dial) {
	p, _ := clade.ProviderOf(provider)
	s := &suite{p, dial}
	_, url := scripted(b, modeltest.Step{Text: strings.Repeat("a line of a file\n", 500)})
	c := s.client(b, url, llm.Limits{})
	q := question()
	q.System = strings.Repeat("a line of the objective\n", 1000)
	for b.Loop() {
		if _, err := c.Ask(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
}
