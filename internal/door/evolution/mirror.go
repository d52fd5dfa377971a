package evolution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// A behind is a run as its mirror sees it; see control.Run.
type behind interface {
	View(ctx context.Context, fn func(clade.View) error) error
	Export(ctx context.Context, commit, dir string, only func(path string) bool) error
}

var _ behind = (*control.Run)(nil)

// mirror writes what the run says into the evolution's files and returns what
// evolution.yaml says then. Of each variant that has come to its end it leaves
// the tree as plain files, and what became of it as result.json, where they are
// not there yet: a workspace that is there may be somebody's, and a result its
// worker's claim. Killed at any moment and called again, it leaves the same
// bytes.
func (f folder) mirror(ctx context.Context, r behind, now time.Time) (*evolution.Document, error) {
	return f.reflect(ctx, r, now, false, atomicfile.Write)
}

// sweep is mirror when a run is launched: what counts as evaluated in the file,
// and was neither measured by the run nor offered to it, is errored.
func (f folder) sweep(ctx context.Context, r behind, now time.Time) (*evolution.Document, error) {
	return f.reflect(ctx, r, now, true, atomicfile.Write)
}

func (f folder) reflect(ctx context.Context, r behind, now time.Time, sweep bool, write put) (doc *evolution.Document, err error) {
	var all []leaving
	err = f.locked(ctx, func() error {
		doc, err = f.rewrite(ctx, now, func(d *evolution.Document) (want *evolution.Evolution, page evolution.Page, err error) {
			err = r.View(ctx, func(v clade.View) error {
				want, page.Notes = project(d.Evolution, v, sweep)
				page.Next = next(want, v)
				all = leavingsOf(want, v, page.Notes)
				return nil
			})
			return want, page, err
		}, write)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		if err := f.leave(ctx, r, doc.Evolution, &all[i], write); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// A leaving is what stays of a variant beside the file.
type leaving struct {
	variant string
	open    bool   // nothing yet
	commit  string // whose tree is its workspace, "" for none
	result  evolution.Result
}

// ownNotes begins the notes of a result that clade wrote. Whoever else begins
// his so only loses his claim.
const ownNotes = "measured by clade: "

// leavingsOf lists what stays of the run's variants.
func leavingsOf(e *evolution.Evolution, v clade.View, remarks map[string]string) (all []leaving) {
	a := attemptsOf(v)
	for _, name := range a.order {
		l, is := a.lives[name], e.Variant(name)
		if is == nil { // what was applied is not added to
			continue
		}
		one := leaving{variant: name, open: l.Open || is.Open()}
		if !one.open {
			one.commit = l.Commit
			one.result = evolution.Result{Status: is.Status, Gates: whole(e, is), Rubric: is.Rubric,
				Notes: ownNotes + clade.Line(told(l.Verdict.Why, remarks[name]), notesMost)}
		}
		all = append(all, one)
	}
	return all
}

// notesMost bounds the notes of a result, characters.
const notesMost = 400

// whole are the results of every gate, as result.json lists them, where the
// variant was evaluated: what was not run after one that failed does not pass.
// Of others there are none.
func whole(e *evolution.Evolution, v *evolution.Variant) []evolution.GateResult {
	all := []evolution.GateResult{}
	if v.Status != evolution.Evaluated {
		return all
	}
	has := map[string]evolution.GateResult{}
	for _, r := range v.Gates {
		has[r.ID] = r
	}
	for _, g := range e.Gates {
		r, ran := has[g.ID]
		if !ran {
			r = evolution.GateResult{ID: g.ID, Output: "not run"}
		}
		all = append(all, r)
	}
	return all
}

// leave writes a variant's workspace and result, or takes an own result away
// from one that is open again: whoever works on it now has left none.
func (f folder) leave(ctx context.Context, r behind, e *evolution.Evolution, l *leaving, write put) error {
	if l.open {
		return f.retract(l.variant)
	}
	if err := f.makeVariants(l.variant); err != nil {
		return err
	}
	if err := f.export(ctx, r, l); err != nil {
		return err
	}
	return f.tell(e, l, write)
}

// retract removes a result of clade's own.
func (f folder) retract(variant string) error {
	own, _, err := f.ownResult(variant)
	if err != nil || !own {
		return nil // what cannot be read is not clade's
	}
	return unwritable(f.result(variant), os.Remove(f.result(variant)))
}

// ownResult reports whether a variant's result.json is one that clade wrote,
// and whether there is any.
func (f folder) ownResult(variant string) (own, is bool, err error) {
	info, err := os.Lstat(f.result(variant))
	if err != nil || !info.Mode().IsRegular() {
		return false, !errors.Is(err, fs.ErrNotExist), nil
	}
	file, err := load(f.result(variant))
	if err != nil || file == nil {
		return false, true, err
	}
	var r struct{ Notes string }
	return json.Unmarshal(file.data, &r) == nil && strings.HasPrefix(r.Notes, ownNotes), true, nil
}

// export writes the tree of a variant into its workspace unless that is there.
func (f folder) export(ctx context.Context, r behind, l *leaving) error {
	dir := f.workspace(l.variant)
	if l.commit == "" {
		return nil
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return unwritable(dir, err)
	}
	err := r.Export(ctx, l.commit, dir, nil)
	if clade.FaultOf(err) == clade.FaultConflict {
		return nil // another process was faster
	}
	if err != nil {
		return fmt.Errorf("writing the workspace of %s: %w", l.variant, err)
	}
	return nil
}

// tell writes a variant's result.json, over none but clade's own.
func (f folder) tell(e *evolution.Evolution, l *leaving, write put) error {
	name := f.result(l.variant)
	own, is, err := f.ownResult(l.variant)
	if err != nil || is && !own {
		return nil // a worker's
	}
	data, err := json.MarshalIndent(l.result, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	data = append(data, '\n')
	if _, err := evolution.ParseResult(name, data, e); err != nil {
		return nil // measured by other gates or axes than there are now, which no result can say
	}
	if was, err := load(name); err == nil && was != nil && string(was.data) == string(data) {
		return nil
	}
	return unwritable(name, write(name, data, 0o644))
}
