package bare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// An edit is what is to be done at one path and below it.
type edit struct {
	del   bool
	put   *item // the new file; name and mode set
	below map[string]*edit
	adds  bool // there is a put at or below this path
}

// planEdits sorts checked changes into a tree of edits. It refuses changes that
// contradict each other; the error wraps ledger.ErrPath.
func planEdits(dels []string, puts []put) (*edit, error) {
	root := &edit{}
	for _, path := range dels {
		root.at(path, false).del = true
	}
	for _, p := range puts {
		e := root.at(p.path, true)
		if e.put != nil {
			return nil, fmt.Errorf("%q is given twice: %w", p.path, ledger.ErrPath)
		}
		e.put = &item{name: p.path[strings.LastIndexByte(p.path, '/')+1:], mode: p.mode, id: p.id}
	}
	for _, p := range puts {
		if e := root.at(p.path, true); slices.ContainsFunc(slices.Collect(maps.Values(e.below)), func(b *edit) bool { return b.adds }) {
			return nil, fmt.Errorf("%q is given as a file and as a folder: %w", p.path, ledger.ErrPath)
		}
	}
	return root, nil
}

func (e *edit) at(path string, adds bool) *edit {
	e.adds = e.adds || adds
	for part := range strings.SplitSeq(path, "/") {
		next, ok := e.below[part]
		if !ok {
			next = &edit{}
			if e.below == nil {
				e.below = map[string]*edit{}
			}
			e.below[part] = next
		}
		next.adds = next.adds || adds
		e = next
	}
	return e
}

// apply makes the trees that result from an edit of the tree id and adds them
// to made. It returns the new tree's id, emptyTree if nothing is left in it.
func (t *trees) apply(id oid, e *edit, made map[oid]*node) (oid, error) {
	was, err := t.get(id)
	if err != nil {
		return oid{}, err
	}
	removed := map[string]bool{}
	var puts []item
	for name, sub := range e.below {
		old, exists := was.find(name)
		it, keep, err := t.applyItem(old, exists && !sub.del, name, sub, made)
		if err != nil {
			return oid{}, err
		}
		removed[name] = true
		if keep {
			puts = append(puts, it)
		}
	}
	slices.SortFunc(puts, func(a, b item) int { return compareNames(a.name, a.isTree(), b.name, b.isTree()) })
	n := was.patched(removed, puts)
	data := n.encode()
	now := hashOf("tree", data)
	made[now] = n
	return now, nil
}

// applyItem is apply for one name of a folder; keep says that it is still there.
func (t *trees) applyItem(old item, exists bool, name string, e *edit, made map[oid]*node) (now item, keep bool, err error) {
	switch {
	case e.put != nil:
		return *e.put, true, nil
	case exists && !old.isTree() && !e.adds:
		return old, true, nil // what is to be deleted would lie below a file
	case !exists && !e.adds:
		return item{}, false, nil
	}
	from := emptyTree
	if exists && old.isTree() {
		from = old.id
	}
	id, err := t.apply(from, e, made)
	return item{name: name, mode: modeTree, id: id}, id != emptyTree, err
}
