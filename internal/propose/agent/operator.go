// Package agent is the operator that has a coding-agent CLI work in a workspace:
// what it leaves there is the proposal. Its model is reached through clade's
// gateway, or in the CLI's own way where the spec opens the network to it.
package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/workspace"
)

// An Operator runs one CLI. It is safe for concurrent use.
type Operator struct {
	spec clade.Operator
	run  *agent.Runner
}

// New makes the operator that a spec describes, around a runner for its CLI.
func New(o clade.Operator, r *agent.Runner) *Operator { return &Operator{spec: o, run: r} }

var _ propose.Operator = (*Operator)(nil)

func (o *Operator) name() string {
	if o.spec.Name != "" {
		return o.spec.Name
	}
	return o.spec.Use
}

// Propose implements propose.Operator.
func (o *Operator) Propose(ctx context.Context, r propose.Request) (p propose.Proposal, err error) {
	w, err := r.Open(ctx)
	if err != nil {
		return p, fmt.Errorf("opening a workspace: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	s, err := w.Scope(ctx)
	if err != nil {
		return p, fmt.Errorf("opening a scope: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	job := agent.Job{Scope: s, Dir: r.Spec.Target.Prefix, Prompt: o.prompt(r), Cap: limit(r), Output: r.Log}
	run, err := o.run.Run(ctx, job)
	if err != nil {
		p.Spent = run.Spent
		p.Spent.Unknown = p.Spent.Unknown && r.Attempt.Hold.Microdollars > 0
		return p, err
	}
	return o.proposal(ctx, r, s, run)
}

// limit is the most the attempt may use.
func limit(r propose.Request) llm.Cap {
	h := r.Attempt.Hold
	return llm.Cap{Microdollars: h.Microdollars, Tokens: h.Tokens, Calls: h.Calls}
}

// proposal is what a run comes to. A failed run proposes nothing, whatever it
// left behind: half an edit is no candidate.
func (o *Operator) proposal(ctx context.Context, r propose.Request, s workspace.Scope, run agent.Run) (propose.Proposal, error) {
	p := propose.Proposal{Grade: run.Grade, Spent: run.Spent, Class: run.End.Class(), TimedOut: run.End == agent.EndHung}
	p.Spent.Unknown = p.Spent.Unknown && r.Attempt.Hold.Microdollars > 0
	if p.Class != clade.OK {
		p.Detail = clade.Clip(fmt.Sprintf("%s (%s) %s: %s", o.name(), o.run.Driver.Name(), words[run.End], run.Detail), detailMost)
		return p, nil
	}
	if r.Attempt.Makes == clade.MakesNotes {
		return propose.Noted(r, o.spec.Role, p, run.Text), nil
	}
	changes, err := s.Changes(ctx)
	if errors.Is(err, workspace.ErrNestedGit) || errors.Is(err, workspace.ErrTooLarge) || errors.Is(err, workspace.ErrSpecial) {
		p.Class, p.Detail = clade.ClassPolicy, err.Error()
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("listing what %s changed: %w", o.name(), err)
	}
	var left []string
	if p.Changes, left, err = propose.Scoped(r.Spec, changes, propose.Had(ctx, r.Read, r.From())); err != nil {
		return p, err
	}
	if len(left) > 0 {
		p.Notes = append(p.Notes, clade.Note{About: []clade.ID{r.Attempt.ID}, Kind: clade.NoteWarning,
			Body: clade.Clip("left out, since they are new and outside allow: "+strings.Join(left, ", "), detailMost)})
	}
	if len(p.Changes) == 0 {
		p.Detail = clade.Clip(fmt.Sprintf("%s (%s) changed nothing: %s", o.name(), o.run.Driver.Name(), run.Text), detailMost)
		return p, nil
	}
	p.Summary, p.Feedback = summary(o.run.Driver.Name(), run.Text, p.Changes), clade.Clip(clade.Clean(run.Text), feedbackMost)
	return p, nil
}

// Bounds of what is kept of a run's words, bytes.
const (
	detailMost   = 4 << 10
	feedbackMost = 2 << 10
	summaryMost  = 160
)

// words say for people how a run ended.
var words = map[agent.End]string{
	agent.EndSignedOut: "is not signed in to its model", agent.EndRate: "was rate limited",
	agent.EndService: "could not be served", agent.EndRefused: "would not do it", agent.EndHung: "hung",
	agent.EndMissing: "is not installed", agent.EndFailed: "failed",
}

// summary is the line the agent was asked to end with, or else what it touched.
func summary(driver, text string, changes []ledger.Change) string {
	lines := strings.Split(strings.TrimSpace(clade.Clean(text)), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if said, ok := strings.CutPrefix(strings.Trim(lines[i], "*_` "), summaryMark); ok && strings.TrimSpace(said) != "" {
			return clade.Line(said, summaryMost)
		}
	}
	var names []string
	for _, c := range changes {
		names = append(names, c.Path)
	}
	return clade.Line(driver+": "+strings.Join(names, ", "), summaryMost)
}
