package codex

import (
	"cmp"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

// An event is one line of its output, as far as it is read.
type event struct {
	Type    string `json:"type"`
	Thread  string `json:"thread_id"` // of thread.started
	Message string `json:"message"`   // of error: every reconnect
	Item    struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
	Usage *struct {
		Input  float64 `json:"input_tokens"`  // cached ones included
		Output float64 `json:"output_tokens"` // reasoning included
	} `json:"usage"` // of turn.completed: the whole thread's
	Error struct {
		Message string `json:"message"`
	} `json:"error"` // of turn.failed
}

// Read judges by the end of the turn. An item of type error is a warning, and a
// command that failed or was denied is the model's affair.
func (Driver) Read(t agent.Task, r sandbox.Result, _ string) agent.Report {
	rep := agent.Report{Spent: clade.Amount{Unknown: true}}
	rounds := int64(0)
	for e := range agent.Events[event](r.Stdout) {
		switch e.Type {
		case "thread.started":
			rep.Session = e.Thread
		case "error":
			rep.Detail = e.Message
		case "turn.failed":
			rep.Detail = cmp.Or(e.Error.Message, rep.Detail)
			rep.End = cmp.Or(agent.OfText(rep.Detail), agent.EndFailed)
		case "turn.completed":
			rep.End = agent.EndDone
			if e.Usage != nil {
				rep.Spent.Tokens, rep.Total = agent.Count(e.Usage.Input, e.Usage.Output), true
			}
		case "item.completed":
			switch e.Item.Type {
			case "agent_message":
				rep.Text = e.Item.Text
			case "command_execution", "file_change", "mcp_tool_call", "web_search":
				rounds++
			}
		}
	}
	if rep.End == agent.EndDone || rounds > 0 {
		rep.Spent.Calls = rounds + 1 // it does not say; each action takes the model at most one more
	}
	return agent.Finish(t, r, rep)
}
