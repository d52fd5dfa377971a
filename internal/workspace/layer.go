package workspace

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cladehq/clade/internal/ledger"
)

// A File is written over a template.
type File struct {
	ledger.Entry
	Data []byte
	// extra files are no part of the tree: fixtures.
	extra bool
}

// A Layer is what a plan's tree has that its template does not.
type Layer struct {
	// Tree is what commands find, without setup's, carry's and extra files:
	// what changes are compared with.
	Tree  *Tree
	Files []File   // sorted by path
	Gone  []string // files and whole folders of the template that must not exist
	// Hidden are the plan's masks that have something to mask.
	Hidden []string
	extra  map[string]bool
	plan   Plan
}

// Empty reports whether the plan's tree is the template's.
func (l *Layer) Empty() bool { return len(l.Files) == 0 && len(l.Gone) == 0 }

// LayerOver works out what must be written over a template that a Store made for a
// plan. Its cost is that of the difference, not of the tree.
func LayerOver(ctx context.Context, t Template, p Plan) (*Built, *Layer, error) {
	built, ok := t.(*Built)
	if !ok {
		return nil, nil, fmt.Errorf("a template of another provider: %T", t)
	}
	built, err := built.store.current(ctx, built)
	if err != nil {
		return nil, nil, fmt.Errorf("making the template anew: %w", err)
	}
	l, err := built.layer(ctx, p)
	return built, l, err
}

func (t *Built) layer(ctx context.Context, p Plan) (*Layer, error) {
	d := draft{base: t.Base, over: map[string]File{}}
	if p.Commit != t.commit {
		deltas, err := t.store.Ledger.Diff(ctx, t.commit, p.Commit)
		if err != nil {
			return nil, fmt.Errorf("comparing %s with the template: %w", p.Commit, err)
		}
		for _, c := range deltas {
			d.over[c.Path] = File{Entry: ledger.Entry{Path: c.Path, Mode: c.NewMode, Blob: c.NewBlob, Size: -1}}
		}
	}
	for _, e := range p.Frozen {
		d.freeze(e)
	}
	for _, path := range p.Removed {
		d.remove(path)
	}
	for path, data := range p.Fixtures {
		d.replace(File{Entry: ledger.Entry{Path: path, Mode: ledger.ModeFile}, Data: data, extra: true})
	}
	l := &Layer{plan: p, extra: map[string]bool{}, Tree: t.Base}
	if err := l.fill(ctx, t, &d); err != nil {
		return nil, err
	}
	for _, h := range p.Hidden {
		if err := CheckPath(h); err != nil {
			return nil, err
		}
		_, tracked := l.Tree.Lookup(h)
		_, err := os.Lstat(filepath.Join(t.Tree(), filepath.FromSlash(h))) // carried, perhaps
		if tracked || err == nil || l.Tree.IsDir(h) {
			l.Hidden = append(l.Hidden, h)
		}
	}
	return l, nil
}

// fill turns the draft into what is written and what goes.
func (l *Layer) fill(ctx context.Context, t *Built, d *draft) error {
	if len(d.over) == 0 {
		return nil
	}
	shown, tree := map[string]ledger.Entry{}, map[string]ledger.Entry{}
	for _, path := range slices.Sorted(maps.Keys(d.over)) {
		f := d.over[path]
		if err := CheckPath(path); err != nil {
			return err
		}
		shown[path] = f.Entry
		if f.extra {
			l.extra[path] = true
		} else {
			tree[path] = f.Entry
		}
		if f.Mode == "" {
			continue
		}
		if f.Data == nil && f.Mode != ledger.ModeGitlink && f.Blob != "" {
			data, err := t.store.Ledger.Read(ctx, f.Blob)
			if err != nil {
				return fmt.Errorf("reading %q: %w", path, err)
			}
			f.Data, f.Size = data, int64(len(data))
			tree[path] = f.Entry
		}
		l.Files = append(l.Files, f)
	}
	l.Tree = t.Base.With(tree)
	l.Gone = t.gone(t.Base.With(shown), d)
	return nil
}

// gone lists what of the template must not be seen any more, whole folders
// where nothing is left in them. What a file replaces, or a folder, needs no
// mention.
func (t *Built) gone(shown *Tree, d *draft) []string {
	tops := map[string]bool{}
	for path, f := range d.over {
		if _, ok := t.Base.Lookup(path); f.Mode != "" || !ok || shown.IsDir(path) {
			continue
		}
		top, hidden := path, false
		for dir := parent(path); dir != ""; dir = parent(dir) {
			if _, isFile := shown.Lookup(dir); isFile {
				hidden = true
				break
			}
			if !shown.IsDir(dir) && !t.ownedBelow(dir) {
				top = dir
			}
		}
		if !hidden {
			tops[top] = true
		}
	}
	return slices.Sorted(maps.Keys(tops))
}

// A draft collects differences to a base, the last word winning.
type draft struct {
	base *Tree
	over map[string]File
}

// lookup is what the path holds as drafted so far.
func (d *draft) lookup(path string) (File, bool) {
	if f, ok := d.over[path]; ok {
		return f, f.Mode != ""
	}
	e, ok := d.base.Lookup(path)
	return File{Entry: e}, ok
}

// freeze puts an entry of the base back where it is no longer as it was.
func (d *draft) freeze(e ledger.Entry) {
	if now, ok := d.lookup(e.Path); ok && now.Mode == e.Mode && now.Blob == e.Blob && !now.extra {
		return
	}
	d.replace(File{Entry: e})
}

// replace puts a file, in the place of a folder or of a file above it too.
func (d *draft) replace(f File) {
	for dir := parent(f.Path); dir != ""; dir = parent(dir) {
		if _, ok := d.lookup(dir); ok {
			d.drop(dir)
		}
	}
	d.remove(f.Path)
	d.over[f.Path] = f
}

// remove takes away a file, or a folder with all that is in it.
func (d *draft) remove(path string) {
	for _, e := range d.base.Below(path) {
		d.drop(e.Path)
	}
	for p := range d.over {
		if below(p, path) {
			d.drop(p)
		}
	}
	if _, ok := d.base.Lookup(path); ok {
		d.drop(path)
	}
}

func (d *draft) drop(path string) { d.over[path] = File{Entry: ledger.Entry{Path: path}} }

// apart reports whether a path is masked or no part of the tree.
func (l *Layer) apart(path string) bool { return l.extra[path] || l.Hides(path) }

// Hides reports whether a path is masked.
func (l *Layer) Hides(path string) bool {
	return slices.ContainsFunc(l.plan.Hidden, func(h string) bool { return below(path, h) })
}

// WriteTo writes the layer's files below dir, where nothing is in their way,
// with the time at. The stock may be nil.
func (l *Layer) WriteTo(dir string, at time.Time, stock *Stock) error {
	for _, f := range l.Files {
		full := filepath.Join(dir, filepath.FromSlash(f.Path))
		folder := filepath.Dir(full)
		if f.Mode == ledger.ModeGitlink {
			folder = full
		}
		if err := stock.MkdirAll(folder); err != nil {
			return err
		}
		if f.Mode == ledger.ModeGitlink {
			continue
		}
		if err := writeFile(full, f.Mode, f.Data, at); err != nil {
			return err
		}
	}
	return nil
}
