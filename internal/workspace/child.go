package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cladehq/clade/internal/ledger"
)

// base is the tree object of a folder of the base.
func (r *Repository) base(dir string) (string, error) {
	if id, ok := r.ids[dir]; ok {
		return id, nil
	}
	data, err := treeObject(r.tree, dir, r.base)
	if err != nil {
		return "", err
	}
	id := objectID("tree", data)
	r.ids[dir] = id
	return id, nil
}

// visible is a plan's tree without what the plan hides.
func (r *Repository) visible(l *Layer) *Tree {
	over := map[string]ledger.Entry{}
	for _, h := range r.lack {
		if _, ok := l.Tree.Lookup(h); ok {
			over[h] = ledger.Entry{Path: h}
		}
		for _, e := range l.Tree.Below(h) {
			over[e.Path] = ledger.Entry{Path: e.Path}
		}
	}
	return l.Tree.With(over)
}

// commitLayer writes, below dir/.git, what makes the repository show one commit with
// the plan's tree: the objects that the base does not have, the branch and the
// index. The layer's files were written with the time at.
func (t *Built) commitLayer(r *Repository, dir string, l *Layer, at time.Time, stock *Stock) error {
	repo := filepath.Join(dir, gitDir)
	packs := filepath.Join(repo, "objects", "pack")
	if err := errors.Join(stock.MkdirAll(packs), stock.MkdirAll(filepath.Join(repo, "refs", "heads"))); err != nil {
		return err
	}
	pack, tree := newPackWriter(), r.visible(l)
	written := map[string]int64{}
	for _, f := range l.Files {
		if e, ok := tree.Lookup(f.Path); !ok || l.extra[f.Path] || e.Mode == ledger.ModeGitlink {
			continue
		}
		written[f.Path] = int64(len(f.Data))
		if _, err := pack.add("blob", f.Data); err != nil {
			return err
		}
	}
	root, err := r.addTree(pack, tree)
	if err != nil {
		return err
	}
	head, err := pack.add("commit", commitObject(root))
	if err != nil {
		return err
	}
	if err := pack.writeTo(packs); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(repo, filepath.FromSlash(branch)), []byte(head+"\n"), 0o644); err != nil {
		return err
	}
	base, err := r.baseIndex(t)
	if err != nil {
		return err
	}
	var differ []indexed
	for _, p := range tree.keys {
		e := tree.over[p]
		e.Path, e.Size = p, written[p]
		differ = append(differ, indexed{Entry: e, at: at})
	}
	index, err := base.splice(differ)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(repo, "index"), index, 0o644)
}

// baseIndex is the index of the base, encoded once.
func (r *Repository) baseIndex(t *Built) (*index, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index == nil {
		i, err := newIndex(t.indexed(r))
		if err != nil {
			return nil, err
		}
		r.index = i
	}
	return r.index, nil
}

// addTree adds the tree objects of the folders that differ from the base.
func (r *Repository) addTree(pack *packWriter, tree *Tree) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var write func(dir string) (string, error)
	write = func(dir string) (string, error) {
		if dir != "" && len(tree.overIn(dir)) == 0 {
			return r.base(dir)
		}
		data, err := treeObject(tree, dir, write)
		if err != nil {
			return "", err
		}
		return pack.add("tree", data)
	}
	return write("")
}

// Install makes a whole repository in dir that borrows the objects of r, with
// one commit of the plan's tree. It is for folders that no layer can be put
// under. objects is where commands find r.Objects(): absolute, or relative to the
// new repository's own folder of objects.
func (t *Built) Install(r *Repository, dir string, l *Layer, at time.Time, objects string) error {
	repo, from := filepath.Join(dir, gitDir), filepath.Join(r.dir, gitDir)
	head, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(branch)))
	if err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(from, "index"))
	if err != nil {
		return err
	}
	if err := writeRepository(repo, strings.TrimSpace(string(head)), index, r.lack); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(repo, "objects", "info", "alternates"), []byte(objects+"\n"), 0o644); err != nil {
		return err
	}
	if l.Empty() {
		return nil
	}
	return t.commitLayer(r, dir, l, at, nil)
}

// Overlay writes what the repository of a plan has over r.Dir() into a layer's
// folder: nothing for the base itself. The stock may be nil.
func (t *Built) Overlay(r *Repository, dir string, l *Layer, at time.Time, stock *Stock) error {
	if l.Empty() {
		return nil
	}
	return t.commitLayer(r, dir, l, at, stock)
}
