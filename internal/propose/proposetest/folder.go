package proposetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// A Folder is a workspace in a plain folder, with one scope at most. Nothing is
// hidden, ignored or limited in it.
type Folder struct {
	root, home string
	was        map[string]string
	Closed     bool
}

// Open makes a folder below dir with a commit's tree.
func Open(dir string, m *Memory, commit string) (*Folder, error) {
	base, err := os.MkdirTemp(dir, "work")
	if err != nil {
		return nil, err
	}
	f := &Folder{root: filepath.Join(base, "tree"), home: filepath.Join(base, "home"), was: m.Files(commit)}
	for p, data := range f.was {
		name := filepath.Join(f.root, filepath.FromSlash(p))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(data), 0o644)); err != nil {
			return nil, err
		}
	}
	return f, errors.Join(os.MkdirAll(f.root, 0o755), os.MkdirAll(f.home, 0o755))
}

// Scope implements workspace.Workspace.
func (f *Folder) Scope(context.Context) (workspace.Scope, error) { return (*scope)(f), nil }

// Close implements workspace.Workspace.
func (f *Folder) Close() error {
	f.Closed = true
	return os.RemoveAll(filepath.Dir(f.root))
}

type scope Folder

func (s *scope) Enter(c *sandbox.Command, dir string) {
	c.Dir = filepath.Join(s.root, filepath.FromSlash(dir))
	c.Env = append(c.Env, "HOME="+s.home, "TMPDIR="+s.home)
}

func (s *scope) Changes(context.Context) (out []ledger.Change, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(s.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(s.root, name)
		rel = filepath.ToSlash(rel)
		seen[rel] = true
		data, err := os.ReadFile(name)
		if old, had := s.was[rel]; err == nil && (!had || old != string(data)) {
			out = append(out, ledger.Change{Path: rel, Mode: ledger.ModeFile, Data: data})
		}
		return err
	})
	for p := range s.was {
		if !seen[p] {
			out = append(out, ledger.Change{Path: p, Delete: true})
		}
	}
	slices.SortFunc(out, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	return out, err
}

func (s *scope) ReadFile(path string, most int64) ([]byte, error) {
	name := filepath.Join(s.root, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is no regular file of at most %d bytes", path, most)
	}
	return os.ReadFile(name)
}

func (s *scope) Close() error { return nil }
