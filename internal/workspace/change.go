package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// maxChange is the most bytes one changed file may have, and maxChanges all of
// them: a change is held in memory and kept for good.
const (
	maxChange  = 256 << 20
	maxChanges = 1 << 30
)

// A Collector turns what a walk finds in the place commands wrote to into
// changes against a plan's tree. Folders are told before what is in them.
type Collector struct {
	built *Built
	layer *Layer
	read  func(path string, mode ledger.Mode, limit int64) ([]byte, error)
	// modeless says that files have no executable bits to be told by.
	modeless bool

	// seen paths are there, gone ones are not unless seen.
	seen    map[string]bool
	gone    map[string]bool
	changes []ledger.Change
	fresh   []found // new; only read if not ignored
	size    int64
	nested  []string
	special []string
}

// A found file is one the tree does not have.
type found struct {
	path string
	mode ledger.Mode
	size int64
}

// Collect begins. read gives the content of a found file or link, at most limit
// bytes of it; it never follows a link.
func (t *Built) Collect(l *Layer, read func(path string, mode ledger.Mode, limit int64) ([]byte, error)) *Collector {
	return &Collector{built: t, layer: l, read: read, seen: map[string]bool{}, gone: map[string]bool{}}
}

// Gone tells that nothing of a path is left: a file, or a folder with
// everything in it, unless the walk finds parts of it later.
func (c *Collector) Gone(path string) {
	if _, ok := c.layer.Tree.Lookup(path); ok {
		c.gone[path] = true
	}
	for _, e := range c.layer.Tree.Below(path) {
		c.gone[e.Path] = true
	}
}

// Folder tells of a folder and reports whether to walk it.
func (c *Collector) Folder(path string) (walk bool) {
	switch {
	case path == gitDir:
		return false
	case c.isGit(path):
		c.nested = append(c.nested, path)
		return false
	case c.layer.apart(path):
		return false
	}
	e, ok := c.layer.Tree.Lookup(path)
	if ok && e.Mode == ledger.ModeGitlink {
		c.seen[path] = true
		return true
	}
	if ok {
		c.gone[path] = true
	}
	return !c.built.owned(path) || c.layer.Tree.IsDir(path)
}

// isGit reports whether a path is a repository's own folder or file, by any
// name a file system or git takes for it.
func (c *Collector) isGit(path string) bool {
	return strings.EqualFold(path[strings.LastIndexByte(path, '/')+1:], gitDir) && path != gitDir
}

// File tells of anything that is not a folder.
func (c *Collector) File(path string, m fs.FileMode, size int64) error {
	switch {
	case path == gitDir:
		return nil
	case c.isGit(path):
		c.nested = append(c.nested, path)
		return nil
	case c.layer.apart(path):
		return nil
	}
	// What a file stands on the place of is gone.
	for _, e := range c.layer.Tree.Below(path) {
		c.gone[e.Path] = true
	}
	mode := c.mode(path, m)
	want, tracked := c.layer.Tree.Lookup(path)
	if !tracked && c.built.owned(path) {
		return nil
	}
	if mode == "" {
		if tracked {
			c.gone[path] = true
		}
		c.special = append(c.special, path)
		return nil
	}
	c.seen[path] = true
	if c.inSubmodule(path) {
		c.nested = append(c.nested, path)
		return nil
	}
	f := found{path, mode, size}
	if !tracked {
		c.fresh = append(c.fresh, f)
		return nil
	}
	data, err := c.content(f)
	if err != nil {
		return err
	}
	id := blobID(data)
	if mode == want.Mode && id == want.Blob || c.built.leftBySetup(want, mode, id) {
		return nil
	}
	return c.add(f, data)
}

// mode is that of a file or link, "" for what no tree can hold. Where files have
// no executable bits it is the mode that the tree has.
func (c *Collector) mode(path string, m fs.FileMode) ledger.Mode {
	mode, _ := ledger.ModeOf(m)
	if !c.modeless || !m.IsRegular() {
		return mode
	}
	if want, ok := c.layer.Tree.Lookup(path); ok && want.Mode == ledger.ModeExec {
		return ledger.ModeExec
	}
	return ledger.ModeFile
}

// content reads a found file.
func (c *Collector) content(f found) ([]byte, error) {
	if f.size > maxChange {
		return nil, fmt.Errorf("%w: %q has %d bytes; the most is %d", ErrTooLarge, f.path, f.size, int64(maxChange))
	}
	data, err := c.read(f.path, f.mode, maxChange)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", f.path, err)
	}
	return data, nil
}

func (c *Collector) add(f found, data []byte) error {
	if c.size += int64(len(data)); c.size > maxChanges {
		return fmt.Errorf("%w: all of them have more than %d bytes", ErrTooLarge, int64(maxChanges))
	}
	c.changes = append(c.changes, ledger.Change{Path: f.path, Mode: f.mode, Data: data})
	return nil
}

// leftBySetup reports whether a tracked file is as setup left it.
func (t *Built) leftBySetup(want ledger.Entry, mode ledger.Mode, id string) bool {
	now, ok := t.meta.Altered[want.Path]
	if !ok || now != (left{mode, id}) {
		return false
	}
	base, ok := t.Base.Lookup(want.Path)
	return ok && base.Blob == want.Blob && base.Mode == want.Mode
}

// inSubmodule reports whether a path lies where the tree has a submodule.
func (c *Collector) inSubmodule(path string) bool {
	for dir := parent(path); dir != ""; dir = parent(dir) {
		if e, ok := c.layer.Tree.Lookup(dir); ok && e.Mode == ledger.ModeGitlink {
			return true
		}
	}
	return false
}

// Changes ends the collection: deletions first, each part sorted by path. With
// ErrSpecial the changes are whole but for the files it names.
func (c *Collector) Changes(ctx context.Context) ([]ledger.Change, error) {
	special, err := c.unignored(ctx)
	if err != nil {
		return nil, err
	}
	var list []ledger.Change
	for _, path := range slices.Sorted(maps.Keys(c.gone)) {
		if !c.seen[path] && !c.layer.apart(path) && !c.removedBySetup(path) {
			list = append(list, ledger.Change{Path: path, Delete: true})
		}
	}
	slices.SortFunc(c.changes, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	list = append(list, c.changes...)
	if len(special) > 0 {
		return list, fmt.Errorf("%w: %q", ErrSpecial, special)
	}
	return list, nil
}

func (c *Collector) removedBySetup(path string) bool {
	want, ok := c.layer.Tree.Lookup(path)
	return ok && c.built.leftBySetup(want, "", "")
}

// unignored moves what is new and not ignored to the changes, and returns the
// special files that are not ignored. A repository that is not ignored ends it.
func (c *Collector) unignored(ctx context.Context) ([]string, error) {
	ask := append(slices.Clone(c.special), c.nested...)
	for _, f := range c.fresh {
		ask = append(ask, f.path)
	}
	ignored, err := c.built.ignore.ignored(ctx, ask)
	if err != nil {
		return nil, err
	}
	kept := func(list []string) []string {
		list = slices.DeleteFunc(list, func(p string) bool { return ignored[p] })
		slices.Sort(list)
		return list
	}
	if nested := kept(c.nested); len(nested) > 0 {
		return nil, fmt.Errorf("%w: %q", ErrNestedGit, nested)
	}
	for _, f := range c.fresh {
		if ignored[f.path] {
			continue
		}
		data, err := c.content(f)
		if err != nil {
			return nil, err
		}
		if err := c.add(f, data); err != nil {
			return nil, err
		}
	}
	return kept(c.special), nil
}
