// Package crashing decorates a store so that a crash plan can end the process
// before and after each transaction, by the kinds of events it appends.
package crashing

import (
	"context"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/crash"
	"github.com/cladehq/clade/internal/store"
)

// Sample labels a transaction that keeps samples; Unpend one that forgets the
// bytes of commits. Other labels are kinds of events.
const (
	Sample = "sample"
	Unpend = "unpend"
)

// Store decorates inner; a nil plan gives inner itself.
func Store(inner store.Store, p *crash.Plan) store.Store {
	if p == nil {
		return inner
	}
	return &crashingStore{inner, p}
}

type crashingStore struct {
	store.Store
	plan *crash.Plan
}

func (s *crashingStore) Create(ctx context.Context, o clade.Opened) (l store.Log, err error) {
	err = s.plan.Around(o.Kind(), func() error { l, err = s.Store.Create(ctx, o); return err })
	return &log{l, s.plan}, err
}

func (s *crashingStore) Open(ctx context.Context, run string, fold bool) (store.Log, error) {
	l, err := s.Store.Open(ctx, run, fold)
	if err != nil {
		return nil, err
	}
	return &log{l, s.plan}, nil
}

type log struct {
	store.Log
	plan *crash.Plan
}

func (l *log) Update(ctx context.Context, decide func(store.Tx) error) error {
	var labels []string
	err := l.Log.Update(ctx, func(t store.Tx) error {
		labels = nil
		if err := decide(&tx{t, &labels}); err != nil {
			return err
		}
		for _, label := range labels {
			l.plan.At(label, crash.Before)
		}
		return nil
	})
	if err == nil {
		for _, label := range labels {
			l.plan.At(label, crash.After)
		}
	}
	return err
}

func (l *log) Unpend(ctx context.Context, commits []string) error {
	return l.plan.Around(Unpend, func() error { return l.Log.Unpend(ctx, commits) })
}

type tx struct {
	store.Tx
	labels *[]string
}

func (t *tx) Append(events ...clade.Event) error {
	for _, e := range events {
		*t.labels = append(*t.labels, e.Kind())
	}
	return t.Tx.Append(events...)
}

func (t *tx) Keep(samples ...store.Kept) error {
	*t.labels = append(*t.labels, Sample)
	return t.Tx.Keep(samples...)
}
