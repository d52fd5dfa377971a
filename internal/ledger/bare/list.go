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
	list, err := l.derive(tree)
	if err != nil {
		return nil, err
	}
	l.lists.put(tree, list, listCost(list))
	return list, nil
}

// derive makes a listing out of that of the nearest ancestor that has one. If
// none has, the tree it was made from is listed first: its other children will
// want it too.
func (l *Ledger) derive(tree oid) ([]ledger.Entry, error) {
	first, ok := l.ancestor.get(tree)
	if !ok {
		return l.walk(tree)
	}
	from := first
	list, listed := l.lists.get(from)
	for range nearest {
		if listed {
			break
		}
		if from, ok = l.ancestor.get(from); !ok {
			break
		}
		list, listed = l.lists.get(from)
	}
	if !listed {
		from = first
		var err error
		if list, err = l.walk(from); err != nil {
			return nil, err
		}
		l.lists.put(from, list, listCost(list))
	}
	ds, err := l.trees.diff(from, tree)
	if err != nil {
		return nil, err
	}
	return l.splice(list, ds)
}

// listCost is roughly what a listing weighs in memory beside what it shares
// with others, in bytes.
func listCost(list []ledger.Entry) int64 { return int64(cap(list))*64 + 64 }

// splice applies differences to a listing; both are sorted by path.
func (l *Ledger) splice(list []ledger.Entry, ds []ledger.Delta) ([]ledger.Entry, error) {
	var now []ledger.Entry // what ds puts
	for _, d := range ds {
		if d.NewMode != "" {
			now = append(now, ledger.Entry{Path: d.Path, Mode: d.NewMode, Blob: d.NewBlob, Size: -1})
		}
	}
	if err := l.measure(now); err != nil {
		return nil, err
	}
	out := make([]ledger.Entry, 0, len(list)+len(now))
	for _, d := range ds {
		i, found := slices.BinarySearchFunc(list, d.Path, func(e ledger.Entry, path string) int {
			return strings.Compare(e.Path, path)
		})
		out = append(out, list[:i]...)
		if list = list[i:]; found {
			list = list[1:]
		}
		if d.NewMode != "" {
			out, now = append(out, now[0]), now[1:]
		}
	}
	return append(out, list...), nil
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
