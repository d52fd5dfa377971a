package workspace

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// A Tree is the files of a commit with some differences laid over, looked up by
// path and by folder without walking the whole. It is immutable.
type Tree struct {
	base []ledger.Entry          // sorted by path
	over map[string]ledger.Entry // differences; an empty mode is a file that is gone
	keys []string                // of over, sorted
}

// newTree makes a tree of a listing.
func newTree(entries []ledger.Entry) *Tree {
	byPath := func(a, b ledger.Entry) int { return cmp.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(entries, byPath) {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, byPath)
	}
	return &Tree{base: entries}
}

// With lays differences over the tree. An entry with an empty mode is a file
// that is gone.
func (t *Tree) With(over map[string]ledger.Entry) *Tree {
	all := maps.Clone(t.over)
	if all == nil {
		all = make(map[string]ledger.Entry, len(over))
	}
	maps.Copy(all, over)
	return &Tree{base: t.base, over: all, keys: slices.Sorted(maps.Keys(all))}
}

// Lookup finds a file, link or submodule.
func (t *Tree) Lookup(path string) (ledger.Entry, bool) {
	if e, ok := t.over[path]; ok {
		return e, e.Mode != ""
	}
	i := t.at(path)
	if i < len(t.base) && t.base[i].Path == path {
		return t.base[i], true
	}
	return ledger.Entry{}, false
}

// at is the index of the first base entry not before path.
func (t *Tree) at(path string) int {
	return sort.Search(len(t.base), func(i int) bool { return t.base[i].Path >= path })
}

// span are the indexes of the base entries strictly in dir.
func (t *Tree) span(dir string) (from, to int) {
	if dir == "" {
		return 0, len(t.base)
	}
	return t.at(dir + "/"), t.at(dir + "0") // '0' follows '/'
}

// overIn are the differences strictly in dir.
func (t *Tree) overIn(dir string) []string {
	if dir == "" {
		return t.keys
	}
	from, _ := slices.BinarySearch(t.keys, dir+"/")
	to, _ := slices.BinarySearch(t.keys, dir+"0")
	return t.keys[from:to]
}

// Below lists the files strictly in dir, at any depth, sorted by path.
func (t *Tree) Below(dir string) []ledger.Entry {
	from, to := t.span(dir)
	over := t.overIn(dir)
	list := make([]ledger.Entry, 0, to-from+len(over))
	for i := from; i < to || len(over) > 0; {
		if len(over) == 0 || i < to && t.base[i].Path < over[0] {
			list = append(list, t.base[i])
			i++
			continue
		}
		if i < to && t.base[i].Path == over[0] {
			i++
		}
		if e := t.over[over[0]]; e.Mode != "" {
			list = append(list, e)
		}
		over = over[1:]
	}
	return list
}

// IsDir reports whether a file lies in dir.
func (t *Tree) IsDir(dir string) bool {
	from, to := t.span(dir)
	left := to - from
	for _, p := range t.overIn(dir) {
		if t.over[p].Mode != "" {
			return true
		}
		if i := t.at(p); i < len(t.base) && t.base[i].Path == p {
			left--
		}
	}
	return left > 0
}

// A child is a direct member of a folder.
type child struct {
	name  string
	dir   bool
	entry ledger.Entry // unless dir
}

// children lists the direct members of a folder, sorted as git sorts trees.
func (t *Tree) children(dir string) []child {
	skip := 0
	if dir != "" {
		skip = len(dir) + 1
	}
	found := map[string]child{}
	for i, to := t.span(dir); i < to; {
		name, _, deep := strings.Cut(t.base[i].Path[skip:], "/")
		if !deep {
			found[name] = child{name: name, entry: t.base[i]}
			i++
			continue
		}
		found[name] = child{name: name, dir: true}
		i = t.at(join(dir, name) + "0")
	}
	for _, p := range t.overIn(dir) {
		name, _, deep := strings.Cut(p[skip:], "/")
		switch e := t.over[p]; {
		case deep && t.IsDir(join(dir, name)):
			found[name] = child{name: name, dir: true}
		case deep:
			if c := found[name]; c.dir {
				delete(found, name)
			}
		case e.Mode != "":
			found[name] = child{name: name, entry: e}
		case !found[name].dir:
			delete(found, name)
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b child) int { return cmp.Compare(a.sortName(), b.sortName()) })
}

func (c child) sortName() string {
	if c.dir {
		return c.name + "/"
	}
	return c.name
}
