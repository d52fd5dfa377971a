package bare

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

const treeCacheBytes = 16 << 20

// trees reads tree objects: those that are not on disk yet from memory, others
// through a bounded cache. It is safe for concurrent use.
type trees struct {
	contents *git.CatFile
	cache    *lru[oid, *node]
	mu       sync.Mutex
	pinned   map[oid]*node // made here and not on disk yet
	weight   int64         // of pinned, bytes
}

func newTrees(contents *git.CatFile) *trees {
	return &trees{contents: contents, cache: newLRU[oid, *node](treeCacheBytes), pinned: map[oid]*node{}}
}

func (t *trees) known(id oid) (*node, bool) {
	if id == emptyTree {
		return &node{}, true
	}
	t.mu.Lock()
	n, ok := t.pinned[id]
	t.mu.Unlock()
	if ok {
		return n, true
	}
	return t.cache.get(id)
}

// get returns one tree. It reports ledger.ErrNoObject.
func (t *trees) get(id oid) (*node, error) {
	if n, ok := t.known(id); ok {
		return n, nil
	}
	ns, err := t.many([]oid{id})
	if err != nil {
		return nil, err
	}
	return ns[0], nil
}

// many returns trees in the order of ids.
func (t *trees) many(ids []oid) ([]*node, error) {
	out := make([]*node, len(ids))
	var ask []string
	var at []int
	for i, id := range ids {
		if n, ok := t.known(id); ok {
			out[i] = n
			continue
		}
		ask, at = append(ask, id.String()), append(at, i)
	}
	err := t.contents.Each(ask, func(i int, o git.Object, err error) error {
		n, err := treeOf(o, err)
		if err == nil {
			out[at[i]] = n
			t.cache.put(ids[at[i]], n, n.cost())
		}
		return err
	})
	return out, err
}

func treeOf(o git.Object, err error) (*node, error) {
	switch {
	case errors.Is(err, git.ErrMissing):
		return nil, fmt.Errorf("tree %s: %w", o.ID, ledger.ErrNoObject)
	case err != nil:
		return nil, err
	case o.Type != "tree":
		return nil, fmt.Errorf("%s is a %s and no tree: %w", o.ID, o.Type, ledger.ErrNoObject)
	}
	return parseTree(o.Data)
}

// pin keeps trees that are not on disk yet.
func (t *trees) pin(made map[oid]*node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, n := range made {
		if _, ok := t.pinned[id]; !ok {
			t.pinned[id] = n
			t.weight += n.cost()
		}
	}
}

func (t *trees) pinnedBytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.weight
}

// unpin hands everything pinned to the cache: it is on disk now.
func (t *trees) unpin() {
	t.mu.Lock()
	was := t.pinned
	t.pinned, t.weight = map[oid]*node{}, 0
	for id, n := range was {
		t.cache.put(id, n, n.cost())
	}
	t.mu.Unlock()
}
