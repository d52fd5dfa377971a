package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// A Runner runs one CLI, as a spec describes it. It is safe for concurrent use.
type Runner struct {
	Driver  Driver
	Box     sandbox.Sandbox
	Gateway llm.Gateway  // nil: no Model
	Model   *clade.Model // reached through Gateway; nil: the CLI's own way
	// Command gives the environment, the variables passed through, the time
	// limit and the network. Its arguments are the driver's business.
	Command clade.Command
	Limits  clade.Limits
	Idle    time.Duration // 0: Idle
	Turns   int
	Lookup  sandbox.Lookup // the user's environment
	Scratch string         // host folder below which short-lived configuration lies
}

// A Job is one run.
type Job struct {
	Scope  workspace.Scope
	Dir    string // relative to the tree
	Prompt string
	Cap    llm.Cap // the most it may use; its money is also told to CLIs that take a cap
	// Output gets what the CLI prints as it comes, without secrets; nil drops it.
	Output func(text string)
}

// A Run is what became of a job.
type Run struct {
	Report
	Grade  string // isolation that held
	Strays int    // processes that outlived the CLI and were killed
}

// grace is how long a CLI has to end itself.
const grace = 5 * time.Second

// Run runs the CLI to its end. An error is infrastructure; what the CLI or its
// model did is in the report. Spent is what the gateway metered where there is
// one, else what the CLI says; it is also there beside an error.
func (r *Runner) Run(ctx context.Context, job Job) (out Run, err error) {
	config, err := os.MkdirTemp(r.Scratch, "agent-")
	if err != nil {
		return out, fmt.Errorf("making a folder for the agent: %w", err)
	}
	defer func() { err = errors.Join(err, workspace.Remove(config)) }()
	session, refused, err := r.open(job.Cap)
	if err != nil || refused != nil {
		return Run{Report: denied(refused)}, err
	}
	defer func() {
		if session == nil {
			return
		}
		if m := session.Close(); err != nil {
			out.Spent = m.Spent // what broke off has cost what it has
		}
	}()
	c, task, silent, err := r.command(job, config, session)
	if err != nil {
		return out, err
	}
	idleAfter := r.idle()
	if silent {
		idleAfter = max(idleAfter, c.Limits.Wall+grace)
	}
	hide := r.secrets(session)
	res, idle, err := r.watch(ctx, c, job, hide, idleAfter)
	if err != nil || res.Cancelled && !idle {
		out.Spent = clade.Amount{Unknown: true}.AtMost(held(job.Cap)) // unless a gateway knows better
	}
	if err != nil {
		return out, fmt.Errorf("running %s: %w", r.Driver.Name(), err)
	}
	if res.Cancelled && !idle {
		return out, fmt.Errorf("running %s: %w", r.Driver.Name(), context.Cause(ctx))
	}
	out = Run{Report: r.Driver.Read(task, res, config), Grade: res.Grade, Strays: res.Strays}
	if idle || res.TimedOut {
		out.End, out.Detail = EndHung, r.hung(c, idle)
	}
	if session != nil {
		r.settle(&out.Report, session.Close())
	} else {
		out.Spent = said(out.Report, job.Cap)
	}
	out.Text, out.Detail = hide.Hide(out.Text), hide.Hide(out.Detail)
	return out, nil
}

// open begins a session for the model, if the CLI is given one.
func (r *Runner) open(cap llm.Cap) (llm.Session, *llm.Error, error) {
	if r.Model == nil {
		return nil, nil, nil
	}
	s, err := r.Gateway.Open(*r.Model, cap)
	var refused *llm.Error
	if errors.As(err, &refused) {
		return nil, refused, nil
	}
	return s, nil, err
}

// denied is the report of a run that was not begun.
func denied(e *llm.Error) Report {
	if e == nil {
		return Report{}
	}
	return Report{End: endOf(e), Detail: e.Error()}
}

func endOf(e *llm.Error) End {
	switch e.Kind {
	case llm.KindAccess:
		return EndSignedOut
	case llm.KindRate:
		return EndRate
	case llm.KindServer, llm.KindNetwork, llm.KindAllFailed:
		return EndService
	case llm.KindBudget:
		return EndLimit
	}
	return EndFailed
}

// command is what to run, with the configuration written to config. silent says
// that no idle clock may run.
func (r *Runner) command(job Job, config string, session llm.Session) (sandbox.Command, Task, bool, error) {
	task := Task{
		Prompt: job.Prompt, Contained: r.Box.Grade() != sandbox.GradeNone, Most: job.Cap.Microdollars,
		Turns: r.Turns, Network: r.Command.Network,
	}
	c := sandbox.Command{}
	task.Config = sandbox.Lend(r.Box, &c, config, "agent")
	lent, writable := c.Mounts, c.Writable
	if session != nil {
		task.Access = Access{Provider: r.Model.Provider, BaseURL: session.BaseURL(), Key: session.Key()}
		task.Model = r.Model.Model
		if task.Model == "" {
			task.Model = r.Model.Name
		}
	}
	where := sandbox.Command{}
	job.Scope.Enter(&where, job.Dir)
	task.Dir = where.Dir
	inv, err := r.Driver.Invoke(task)
	if err != nil {
		return c, task, false, fmt.Errorf("preparing %s: %w", r.Driver.Name(), err)
	}
	if err := write(config, inv.Files); err != nil {
		return c, task, false, err
	}
	said := r.Command
	said.Run, said.Argv = "", inv.Args
	base := sandbox.Basics(r.Lookup)
	for name, value := range inv.Env {
		base = append(base, name+"="+value)
	}
	c = sandbox.Prepare(said, r.Limits, base, r.Lookup)
	job.Scope.Enter(&c, job.Dir)
	c.Mounts, c.Writable = append(c.Mounts, lent...), append(c.Writable, writable...)
	c.Readable = append(c.Readable, installation(r.Driver.Program())...)
	c.Stdin, c.Grace = strings.NewReader(inv.Stdin), grace
	if session != nil {
		c.Gateways = append(c.Gateways, session.Address())
	}
	return c, task, inv.Silent, nil
}

// write puts the files where only the user reads them.
func write(dir string, files map[string]string) error {
	for name, text := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
			return fmt.Errorf("preparing an agent: %q is no file of its configuration", name)
		}
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			return fmt.Errorf("preparing an agent: %w", err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			return fmt.Errorf("preparing an agent: %w", err)
		}
	}
	return nil
}

// secrets are what no output may hold.
func (r *Runner) secrets(session llm.Session) sandbox.Secrets {
	hide := sandbox.SecretsOf(r.Command, r.Lookup)
	if session != nil {
		hide = append(hide, session.Key(), "[session key]")
	}
	return hide
}

// watch runs the command and ends it when it prints nothing for too long.
func (r *Runner) watch(ctx context.Context, c sandbox.Command, job Job, hide sandbox.Secrets, after time.Duration) (res sandbox.Result, idle bool, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	clock := time.AfterFunc(after, func() { stop(errIdle) })
	defer clock.Stop()
	heard := &pulse{clock: clock, every: after, to: job.Output, hide: hide}
	c.Output = heard
	res, err = r.Box.Run(ctx, c)
	heard.end()
	return res, errors.Is(context.Cause(ctx), errIdle) && res.Cancelled, err
}

var errIdle = errors.New("it printed nothing for too long")

func (r *Runner) idle() time.Duration {
	if r.Idle > 0 {
		return r.Idle
	}
	return Idle
}

func (r *Runner) hung(c sandbox.Command, idle bool) string {
	if idle {
		return fmt.Sprintf("%s printed nothing for %v and was ended", r.Driver.Name(), r.idle())
	}
	return fmt.Sprintf("%s did not end within %v", r.Driver.Name(), c.Limits.Wall)
}

// settle puts what was metered for what the CLI claims. The gateway saw every
// call; only money that it cannot price is taken from the CLI's word.
func (r *Runner) settle(report *Report, m llm.Metered) {
	claimed := report.Spent
	report.Spent = m.Spent
	if r.Model.Price == nil && !claimed.Unknown && claimed.Microdollars > 0 {
		report.Spent.Microdollars, report.Spent.Unknown = claimed.Microdollars, false
	}
	switch report.End {
	case EndFailed, EndService:
		switch {
		case m.Refused > 0:
			report.End = EndLimit
		case m.Last != nil:
			report.End, report.Detail = endOf(m.Last), both(m.Last.Error(), report.Detail)
		}
	case EndHung:
		// It waited for a service that never said anything.
		if m.Last != nil && m.Last.Kind == llm.KindNetwork && m.Usage.Tokens() == 0 {
			report.End, report.Detail = EndService, both(m.Last.Error(), report.Detail)
		}
	case EndRate, EndSignedOut, EndRefused:
		// The gateway refuses in the words of a service whose account is empty.
		if m.Last != nil && m.Last.Kind == llm.KindBudget {
			report.End = EndLimit
		}
	}
}

// both are the gateway's words and the CLI's.
func both(ours, theirs string) string {
	if theirs = strings.TrimSpace(theirs); theirs == "" {
		return ours
	}
	return ours + ";\n" + theirs
}

// said is what a run cost of which nobody knows but the CLI: what it does not say
// may be all that it was let. One that was not there, or not let in, used nothing.
func said(report Report, most llm.Cap) clade.Amount {
	spent := report.Spent
	none := spent.Microdollars == 0 && spent.Tokens == 0 && spent.Calls <= 1
	if (report.End == EndMissing || report.End == EndSignedOut) && none {
		return clade.Amount{Calls: spent.Calls}
	}
	return spent.AtMost(held(most))
}

func held(c llm.Cap) clade.Amount {
	return clade.Amount{Microdollars: c.Microdollars, Tokens: c.Tokens, Calls: c.Calls}
}

// A pulse is a writer that keeps an idle clock from running out.
type pulse struct {
	clock *time.Timer
	every time.Duration
	hide  sandbox.Secrets
	to    func(string)

	mu   sync.Mutex
	line []byte // not yet told: a secret is never told in halves
}

// lineMost is the longest line that is told whole.
const lineMost = 64 << 10

func (p *pulse) Write(b []byte) (int, error) {
	p.clock.Reset(p.every)
	if p.to == nil {
		return len(b), nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = append(p.line, b...)
	if i := strings.LastIndexByte(string(p.line), '\n'); i >= 0 || len(p.line) > lineMost {
		if i < 0 {
			i = len(p.line) - 1
		}
		p.tell(p.line[:i+1])
		p.line = append(p.line[:0], p.line[i+1:]...)
	}
	return len(b), nil
}

func (p *pulse) tell(text []byte) { p.to(clade.Clean(p.hide.Hide(string(text)))) }

// end tells what was said after the last line.
func (p *pulse) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && len(p.line) > 0 {
		p.tell(p.line)
		p.line = nil
	}
}
