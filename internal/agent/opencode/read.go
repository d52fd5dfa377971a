package opencode

import (
	"cmp"
	"math"

	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

// An event is one line of its output, as far as it is read.
type event struct {
	Type      string `json:"type"`
	SessionID string `json:"sessionID"`
	Part      struct {
		Text   string  `json:"text"`   // of text
		Reason string  `json:"reason"` // of step_finish: "tool-calls", "stop", …
		Cost   float64 `json:"cost"`
		Tokens struct {
			Input     float64 `json:"input"`
			Output    float64 `json:"output"`
			Reasoning float64 `json:"reasoning"`
			Cache     struct {
				Read  float64 `json:"read"`
				Write float64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  int    `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

// Read judges by the last step and by error events; there is no final one. Cost
// and tokens are the sum over steps, this run's alone.
func (Driver) Read(t agent.Task, r sandbox.Result, _ string) agent.Report {
	var rep agent.Report
	var cost float64
	for e := range agent.Events[event](r.Stdout) {
		rep.Session = cmp.Or(e.SessionID, rep.Session)
		switch e.Type {
		case "text":
			rep.Text = e.Part.Text
		case "step_start":
			rep.End, rep.Detail = "", ""
		case "step_finish":
			u := e.Part.Tokens
			rep.Spent.Tokens = agent.Count(float64(rep.Spent.Tokens), u.Input, u.Output, u.Reasoning, u.Cache.Read, u.Cache.Write)
			rep.Spent.Calls++
			if cost += e.Part.Cost; e.Part.Cost < 0 {
				cost = math.Inf(-1) // and stays absurd
			}
			rep.End = ends[e.Part.Reason]
		case "error":
			rep.Detail = cmp.Or(e.Error.Data.Message, e.Error.Name)
			rep.End = e.end()
		}
	}
	rep.Spent.Microdollars = agent.Dollars(cost)
	// A model without a price costs 0 here, and a step may have been dropped.
	rep.Spent.Unknown = rep.Spent.Microdollars == 0 || r.Stdout.Truncated()
	if rep.End == agent.EndDone && (r.Exit != 0 || r.Signal != "") {
		rep.End = "" // ended between two steps
	}
	return agent.Finish(t, r, rep)
}

// ends are what reasons of a last step mean.
var ends = map[string]agent.End{
	"stop":           agent.EndDone,
	"length":         agent.EndLimit,
	"content-filter": agent.EndRefused,
}

func (e event) end() agent.End {
	if end := agent.OfStatus(e.Error.Data.Status); end != "" {
		return end
	}
	switch e.Error.Name {
	case "ProviderAuthError":
		return agent.EndSignedOut
	case "MessageOutputLengthError", "ContextOverflowError":
		return agent.EndLimit
	}
	return cmp.Or(agent.OfText(e.Error.Data.Message), agent.EndFailed)
}
