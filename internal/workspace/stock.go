package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// stocked is the most folders that a Stock keeps.
const stocked = 256

// A Stock keeps folders that are not needed any more, so that new ones are had by
// renaming them. Only folders that no command could write may be put into it. A
// nil Stock keeps none. It is not safe for concurrent use.
type Stock struct {
	dir  string
	last int      // name given last
	free []string // names of those to be had
}

// NewStock returns an empty stock that keeps its folders in dir, which it makes
// when needed.
func NewStock(dir string) *Stock { return &Stock{dir: dir} }

// MkdirAll makes a folder and those that lead to it, with mode 0755.
func (s *Stock) MkdirAll(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if up := filepath.Dir(dir); up != dir {
		if err := s.MkdirAll(up); err != nil {
			return err
		}
	}
	if s != nil && len(s.free) > 0 {
		n := len(s.free) - 1
		name := s.free[n]
		s.free = s.free[:n]
		if os.Rename(filepath.Join(s.dir, name), dir) == nil {
			return nil
		}
	}
	return os.Mkdir(dir, 0o755)
}

// Empty takes everything out of a folder and keeps the folders it finds.
func (s *Stock) Empty(dir string) error {
	entries, err := ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			err = os.Remove(at)
		} else if err = s.Empty(at); err == nil {
			err = s.put(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put keeps an empty folder, or removes it when there are enough.
func (s *Stock) put(dir string) error {
	if len(s.free) >= stocked {
		return os.Remove(dir)
	}
	if s.last == 0 {
		if err := os.Mkdir(s.dir, 0o755); err != nil {
			return err
		}
	}
	s.last++
	name := strconv.Itoa(s.last)
	if err := os.Rename(dir, filepath.Join(s.dir, name)); err != nil {
		return err
	}
	s.free = append(s.free, name)
	return nil
}
