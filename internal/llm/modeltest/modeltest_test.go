package modeltest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// post sends one request and returns the status and the body.
func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func start(t *testing.T, s *Script) (*Server, string) {
	t.Helper()
	srv, err := New(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	t.Cleanup(ts.Close)
	return srv, ts.URL
}

// Each protocol is asked twice: with a prompt, which must get the tool call,
// and with that call's result, which must get the closing text.
func TestProtocols(t *testing.T) {
	const schema = `{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}`
	const cwd = `Working directory: /src/repo.`
	cases := []struct {
		name, path, first, second string
		call                      []string // must occur in the first answer
	}{
		{
			"chat", "/v1/chat/completions",
			`{"model":"m","stream":true,"messages":[{"role":"system","content":"` + cwd + `"},{"role":"user","content":"go"}],"tools":[{"type":"function","function":{"name":"write","parameters":` + schema + `}}]}`,
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1","content":"ok"}],"tools":[{"type":"function","function":{"name":"write","parameters":` + schema + `}}]}`,
			[]string{`"name":"write"`, `/src/repo/hello.txt`, `"finish_reason":"tool_calls"`, "[DONE]"},
		},
		{
			"messages", "/v1/messages?beta=true",
			`{"model":"m","stream":true,"system":"` + cwd + `","messages":[{"role":"user","content":"go"}],"tools":[{"name":"Write","input_schema":` + schema + `}]}`,
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"1"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"<system-reminder>x</system-reminder>"}]}],"tools":[{"name":"Write","input_schema":` + schema + `}]}`,
			[]string{`"name":"Write"`, `/src/repo/hello.txt`, `"stop_reason":"tool_use"`, "event: message_stop"},
		},
		{
			"responses", "/v1/responses",
			`{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}],"tools":[{"type":"custom","name":"apply_patch"}]}`,
			`{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"custom_tool_call","call_id":"1"},{"type":"custom_tool_call_output","call_id":"1"}],"tools":[{"type":"custom","name":"apply_patch"}]}`,
			[]string{`"type":"custom_tool_call"`, `*** Add File: hello.txt`, "event: response.completed"},
		},
		{
			"responses, code mode", "/v1/responses",
			`{"model":"m","stream":true,"input":[{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec"}]}]},{"type":"message","role":"user","content":"go"}]}`,
			`{"model":"m","stream":true,"input":[{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec"}]}]},{"type":"message","role":"user","content":"go"},{"type":"custom_tool_call","call_id":"1"},{"type":"custom_tool_call_output","call_id":"1"}]}`,
			[]string{`"name":"exec"`, `tools.apply_patch(`, "event: response.completed"},
		},
		{
			"gemini", "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
			`{"contents":[{"role":"user","parts":[{"text":"- **Workspace Directories:**\n  - /src/repo\n"},{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"write_file","parametersJsonSchema":` + schema + `}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"write_file"}}]},{"role":"user","parts":[{"functionResponse":{"name":"write_file"}}]}],"tools":[{"functionDeclarations":[{"name":"write_file","parametersJsonSchema":` + schema + `}]}]}`,
			[]string{`"name":"write_file"`, `/src/repo/hello.txt`, `"finishReason":"STOP"`},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, url := start(t, nil)
			status, got := post(t, url+c.path, c.first)
			if status != 200 {
				t.Fatalf("status %d: %s", status, got)
			}
			for _, want := range c.call {
				if !strings.Contains(got, want) {
					t.Errorf("first answer lacks %q:\n%s", want, got)
				}
			}
			if _, got := post(t, url+c.path, c.second); !strings.Contains(got, "Done: hello.txt written.") {
				t.Errorf("second answer lacks the closing text:\n%s", got)
			}
		})
	}
}

// A new prompt in a resumed session starts its rule over.
func TestResumedSessionStartsOver(t *testing.T) {
	_, url := start(t, &Script{Rules: []Rule{
		{Match: "first", Steps: []Step{{Bash: "true"}, {Text: "one"}}},
		{Match: "second", Steps: []Step{{Text: "two"}}},
	}})
	_, got := post(t, url+"/chat/completions", `{"messages":[
		{"role":"user","content":"first"},{"role":"assistant","tool_calls":[{}]},{"role":"tool"},
		{"role":"assistant","content":"one"},{"role":"user","content":"second"}],
		"tools":[{"function":{"name":"bash"}}]}`)
	if !strings.Contains(got, `"content":"two"`) {
		t.Error(got)
	}
}

func TestFailTimes(t *testing.T) {
	srv, url := start(t, &Script{Default: []Step{{Text: "fine", Fail: &Fail{Status: 429, Times: 2, RetryAfter: "1", Message: "slow down"}}}})
	const body = `{"messages":[{"role":"user","content":"go"}],"tools":[{"function":{"name":"bash"}}]}`
	for i, want := range []int{429, 429, 200} {
		if got, text := post(t, url+"/v1/chat/completions", body); got != want {
			t.Errorf("request %d: status %d, want %d: %s", i, got, want, text)
		}
	}
	if n := len(srv.Log()); n != 3 {
		t.Errorf("%d requests logged, want 3", n)
	}
}

func TestMCPNames(t *testing.T) {
	for _, c := range []struct {
		tools []Tool
		want  string // namespace/name, "" for none
	}{
		{[]Tool{{Name: "mcp__demouser__echo"}, {Name: "mcp__demo__echo"}}, "/mcp__demo__echo"},
		{[]Tool{{Namespace: "mcp__demo", Name: "echo"}}, "mcp__demo/echo"},
		{[]Tool{{Name: "demo_echo"}}, "/demo_echo"},
		{[]Tool{{Name: "mcp_demo_echo"}}, "/mcp_demo_echo"},
		{[]Tool{{Name: "mcp__plugin_some-plugin_demo__echo"}}, "/mcp__plugin_some-plugin_demo__echo"},
		{[]Tool{{Name: "tool_search"}}, "mcp__demo/echo"},
		{[]Tool{{Name: "ToolSearch"}}, "/mcp__demo__echo"},
		{[]Tool{{Name: "Bash"}}, ""},
	} {
		conv := &Conversation{Tools: c.tools}
		got := ""
		if cl := conv.mcp(MCPCall{Server: "demo", Tool: "echo"}); cl != nil {
			got = cl.Namespace + "/" + cl.Name
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.tools, got, c.want)
		}
	}
}

// Nothing that is a key is written to the log.
func TestLogRedactsKeys(t *testing.T) {
	var sink bytes.Buffer
	srv, err := New(nil, &sink)
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest("POST", "/v1/messages", strings.NewReader(`{"messages":[]}`))
	req.Header.Set("X-Api-Key", "sk-hidden")
	srv.ServeHTTP(httptest.NewRecorder(), req)
	if strings.Contains(sink.String(), "sk-hidden") {
		t.Error(sink.String())
	}
	var e Entry
	if err := json.Unmarshal(sink.Bytes(), &e); err != nil || e.API != "messages" {
		t.Errorf("%v: %s", err, sink.String())
	}
}

func TestUnknownPath(t *testing.T) {
	_, url := start(t, nil)
	if status, _ := post(t, url+"/v1/embeddings", `{}`); status != 404 {
		t.Errorf("status %d, want 404", status)
	}
}

// A client that offers no tools gets the script only where it says so.
func TestToolless(t *testing.T) {
	const body = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"contents":[{"role":"user","parts":[{"text":"go"}]}]}`
	steps := []Step{{Text: "scripted", Finish: FinishLength, Usage: &Usage{Input: 90, Cached: 30, Written: 20, Output: 7}}}
	for _, c := range []struct {
		path string
		want []string
	}{
		{"/v1/chat/completions", []string{`"content":"scripted"`, `"finish_reason":"length"`, `"prompt_tokens":90`, `"cache_write_tokens":20`}},
		{"/v1/messages", []string{`"text":"scripted"`, `"stop_reason":"max_tokens"`, `"input_tokens":40`, `"cache_creation_input_tokens":20`}},
		{"/v1beta/models/m:generateContent", []string{`"text":"scripted"`, `"finishReason":"MAX_TOKENS"`, `"promptTokenCount":90`}},
	} {
		_, url := start(t, &Script{Toolless: true, Default: steps})
		_, got := post(t, url+c.path, body)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: lacks %q:\n%s", c.path, want, got)
			}
		}
		_, url = start(t, &Script{Default: steps})
		if _, got := post(t, url+c.path, body); strings.Contains(got, `"scripted"`) {
			t.Errorf("%s: the script answers a request without tools unasked", c.path)
		}
	}
}

func TestRepliesThatFollowNoProtocol(t *testing.T) {
	const body = `{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}`
	for name, c := range map[string]struct {
		step       Step
		want, none string
	}{
		"raw":    {Step{Raw: &Raw{Bytes: []byte("\xff")}}, "\xff", "data:"},
		"empty":  {Step{Text: "x", Empty: true}, `"choices":[]`, `"finish_reason"`},
		"silent": {Step{Text: "x", Silent: true}, `"content":"x"`, `"usage"`},
	} {
		_, url := start(t, &Script{Toolless: true, Default: []Step{c.step}})
		_, got := post(t, url+"/v1/chat/completions", body)
		if !strings.Contains(got, c.want) || strings.Contains(got, c.none) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A stream that is cut has as many events as the step says.
func TestCutAfter(t *testing.T) {
	_, url := start(t, &Script{Toolless: true, Default: []Step{{Text: "some text", Cut: true, After: 2}}})
	resp, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"go"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err == nil || bytes.Count(got, []byte("data:")) != 2 || !bytes.Contains(got, []byte("some text")) {
		t.Errorf("%v: %q", err, got)
	}
}
