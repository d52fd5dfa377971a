package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/workspace"
)

// A run is a search of a repository in which every operator edits one file.
type run struct {
	candidates int
	slots      int
	batch      int    // of the strategy, 0: in order of arrival
	operator   bool   // a sandboxed command edits, instead of this process
	evaluator  bool   // sandboxed commands are gate and measure, likewise
	agent      string // a line for the shell that is a coding agent and edits instead
}

// spec is the run's spec. Where commands are run they are the cheapest there are.
func (r run) spec() string {
	batch := ""
	if r.batch > 0 {
		batch = fmt.Sprintf(", batch: %d", r.batch)
	}
	operator := fmt.Sprintf("use: command, name: edit, run: 'echo \"$CLADE_ATTEMPT\" > %s'", edited)
	if r.agent != "" {
		operator = fmt.Sprintf("use: agent, agent: custom, name: edit, run: '%s'", r.agent)
	}
	return fmt.Sprintf(`version: 1
objective: Cost nothing.
target: {path: target, kind: git}
gates:
  - {id: pass, argv: ["true"]}
measures:
  - {id: one, argv: [echo, "1"], read: {kind: whole}, goal: maximize, noise: none}
operators:
  - {%s}
search: {strategy: hillclimb%s}
budget: {candidates: %d}
slots: %d
seed: 1
`, operator, batch, r.candidates, r.slots)
}

// prepare makes the folder of a run: a spec beside its target.
func (b *bench) prepare(ctx context.Context, name string, r run) (string, error) {
	dir := filepath.Join(b.dir, name)
	if _, err := b.repository(ctx, filepath.Join(name, "target"), b.sizes.target); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "clade.yaml"), []byte(r.spec()), 0o644)
}

// watch is what is seen of a search.
type watch struct {
	progress func(clade.View)
	// begun is called when the first try does something.
	begun func()
	// decided is the time spent on decisions, and attempts how many there were.
	decided, attempts atomic.Int64
	delay             func(clade.ID) time.Duration
}

// with replaces those parts of p that the run does without.
func (r run) with(p control.Parts, w *watch) control.Parts {
	begun := func() {}
	if w.begun != nil {
		begun = once(w.begun)
	}
	if !r.operator && r.agent == "" {
		p.Operators = func(spec *clade.Spec, _ control.Tools) (map[string]propose.Operator, error) {
			return map[string]propose.Operator{spec.Operators[0].Name: editor{begun}}, nil
		}
	}
	if !r.evaluator {
		p.Evaluator = func(_ *clade.Spec, spaces workspace.Provider, t control.Tools) (evaluate.Evaluator, error) {
			return reader{spaces: spaces, grade: t.Sandbox.Grade(), begun: begun, delay: w.delay}, nil
		}
	}
	search := p.Search
	p.Search = func(spec *clade.Spec) (strategy.Search, error) {
		s, err := search(spec)
		return timed{s, w}, err
	}
	return p
}

// do opens a run in dir, or the one that is there, and searches until it stops.
func (r run) do(ctx context.Context, p control.Parts, dir string, w *watch) error {
	c := control.New(r.with(p, w))
	open, err := c.Open(ctx, "", dir)
	if clade.FaultOf(err) == clade.FaultNotFound {
		var resolved *control.Resolved
		if resolved, err = c.Resolve(ctx, filepath.Join(dir, "clade.yaml")); err != nil {
			return err
		}
		open, err = c.Create(ctx, resolved)
	}
	if err != nil {
		return err
	}
	return errors.Join(open.Launch(ctx, control.Launch{Progress: w.progress}), open.Close())
}

// timed is a search whose decisions are timed.
type timed struct {
	strategy.Search
	*watch
}

// Judge implements strategy.Judge.
func (t timed) Judge(v clade.View) []clade.Verdict {
	start := time.Now()
	verdicts := t.Search.Judge(v)
	t.decided.Add(int64(time.Since(start)))
	return verdicts
}

// Next implements strategy.Strategy.
func (t timed) Next(v clade.View, free int) ([]clade.Attempt, *clade.Stopped) {
	start := time.Now()
	plan, stop := t.Search.Next(v, free)
	t.decided.Add(int64(time.Since(start)))
	t.attempts.Add(int64(len(plan)))
	return plan, stop
}
