package evolution

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/git"
)

// clean refuses a work tree that holds, in what scope includes, something that
// no commit has. The evolutions themselves may be changed, as may what is never
// touched, and the line that clade evolution new adds to .gitignore. Where variants are copies of files there are no commits: each
// path is compared when it is landed.
func (l *landing) clean(ctx context.Context) error {
	scope := l.doc.Evolution.Scope
	if scope != nil && scope.Kind == evolution.ScopeFiles {
		return nil
	}
	g, err := git.Find(ctx)
	if err != nil {
		return err
	}
	facts, err := g.Discover(ctx, l.root())
	if err != nil {
		return err
	}
	status, err := facts.Repo(g).Status(ctx)
	if err != nil {
		return fmt.Errorf("looking whether the work tree is clean: %w", err)
	}
	dirty := l.theirs(scope, slices.Concat(status.Conflicted, status.Staged, status.Unstaged, status.Untracked))
	dirty = slices.DeleteFunc(dirty, func(p string) bool { return onlyOurs(ctx, facts.Repo(g), facts, p) })
	if len(dirty) == 0 {
		return nil
	}
	over := ""
	if scope != nil && len(scope.Include) > 0 {
		over = " in " + strings.Join(scope.Include, ", ")
	}
	return &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("the work tree has changes that are not committed%s: %s", over, few(dirty)),
		Hint: "nothing was changed; commit, stash or ignore them and apply again"}
}

// theirs are the paths of the work tree that scope includes and that are not of
// the evolutions, sorted.
func (l *landing) theirs(scope *evolution.Scope, paths []string) (out []string) {
	for _, p := range paths {
		rel, ok := l.within(strings.TrimSuffix(p, "/"))
		if ok && scope.Includes(rel) && !below(rel, evolution.Root) && !below(rel, ".clade") {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// putNothing is a put that only looks whether one could be.
func putNothing(string, []byte, fs.FileMode) error { return nil }
