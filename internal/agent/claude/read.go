package claude

import (
	"cmp"
	"math"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

// An event is one line of its output, as far as it is read.
type event struct {
	Type      string `json:"type"` // system, assistant, user, result
	SessionID string `json:"session_id"`
	Message   struct {
		ID    string `json:"id"`
		Usage usage  `json:"usage"`
	} `json:"message"` // of assistant
	result
}

// A result is the last event. Its subtype is "success" even where the service
// failed; is_error is what counts.
type result struct {
	Subtype    string               `json:"subtype"`
	IsError    bool                 `json:"is_error"`
	Text       string               `json:"result"`
	Errors     []string             `json:"errors"`
	Turns      float64              `json:"num_turns"`
	StopReason string               `json:"stop_reason"`
	Status     int                  `json:"api_error_status"`
	Lost       string               `json:"api_error"` // "connection_failed"
	Cost       *float64             `json:"total_cost_usd"`
	Usage      usage                `json:"usage"`      // of this run and the main model
	ModelUsage map[string]modelUsed `json:"modelUsage"` // of every model
	// Latest is ModelUsage since the last result of the session. Cost and
	// ModelUsage of a version that says it are the whole session's; those of the
	// versions before are this run's.
	Latest map[string]modelUsed `json:"model_usage_since_last_result"`
}

type usage struct {
	Input      float64 `json:"input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	Output     float64 `json:"output_tokens"`
}

func (u usage) tokens() int64 { return agent.Count(u.Input, u.CacheWrite, u.CacheRead, u.Output) }

type modelUsed struct {
	Input      float64 `json:"inputTokens"`
	Output     float64 `json:"outputTokens"`
	CacheRead  float64 `json:"cacheReadInputTokens"`
	CacheWrite float64 `json:"cacheCreationInputTokens"`
	Cost       float64 `json:"costUSD"`
}

// Read judges by the result event: the exit status is 0 after SIGINT and 1 after
// a cap.
func (Driver) Read(t agent.Task, r sandbox.Result, _ string) agent.Report {
	var rep agent.Report
	var last *result
	seen := map[string]usage{} // by message: each of its blocks repeats the message's usage
	for e := range agent.Events[event](r.Stdout) {
		rep.Session = cmp.Or(e.SessionID, rep.Session)
		switch e.Type {
		case "assistant":
			seen[e.Message.ID] = e.Message.Usage
		case "result":
			last = &e.result
		}
	}
	if last == nil {
		rep.Spent = begun(seen)
		return agent.Finish(t, r, rep)
	}
	rep.End, rep.Detail = last.end()
	rep.Text = last.Text
	if rep.End != agent.EndDone && last.IsError {
		rep.Text = "" // it is the error
	}
	rep.Spent = last.spent()
	return agent.Finish(t, r, rep)
}

// begun is what was used by a run that did not say what it cost.
func begun(seen map[string]usage) clade.Amount {
	a := clade.Amount{Calls: int64(len(seen)), Unknown: true}
	for _, u := range seen {
		a.Tokens = agent.Count(float64(a.Tokens), float64(u.tokens()))
	}
	return a
}

func (r *result) end() (agent.End, string) {
	detail := strings.TrimSpace(r.Text + "\n" + strings.Join(r.Errors, "\n"))
	switch {
	case r.Subtype == "error_max_turns", r.Subtype == "error_max_budget_usd":
		return agent.EndLimit, detail
	case r.StopReason == "refusal":
		return agent.EndRefused, detail
	case !r.IsError && r.Subtype == "success":
		return agent.EndDone, ""
	}
	end := agent.OfStatus(r.Status)
	switch {
	case end != "":
	case r.Lost != "":
		end = agent.EndService
	default:
		end = cmp.Or(agent.OfText(detail), agent.EndFailed)
	}
	return end, cmp.Or(detail, r.Subtype)
}

// spent is what this run used.
func (r *result) spent() clade.Amount {
	a := clade.Amount{Calls: agent.Count(r.Turns)}
	models, cost := r.ModelUsage, r.Cost
	if r.Latest != nil {
		models, cost = r.Latest, new(float64)
		for _, u := range models {
			if *cost += u.Cost; u.Cost < 0 {
				*cost = math.Inf(-1) // and stays absurd
			}
		}
	}
	for _, u := range models {
		a.Tokens = agent.Count(float64(a.Tokens), u.Input, u.Output, u.CacheRead, u.CacheWrite)
	}
	if len(models) == 0 {
		a.Tokens = r.Usage.tokens()
	}
	if cost != nil {
		a.Microdollars = agent.Dollars(*cost)
	}
	a.Unknown = cost == nil || a.Microdollars == 0 && a.Tokens > 0
	return a
}
