package pool

import (
	"context"
	"fmt"
	"io/fs"
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
	found := w.built.Collect(w.layer, func(p string, mode ledger.Mode, limit int64) ([]byte, error) {
		return workspace.ReadFound(tree, p, mode == ledger.ModeSymlink, limit)
	})
	err := workspace.Scan(tree, w.layer, found, func(p string, info fs.FileInfo) (bool, error) {
		return s.untouched(p, stampOf(info)), nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what changed: %w", err)
	}
	return found.Changes(ctx)
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
