package meter

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/llm/modeltest"
)

// planted is the key that nobody but the service may see.
const planted = "sk-planted-0123456789abcdef"

// dollars are cheap to work with: 1 for a million tokens in, 0.10 of them from a
// cache, 5 for a million out.
func price() *clade.Price {
	read := clade.Microdollars(100_000)
	return &clade.Price{Input: 1_000_000, Output: 5_000_000, CacheRead: &read}
}

// A world is a gateway with a service behind it.
type world struct {
	t       *testing.T
	gateway llm.Gateway
	service *httptest.Server

	mu   sync.Mutex
	seen []seen
}

// seen is a request as the service saw it.
type seen struct {
	path   string
	header http.Header
	body   []byte
}

func newWorld(t *testing.T, service http.Handler) *world {
	t.Helper()
	w := &world{t: t}
	w.service = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.seen = append(w.seen, seen{r.URL.RequestURI(), r.Header.Clone(), body})
		w.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		service.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.service.Close)
	g, err := New(Options{Lookup: w.lookup, Silence: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	w.gateway = g
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) lookup(name string) (string, bool) {
	if strings.HasSuffix(name, "_API_KEY") {
		return planted, true
	}
	return "", false
}

func scripted(t *testing.T, s modeltest.Script) *modeltest.Server {
	t.Helper()
	s.Toolless = true
	srv, err := modeltest.New(&s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// answering replies once, using 1000 tokens of input, 200 of them cached, and 50
// of output: 800 × 1 + 200 × 0.10 + 50 × 5 = 1070 millionths of a dollar.
func answering(t *testing.T, steps ...modeltest.Step) *modeltest.Server {
	if len(steps) == 0 {
		steps = []modeltest.Step{{Text: "yes"}}
	}
	return scripted(t, modeltest.Script{Default: steps, Usage: modeltest.Usage{Input: 1000, Cached: 200, Output: 50}})
}

const answered = clade.Microdollars(1070)

func (w *world) open(provider string, most llm.Cap) llm.Session {
	w.t.Helper()
	s, err := w.gateway.Open(clade.Model{Name: "m", Provider: provider, Model: "declared", BaseURL: w.service.URL, Price: price(), MaxTokens: 32_000}, most)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) last() seen {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.seen) == 0 {
		w.t.Fatal("the service saw nothing")
	}
	return w.seen[len(w.seen)-1]
}

// A dialect is a protocol as a client speaks it.
type dialect struct {
	name, provider, path string
	stream               string // what is added to a request for a stream
	body                 string // without its closing brace
	most                 string // JSON path of the longest reply
	auth                 string
}

var dialects = []dialect{
	{"chat", clade.ProviderOpenAI, "/v1/chat/completions", `,"stream":true`, `{"model":"asked","messages":[{"role":"user","content":"hello"}]`, "max_tokens", "Authorization"},
	{"responses", clade.ProviderOpenAI, "/v1/responses", `,"stream":true`, `{"model":"asked","input":[{"type":"message","role":"user","content":"hello"}]`, "max_output_tokens", "Authorization"},
	{"messages", clade.ProviderAnthropic, "/v1/messages?beta=true", `,"stream":true`, `{"model":"asked","max_tokens":20000,"messages":[{"role":"user","content":"hello"}]`, "max_tokens", "X-Api-Key"},
	{"generate", clade.ProviderGoogle, "/v1beta/models/asked:generateContent", "", `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]`, "generationConfig.maxOutputTokens", "X-Goog-Api-Key"},
}

func (d dialect) streamed() dialect {
	d.body += d.stream
	d.path = strings.Replace(d.path, ":generateContent", ":streamGenerateContent?alt=sse", 1)
	return d
}

// ask sends a request as a client of the session does.
func (w *world) ask(s llm.Session, d dialect) (int, http.Header, string) {
	w.t.Helper()
	res, err := http.DefaultClient.Do(w.request(s, d))
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body) // one that is cut is as much as came
	return res.StatusCode, res.Header, string(body)
}

func (w *world) request(s llm.Session, d dialect) *http.Request {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.BaseURL()+d.path, strings.NewReader(d.body+"}"))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if d.auth == "Authorization" {
		r.Header.Set(d.auth, "Bearer "+s.Key())
	} else {
		r.Header.Set(d.auth, s.Key())
	}
	return r
}

// field finds a member by a path with dots.
func field(t *testing.T, body []byte, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, key := range strings.Split(path, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

func TestMetersEveryProtocol(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for _, whole := range dialects {
		for name, d := range map[string]dialect{"whole": whole, "streamed": whole.streamed()} {
			s := w.open(d.provider, llm.Cap{Microdollars: 1_000_000})
			status, _, body := w.ask(s, d)
			if status != 200 || !strings.Contains(body, "yes") {
				t.Errorf("%s, %s: %d %s", d.name, name, status, body)
			}
			got := s.Close()
			want := clade.Amount{Microdollars: answered, Tokens: 1050, Calls: 1}
			if got.Spent != want || got.Last != nil || got.Refused != 0 {
				t.Errorf("%s, %s: %+v; want %+v", d.name, name, got, want)
			}
			if u := (llm.Usage{Input: 800, CacheRead: 200, Output: 50, Reported: true}); got.Usage != u {
				t.Errorf("%s, %s: used %+v, want %+v", d.name, name, got.Usage, u)
			}
		}
	}
}

// Clients build their addresses with the version path once, twice or not at all.
func TestFindsThePathHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for _, c := range []struct{ provider, path, want string }{
		{clade.ProviderOpenAI, "/chat/completions", "/v1/chat/completions"},
		{clade.ProviderOpenAI, "/v1/chat/completions", "/v1/chat/completions"},
		{clade.ProviderOpenAI, "/v1/v1/responses", "/v1/responses"},
		{clade.ProviderAnthropic, "/v1/messages?beta=true", "/v1/messages?beta=true"},
		{clade.ProviderAnthropic, "/v1/v1/messages", "/v1/messages"},
		{clade.ProviderGoogle, "/v1beta/models/asked:generateContent", "/v1beta/models/declared:generateContent"},
		{clade.ProviderGoogle, "/models/asked:streamGenerateContent?alt=sse&key=x", "/v1beta/models/declared:streamGenerateContent?alt=sse"},
		{clade.ProviderGoogle, "/v1/models/a/b-1.5:generateContent", "/v1/models/declared:generateContent"},
	} {
		for _, d := range dialects {
			if d.provider != c.provider || d.name == "responses" != strings.HasSuffix(c.path, "responses") {
				continue
			}
			d.path = c.path
			if status, _, body := w.ask(w.open(c.provider, llm.Cap{}), d); status != 200 || w.last().path != c.want {
				t.Errorf("%s: %d, the service saw %s, want %s: %s", c.path, status, w.last().path, c.want, body)
			}
		}
	}
}

func TestWhatIsFreeIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for _, c := range []struct{ method, provider, path, want string }{
		{"GET", clade.ProviderOpenAI, "/v1/models", "/v1/models"},
		{"GET", clade.ProviderAnthropic, "/v1/models?limit=5&key=x", "/v1/models?limit=5"},
		{"GET", clade.ProviderGoogle, "/models", "/v1beta/models"},
		{"POST", clade.ProviderAnthropic, "/v1/messages/count_tokens", "/v1/messages/count_tokens"},
		{"POST", clade.ProviderGoogle, "/v1beta/models/asked:countTokens", "/v1beta/models/declared:countTokens"},
	} {
		s := w.open(c.provider, llm.Cap{Microdollars: 1})
		r := w.request(s, dialect{path: c.path, body: `{"model":"asked"`, auth: "Authorization"})
		if r.Method = c.method; c.method == "GET" {
			r.Body, r.ContentLength = nil, 0
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if got := s.Close(); res.StatusCode != 200 || w.last().path != c.want || got.Spent != (clade.Amount{}) {
			t.Errorf("%s %s: %d, saw %s, metered %+v", c.method, c.path, res.StatusCode, w.last().path, got)
		}
	}
	if got := field(t, w.seen[3].body, "model"); got != "declared" {
		t.Errorf("tokens are counted for %v", got)
	}
}

// H14: nothing but a model is asked, and only by who knows the session and key.
func TestStrangersLearnNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	s, other := w.open(clade.ProviderOpenAI, llm.Cap{}), w.open(clade.ProviderAnthropic, llm.Cap{})
	for _, c := range []struct {
		name, url, key string
		method         string
		want           int
	}{
		{"no key", s.BaseURL() + "/v1/chat/completions", "", "POST", 401},
		{"another session's key", s.BaseURL() + "/v1/chat/completions", other.Key(), "POST", 401},
		{"the real key", s.BaseURL() + "/v1/chat/completions", planted, "POST", 401},
		{"no session", "http://" + s.Address() + "/v1/chat/completions", s.Key(), "POST", 401},
		{"another session", "http://" + s.Address() + "/s/XYZ/v1/chat/completions", s.Key(), "POST", 401},
		{"another session with its key, at this one's port", strings.Replace(other.BaseURL(), other.Address(), s.Address(), 1) + "/v1/messages", other.Key(), "POST", 401},
		{"an upload", s.BaseURL() + "/v1/files", s.Key(), "POST", 403},
		{"embeddings", s.BaseURL() + "/v1/embeddings", s.Key(), "POST", 403},
		{"the wire of another provider", s.BaseURL() + "/v1/messages", s.Key(), "POST", 403},
		{"a stored response", s.BaseURL() + "/v1/responses/resp_1", s.Key(), "GET", 403},
		{"deletion of a model", s.BaseURL() + "/v1/models/x", s.Key(), "DELETE", 403},
		{"a way up", s.BaseURL() + "/v1/models/../files", s.Key(), "GET", 403},
		{"an escaped way up", s.BaseURL() + "/v1/models/%2e%2e/files", s.Key(), "GET", 403},
	} {
		r, err := http.NewRequest(c.method, c.url, strings.NewReader(`{"model":"m","messages":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+c.key)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(c.name, err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", c.name, res.StatusCode, c.want)
		}
	}
	key := s.Key()
	if got := s.Close(); got.Spent != (clade.Amount{}) || got.Last != nil || len(w.seen) > 0 {
		t.Errorf("metered %+v, the service saw %d requests", got, len(w.seen))
	}
	r := w.request(s, dialects[0])
	r.Header.Set("Authorization", "Bearer "+key)
	if res, err := http.DefaultTransport.RoundTrip(r); err == nil { // a connection from before
		_ = res.Body.Close()
		if res.StatusCode != 401 {
			t.Errorf("a closed session answers %d", res.StatusCode)
		}
	}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		_ = c.Close()
		t.Error("a closed session is listened for")
	}
}

// The service gets the real key and none of the client's, and the model that the
// spec declares.
func TestPutsTheKeyIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for _, d := range dialects {
		s := w.open(d.provider, llm.Cap{})
		r := w.request(s, d)
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key"} {
			if r.Header.Get(name) == "" {
				r.Header.Set(name, "mine")
			}
		}
		r.Header.Set("Cookie", "session=mine")
		r.Header.Set("Proxy-Authorization", "mine")
		r.Header.Set("OpenAI-Organization", "mine")
		r.Header.Set("X-Forwarded-For", "mine")
		if d.auth == "X-Goog-Api-Key" || d.auth == "X-Api-Key" { // the first one that is shown counts
			r.Header.Del("Authorization")
		}
		if d.auth == "X-Goog-Api-Key" {
			r.Header.Del("X-Api-Key")
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		got, want := w.last(), planted
		if d.auth == "Authorization" {
			want = "Bearer " + planted
		}
		if res.StatusCode != 200 || got.header.Get(d.auth) != want {
			t.Errorf("%s: %d, %s is %q", d.name, res.StatusCode, d.auth, got.header.Get(d.auth))
		}
		for name, values := range got.header {
			if all := strings.Join(values, " "); strings.Contains(all, "mine") || strings.Contains(all, s.Key()) {
				t.Errorf("%s: the service was sent %s: %s", d.name, name, all)
			}
		}
		if d.name != "generate" && field(t, got.body, "model") != "declared" {
			t.Errorf("%s: asked %v", d.name, field(t, got.body, "model"))
		}
	}
}

// H14: a service that repeats the key does not tell it to the client.
func TestKeyNeverComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Request-Id", r.Header.Get("X-Api-Key"))
		rw.Header().Set("Set-Cookie", "key="+r.Header.Get("X-Api-Key"))
		rw.WriteHeader(401)
		_, _ = io.WriteString(rw, `{"type":"error","error":{"type":"authentication_error","message":"`+r.Header.Get("X-Api-Key")+` is no key"}}`)
	}))
	s := w.open(clade.ProviderAnthropic, llm.Cap{})
	status, header, body := w.ask(s, dialects[2])
	m := s.Close()
	for where, text := range map[string]string{"the body": body, "a header": strings.Join(append(header.Values("Request-Id"), header.Values("Set-Cookie")...), " "), "the error": m.Last.Error()} {
		if strings.Contains(text, planted) {
			t.Errorf("%s has the key: %s", where, text)
		}
	}
	if status != 401 || !strings.Contains(body, "is no key") || m.Last.Kind != llm.KindAccess {
		t.Errorf("%d %s, %v", status, body, m.Last)
	}
}

func TestOpenNeedsWhatItIsFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	kind := func(m clade.Model, most llm.Cap, lookup func(string) (string, bool)) llm.Kind {
		g, err := New(Options{Lookup: lookup})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		_, err = g.Open(m, most)
		e, ok := err.(*llm.Error)
		if !ok {
			t.Fatalf("%v is no *llm.Error", err)
		}
		return e.Kind
	}
	none := func(string) (string, bool) { return "", false }
	if got := kind(clade.Model{Name: "m", Provider: clade.ProviderOpenAI}, llm.Cap{}, none); got != llm.KindAccess {
		t.Errorf("no key: %s", got)
	}
	if got := kind(clade.Model{Name: "m", Provider: clade.ProviderOpenAI}, llm.Cap{Microdollars: 1}, w.lookup); got != llm.KindBudget {
		t.Errorf("no price: %s", got)
	}
}
