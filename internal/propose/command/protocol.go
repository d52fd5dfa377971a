package command

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/syntax"
)

// Version of the protocol.
const Version = 1

// A Request is what the program is told.
type Request struct {
	Version   int           `json:"version"`
	Operator  string        `json:"operator"`
	Objective string        `json:"objective"`
	Attempt   clade.ID      `json:"attempt"`
	Try       int           `json:"try"`
	Brief     string        `json:"brief"`
	Why       string        `json:"why"`
	Draw      string        `json:"draw"`      // decimal, so that no reader rounds it
	Workspace string        `json:"workspace"` // the folder it is started in
	Allow     []string      `json:"allow"`     // globs relative to the target; empty: everything not frozen
	Frozen    []string      `json:"frozen"`
	Parents   []Parent      `json:"parents"` // the workspace holds the first one's tree, unless they have patches
	With      clade.Options `json:"with,omitempty"`
}

// A Parent is a candidate the proposal starts from.
type Parent struct {
	ID       clade.ID `json:"id"` // 0: the base
	Score    *float64 `json:"score"`
	Summary  string   `json:"summary,omitempty"`  // of the edit that made it
	Feedback string   `json:"feedback,omitempty"` // what this operator said about it
	// Patch is what it changed of the base, where the workspace holds the base.
	Patch string `json:"patch,omitempty"`
}

// A Reply is what the program may say. Every key is optional.
type Reply struct {
	Summary  string   `json:"summary"`  // the edit in one line
	Feedback string   `json:"feedback"` // given back when this candidate is a parent
	Notes    []string `json:"notes"`    // findings for later briefs
	Spent    *Spent   `json:"spent"`
}

// Spent is what the proposal cost.
type Spent struct {
	USD    *clade.Microdollars `json:"usd"` // null: not known
	Tokens int64               `json:"tokens"`
	Calls  int64               `json:"calls"` // requests to a model
}

// replyMost is the size of the largest reply, in bytes.
const replyMost = 64 << 10

func (o *Operator) request(r propose.Request, folder string) ([]byte, error) {
	out := Request{
		Version: Version, Operator: o.name(), Objective: r.Spec.Objective,
		Attempt: r.Attempt.ID, Try: r.Try, Brief: r.Attempt.Brief, Why: r.Attempt.Why,
		Draw: strconv.FormatUint(r.Draw, 10), Workspace: folder, With: o.spec.With,
		Allow: append([]string{}, r.Spec.Allow...), Frozen: append([]string{}, r.Spec.Frozen...),
	}
	for _, p := range r.Parents {
		q := Parent{ID: p.ID, Summary: p.Summary, Feedback: p.Feedback, Patch: p.Patch}
		if p.Scored {
			q.Score = &p.Score
		}
		out.Parents = append(out.Parents, q)
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return append(body, '\n'), nil
}

// parseReply reads a Reply strictly; see syntax.Decode.
func parseReply(data []byte) (Reply, error) {
	var r Reply
	if err := syntax.Decode(data, &r); err != nil {
		return Reply{}, fmt.Errorf("reading the reply: %w", err)
	}
	if s := r.Spent; s != nil && (s.Tokens < 0 || s.Calls < 0 || s.USD != nil && *s.USD < 0) {
		return Reply{}, fmt.Errorf("reading the reply: what was spent is negative")
	}
	return r, nil
}

// lastLine is the reply in the last line of output, if it is one.
func lastLine(out []byte) (Reply, bool) {
	text := strings.TrimSpace(string(out))
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if !strings.HasPrefix(line, "{") || len(line) > replyMost {
		return Reply{}, false
	}
	r, err := parseReply([]byte(line))
	return r, err == nil
}
