package gemini

import (
	"cmp"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

// An event is one line of its output, as far as it is read.
type event struct {
	Type      string `json:"type"`
	SessionID string `json:"session_id"` // of init
	Role      string `json:"role"`       // of message
	Content   string `json:"content"`
	Delta     bool   `json:"delta"`
	Status    string `json:"status"` // of result
	Error     struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Stats *struct {
		Tokens float64 `json:"total_tokens"`
		Calls  float64 `json:"tool_calls"`
	} `json:"stats"`
}

// Read judges by the result event: the exit status is 0 after SIGTERM and
// SIGINT, and a status of HTTP cut to a byte after most failures.
func (Driver) Read(t agent.Task, r sandbox.Result, _ string) agent.Report {
	rep := agent.Report{Spent: clade.Amount{Unknown: true}}
	said := false // by the assistant, in the event before
	for e := range agent.Events[event](r.Stdout) {
		speaks := e.Type == "message" && e.Role == "assistant"
		switch {
		case e.Type == "init":
			rep.Session = e.SessionID
		case speaks && said && e.Delta:
			if len(rep.Text) <= agent.TextMost {
				rep.Text += e.Content
			}
		case speaks:
			rep.Text = e.Content
		case e.Type == "result":
			rep.End, rep.Detail = e.end(r), e.Error.Message
			if e.Stats != nil {
				rep.Spent.Tokens = agent.Count(e.Stats.Tokens)
				rep.Spent.Calls = agent.Count(e.Stats.Calls, 1) // it does not say; each tool call takes the model at most one more
			}
		}
		said = speaks
	}
	if rep.End == "" {
		rep.End = exits[r.Exit]
	}
	return agent.Finish(t, r, rep)
}

// Exits that it has for ends of its own.
var exits = map[int]agent.End{41: agent.EndSignedOut, 53: agent.EndLimit}

func (e event) end(r sandbox.Result) agent.End {
	switch {
	case e.Status == "success":
		return agent.EndDone
	case exits[r.Exit] != "":
		return exits[r.Exit]
	}
	// 401 & 0xff is 145; a status from 400 to 511 comes back this way.
	const cut = 256
	if end := agent.OfStatus(r.Exit + cut); r.Exit >= 400-cut && end != "" {
		return end
	}
	return cmp.Or(agent.OfText(e.Error.Message), agent.EndFailed)
}
