package control

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/land"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
)

type (
	Preview = land.Preview
	Lander  = land.Lander
)

// Landing options.
type Landing struct {
	// Step is told what takes time; nil for nobody.
	Step func(string)
	// Writing is called before files are written and what it returns when they
	// have been; nil for nobody. See land.Lander.
	Writing func() (done func())
	// Only and Never say which paths are landed and which must never be touched;
	// nil for all and none. See land.Lander.
	Only, Never func(path string) bool
}

// Landing gives fn a lander for the run's target, under the target's lock, after
// completing what a crash left half done: recovered, nil if there was nothing.
func (r *Run) Landing(ctx context.Context, o Landing, fn func(l *Lander, recovered *clade.Applying) error) (err error) {
	lock, err := proc.TryLock(filepath.Join(r.State, "landing.lock"), false)
	switch {
	case err != nil:
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the target's state cannot be written, so nothing can be landed", Err: err}
	case lock == nil:
		return &clade.Problem{Fault: clade.FaultBusy, Text: "another process is applying or undoing in this target",
			Hint: "nothing was changed; try again when it has ended"}
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	led, err := r.Ledger(ctx)
	if err != nil {
		return err
	}
	var spec clade.Spec
	var where string
	if err := r.View(ctx, func(v clade.View) error {
		spec, where = v.Head().Spec, r.Where(v)
		return nil
	}); err != nil {
		return err
	}
	l := &land.Lander{Log: r.log, Ledger: led, Kind: spec.Target.Kind, Patch: filepath.Join(r.Dir(), "winner.patch"), Writing: o.Writing, Step: r.c.LandStep,
		Only: o.Only, Never: o.Never}
	l.Root, l.Source = source(&spec, where)
	if _, err := os.Stat(l.Root); err != nil {
		return &clade.Problem{Fault: clade.FaultNotFound, Text: "the target is gone", Err: err}
	}
	l.Gate = func(ctx context.Context, commit string) ([]string, error) { return r.gate(ctx, &spec, commit, o.Step) }
	recovered, err := l.Recover(ctx)
	if err != nil {
		return err
	}
	return fn(l, recovered)
}

// landings lists the commits that hold the bytes before and after each apply,
// which an undo needs, and what was landed where that was not a candidate.
func (r *Run) landings(ctx context.Context) (out []string, err error) {
	return out, r.log.Read(ctx, 0, func(rec clade.Record) error {
		if a, ok := rec.Event.(clade.Applying); ok && !a.Undo {
			out = append(out, a.Before, a.After)
			if a.Landed != "" {
				out = append(out, a.Landed)
			}
		}
		return nil
	})
}

// source is the folder a target's tree is relative to, and how it is read.
func source(spec *clade.Spec, where string) (root string, s ledger.Source) {
	switch spec.Target.Kind {
	case clade.TargetFile:
		s = fileSource(where)
		return s.Dir, s
	case clade.TargetDir:
		s = ledger.Folder(where, spec.Target.Only)
		s.Gone = true // what has been deleted meanwhile is merged
		return where, s
	}
	root = filepath.Join(where, up(spec.Target.Prefix))
	return root, ledger.Source{Git: root}
}

// up leads from a folder of a repository to its top.
func up(prefix string) string {
	out := "."
	for dir := filepath.Clean(filepath.FromSlash(prefix)); dir != "."; dir = filepath.Dir(dir) {
		out = filepath.Join(out, "..")
	}
	return out
}

// gate runs the spec's gates on a commit and says which failed.
func (r *Run) gate(ctx context.Context, spec *clade.Spec, commit string, step func(string)) (failed []string, err error) {
	if len(spec.Gates) == 0 {
		return nil, nil
	}
	if step == nil {
		step = func(string) {}
	}
	b := &rig{c: r.c, run: r, log: r.log, led: r.led, o: Launch{Step: step}, gatesOnly: true}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.prepare(ctx); err != nil {
		return nil, err
	}
	step("running the gates")
	stage := clade.Stage{Subjects: []clade.ID{clade.Base}, Fresh: true}
	for _, g := range spec.Gates {
		stage.Checks = append(stage.Checks, g.ID)
	}
	attempt := clade.Attempt{Makes: clade.MakesNumbers, Why: "gates before landing", After: []clade.Stage{stage}}
	ev, err := b.evaluator()
	if err != nil {
		return nil, err
	}
	evs, err := ev.Evaluate(ctx, evaluate.Job{
		Spec: spec, Attempt: &attempt, Stage: stage, Template: b.template, Memory: forgetful{},
		Subjects: []evaluate.Subject{{ID: clade.Base, Commit: commit, Tree: commit}},
	})
	if err != nil {
		return nil, err
	}
	for _, e := range evs {
		for _, s := range e.Samples {
			if s.Gate && (s.Class != clade.OK || s.Value != 1) {
				failed = append(failed, s.Check+": "+s.Detail)
			}
		}
	}
	return failed, nil
}

// forgetful remembers nothing: gates before landing are always run.
type forgetful struct{}

func (forgetful) Recall(context.Context, evaluate.Key, bool) (clade.Sample, bool, error) {
	return clade.Sample{}, false, nil
}

func (forgetful) Keep(context.Context, evaluate.Key, clade.Sample, bool) error { return nil }
