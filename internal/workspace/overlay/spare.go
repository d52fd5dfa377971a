package overlay

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/cladehq/clade/internal/workspace"
)

// The folders of a closed workspace serve the next one. To make folders is most
// of what a workspace costs, above all on an ext4 without a journal, which
// searches for inodes that were not freed in the last minute.

// A slot is the folders of one workspace at a time.
type slot struct {
	dir  string
	made int      // scopes' folders
	free []string // those that no scope uses, as new
	// stock are folders of the difference, which commands only read.
	stock *workspace.Stock
}

// scope gives the folder of a scope. It is as new, or does not exist yet.
func (s *slot) scope() (dir string, again bool) {
	if n := len(s.free); n > 0 {
		dir, s.free = s.free[n-1], s.free[:n-1]
		return dir, true
	}
	s.made++
	return filepath.Join(s.dir, strconv.Itoa(s.made)), false
}

// give takes a scope's folder back when a command cannot have left anything, and
// removes it otherwise.
func (s *slot) give(dir string) error {
	if renew(dir) {
		s.free = append(s.free, dir)
		return nil
	}
	return workspace.Remove(dir)
}

// renew empties a scope's folders that commands could write. It reports whether
// they are as they were made.
func renew(dir string) bool {
	for _, name := range []string{upperDir, homeDir, tempDir} {
		at := filepath.Join(dir, name)
		if empty(at) != nil || !likeNew(at, dir) {
			return false
		}
	}
	return true
}

// empty removes what is in a folder.
func empty(dir string) error {
	entries, err := workspace.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := workspace.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// clear takes the tree out of a slot, the marker first.
func (s *slot) clear() error {
	if len(s.free) != s.made {
		return errors.New("a scope's folders are in use or spoilt")
	}
	if err := workspace.Unmark(s.dir); err != nil {
		return err
	}
	err := s.stock.Empty(filepath.Join(s.dir, deltaDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// spares are the slots that wait for their next workspace: no more than were
// ever in use at once.
type spares struct {
	mu   sync.Mutex
	list []*slot
}

// take gives a slot that waits, nil if none does.
func (s *spares) take() *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.list)
	if n == 0 {
		return nil
	}
	next := s.list[n-1]
	s.list = s.list[:n-1]
	return next
}

// give clears a slot and keeps it, or removes it.
func (s *spares) give(used *slot) error {
	if used.clear() != nil {
		return workspace.Remove(used.dir)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, used)
	return nil
}
