package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// A session is one connection with its prepared statements. It is not safe for
// concurrent use. Its statements take no context: they last microseconds, and
// a transaction must not end half way because somebody stopped waiting.
type session struct {
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt
	broken bool // a rollback failed: the connection must not be used again
}

func (d *database) session(ctx context.Context) (*session, error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

func (s *session) stmt(query string) (*sql.Stmt, error) {
	if st, ok := s.stmts[query]; ok {
		return st, nil
	}
	st, err := s.conn.PrepareContext(context.Background(), query)
	if err == nil {
		s.stmts[query] = st
	}
	return st, err
}

// exec runs statements; with arguments it is one statement, kept prepared.
func (s *session) exec(query string, args ...any) error {
	if len(args) == 0 {
		_, err := s.conn.ExecContext(context.Background(), query)
		return err
	}
	st, err := s.stmt(query)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(context.Background(), args...)
	return err
}

type scanner interface{ Scan(dest ...any) error }

type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

// row runs a query of at most one row.
func (s *session) row(query string, args ...any) scanner {
	st, err := s.stmt(query)
	if err != nil {
		return failed{err}
	}
	return st.QueryRowContext(context.Background(), args...)
}

// each calls fn for every row. fn must not run the same query.
func (s *session) each(fn func(scanner) error, query string, args ...any) error {
	st, err := s.stmt(query)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// write runs fn in one write transaction. Waiting for another writer ends with
// ctx; once it has begun it runs to its end.
func (s *session) write(ctx context.Context, fn func() error) (err error) {
	if _, err := s.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also when fn panics
			s.rollback()
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	if err := s.exec("COMMIT"); err != nil {
		// Perhaps it is on disk and perhaps not, and the connection's cache may
		// hold what the disk refused: what is true is read again.
		s.broken = true
		return err
	}
	done = true
	return nil
}

// rollback ends the transaction. A connection that refuses, since SQLite ended
// the transaction itself after an error, is not used again.
func (s *session) rollback() {
	if err := s.exec("ROLLBACK"); err != nil {
		s.broken = true
	}
}

func (s *session) close() {
	for _, st := range s.stmts {
		st.Close()
	}
	if s.broken {
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	s.conn.Close()
}
