package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/engine"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/worker"
	"github.com/cladehq/clade/internal/workspace"
)

// Launch options.
type Launch struct {
	// Soft, when cancelled, lets the running tries end and begins nothing new.
	Soft context.Context
	// Step is told what is being prepared ("building the template").
	Step func(string)
	// Progress is told the state after every turn; it must be quick and must
	// not keep the view.
	Progress func(clade.View)
}

// ErrDrained is Launch's answer to a soft stop.
var ErrDrained = engine.ErrDrained

// Launch searches the run until it stops, in this process. It returns a Problem
// with FaultBusy when another process holds the run, ErrDrained after a
// soft stop, and the cause after ctx was cancelled.
func (r *Run) Launch(ctx context.Context, o Launch) (err error) {
	if o.Soft == nil {
		o.Soft = context.Background()
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	lease, err := r.lease(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	log, err := r.store.Open(ctx, r.Name, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	led, err := r.Ledger(ctx)
	if err != nil {
		return err
	}
	b := &rig{c: r.c, run: r, log: log, led: led, o: o}
	defer func() { err = errors.Join(err, b.close()) }()
	if err = b.prepareUntil(ctx); err == nil {
		err = b.search(ctx)
	}
	b.tell(err)
	return err
}

// prepareUntil prepares until a soft stop, which ends it at once: nothing that
// could be let end runs yet.
func (b *rig) prepareUntil(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.o.Soft, cancel)()
	err := b.prepare(ctx)
	if err != nil && b.o.Soft.Err() != nil {
		return ErrDrained
	}
	return err
}

// tell keeps in the log why a launch failed, for whoever looks at the run later.
// Interruptions speak for themselves.
func (b *rig) tell(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrDrained) {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), tellWithin)
	defer stop()
	note := clade.Noted{Note: clade.Note{Kind: clade.NoteWarning, Body: "the search broke off: " + err.Error()}}
	_ = b.log.Update(ctx, func(tx store.Tx) error { return tx.Append(note) }) // what broke it may break this too
}

// tellWithin bounds the wait for a log that may be what is broken.
const tellWithin = 5 * time.Second

func (r *Run) lease(ctx context.Context) (store.Lease, error) {
	lease, holder, err := r.store.Lease(ctx, r.Name)
	if errors.Is(err, store.ErrHeld) {
		return nil, r.Busy(holder)
	}
	return lease, err
}

// Busy is the problem that holder searches the run.
func (r *Run) Busy(holder Holder) error {
	return &clade.Problem{Fault: clade.FaultBusy,
		Text: fmt.Sprintf("run %s is searched by process %d on %s since %s", r.Name, holder.PID, holder.Host, holder.Since.Local().Format("15:04:05")),
		Hint: fmt.Sprintf("clade watch %s shows it, clade cancel %s ends it", r.Name, r.Name)}
}

// A rig is what a launch works with, made in order and closed in reverse.
type rig struct {
	c     *Control
	run   *Run
	log   store.Log
	led   ledger.Ledger
	o     Launch
	spec  clade.Spec
	base  clade.Life
	where string

	scratches *workspace.Slots
	scratch   string // for short-lived files of the evaluator

	box       sandbox.Sandbox
	spaces    workspace.Provider
	template  workspace.Template
	operators map[string]propose.Operator
	cases     []evaluate.Case
	surveys   map[string]string
}

func (b *rig) close() (err error) {
	if b.spaces != nil {
		err = b.spaces.Close()
	}
	if b.box != nil {
		err = errors.Join(err, b.box.Close())
	}
	if b.scratch != "" {
		err = errors.Join(err, workspace.Remove(b.scratch), b.scratches.Close())
	}
	return err
}

func (b *rig) evaluator() evaluate.Evaluator { return b.c.Evaluator(b.spaces, b.box, b.scratch) }

// setupWall is how long setup may take when it sets no timeout: it runs once and
// fills cold caches, so limits.wall, which is for one evaluation, does not fit.
const setupWall = 10 * time.Minute

func (b *rig) prepare(ctx context.Context) error {
	err := b.log.View(ctx, func(v clade.View) error {
		b.spec, b.where, b.base = v.Head().Spec, b.c.where(b.run.State, v.Head()), *v.Life(clade.Base)
		return nil
	})
	if err != nil {
		return err
	}
	if b.cases, err = loadCases(ctx, &b.spec, b.led, b.base.Commit); err != nil {
		return err
	}
	if b.box, err = b.c.Sandbox(ctx, &b.spec, []string{b.run.State, b.c.Cache, b.where}); err != nil {
		return err
	}
	if b.spaces, err = b.c.Workspaces(b.c.Cache, b.led, b.box); err != nil {
		return err
	}
	if err := b.tidy(ctx); err != nil {
		return fmt.Errorf("clear away what dead processes left: %w", err)
	}
	if b.scratches, b.scratch, err = b.c.newScratch(); err != nil {
		return err
	}
	if b.operators, err = b.c.Operators(&b.spec, b.box); err != nil {
		return err
	}
	b.o.Step("preparing the template")
	b.template, err = b.spaces.Template(ctx, workspace.TemplateSpec{
		Commit: b.base.Commit, Prefix: b.spec.Target.Prefix, Origin: b.origin(), Carry: b.spec.Carry,
		Lock: b.spec.Lock, Setup: b.spec.Setup, Progress: b.o.Step,
		Limits: sandbox.Limits{Wall: setupWall, Output: int64(b.spec.Limits.Output)},
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx) // setup did not fail, it was ended
	}
	if errors.Is(err, workspace.ErrSetup) {
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: err.Error(), Hint: "setup runs once, before any candidate; none was tried"}
	}
	if err != nil {
		return fmt.Errorf("prepare template: %w", err)
	}
	return b.survey(ctx)
}

// tidy ends commands that outlived their clade, which could write into folders
// that are used again, and removes the folders that are not.
func (b *rig) tidy(ctx context.Context) error {
	if err := endOrphans(ctx); err != nil {
		return err
	}
	_, err := b.spaces.Sweep(ctx, false)
	_, serr := Scratch(b.c.Cache).Sweep()
	return errors.Join(err, serr)
}

// endWithin bounds the wait for processes that the kernel does not let die.
const endWithin = 10 * time.Second

func endOrphans(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, endWithin)
	defer stop()
	_, err := proc.KillOrphans(ctx)
	return err
}

// origin is the folder that carry globs are looked up in.
func (b *rig) origin() string {
	if b.spec.Target.Kind == clade.TargetFile {
		return filepath.Dir(b.where)
	}
	return b.where
}

// loadCases reads the dataset from the base tree, so that it is pinned with it.
func loadCases(ctx context.Context, spec *clade.Spec, led ledger.Ledger, base string) ([]evaluate.Case, error) {
	if spec.Dataset == nil {
		return nil, nil
	}
	p := path.Join(spec.Target.Prefix, spec.Dataset.File)
	entries, err := led.List(ctx, base)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Path == p {
			data, err := led.Read(ctx, e.Blob)
			if err != nil {
				return nil, err
			}
			return evaluate.Load(spec, data)
		}
	}
	return nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("the base has no dataset %s", p),
		Hint: "dataset.file is relative to the target; in a repository it must be committed"}
}

// Cases reads the run's dataset, as split.
func (r *Run) Cases(ctx context.Context) (cases []evaluate.Case, err error) {
	led, err := r.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	var spec clade.Spec
	var base string
	if err := r.View(ctx, func(v clade.View) error {
		spec, base = v.Head().Spec, v.Life(clade.Base).Commit
		return nil
	}); err != nil {
		return nil, err
	}
	return loadCases(ctx, &spec, led, base)
}

// survey has operators look at the base, once per run.
func (b *rig) survey(ctx context.Context) error {
	b.surveys = map[string]string{}
	known := ""
	err := b.log.View(ctx, func(v clade.View) error {
		for n := range v.Notes(clade.NoteSpace) {
			known = n.Body
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.operators)) {
		s, ok := b.operators[name].(propose.Surveyor)
		if !ok {
			continue
		}
		if known == "" {
			b.o.Step("looking at what can be edited")
			known, err = s.Survey(ctx, propose.Request{Spec: &b.spec, Attempt: &b.base.Attempt, Read: b.led,
				Parents: []propose.Parent{{ID: clade.Base, Commit: b.base.Commit}}})
			if err != nil {
				return fmt.Errorf("survey for %s: %w", name, err)
			}
			note := clade.Noted{Note: clade.Note{About: []clade.ID{clade.Base}, Kind: clade.NoteSpace, Body: known}}
			if err := b.log.Update(ctx, func(tx store.Tx) error { return tx.Append(note) }); err != nil {
				return err
			}
		}
		b.surveys[name] = known
	}
	return nil
}

func (b *rig) search(ctx context.Context) error {
	search, err := b.c.Search(&b.spec)
	if err != nil {
		return err
	}
	start := time.Now()
	host, _ := os.Hostname()
	e := &engine.Engine{
		Log: b.log, Search: search, Ledger: b.led, Clock: func() time.Duration { return time.Since(start) },
		Worker: fmt.Sprintf("%s/%d", host, os.Getpid()), Backoff: backoff, Progress: b.o.Progress,
	}
	e.Prepare()
	logs := &logs{dir: filepath.Join(b.run.Dir(), "logs"), most: int64(b.spec.Limits.Output)}
	w := &worker.Worker{
		Spec: &b.spec, Ledger: b.led, Workspaces: b.spaces, Template: b.template, Operators: b.operators,
		Evaluator: b.evaluator(), Rules: b.c.Rules, Cases: b.cases, Hidden: b.hidden(),
		Spaces: b.surveys, Journal: e, Log: logs.write, Look: b.look,
	}
	b.o.Step("searching")
	return e.Run(ctx, b.o.Soft, b.c.Dispatch(ctx, b.spec.Slots, w.Perform))
}

// hidden are the paths of the tree that no command sees: held-out cases.
func (b *rig) hidden() []string {
	if b.spec.Dataset == nil {
		return nil
	}
	return []string{path.Join(b.spec.Target.Prefix, b.spec.Dataset.File)}
}

// backoff is 10 s, 20 s, 40 s, … at most 6 min between tries that the
// infrastructure lost.
func backoff(lost int) time.Duration {
	const most = 6 * time.Minute
	return min(most, 10*time.Second<<min(max(0, lost-1), 6))
}

// logs writes what a try's commands print to one file of the run. It is
// telemetry: a failure to write is not an error of the run.
type logs struct {
	dir  string
	most int64 // bytes per file
}

func (l *logs) write(id clade.ID, try int, source, text string) {
	if text == "" {
		return
	}
	// Not MkdirAll: the folder of a run that was deleted stays deleted.
	if err := os.Mkdir(l.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return
	}
	f, err := os.OpenFile(LogFile(l.dir, id, try), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > l.most {
		return
	}
	_, _ = fmt.Fprintf(f, "── %s\n%s\n", source, text)
}

// LogFile is where a try's output is kept below a run's log folder.
func LogFile(dir string, id clade.ID, try int) string {
	return filepath.Join(dir, fmt.Sprintf("%d-%d.log", id, try))
}
