package control

import (
	"context"
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

// Take makes a candidate of a folder that nobody marked: its difference to the
// base, of these files alone (relative, slash separated), or of all that the
// target would be read from where files is nil. It belongs to no attempt yet.
func (r *Run) Take(ctx context.Context, dir string, files []string, summary string) (clade.Given, error) {
	led, err := r.Ledger(ctx)
	if err != nil {
		return clade.Given{}, err
	}
	var base string
	var only []string
	if err := r.View(ctx, func(v clade.View) error {
		base, only = v.Life(clade.Base).Commit, v.Head().Spec.Target.Only
		return nil
	}); err != nil {
		return clade.Given{}, err
	}
	if files != nil {
		only = taking(files)
	}
	from := ledger.Folder(dir, only)
	from.Gone = true // what is not there was deleted
	made, err := led.Import(ctx, from)
	if err != nil {
		return clade.Given{}, fmt.Errorf("take what lies in %s: %w", dir, err)
	}
	deltas, err := led.Diff(ctx, base, made.Commit)
	if err != nil {
		return clade.Given{}, fmt.Errorf("take what lies in %s: %w", dir, err)
	}
	changes := make([]ledger.Change, 0, len(deltas))
	for _, d := range deltas {
		if d.OldMode == ledger.ModeGitlink || d.NewMode == ledger.ModeGitlink {
			continue // a submodule's own files are not part of a tree
		}
		changes = append(changes, ledger.Change{Path: d.Path, Mode: d.NewMode, Blob: d.NewBlob, Delete: d.NewMode == ""})
	}
	return r.Commit(ctx, base, changes, summary)
}

// taking are paths that mean themselves where patterns may stand.
func taking(files []string) []string {
	out := slices.Clone(files)
	for i, f := range out {
		out[i] = ledger.Literal(f)
	}
	return out
}

// Patch is what a candidate's commit changes of another, as a unified diff.
func (r *Run) Patch(ctx context.Context, from, to string) ([]byte, error) {
	led, err := r.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	return led.Patch(ctx, from, to)
}
