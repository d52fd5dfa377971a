package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

// Kept makes plain folders for people and host agents to edit in, and collects
// what they changed.
type Kept struct{ rig *rig }

// Kept gives fn the way to the run's plain folders. The sandbox and the template
// are made ready first, as for a launch, which may run setup; nobody needs to
// search the run. step is told what takes time, nil is for nobody.
func (r *Run) Kept(ctx context.Context, step func(string), fn func(k *Kept) error) (err error) {
	if step == nil {
		step = func(string) {}
	}
	led, err := r.Ledger(ctx)
	if err != nil {
		return err
	}
	b := &rig{c: r.c, run: r, log: r.log, led: led, o: Launch{Step: step}, gatesOnly: true}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	return fn(&Kept{rig: b})
}

// Make makes dir, which must not exist, a folder that holds a commit's tree and
// what setup and carry added, without held-out cases; see
// workspace.Provider.Keep.
func (k *Kept) Make(ctx context.Context, commit, dir string) error {
	return free(dir, k.rig.spaces.Keep(ctx, k.rig.template, workspace.Plan{Commit: commit, Hidden: k.rig.hidden()}, dir))
}

// Changes lists what differs in such a folder from a commit's tree. A Problem of
// the kind FaultNotFound says that the folder is gone or not one that Make made,
// one of FaultConflict that it holds what no commit can.
func (k *Kept) Changes(ctx context.Context, commit, dir string) ([]ledger.Change, error) {
	list, err := k.rig.spaces.Collect(ctx, k.rig.template, commit, dir)
	if err == nil {
		return list, nil
	}
	what := "no changes can be taken from " + dir
	for _, unfit := range []error{workspace.ErrNestedGit, workspace.ErrSpecial, workspace.ErrTooLarge} {
		if errors.Is(err, unfit) {
			return nil, &clade.Problem{Fault: clade.FaultConflict, Text: what, Err: err, Hint: "take it out of the folder, and try again"}
		}
	}
	if errors.Is(err, workspace.ErrUnmarked) {
		return nil, &clade.Problem{Fault: clade.FaultNotFound, Text: what, Err: err,
			Hint: "only a folder that clade made, with its marker " + filepath.Base(dir) + workspace.MarkSuffix + " beside it, is compared"}
	}
	return nil, fmt.Errorf("%s: %w", what, err)
}

// Export writes the tree of a commit as plain files to dir, which must not
// exist; only, unless nil, says which paths. See workspace.Export.
func (r *Run) Export(ctx context.Context, commit, dir string, only func(path string) bool) error {
	led, err := r.Ledger(ctx)
	if err != nil {
		return err
	}
	return free(dir, workspace.Export(ctx, led, commit, dir, only))
}

// free tells a person that a folder that was to be made is there already.
func free(dir string, err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) || at.Path != filepath.Clean(dir) || !errors.Is(at, fs.ErrExist) {
		return err
	}
	return &clade.Problem{Fault: clade.FaultConflict, Text: dir + " is there already", Err: err,
		Hint: "nothing was written; move it away to have it made anew"}
}
