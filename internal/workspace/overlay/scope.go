package overlay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// The folders of a scope. Overlayfs needs an empty one beside each upper.
const (
	upperDir    = "upper"
	workDir     = "work"
	homeDir     = "home"
	homeWorkDir = "homework"
	tempDir     = "tmp"
)

// A scope is a fresh upper layer over a workspace.
type scope struct {
	space *space
	dir   string
	view  workspace.View
	lower []string
	home  string // the template's HOME, "" if setup left nothing there
	mask  []string
}

// make makes the scope's folders, those that are not there again.
func (s *scope) make(again bool) error {
	var names []string
	if !again {
		names = []string{"", upperDir, workDir, homeDir, homeWorkDir, tempDir}
	}
	for _, name := range names {
		if err := os.Mkdir(filepath.Join(s.dir, name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// Enter implements workspace.Scope.
func (s *scope) Enter(c *sandbox.Command, dir string) {
	c.Dir = path.Join(s.view.Tree, filepath.ToSlash(dir))
	c.Env = s.view.Environ(c.Env)
	c.Mounts = append(c.Mounts, sandbox.Mount{
		Kind: sandbox.MountOverlay, Target: s.view.Tree, Lower: s.lower,
		Upper: filepath.Join(s.dir, upperDir), Work: filepath.Join(s.dir, workDir),
	})
	home := sandbox.Mount{Kind: sandbox.MountBind, Target: s.view.Home, Source: filepath.Join(s.dir, homeDir)}
	if s.home != "" {
		home = sandbox.Mount{
			Kind: sandbox.MountOverlay, Target: s.view.Home, Lower: []string{s.home},
			Upper: filepath.Join(s.dir, homeDir), Work: filepath.Join(s.dir, homeWorkDir),
		}
	}
	c.Mounts = append(c.Mounts, home,
		sandbox.Mount{Kind: sandbox.MountBind, Target: s.view.Temp, Source: filepath.Join(s.dir, tempDir)})
	for _, h := range s.mask {
		c.Mounts = append(c.Mounts, sandbox.Mount{Kind: sandbox.MountHide, Target: path.Join(s.view.Tree, h)})
	}
}

// Changes implements workspace.Scope.
func (s *scope) Changes(ctx context.Context) ([]ledger.Change, error) {
	if err := workspace.CheckMark(s.space.slot.dir); err != nil {
		return nil, err
	}
	upper := filepath.Join(s.dir, upperDir)
	c := s.space.built.Collect(s.space.layer, func(p string, mode ledger.Mode, limit int64) ([]byte, error) {
		return workspace.ReadFound(upper, p, mode == ledger.ModeSymlink, limit)
	})
	if err := walk(upper, "", c); err != nil {
		return nil, fmt.Errorf("reading what changed: %w", err)
	}
	return c.Changes(ctx)
}

// walk tells the collector what the upper layer holds in a folder.
func walk(upper, dir string, c *workspace.Collector) error {
	entries, err := workspace.ReadDir(filepath.Join(upper, filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil {
			return err
		}
		if err := tell(upper, p, info, c); err != nil {
			return err
		}
	}
	return nil
}

func tell(upper, p string, info fs.FileInfo, c *workspace.Collector) error {
	switch {
	case isWhiteout(info):
		c.Gone(p)
		return nil
	case !info.IsDir():
		return c.File(p, info.Mode(), info.Size())
	}
	opaque, redirected, err := attributes(filepath.Join(upper, filepath.FromSlash(p)))
	if err != nil {
		return err
	}
	if redirected {
		return fmt.Errorf("%q: the kernel redirects renamed folders, which is not supported", p)
	}
	if opaque {
		c.Gone(p)
	}
	if !c.Folder(p) {
		return nil
	}
	return walk(upper, p, c)
}

// ReadFile implements workspace.Scope. It looks through the layers as the
// kernel would, so that nothing needs to be mounted.
func (s *scope) ReadFile(p string, limit int64) ([]byte, error) {
	if err := workspace.CheckPath(p); err != nil {
		return nil, err
	}
	gone := fmt.Errorf("%q: %w", p, fs.ErrNotExist)
	if s.space.layer.Hides(p) {
		return nil, gone
	}
	for _, layer := range append([]string{filepath.Join(s.dir, upperDir)}, s.lower...) {
		found, end, err := look(layer, p)
		switch {
		case err != nil:
			return nil, err
		case found:
			return workspace.ReadFile(layer, p, limit)
		case end:
			return nil, gone
		}
	}
	return nil, gone
}

// look looks for a path in one layer. It is found, or this layer ends the
// search: something in it hides what lies below.
func look(layer, p string) (found, end bool, err error) {
	parts := strings.Split(p, "/")
	for i := range parts {
		at := filepath.Join(layer, filepath.FromSlash(path.Join(parts[:i+1]...)))
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, end, nil
		case err != nil:
			return false, true, err
		case isWhiteout(info):
			return false, true, nil
		case i == len(parts)-1 || info.Mode()&fs.ModeSymlink != 0:
			return true, true, nil // reading through a link is refused
		case !info.IsDir():
			return false, true, nil
		}
		opaque, _, err := attributes(at)
		if err != nil {
			return false, true, err
		}
		end = end || opaque
	}
	return false, end, nil
}

// Close implements workspace.Scope.
func (s *scope) Close() error { return s.space.slot.give(s.dir) }
