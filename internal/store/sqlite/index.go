package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// An Index is the user's index. It implements store.Index.
type Index struct{ *database }

// OpenIndex opens the index at path and makes it if there is none.
func OpenIndex(path string) (*Index, error) {
	ctx := context.Background()
	d, err := indexFormat().open(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, problem(path, err)
		}
		err := indexFormat().create(ctx, path, func(*session) error { return nil })
		if err != nil && !errors.Is(err, fs.ErrExist) { // another process was quicker
			return nil, err
		}
		d, err = indexFormat().open(ctx, path)
		return indexOf(d, path, err)
	}
	return indexOf(d, path, err)
}

func indexOf(d *database, path string, err error) (*Index, error) {
	if err != nil {
		return nil, problem(path, err)
	}
	return &Index{d}, nil
}

func (x *Index) change(ctx context.Context, fn func(*session) error) error {
	s, err := x.reader(ctx)
	if err != nil {
		return problem(x.path, err)
	}
	defer x.release(s)
	return problem(x.path, s.write(ctx, func() error { return fn(s) }))
}

// Add implements store.Index. The same run of the same store is one entry.
func (x *Index) Add(ctx context.Context, l store.Located) error {
	return x.change(ctx, func(s *session) error {
		return s.exec("INSERT OR REPLACE INTO runs (run, state, place, at) VALUES (?, ?, ?, ?)",
			l.Run, l.State, l.Where, l.At.UnixMicro())
	})
}

// Remove implements store.Index. Looks stay: they were taken.
func (x *Index) Remove(ctx context.Context, l store.Located) error {
	return x.change(ctx, func(s *session) error {
		return s.exec("DELETE FROM runs WHERE run = ? AND state = ?", l.Run, l.State)
	})
}

// Find implements store.Index.
func (x *Index) Find(ctx context.Context, name string) (found []store.Located, err error) {
	err = x.read(ctx, func(s *session) error {
		return s.each(func(row scanner) error {
			var l store.Located
			var at int64
			err := row.Scan(&l.Run, &l.State, &l.Where, &at)
			l.At = time.UnixMicro(at).UTC()
			found = append(found, l)
			return err
		}, `SELECT run, state, place, at FROM runs WHERE substr(run, 1, length(?1)) = ?1
			ORDER BY at DESC, run DESC, state`, name)
	})
	return found, err
}

// Look implements store.Index.
func (x *Index) Look(ctx context.Context, dataset, run string, attempt clade.ID) (look int, err error) {
	err = x.change(ctx, func(s *session) error {
		err := s.row("SELECT look FROM looks WHERE dataset = ? AND run = ? AND attempt = ?", dataset, run, int(attempt)).Scan(&look)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := s.row("SELECT coalesce(max(look), 0) + 1 FROM looks WHERE dataset = ?", dataset).Scan(&look); err != nil {
			return err
		}
		if err := s.exec("INSERT INTO looks (dataset, run, attempt, look) VALUES (?, ?, ?, ?)", dataset, run, int(attempt), look); err != nil {
			return fmt.Errorf("record look %d: %w", look, err)
		}
		return nil
	})
	return look, err
}

// Close implements store.Index.
func (x *Index) Close() error { return x.close() }
