package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Making implements Template.
func (t *Built) Making() (int, error) {
	s := t.store
	s.mu.Lock()
	now := s.held[t.key]
	s.mu.Unlock()
	if !whole(now.dir) {
		return 0, ErrVanished
	}
	return now.making, nil
}

// whole reports whether a template's folder is ready. It looks at the first
// level only: who removes a folder removes that.
func whole(dir string) bool {
	for _, name := range []string{readyFile, metaFile, treeDir, homeDir} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// current is the template as it lies on disk. One that somebody removed is made
// anew first, once for all who ask: no candidate is to blame for its absence.
func (s *Store) current(ctx context.Context, t *Built) (*Built, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.held[t.key]
	if whole(now.dir) {
		return now, nil
	}
	t.spec.Progress("making the template anew, which was removed")
	again := &building{store: s, spec: t.spec, say: t.spec.Progress, base: t.Base}
	switch key, err := again.key(ctx); {
	case err != nil:
		return nil, err
	case key != t.key:
		return nil, fmt.Errorf("%w: %w, and what it carries from %s has changed since", ErrSetup, ErrVanished, again.from())
	}
	if err := now.lock.Unlock(); err != nil { // it may be on a file that is gone, too
		return nil, err
	}
	if err := os.MkdirAll(s.templates(), 0o700); err != nil {
		return nil, err
	}
	fresh, err := s.hold(ctx, again, t.key)
	if err != nil {
		return nil, err
	}
	fresh.making = now.making + 1
	s.held[t.key] = fresh
	return fresh, nil
}
