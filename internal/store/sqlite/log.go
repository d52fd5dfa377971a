package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// A Log is one run's log. It implements store.Log. Neither Update nor, with
// fold, View may be called from inside the other on the same Log.
type Log struct {
	*database
	file fs.FileInfo // the file as it was opened
	by   string
	fold bool

	mu      sync.Mutex
	writer  *session     // nil before the first use and after a broken one
	state   *clade.State // nil unless fold, and until loaded
	version int64        // SQLite's data_version when state was caught up

	wakeMu sync.Mutex
	wake   chan struct{} // closed at the next commit of this Log
	closed chan struct{}
}

func newLog(d *database, by string, fold bool) (*Log, error) {
	file, err := os.Stat(d.path)
	if err != nil {
		return nil, err
	}
	return &Log{database: d, file: file, by: by, fold: fold, wake: make(chan struct{}), closed: make(chan struct{})}, nil
}

// begin makes sure that there is a writer.
func (l *Log) begin(ctx context.Context) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.writer != nil {
		return l.writer, nil
	}
	s, err := l.session(ctx)
	if err != nil {
		return nil, err
	}
	l.writer, l.state = s, nil // data_version is a connection's own
	return s, nil
}

// end forgets a broken writer, and the state with it.
func (l *Log) end() {
	if l.writer != nil && l.writer.broken {
		l.writer.close()
		l.writer, l.state = nil, nil
	}
}

// Update implements store.Log.
func (l *Log) Update(ctx context.Context, decide func(store.Tx) error) error {
	if err := l.update(ctx, decide); err != nil {
		return problem(l.path, err)
	}
	l.announce()
	return nil
}

func (l *Log) update(ctx context.Context, decide func(store.Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.there(); err != nil {
		return err
	}
	s, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer l.end()
	var t *tx
	committed := false
	defer func() {
		if !committed && t != nil && t.appended {
			l.state = nil // it has folded records that do not exist
		}
	}()
	err = s.write(ctx, func() error {
		m, err := l.model(s)
		if err != nil {
			return err
		}
		t = &tx{s: s, by: l.by, model: m, projector: projector{s: s, next: nextLife(m.Head())}}
		return t.run(decide)
	})
	committed = err == nil
	return err
}

// there refuses to write into a file that has no name any more: SQLite would go
// on without a word, and everything recorded would be lost at the end.
func (l *Log) there() error {
	if now, err := os.Stat(l.path); err == nil && os.SameFile(l.file, now) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &clade.Problem{Fault: clade.FaultNotFound, Text: "the run's log was deleted or replaced while it was in use", Where: l.path,
		Hint: "nothing more can be recorded; clade run starts anew"}
}

// model is the state as of this write transaction.
func (l *Log) model(s *session) (model, error) {
	if !l.fold {
		return openRows(s, l.path)
	}
	return l.state, l.catchUp(s)
}

// catchUp folds what other processes have written since.
func (l *Log) catchUp(s *session) error {
	var version int64
	if err := s.row("PRAGMA data_version").Scan(&version); err != nil {
		return fmt.Errorf("read data_version: %w", err)
	}
	if l.state == nil {
		l.state = new(clade.State)
	} else if version == l.version {
		return nil
	}
	if err := records(s, l.state.Head().Seq, -1, l.state.Apply); err != nil {
		l.state = nil
		return fmt.Errorf("catch up with the log: %w", err)
	}
	l.state.Touched() // whoever wrote the records has projected them
	l.state.NewNotes()
	l.version = version
	return nil
}

// View implements store.Log.
func (l *Log) View(ctx context.Context, fn func(clade.View) error) error {
	if !l.fold {
		return l.read(ctx, func(s *session) error {
			r, err := openRows(s, l.path)
			if err != nil {
				return err
			}
			return errors.Join(fn(r), r.err)
		})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.begin(ctx)
	if err == nil {
		err = l.catchUp(s)
	}
	if err != nil {
		return problem(l.path, err)
	}
	return fn(l.state)
}

// batch is how many records Read fetches at a time, so that a slow reader holds
// no transaction open.
const batch = 256

// Read implements store.Log.
func (l *Log) Read(ctx context.Context, after int64, fn func(clade.Record) error) error {
	for {
		var got []clade.Record
		err := l.read(ctx, func(s *session) error {
			return records(s, after, batch, func(r clade.Record) error {
				got = append(got, r)
				return nil
			})
		})
		if err != nil {
			return err
		}
		for _, r := range got {
			if err := fn(r); err != nil {
				return err
			}
			after = r.Seq
		}
		if len(got) < batch {
			return nil
		}
	}
}

// Close implements store.Log.
func (l *Log) Close() error {
	l.wakeMu.Lock()
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	l.wakeMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writer != nil {
		l.writer.close()
		l.writer = nil
	}
	l.state = nil
	return l.close()
}

// now is when a record is written. It is for people; no decision reads it.
func now() time.Time { return time.Now().UTC() }
