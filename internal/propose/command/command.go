package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// replyFile is the reply file's name in the folder the program is started in.
const replyFile = ".clade-reply.json"

// grace is how long a program has to end itself when its time is up.
const grace = 2 * time.Second

// An Operator runs one program. It is safe for concurrent use.
type Operator struct {
	spec   clade.Operator
	box    sandbox.Sandbox
	lookup sandbox.Lookup // the user's environment
	hide   sandbox.Secrets
}

// plainName is what NAME of clade-operator-NAME may be.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// New makes the operator that a spec describes. A *clade.Problem of fault spec
// says that it has no command, or a name that cannot be an executable's. Whether
// the program is there is seen when it is run; see Check.
func New(o clade.Operator, box sandbox.Sandbox) (*Operator, error) {
	switch {
	case o.Use == "command" && o.IsZero():
		return nil, &clade.Problem{Fault: clade.FaultSpec, Text: "an operator of use command has neither run nor argv",
			Hint: "give it a shell line (run) or an argument list (argv)"}
	case o.Use != "command" && !plainName.MatchString(o.Use):
		return nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("%q cannot be the name of an operator", o.Use),
			Hint: "use mutate, command, or NAME for the executable clade-operator-NAME"}
	}
	return &Operator{spec: o, box: box, lookup: os.LookupEnv, hide: sandbox.SecretsOf(o.Command, os.LookupEnv)}, nil
}

func nameOf(o clade.Operator) string {
	if o.Name != "" {
		return o.Name
	}
	return o.Use
}

func (o *Operator) name() string { return nameOf(o.spec) }

// args is what to execute; an executable of ours may get further arguments.
func (o *Operator) args() []string {
	if o.spec.Use == "command" {
		return o.spec.Args()
	}
	return append([]string{executable(o.spec)}, o.spec.Argv...)
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
	return o.run(ctx, r, s)
}

func (o *Operator) run(ctx context.Context, r propose.Request, s workspace.Scope) (propose.Proposal, error) {
	c := o.command(r)
	dir := path.Join(r.Spec.Target.Prefix, o.spec.Dir)
	s.Enter(&c, dir)
	body, err := o.request(r, c.Dir)
	if err != nil {
		return propose.Proposal{}, err
	}
	c.Stdin = bytes.NewReader(body)
	if r.Log != nil {
		c.Output = logger(func(text string) { r.Log(o.hide.Hide(text)) })
	}
	res, err := o.box.Run(ctx, c)
	if err != nil {
		return propose.Proposal{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	if res.Cancelled {
		return propose.Proposal{}, fmt.Errorf("running %s: %w", c.Args[0], context.Cause(ctx))
	}
	p := propose.Proposal{Grade: res.Grade, Spent: unknown(r)}
	if p.Detail = o.fault(res, c); p.Detail != "" {
		p.Class, p.TimedOut = classOf(res), res.TimedOut
		return p, nil
	}
	return o.proposal(ctx, r, s, dir, res, p)
}

// unknown is what a program spent that did not say: nothing when the attempt has
// nothing to spend, else it may be all of that.
func unknown(r propose.Request) clade.Amount {
	h := r.Attempt.Hold
	return clade.Amount{Unknown: h.Microdollars > 0 || h.Tokens > 0 || h.Calls > 0}
}

// classOf tells an operator that failed from one that could not be run: what is
// missing or not executable is missing for every attempt.
func classOf(res sandbox.Result) clade.Class {
	if res.Exit == sandbox.ExitNotFound || res.Exit == sandbox.ExitNotExecutable {
		return clade.ClassAccess
	}
	return clade.ClassOperator
}

// fault says how the program failed, "" when it did not.
func (o *Operator) fault(res sandbox.Result, c sandbox.Command) string {
	what := res.Failure(c.Limits)
	switch {
	case what == "":
		return ""
	case res.Exit == sandbox.ExitNotFound && Check(o.spec, exec.LookPath) != nil:
		return missing(o.spec, executable(o.spec))
	}
	return strings.TrimSpace(fmt.Sprintf("operator %s: %s\n%s", o.name(), what, res.Excerpt(2*excerptMost, o.hide)))
}

// proposal takes what a program that went well changed and said.
func (o *Operator) proposal(ctx context.Context, r propose.Request, s workspace.Scope, dir string, res sandbox.Result,
	p propose.Proposal) (propose.Proposal, error) {
	reply, err := o.reply(s, path.Join(dir, replyFile), res)
	if err != nil {
		p.Class, p.Detail = clade.ClassOperator, o.hide.Hide(fmt.Sprintf("operator %s: %v", o.name(), err))
		return p, nil
	}
	changes, err := s.Changes(ctx)
	if errors.Is(err, workspace.ErrNestedGit) {
		p.Class, p.Detail = clade.ClassPolicy, err.Error()
		return p, nil
	}
	if err != nil {
		return propose.Proposal{}, fmt.Errorf("listing what %s changed: %w", o.name(), err)
	}
	p.Changes = without(changes, path.Join(dir, replyFile))
	p.Spent = spent(r, reply.Spent)
	for _, n := range reply.Notes {
		p.Notes = append(p.Notes, clade.Note{About: []clade.ID{r.Attempt.ID}, Kind: clade.NoteFinding, Body: clade.Clip(clade.Clean(o.hide.Hide(n)), noteMost)})
	}
	if len(p.Changes) == 0 {
		p.Detail = fmt.Sprintf("operator %s changed nothing", o.name())
		return p, nil
	}
	p.Feedback = reply.Feedback
	p.Summary = clade.Line(o.hide.Hide(reply.Summary), summaryMost)
	if p.Summary == "" {
		p.Summary = clade.Line(fmt.Sprintf("%s: %s", o.name(), listed(p.Changes)), summaryMost)
	}
	return p, nil
}

// reply reads the reply file, or the last line of output where there is none.
func (o *Operator) reply(s workspace.Scope, file string, res sandbox.Result) (Reply, error) {
	data, err := s.ReadFile(file, replyMost)
	switch {
	case err == nil:
		return parseReply(data)
	case !errors.Is(err, fs.ErrNotExist):
		return Reply{}, fmt.Errorf("reading the reply: %w", err)
	}
	r, _ := lastLine(res.Stdout.End())
	return r, nil
}

func spent(r propose.Request, s *Spent) clade.Amount {
	if s == nil {
		return unknown(r)
	}
	a := clade.Amount{Tokens: s.Tokens, Calls: s.Calls}
	if s.USD != nil {
		a.Microdollars = *s.USD
	} else {
		a.Unknown = r.Attempt.Hold.Microdollars > 0
	}
	return a
}

func without(changes []ledger.Change, file string) []ledger.Change {
	var kept []ledger.Change
	for _, c := range changes {
		if c.Path != file {
			kept = append(kept, c)
		}
	}
	return kept
}
