package pool

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// A scope is one use of a folder.
type scope struct {
	space  *space
	stamps map[string]stamp // of what the plan wrote
}

// Enter implements workspace.Scope.
func (s *scope) Enter(c *sandbox.Command, dir string) {
	view := s.space.view()
	c.Dir = filepath.Join(view.Tree, filepath.FromSlash(dir))
	c.Env = view.Environ(c.Env)
	c.Mounts = append(c.Mounts, s.space.mounts()...)
	if !s.space.provider.box.Mounts() {
		c.Writable = append(c.Writable, view.Folders()...)
		if s.space.repo != nil {
			c.Readable = append(c.Readable, s.space.repo.Objects())
		}
	}
}

// Changes implements workspace.Scope.
func (s *scope) Changes(ctx context.Context) ([]ledger.Change, error) {
	w := s.space
	if err := workspace.CheckMark(w.folder.dir); err != nil {
		return nil, err
	}
	tree := w.folder.tree.to
	scan := &scan{
		scope: s, tree: tree, seen: make(map[string]bool, len(w.folder.tree.stamps)),
		found: w.built.Collect(w.layer, func(p string, mode ledger.Mode, limit int64) ([]byte, error) {
			return workspace.ReadFound(tree, p, mode == ledger.ModeSymlink, limit)
		}),
	}
	if err := scan.folder(""); err != nil {
		return nil, fmt.Errorf("reading what changed: %w", err)
	}
	for _, e := range w.layer.Tree.Below("") {
		if !scan.seen[e.Path] {
			scan.found.Gone(e.Path)
		}
	}
	return scan.found.Changes(ctx)
}

// A scan finds what is not as the template and the plan left it.
type scan struct {
	scope *scope
	tree  string
	seen  map[string]bool // paths that are there
	found *workspace.Collector
}

func (s *scan) folder(dir string) error {
	entries, err := workspace.ReadDir(filepath.Join(s.tree, filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		if e.IsDir() {
			s.seen[p] = true // a submodule
			if !s.found.Folder(p) {
				continue
			}
			if err := s.folder(p); err != nil {
				return err
			}
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		s.seen[p] = true
		if s.scope.untouched(p, stampOf(info)) {
			continue
		}
		if err := s.found.File(p, info.Mode(), info.Size()); err != nil {
			return err
		}
	}
	return nil
}

// untouched reports whether a file is the one that the plan or the template put
// there.
func (s *scope) untouched(p string, now stamp) bool {
	if was, ok := s.stamps[p]; ok {
		return was == now
	}
	was, ok := s.space.folder.tree.stamps[p]
	return ok && was == now
}

// ReadFile implements workspace.Scope.
func (s *scope) ReadFile(p string, limit int64) ([]byte, error) {
	if s.space.layer.Hides(p) {
		return nil, fmt.Errorf("%q: %w", p, fs.ErrNotExist)
	}
	return workspace.ReadFile(s.space.folder.tree.to, p, limit)
}

// Close implements workspace.Scope.
func (s *scope) Close() error {
	s.space.open = false
	return nil
}
