package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cladehq/clade/internal/ledger"
)

// Keep makes the plain folder of Provider.Keep.
func Keep(ctx context.Context, t Template, p Plan, dir string) error {
	built, layer, err := LayerOver(ctx, t, p)
	if err != nil {
		return err
	}
	m := mark{
		Commit: p.Commit, Template: built.key, added: built.meta.added,
		Apart: append(slices.Clone(p.Hidden), slices.Sorted(maps.Keys(p.Fixtures))...),
	}
	err = makeKept(ctx, dir, m, func(tmp string) error { return built.writePlain(ctx, layer, tmp) })
	if err != nil {
		return fmt.Errorf("making a folder to keep: %w", err)
	}
	return nil
}

// Export writes the tree of a commit as plain files to dir, which must not
// exist: that of the plan only, without setup's and carry's files, with new
// times; a submodule is an empty folder. only, unless nil, says which paths of
// the tree are written. dir is there whole or not at all, and has a marker
// beside it, as with Provider.Keep; what only left out makes it a folder that
// nothing is collected from.
func Export(ctx context.Context, l ledger.Ledger, commit, dir string, only func(path string) bool) error {
	entries, err := l.List(ctx, commit)
	if err != nil {
		return fmt.Errorf("listing %s: %w", commit, err)
	}
	m := mark{Commit: commit}
	if only != nil {
		all := len(entries)
		entries = slices.DeleteFunc(slices.Clone(entries), func(e ledger.Entry) bool { return !only(e.Path) })
		m.Part = len(entries) < all
	}
	err = makeKept(ctx, dir, m, func(tmp string) error { return materialise(ctx, l, tmp, entries, time.Time{}) })
	if err != nil {
		return fmt.Errorf("writing the tree of %s: %w", commit, err)
	}
	return nil
}

// writePlain fills an empty folder with the template's files and, over them, the
// layer's.
func (t *Built) writePlain(ctx context.Context, l *Layer, dir string) error {
	err := t.copyUnder(ctx, l, dir)
	if !whole(t.dir) {
		return errors.Join(ErrVanished, err)
	}
	if err != nil {
		return err
	}
	seen := &Layer{Files: slices.DeleteFunc(slices.Clone(l.Files), func(f File) bool { return l.Hides(f.Path) })}
	// As in other workspaces, changed files are newer than what setup built.
	if err := seen.WriteTo(dir, time.Now(), nil); err != nil {
		return err
	}
	return t.complete(l, dir)
}

// complete wants every file of the tree in dir: one that somebody removed from
// the template while it was copied would look deleted by whoever edits there.
func (t *Built) complete(l *Layer, dir string) error {
	for _, e := range l.Tree.Below("") {
		if now, ok := t.meta.Altered[e.Path]; ok && now == (left{}) || l.apart(e.Path) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path))); err != nil {
			return fmt.Errorf("%w: %w", ErrVanished, err)
		}
	}
	return nil
}

// copyUnder copies what of the template is seen under a layer.
func (t *Built) copyUnder(ctx context.Context, l *Layer, dir string) error {
	list, err := t.under(l, dir)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers())
	for chunk := range slices.Chunk(list, 64) {
		g.Go(func() error {
			for _, p := range chunk {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				from := filepath.Join(t.Tree(), p)
				info, err := os.Lstat(from)
				if err != nil {
					return err
				}
				if err := CopyFile(from, filepath.Join(dir, p), info); err != nil {
					return fmt.Errorf("copying %q: %w", p, err)
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// under makes in dir the folders of the template that are seen under a layer,
// and lists the files in them, by names of this system.
func (t *Built) under(l *Layer, dir string) (files []string, err error) {
	covered, folders := map[string]bool{}, map[string]bool{}
	for _, p := range l.Gone {
		covered[p] = true
	}
	for _, f := range l.Files {
		covered[f.Path] = true
		for up := parent(f.Path); up != ""; up = parent(up) {
			folders[up] = true
		}
	}
	tree := t.Tree()
	err = filepath.WalkDir(tree, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == tree {
			return err
		}
		name := full[len(tree)+1:]
		switch p := filepath.ToSlash(name); {
		case covered[p] || l.Hides(p):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			return os.Mkdir(filepath.Join(dir, name), 0o755)
		case !folders[p]:
			files = append(files, name)
		}
		return nil
	})
	return files, err
}
