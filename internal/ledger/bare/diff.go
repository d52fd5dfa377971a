package bare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// Diff implements ledger.Ledger. Deltas are sorted by path, bytewise.
func (l *Ledger) Diff(ctx context.Context, from, to string) ([]ledger.Delta, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := l.treeOfCommit(from)
	if err != nil {
		return nil, fmt.Errorf("comparing: %w", err)
	}
	b, err := l.treeOfCommit(to)
	if err != nil {
		return nil, fmt.Errorf("comparing: %w", err)
	}
	ds, err := l.trees.diff(a, b)
	if err != nil {
		return nil, fmt.Errorf("comparing %s with %s: %w", from, to, err)
	}
	return ds, nil
}

func (t *trees) diff(a, b oid) ([]ledger.Delta, error) {
	d := differ{trees: t, byPath: map[string]*ledger.Delta{}}
	if err := d.folders("", a, b); err != nil {
		return nil, err
	}
	out := make([]ledger.Delta, 0, len(d.byPath))
	for _, delta := range d.byPath {
		out = append(out, *delta)
	}
	slices.SortFunc(out, func(x, y ledger.Delta) int { return strings.Compare(x.Path, y.Path) })
	return out, nil
}

// differ walks two trees at once, never into folders that are the same.
type differ struct {
	trees  *trees
	byPath map[string]*ledger.Delta
}

// folders compares two folders; emptyTree stands for one that does not exist.
func (d *differ) folders(prefix string, a, b oid) error {
	if a == b {
		return nil
	}
	both, err := d.trees.many([]oid{a, b})
	if err != nil {
		return err
	}
	x, y := both[0].items, both[1].items
	for len(x) > 0 || len(y) > 0 {
		var c int
		switch {
		case len(x) == 0:
			c = 1
		case len(y) == 0:
			c = -1
		default:
			c = compareNames(x[0].name, x[0].isTree(), y[0].name, y[0].isTree())
		}
		var old, now item
		if c <= 0 {
			old, x = x[0], x[1:]
		}
		if c >= 0 {
			now, y = y[0], y[1:]
		}
		if err := d.items(prefix, old, now); err != nil {
			return err
		}
	}
	return nil
}

// items compares two items of one name and kind, either of which may be absent.
func (d *differ) items(prefix string, old, now item) error {
	if old == now {
		return nil
	}
	if old.isTree() || now.isTree() {
		a, b := emptyTree, emptyTree
		if old.isTree() {
			a = old.id
		}
		if now.isTree() {
			b = now.id
		}
		return d.folders(prefix+old.name+nameUnless(old, now)+"/", a, b)
	}
	if old.name != "" {
		delta := d.delta(prefix + old.name)
		delta.OldMode, delta.OldBlob = old.mode, old.id.String()
	}
	if now.name != "" {
		delta := d.delta(prefix + now.name)
		delta.NewMode, delta.NewBlob = now.mode, now.id.String()
	}
	return nil
}

// nameUnless is the new item's name when the old one is absent.
func nameUnless(old, now item) string {
	if old.name == "" {
		return now.name
	}
	return ""
}

func (d *differ) delta(path string) *ledger.Delta {
	if _, ok := d.byPath[path]; !ok {
		d.byPath[path] = &ledger.Delta{Path: path}
	}
	return d.byPath[path]
}
