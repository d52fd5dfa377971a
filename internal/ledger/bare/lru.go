package bare

import (
	"container/list"
	"sync"
)

// lru keeps the values used last, up to a total cost. It is safe for concurrent
// use.
type lru[K comparable, V any] struct {
	mu    sync.Mutex
	max   int64
	cost  int64
	items map[K]*list.Element
	order *list.List // of *kept[K, V], most recently used first
}

type kept[K comparable, V any] struct {
	key  K
	val  V
	cost int64
}

func newLRU[K comparable, V any](limit int64) *lru[K, V] {
	return &lru[K, V]{max: limit, items: map[K]*list.Element{}, order: list.New()}
}

func (l *lru[K, V]) get(k K) (v V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.items[k]
	if !ok {
		return v, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*kept[K, V]).val, true
}

// put keeps v unless it alone costs more than the whole cache may.
func (l *lru[K, V]) put(k K, v V, cost int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.items[k]; ok {
		l.drop(e)
	}
	if cost > l.max {
		return
	}
	l.items[k] = l.order.PushFront(&kept[K, V]{k, v, cost})
	for l.cost += cost; l.cost > l.max; {
		l.drop(l.order.Back())
	}
}

func (l *lru[K, V]) drop(e *list.Element) {
	it := e.Value.(*kept[K, V])
	l.order.Remove(e)
	delete(l.items, it.key)
	l.cost -= it.cost
}
