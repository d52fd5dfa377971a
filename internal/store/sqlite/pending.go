package sqlite

import (
	"context"
	"fmt"

	"github.com/cladehq/clade/internal/ledger"
)

// Pending implements store.Log.
func (l *Log) Pending(ctx context.Context) (made []ledger.Made, err error) {
	err = l.read(ctx, func(s *session) error {
		return s.each(func(row scanner) error {
			var m ledger.Made
			err := row.Scan(&m.Commit, &m.Tree, &m.Stream)
			made = append(made, m)
			return err
		}, "SELECT commit_id, tree, stream FROM pending ORDER BY n")
	})
	return made, err
}

// Unpend implements store.Log.
func (l *Log) Unpend(ctx context.Context, commits []string) error {
	if len(commits) == 0 {
		return nil
	}
	return l.maintain(ctx, func(s *session) error {
		for _, c := range commits {
			if err := s.exec("DELETE FROM pending WHERE commit_id = ?", c); err != nil {
				return fmt.Errorf("drop bytes of commit %s: %w", c, err)
			}
		}
		return nil
	})
}

// maintain runs fn in a write transaction that appends nothing.
func (l *Log) maintain(ctx context.Context, fn func(*session) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.begin(ctx)
	if err != nil {
		return problem(l.path, err)
	}
	defer l.end()
	return problem(l.path, s.write(ctx, func() error { return fn(s) }))
}
