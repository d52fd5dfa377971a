package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Server answers model requests from a script. It is an http.Handler.
type Server struct {
	script *Script

	mu     sync.Mutex
	failed map[string]int // failures sent so far, by rule, step and conversation
	log    []Entry
	sink   io.Writer
}

// Entry records one request, for tests to assert on.
type Entry struct {
	Time    time.Time       `json:"time"`
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	API     string          `json:"api,omitempty"`
	Model   string          `json:"model,omitempty"`
	Step    string          `json:"step,omitempty"` // "rule/round", "aux" for a request without tools
	Prompt  string          `json:"prompt,omitempty"`
	Tools   []string        `json:"tools,omitempty"`
	Status  int             `json:"status"`
	Error   string          `json:"error,omitempty"`
	Headers http.Header     `json:"headers,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
}

// New makes a server. Each request is also written to sink as a JSON line,
// unless sink is nil.
func New(script *Script, sink io.Writer) (*Server, error) {
	if script == nil {
		script = DefaultScript()
	}
	if err := script.compile(); err != nil {
		return nil, err
	}
	return &Server{script: script, sink: sink, failed: map[string]int{}}, nil
}

// Start serves on addr ("127.0.0.1:0" picks a port) until ctx ends and returns
// the base URL, such as http://127.0.0.1:41234.
func (s *Server) Start(ctx context.Context, addr string) (string, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	srv := &http.Server{Handler: s}
	go srv.Serve(ln)
	go func() {
		<-ctx.Done()
		srv.Close()
	}()
	return "http://" + ln.Addr().String(), nil
}

// Log returns the requests seen so far.
func (s *Server) Log() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Entry(nil), s.log...)
}

var geminiPath = regexp.MustCompile(`/models/([^/:]+):(generateContent|streamGenerateContent)$`)

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e := &Entry{Time: time.Now(), Method: r.Method, Path: r.URL.RequestURI(), Status: 200, Headers: redact(r.Header)}
	if json.Valid(body) {
		e.Body = body
	}
	defer s.record(e)

	path := strings.TrimRight(r.URL.Path, "/")
	var p protocol
	model, stream := "", false
	switch {
	case r.Method == http.MethodGet && path == "/_log":
		reply(w, 200, s.Log())
		return
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		reply(w, 200, modelList)
		return
	case strings.HasSuffix(path, "/messages/count_tokens"):
		reply(w, 200, obj{"input_tokens": len(body) / 4})
		return
	case strings.HasSuffix(path, ":countTokens"):
		reply(w, 200, obj{"totalTokens": len(body) / 4})
		return
	case strings.HasSuffix(path, "/chat/completions"):
		p = chat{}
	case strings.HasSuffix(path, "/responses"):
		p = responses{}
	case strings.HasSuffix(path, "/messages"):
		p = messages{}
	case geminiPath.MatchString(path):
		m := geminiPath.FindStringSubmatch(path)
		p, model, stream = gemini{}, m[1], m[2] == "streamGenerateContent"
	}
	if p == nil || r.Method != http.MethodPost {
		e.Status = 404
		reply(w, 404, obj{"error": obj{"message": "fakemodel serves no " + r.Method + " " + r.URL.Path}})
		return
	}

	c, err := p.parse(model, body)
	if err != nil {
		s.refuse(w, e, p, 400, err)
		return
	}
	stream = stream || c.Stream
	prompt, round := c.Prompt()
	e.API, e.Model, e.Prompt, e.Tools = c.API, c.Model, prompt, c.toolNames()

	// Requests without tools are a host's own business: a session title, a
	// summary, a routing decision. They are not part of the scripted turn.
	if len(c.Tools) == 0 && !s.script.Toolless {
		e.Step = "aux"
		send(w, p, stream, &answer{ID: newID("resp"), Model: c.Model, Text: auxText(body), Usage: Usage{Input: 10, Output: 2}})
		return
	}

	step, label := s.script.pick(prompt, round)
	e.Step = label
	time.Sleep(time.Duration(step.Delay))
	if step.Fail != nil && s.shouldFail(label+"\x00"+prompt, step.Fail) {
		f := *step.Fail
		if f.Message == "" {
			f.Message = "scripted failure"
		}
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		e.Status = f.Status
		reply(w, f.Status, p.failure(&f))
		return
	}
	if step.Hang > 0 {
		wait(r.Context(), step.Hang)
		panic(http.ErrAbortHandler)
	}
	if step.Raw != nil {
		step.Raw.send(w)
		return
	}
	calls, err := c.calls(step)
	if err != nil {
		s.refuse(w, e, p, 400, err)
		return
	}
	for i := range calls {
		calls[i].ID = newID("call")
		if calls[i].Args == nil && !calls[i].Freeform {
			calls[i].Args = obj{}
		}
	}
	usage := s.script.Usage
	if step.Usage != nil {
		usage = *step.Usage
	}
	a := &answer{ID: newID("resp"), Model: c.Model, Text: step.Text, Calls: calls, Usage: usage,
		Finish: step.Finish, Silent: step.Silent, Empty: step.Empty}
	if step.Cut || step.Stall > 0 {
		w.Header().Set("Content-Type", "text/event-stream")
		events := p.events(a)
		for _, e := range events[:min(max(step.After, 1), len(events))] {
			writeEvent(w, e)
		}
		wait(r.Context(), step.Stall)
		panic(http.ErrAbortHandler)
	}
	send(w, p, stream, a)
}

func send(w http.ResponseWriter, p protocol, stream bool, a *answer) {
	if !stream {
		reply(w, 200, p.whole(a))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	for _, e := range p.events(a) {
		writeEvent(w, e)
	}
}

func (r *Raw) send(w http.ResponseWriter) {
	w.Header()["Content-Type"] = nil // do not guess
	if r.ContentType != "" {
		w.Header().Set("Content-Type", r.ContentType)
	}
	if r.Bytes != nil {
		w.Write(r.Bytes)
		return
	}
	io.WriteString(w, r.Text)
}

func (s *Server) refuse(w http.ResponseWriter, e *Entry, p protocol, status int, err error) {
	e.Status, e.Error = status, err.Error()
	reply(w, status, p.failure(&Fail{Status: status, Message: "modeltest: " + err.Error()}))
}

// shouldFail counts a failure and says whether it is still due.
func (s *Server) shouldFail(key string, f *Fail) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times > 0 && s.failed[key] >= f.Times {
		return false
	}
	s.failed[key]++
	return true
}

func (s *Server) record(e *Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Path == "/_log" {
		return
	}
	s.log = append(s.log, *e)
	if s.sink != nil {
		fmt.Fprintln(s.sink, jsonString(e))
	}
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// wait blocks for d or until the client goes away.
func wait(ctx context.Context, d Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(d)):
	}
}

// redact drops keys from logged headers; the values are fakes, but a log
// should never teach anyone to expect secrets in it.
func redact(h http.Header) http.Header {
	h = h.Clone()
	for _, k := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		if h.Get(k) != "" {
			h.Set(k, "redacted")
		}
	}
	return h
}

// modelList is read as OpenAI's list (data) and Gemini's (models).
var modelList = obj{
	"object": "list",
	"data":   []obj{{"id": "fake-model", "object": "model", "created": 1, "owned_by": "fakemodel", "type": "model", "display_name": "fake-model"}},
	"models": []obj{},
}

// auxText answers a request without tools. When it asks for JSON of a certain
// shape (Gemini's responseSchema and the like) the answer fits that shape.
func auxText(body []byte) string {
	var r struct {
		GenerationConfig struct {
			ResponseJSONSchema *Schema `json:"responseJsonSchema"`
			ResponseSchema     *Schema `json:"responseSchema"`
		} `json:"generationConfig"`
		ResponseFormat struct {
			JSONSchema struct {
				Schema *Schema `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		OutputConfig struct {
			Format struct {
				Schema *Schema `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	json.Unmarshal(body, &r)
	for _, sch := range []*Schema{r.GenerationConfig.ResponseJSONSchema, r.GenerationConfig.ResponseSchema, r.ResponseFormat.JSONSchema.Schema, r.OutputConfig.Format.Schema} {
		if sch != nil {
			return jsonString(standIn(*sch))
		}
	}
	return "Scripted session"
}
