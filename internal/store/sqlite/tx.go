package sqlite

import (
	"errors"
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
)

// A tx is one write transaction. It implements store.Tx.
type tx struct {
	projector
	s        *session
	by       string
	model    model
	appended bool
	err      error // the first one: a transaction that failed once commits nothing
}

func (t *tx) run(decide func(store.Tx) error) error {
	if r, ok := t.model.(*rows); ok {
		r.write = &t.projector
	}
	if err := decide(t); err != nil {
		return err
	}
	if r, ok := t.model.(*rows); ok {
		t.fail(r.err)
	}
	if t.err == nil && t.appended {
		t.fail(t.project(t.model))
	}
	return t.err
}

func (t *tx) fail(err error) error {
	if t.err == nil {
		t.err = err
	}
	return err
}

// View implements store.Tx.
func (t *tx) View() clade.View { return t.model }

// Append implements store.Tx.
func (t *tx) Append(events ...clade.Event) error {
	for _, e := range events {
		if t.err != nil {
			return t.err
		}
		if err := t.append(e); err != nil {
			return t.fail(fmt.Errorf("append: %w", err))
		}
	}
	return t.err
}

func (t *tx) append(e clade.Event) error {
	t.appended = true
	r, err := insert(t.s, t.model.Head().Seq+1, now(), t.by, e)
	if err != nil {
		return err
	}
	t.spec = t.spec || changesSpec(r.Event)
	err = t.model.Apply(r)
	if errors.Is(err, clade.ErrCorruptLog) {
		return refused{err}
	}
	return err
}

// Pend implements store.Tx. A commit that is on disk already needs no bytes.
func (t *tx) Pend(m ledger.Made) error {
	if len(m.Stream) == 0 {
		return nil
	}
	err := t.s.exec("INSERT INTO pending (commit_id, tree, stream) VALUES (?, ?, ?) ON CONFLICT (commit_id) DO NOTHING",
		m.Commit, m.Tree, m.Stream)
	if err != nil {
		return t.fail(fmt.Errorf("keep commit %s: %w", m.Commit, err))
	}
	return nil
}

// Keep implements store.Tx.
func (t *tx) Keep(samples ...store.Kept) error {
	for _, k := range samples {
		if err := keep(t.s, k); err != nil {
			return t.fail(fmt.Errorf("keep sample of %s: %w", k.Key.Check, err))
		}
	}
	return nil
}
