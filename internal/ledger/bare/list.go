package bare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// nearest is how far back a listing is looked for to make another one from.
const nearest = 64

// List implements ledger.Ledger. Entries are sorted by path, bytewise. The
// result is shared with other callers and must not be changed.
func (l *Ledger) List(ctx context.Context, commit string) ([]ledger.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tree, err := l.treeOfCommit(commit)
	if err != nil {
		return nil, fmt.Errorf("listing: %w", err)
	}
	list, err := l.list(tree)
	if err != nil {
		return nil, fmt.Errorf("listing commit %s: %w", commit, err)
	}
	return slices.Clip(list), nil
}

func (l *Ledger) list(tree oid) ([]ledger.Entry, error) {
	if list, ok := l.lists.get(tree); ok {
		return list, nil
	}
	list, ok, err := l.derive(tree)
	if err != nil {
		return nil, err
	}
	if !ok {
		if list, err = l.walk(tree); err != nil {
			return nil, err
		}
	}
	l.lists.put(tree, list, int64(cap(list))*80+64)
	return list, nil
}

// derive makes a listing out of that of the nearest ancestor that has one.
func (l *Ledger) derive(tree oid) (list []ledger.Entry, ok bool, err error) {
	from := tree
	for range nearest {
		if from, ok = l.ancestor.get(from); !ok {
			return nil, false, nil
		}
		if list, ok = l.lists.get(from); !ok {
			continue
		}
		ds, err := l.trees.diff(from, tree)
		if err != nil {
			return nil, false, err
		}
		list, err = l.splice(list, ds)
		return list, true, err
	}
	return nil, false, nil
}

// splice applies differences to a listing; both are sorted by path.
func (l *Ledger) splice(list []ledger.Entry, ds []ledger.Delta) ([]ledger.Entry, error) {
	out := make([]ledger.Entry, 0, len(list)+len(ds))
	for _, d := range ds {
		i, found := slices.BinarySearchFunc(list, d.Path, func(e ledger.Entry, path string) int {
			return strings.Compare(e.Path, path)
		})
		out = append(out, list[:i]...)
		if list = list[i:]; found {
			list = list[1:]
		}
		if d.NewMode != "" {
			out = append(out, ledger.Entry{Path: d.Path, Mode: d.NewMode, Blob: d.NewBlob, Size: -1})
		}
	}
	out = append(out, list...)
	return out, l.measure(out)
}

// walk lists a tree from its objects, one depth after the other, so that all
// folders of a depth are asked for at once.
func (l *Ledger) walk(tree oid) ([]ledger.Entry, error) {
	type folder struct {
		prefix string
		id     oid
	}
	var out []ledger.Entry
	for level := []folder{{"", tree}}; len(level) > 0; {
		ids := make([]oid, len(level))
		for i, f := range level {
			ids[i] = f.id
		}
		nodes, err := l.trees.many(ids)
		if err != nil {
			return nil, err
		}
		var below []folder
		for i, n := range nodes {
			for _, it := range n.items {
				path := level[i].prefix + it.name
				if it.isTree() {
					below = append(below, folder{path + "/", it.id})
					continue
				}
				out = append(out, ledger.Entry{Path: path, Mode: it.mode, Blob: it.id.String(), Size: -1})
			}
		}
		level = below
	}
	slices.SortFunc(out, func(a, b ledger.Entry) int { return strings.Compare(a.Path, b.Path) })
	return out, l.measure(out)
}

// measure fills in sizes that are unknown. A submodule has none.
func (l *Ledger) measure(list []ledger.Entry) error {
	var ids []oid
	var at []int
	for i, e := range list {
		if e.Size >= 0 || e.Mode == ledger.ModeGitlink {
			continue
		}
		id, err := parseOID(e.Blob)
		if err != nil {
			return err
		}
		ids, at = append(ids, id), append(at, i)
	}
	sizes, err := l.sizesOf(ids)
	if err != nil {
		return err
	}
	for i, size := range sizes {
		list[at[i]].Size = size
	}
	return nil
}
