package workspace

import (
	"io/fs"
	"path"
	"path/filepath"
)

// Scan tells a collector of everything in a plain folder, and of what the
// layer's tree has and the folder has not. same reports whether a file is known
// to be the tree's: the collector is not told of it. No link is followed.
func Scan(folder string, l *Layer, c *Collector, same func(path string, info fs.FileInfo) (bool, error)) error {
	s := &scan{folder: folder, found: c, same: same, seen: map[string]bool{}}
	if err := s.walk(""); err != nil {
		return err
	}
	for _, e := range l.Tree.Below("") {
		if !s.seen[e.Path] {
			c.Gone(e.Path)
		}
	}
	return nil
}

type scan struct {
	folder string
	found  *Collector
	same   func(path string, info fs.FileInfo) (bool, error)
	seen   map[string]bool // paths that are there
}

func (s *scan) walk(dir string) error {
	entries, err := ReadDir(filepath.Join(s.folder, filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		s.seen[p] = true // a folder may be a submodule
		if !e.IsDir() {
			err = s.file(p, e)
		} else if s.found.Folder(p) {
			err = s.walk(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) file(p string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	if same, err := s.same(p, info); same || err != nil {
		return err
	}
	return s.found.File(p, info.Mode(), info.Size())
}
