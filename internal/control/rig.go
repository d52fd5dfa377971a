package control

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/workspace"
)

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
	gatesOnly bool        // nothing proposes: no operators, no models
	gateway   llm.Gateway // nil: no command reaches a model
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
	if b.gateway != nil {
		err = errors.Join(err, b.gateway.Close())
	}
	if b.box != nil {
		err = errors.Join(err, b.box.Close())
	}
	if b.scratch != "" {
		err = errors.Join(err, workspace.Remove(b.scratch), b.scratches.Close())
	}
	return err
}

func (b *rig) evaluator() (evaluate.Evaluator, error) {
	return b.c.Evaluator(&b.spec, b.spaces, b.tools())
}

func (b *rig) tools() Tools { return Tools{Sandbox: b.box, Gateway: b.gateway, Scratch: b.scratch} }

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
	if b.box, err = b.c.Sandbox(ctx, &b.spec, b.c.private(b.run.State, b.where, b.spec.Target.Kind)); err != nil {
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
	if b.gatesOnly {
		return b.prepareTemplate(ctx)
	}
	if asksModels(&b.spec) {
		if b.gateway, err = b.c.Gateway(&b.spec); err != nil {
			return fmt.Errorf("open the way to models: %w", err)
		}
	}
	if b.operators, err = b.c.Operators(&b.spec, b.tools()); err != nil {
		return err
	}
	if err := b.prepareTemplate(ctx); err != nil {
		return err
	}
	return b.survey(ctx)
}

func (b *rig) prepareTemplate(ctx context.Context) (err error) {
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
	return nil
}

// tidy ends commands that outlived their clade, which could write into folders
// that are used again, and removes the folders that are not.
func (b *rig) tidy(ctx context.Context) error {
	if err := endOrphans(ctx); err != nil {
		return err
	}
	_, err := b.spaces.Sweep(ctx, workspace.Sweeping{})
	_, serr := Scratch(b.c.Cache).Sweep(false)
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
			found, err := s.Survey(ctx, propose.Request{Spec: &b.spec, Attempt: &b.base.Attempt, Read: b.led,
				Parents: []propose.Parent{{ID: clade.Base, Commit: b.base.Commit}}})
			if err != nil {
				return fmt.Errorf("survey for %s: %w", name, err)
			}
			known = found.Space
			if err := b.log.Update(ctx, func(tx store.Tx) error { return tx.Append(surveyed(found)...) }); err != nil {
				return err
			}
		}
		b.surveys[name] = known
	}
	return nil
}

// surveyed are the notes that a survey leaves in the log.
func surveyed(found propose.Survey) []clade.Event {
	about := []clade.ID{clade.Base}
	notes := []clade.Event{clade.Noted{Note: clade.Note{About: about, Kind: clade.NoteSpace, Body: found.Space}}}
	for _, w := range few(found.Warnings) {
		notes = append(notes, clade.Noted{Note: clade.Note{About: about, Kind: clade.NoteWarning, Body: w}})
	}
	return notes
}

// hidden are the paths of the tree that no command sees: held-out cases.
func (b *rig) hidden() []string {
	if b.spec.Dataset == nil {
		return nil
	}
	return []string{path.Join(b.spec.Target.Prefix, b.spec.Dataset.File)}
}
