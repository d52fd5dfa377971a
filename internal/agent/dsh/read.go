package dsh

import (
	"cmp"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

// Read judges by the session's log: dsh exits with 0 on SIGTERM, and prints the
// final message alone. Money is never known.
func (Driver) Read(t agent.Task, r sandbox.Result, config string) agent.Report {
	rep := agent.Report{Spent: clade.Amount{Unknown: true}}
	if out := r.Stdout; out.Truncated() {
		rep.Text = "…" + string(out.End())
	} else {
		rep.Text = string(out.Bytes())
	}
	said := logged(config)
	rep.Spent.Tokens, rep.Spent.Calls = said.tokens, said.calls
	switch said.reason.Kind {
	case "completed":
		rep.End = agent.EndDone
	case "max-tokens":
		rep.End = agent.EndLimit
	case "error":
		rep.End, rep.Detail = said.reason.Error.end(), said.reason.Error.text()
	case "": // it did not come so far
		if f, ok := printed(r); ok {
			rep.End, rep.Detail = f.end(), f.text()
		}
	}
	return agent.Finish(t, r, rep)
}

// A failure is why a turn ended.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (f failure) text() string { return strings.TrimPrefix(f.Code+": "+f.Message, ": ") }

// codes are what its errors mean.
var codes = map[string]agent.End{
	"AUTH": agent.EndSignedOut, "MISSING_CREDENTIAL": agent.EndSignedOut, "INVALID_CREDENTIAL": agent.EndSignedOut, "QUOTA": agent.EndSignedOut,
	"RATE_LIMIT":              agent.EndRate,
	"SERVER":                  agent.EndService,
	"TRANSPORT":               agent.EndService,
	"TIMEOUT":                 agent.EndService,
	"STREAM_CLOSED":           agent.EndService,
	"MALFORMED_RESPONSE":      agent.EndService,
	"EMPTY_RESPONSE":          agent.EndService,
	"CONTEXT_WINDOW_EXCEEDED": agent.EndLimit,
	"CONTENT_FILTER":          agent.EndRefused,
}

func (f failure) end() agent.End {
	return cmp.Or(codes[f.Code], agent.OfStatus(f.Status), agent.OfText(f.Message), agent.EndFailed)
}

// printed finds "dsh: CODE: message" on standard error.
func printed(r sandbox.Result) (f failure, ok bool) {
	for line := range agent.Lines(r.Stderr) {
		rest, is := strings.CutPrefix(string(line), "dsh: ")
		code, message, has := strings.Cut(rest, ": ")
		if is && has && strings.ToUpper(code) == code {
			f, ok = failure{Code: code, Message: message}, true
		}
	}
	return f, ok
}
