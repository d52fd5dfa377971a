package agent_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

func TestOfText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]agent.End{
		"":                "",
		"it went wrong":   "",
		"wrote 429 lines": "",
		"exceeded retry limit, last status: 429 Too Many Requests": agent.EndRate,
		"unexpected status 401 Unauthorized: x":                    agent.EndSignedOut,
		`[API Error: {"error":{"code":500,"message":"x"}}]`:        agent.EndService,
		"API Error: Request rejected (429)":                        agent.EndRate,
		`{"error":{"code":400,"message":"API key not valid."}}`:    agent.EndSignedOut,
		"Not logged in · Please run /login":                        agent.EndSignedOut,
		"You've hit your usage limit.":                             agent.EndRate,
		"Error: connection refused":                                agent.EndService,
		"blocked by content_filter":                                agent.EndRefused,
		"Prompt is too long":                                       agent.EndLimit,
	} {
		if got := agent.OfText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestOfStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]agent.End{
		0: "", 200: "", 400: "", 401: agent.EndSignedOut, 402: agent.EndSignedOut, 403: agent.EndSignedOut, 404: agent.EndSignedOut,
		408: agent.EndService, 413: "", 429: agent.EndRate, 500: agent.EndService, 529: agent.EndService, 600: "",
	} {
		if got := agent.OfStatus(status); got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	said := func(s string) sandbox.Stream { return sandbox.Stream{Head: []byte(s), Size: int64(len(s))} }
	for name, c := range map[string]struct {
		r      sandbox.Result
		found  agent.Report
		end    agent.End
		detail string
	}{
		"done":                 {sandbox.Result{Stderr: said("a warning")}, agent.Report{End: agent.EndDone, Detail: "a reconnect"}, agent.EndDone, ""},
		"done, then killed":    {sandbox.Result{Exit: -1, Signal: "killed"}, agent.Report{End: agent.EndDone}, agent.EndDone, ""},
		"F8 hung":              {sandbox.Result{Exit: -1, Signal: "killed", TimedOut: true}, agent.Report{End: agent.EndService, Detail: "x"}, agent.EndHung, "the time limit ended it"},
		"no result":            {sandbox.Result{}, agent.Report{}, agent.EndFailed, "it ended without a result"},
		"last words":           {sandbox.Result{Exit: 1, Stderr: said("it is broken\n")}, agent.Report{}, agent.EndFailed, "exit status 1\nit is broken"},
		"its own detail first": {sandbox.Result{Exit: 1, Stderr: said("noise")}, agent.Report{Detail: "rate limit reached"}, agent.EndRate, "exit status 1\nrate limit reached"},
		"signed out":           {sandbox.Result{Exit: 1, Stderr: said("Not logged in")}, agent.Report{}, agent.EndSignedOut, "exit status 1\nNot logged in"},
		"memory":               {sandbox.Result{Exit: -1, Signal: "killed", OutOfMemory: true}, agent.Report{}, agent.EndFailed, "it needed more memory than it may use"},
		"failed, no words":     {sandbox.Result{Exit: 1, Stderr: said("why")}, agent.Report{End: agent.EndService}, agent.EndService, "why"},
		"F47 missing":          {sandbox.Result{Exit: 127, Stderr: said("no such program")}, agent.Report{}, agent.EndMissing, "no such program"},
	} {
		got := agent.Finish(agent.Task{}, c.r, c.found)
		if got.End != c.end || got.Detail != c.detail {
			t.Errorf("%s: %s, %q", name, got.End, got.Detail)
		}
	}
}

// No key is in a report: neither the task's, in pieces either, nor what looks
// like one.
func TestFinishHidesKeys(t *testing.T) {
	t.Parallel()
	const key = "k-0123456789"
	task := agent.Task{Access: agent.Access{Key: key}}
	other := "sk-proj-abcdefghij0123456789"
	for name, text := range map[string]string{
		"plain":       "refused " + key,
		"with colour": "refused k-01234\x1b[31m56789",
		"at the cut":  strings.Repeat("x", agent.DetailMost-4) + key,
		"another":     "Incorrect API key provided: " + other,
	} {
		got := agent.Finish(task, sandbox.Result{}, agent.Report{End: agent.EndFailed, Detail: text, Text: text})
		for _, s := range []string{got.Detail, got.Text} {
			if strings.Contains(s, "k-0123") || strings.Contains(s, "proj") || len(s) > agent.TextMost+4 {
				t.Errorf("%s: %.80q", name, s)
			}
		}
		if len(got.Detail) > agent.DetailMost+4 {
			t.Errorf("%s: a detail of %d bytes", name, len(got.Detail))
		}
	}
	stderr := strings.Repeat("x", 1<<20) + key + strings.Repeat("y", 8*agent.DetailMost-4)
	got := agent.Finish(task, sandbox.Result{Exit: 1, Stderr: sandbox.Stream{Head: []byte(stderr), Size: int64(len(stderr))}}, agent.Report{})
	if strings.Contains(got.Detail, "6789") {
		t.Errorf("half a key: %.80q", got.Detail)
	}
}

// A session's name becomes an argument, so it is no option and no path.
func TestValidSession(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"01a22e88-bd95-7143-a945-74124dff39d6": true, "ses_dd1789231ffe71YNTSpd788kqD": true, "latest": true,
		"": false, "-x": false, "--last": false, "../x": false, "a b": false, "a/b": false, "a\n": false, ".": false, strings.Repeat("a", 129): false,
	} {
		if agent.ValidSession(id) != want {
			t.Errorf("%q", id)
		}
	}
}

// The line that tells what went wrong stands first, however much of where it did
// is printed after it.
func TestTheTellingLineIsFirst(t *testing.T) {
	t.Parallel()
	stack := strings.Repeat("    at new FactoryOwnership (file:///lib/index.js:848:21)\n", 80)
	for name, c := range map[string]struct{ said, want string }{
		"Node":    {"file:///lib/index.js:3\nimport { x } from 'node:module'\n\nSyntaxError: node:module does not provide stripTypeScriptTypes\n" + stack + "Node.js v20.1.0\n", "SyntaxError: node:module does not provide stripTypeScriptTypes\n"},
		"coded":   {"TypeError [ERR_X]: no\n" + stack, "TypeError [ERR_X]: no\n"},
		"the end": {"ImportError: first\n" + stack + "ValueError: then\n" + stack, "ValueError: then\n"},
		"Rust":    {"thread 'main' panicked at src/main.rs:3:5:\n" + stack, "thread 'main' panicked at src/main.rs:3:5:\n"},
		"a word":  {"SyntaxError: x\n", "SyntaxError: x"},
	} {
		r := agent.Finish(agent.Task{}, sandbox.Result{Exit: 1, Stderr: sandbox.Stream{Head: []byte(c.said), Size: int64(len(c.said))}}, agent.Report{})
		if !strings.HasPrefix(r.Detail, "exit status 1\n"+c.want) || len(r.Detail) > agent.DetailMost+len("…") {
			t.Errorf("%s: %q", name, r.Detail)
		}
	}
}
