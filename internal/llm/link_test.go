package llm

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cladehq/clade"
)

func TestRefusalKinds(t *testing.T) {
	t.Parallel()
	link := &Link{Endpoint: Endpoint{Key: "sk-secret"}}
	for name, c := range map[string]struct {
		status int
		body   string
		kind   Kind
		says   string
	}{
		"signed out":       {401, `{"error":{"message":"bad key"}}`, KindAccess, "bad key"},
		"not paid":         {402, `{"error":{"message":"Insufficient Balance","code":"invalid_request_error"}}`, KindAccess, "Insufficient Balance"},
		"quota used up":    {429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, KindAccess, "You exceeded your current quota"},
		"rate":             {429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, KindRate, "slow down"},
		"no credit":        {400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}`, KindAccess, "Your credit balance is too low to access the API"},
		"Google's bad key": {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, KindAccess, "API key not valid. Please pass a valid API key."},
		"a list of one":    {400, `[{"error":{"code":400,"message":"wrong","status":"INVALID_ARGUMENT"}}]`, KindRequest, "wrong"},
		"error is text":    {404, `{"error":"model 'x' not found"}`, KindAccess, "model 'x' not found"},
		"message is no text": {422, `{"object":"error","message":{"detail":[{"loc":["body","stream_options"]}]}}`, KindRequest,
			`{"detail":[{"loc":["body","stream_options"]}]}`},
		"detail":       {422, `{"detail":"no"}`, KindRequest, "no"},
		"words":        {500, "upstream\x1b[31m failed\n", KindServer, "upstream failed"},
		"page":         {502, "<html><body>nginx</body></html>", KindServer, "Bad Gateway"},
		"nothing":      {503, "", KindServer, "Service Unavailable"},
		"overloaded":   {529, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, KindServer, "Overloaded"},
		"conflict":     {409, "", KindServer, "Conflict"},
		"timed out":    {408, "", KindServer, "Request Timeout"},
		"wrong place":  {405, "", KindAccess, "Method Not Allowed"},
		"key repeated": {401, `{"error":{"message":"sk-secret is wrong"}}`, KindAccess, "(key) is wrong"},
		"unknown":      {418, `17`, KindRequest, "17"},
	} {
		e := link.refusal(c.status, http.Header{}, []byte(c.body))
		if e.Kind != c.kind || e.Text != c.says || e.Status != c.status || e.Calls != 1 {
			t.Errorf("%s: got %+v, want %s saying %q", name, *e, c.kind, c.says)
		}
	}
}

// A refusal costs nothing, unless a proxy gave up waiting for what may yet be done.
func TestRefusalUsage(t *testing.T) {
	t.Parallel()
	link := &Link{}
	for status, known := range map[int]bool{400: true, 401: true, 408: false, 429: true, 500: true, 503: true, 504: false, 524: false} {
		if e := link.refusal(status, http.Header{}, nil); e.Usage.Reported != known || e.Usage.Tokens() != 0 {
			t.Errorf("%d: %+v", status, e.Usage)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Mon, 30 Nov 2026 12:00:00 GMT"
	for name, c := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"none":          {nil, 0},
		"seconds":       {map[string]string{"Retry-After": "7"}, 7 * time.Second},
		"fraction":      {map[string]string{"Retry-After": " 0.5 "}, 500 * time.Millisecond},
		"milliseconds":  {map[string]string{"Retry-After-Ms": "250", "Retry-After": "7"}, 250 * time.Millisecond},
		"date":          {map[string]string{"Retry-After": "Mon, 30 Nov 2026 12:01:30 GMT", "Date": date}, 90 * time.Second},
		"date gone by":  {map[string]string{"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT", "Date": date}, 0},
		"negative":      {map[string]string{"Retry-After": "-5"}, 0},
		"no number":     {map[string]string{"Retry-After": "NaN"}, 0},
		"infinite":      {map[string]string{"Retry-After": "Inf"}, 0},
		"words":         {map[string]string{"Retry-After": "soon"}, 0},
		"for ever":      {map[string]string{"Retry-After": strings.Repeat("9", 400)}, 24 * time.Hour},
		"year 9999":     {map[string]string{"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT", "Date": date}, 24 * time.Hour},
		"ms, no number": {map[string]string{"Retry-After-Ms": "NaN"}, 0},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if got := retryAfter(h); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	google := `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"@type":"…/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`
	if e := (&Link{}).refusal(429, http.Header{}, []byte(google)); e.RetryAfter != 34500*time.Millisecond || e.Kind != KindRate {
		t.Errorf("%+v", *e)
	}
}

// Services complain within replies of status 200 too.
func TestComplaint(t *testing.T) {
	t.Parallel()
	link := &Link{}
	for body, kind := range map[string]Kind{
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:      KindServer,
		`{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`:      KindRate,
		`{"type":"error","error":{"type":"authentication_error","message":"m"}}`:  KindAccess,
		`{"type":"error","error":{"type":"invalid_request_error","message":"m"}}`: KindRequest,
		`{"error":{"code":429,"message":"m"}}`:                                    KindRate,
		`{"error":{"code":"502","message":"m"}}`:                                  KindServer,
		`{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`:             KindServer,
		`{"error":{"message":"m"},"choices":[]}`:                                  KindServer,
		`{"error":"m"}`:                                                           KindServer,
	} {
		if e := link.Complaint([]byte(body)); e == nil || e.Kind != kind || e.Text != "m" {
			t.Errorf("%s: %+v, want %s", body, e, kind)
		}
	}
	for _, body := range []string{`{"choices":[]}`, `{"error":null,"choices":[]}`, `{"message":"m"}`, `null`, `[]`, `x`, ``} {
		if e := link.Complaint([]byte(body)); e != nil {
			t.Errorf("%s: %+v", body, *e)
		}
	}
}

// P26: no part of an address is doubled.
func TestReach(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OPENAI_API_KEY": " k\n", "MINE": "https://mine.example/v1/", "BAD": "mine.example"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	none := func(string) (string, bool) { return "", false }
	for name, c := range map[string]struct {
		m      clade.Model
		lookup func(string) (string, bool)
		base   string // "" is an error
		says   string
	}{
		"own":               {clade.Model{Provider: "openai"}, lookup, "https://api.openai.com/v1", ""},
		"variable":          {clade.Model{Provider: "openai", BaseURLEnv: "MINE"}, lookup, "https://mine.example/v1", ""},
		"model before it":   {clade.Model{Provider: "openai", BaseURL: "http://h:1/v1", BaseURLEnv: "MINE"}, lookup, "http://h:1/v1", ""},
		"no scheme":         {clade.Model{Provider: "openai", BaseURLEnv: "BAD"}, lookup, "", "BAD"},
		"call itself":       {clade.Model{Provider: "openai", BaseURL: "https://h/v1/chat/completions"}, lookup, "https://h/v1", ""},
		"no version":        {clade.Model{Provider: "openai", BaseURL: "https://h/"}, lookup, "https://h/v1", ""},
		"path of its own":   {clade.Model{Provider: "openai", BaseURL: "https://h/openai/v2/"}, lookup, "https://h/openai/v2", ""},
		"password":          {clade.Model{Provider: "openai", BaseURL: "https://u:hunter2@h/"}, lookup, "", "base_url"},
		"no provider":       {clade.Model{Provider: "acme"}, lookup, "", "acme"},
		"no key":            {clade.Model{Provider: "openai"}, none, "", "OPENAI_API_KEY"},
		"no key, 127.0.0.1": {clade.Model{Provider: "openai", BaseURL: "http://127.0.0.1:8080"}, none, "http://127.0.0.1:8080/v1", ""},
		"no key, ::1":       {clade.Model{Provider: "openai", BaseURL: "http://[::1]:8080/v1"}, none, "http://[::1]:8080/v1", ""},
		"no key, localhost": {clade.Model{Provider: "openai", BaseURL: "http://LOCALHOST:11434"}, none, "http://LOCALHOST:11434/v1", ""},
		"not this machine":  {clade.Model{Provider: "openai", BaseURL: "http://localhost.example:1"}, none, "", "OPENAI_API_KEY"},
		"not loopback":      {clade.Model{Provider: "openai", BaseURL: "http://10.0.0.1:1"}, none, "", "OPENAI_API_KEY"},
	} {
		at, err := Reach(c.m, c.lookup)
		if c.base == "" {
			if e, ok := err.(*Error); !ok || e.Kind != KindAccess || !strings.Contains(e.Text, c.says) || strings.Contains(e.Text, "hunter2") {
				t.Errorf("%s: %+v, %v", name, at, err)
			}
			continue
		}
		if err != nil || at.BaseURL != c.base {
			t.Errorf("%s: %+v, %v; want %s", name, at, err, c.base)
		}
		if at.Key != strings.TrimSpace(at.Key) {
			t.Errorf("%s: key %q", name, at.Key)
		}
	}
}

func FuzzComplaint(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"m","code":1,"details":[{"retryDelay":"1s"},7]}}`, `[{"error":"x"}]`, `{"error":[]}`, `{"detail":[1]}`, "<", "", "\xff"} {
		f.Add(400, "1", []byte(s))
	}
	link := &Link{Endpoint: Endpoint{Key: "sk-secret-0"}}
	f.Fuzz(func(t *testing.T, status int, after string, body []byte) {
		e := link.refusal(status, http.Header{"Retry-After": {after}}, body)
		if e.RetryAfter < 0 || e.RetryAfter > waitMost || len(e.Text) > 4*textMost || !utf8.ValidString(e.Text) ||
			strings.Contains(e.Text, "sk-secret-0") || e.Kind == "" {
			t.Errorf("%+v", *e)
		}
		if e := link.Complaint(body); e != nil && e.Kind == "" {
			t.Errorf("%+v", *e)
		}
	})
}
