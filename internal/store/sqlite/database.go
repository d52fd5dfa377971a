package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	driver "modernc.org/sqlite"

	"github.com/cladehq/clade/internal/atomicfile"
)

// A database is one file and its connections.
type database struct {
	path string
	db   *sql.DB
	idle chan *session // readers that may be used again
}

// open opens an existing file after a cheap look at it. It returns
// fs.ErrNotExist when there is none.
func (f format) open(ctx context.Context, path string) (*database, error) {
	if err := f.check(path); err != nil {
		return nil, err
	}
	d, err := connect(path)
	if err != nil {
		return nil, err
	}
	if err := f.verify(ctx, d); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// verify reads the schema.
func (f format) verify(ctx context.Context, d *database) error {
	return d.read(ctx, func(s *session) error {
		var tables int
		if err := s.row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").Scan(&tables); err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
		if tables != f.tables {
			return corrupt(d.path, fmt.Sprintf("the schema has %d tables, a %s has %d", tables, f.what, f.tables), keepItHint)
		}
		return nil
	})
}

// create makes the file with what fill writes, whole or not at all. It returns
// fs.ErrExist when there is a file already.
func (f format) create(ctx context.Context, path string, fill func(*session) error) error {
	tmp, err := os.MkdirTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return problem(path, err)
	}
	defer os.RemoveAll(tmp)
	draft := filepath.Join(tmp, filepath.Base(path))
	d, err := connect(draft)
	if err != nil {
		return err
	}
	if err := errors.Join(f.build(ctx, d, fill), d.close()); err != nil {
		return problem(path, err)
	}
	if err := publish(draft, path); err != nil {
		return problem(path, err)
	}
	return problem(path, atomicfile.SyncDir(filepath.Dir(path)))
}

func (f format) build(ctx context.Context, d *database, fill func(*session) error) error {
	s, err := d.session(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	set := fmt.Sprintf("PRAGMA journal_mode = WAL; PRAGMA application_id = %d; PRAGMA user_version = %d;", f.app, f.version)
	if err := s.exec(set + f.schema); err != nil {
		return err
	}
	return s.write(ctx, func() error { return fill(s) })
}

// publish gives the draft its name without ever replacing another file.
func publish(draft, path string) error {
	err := os.Link(draft, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(path); err == nil { // a file system without links
		return fs.ErrExist
	}
	return os.Rename(draft, path)
}

// connect prepares connections; nothing is read yet.
func connect(path string) (*database, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// fdatasync is as durable and half the price; where SQLite has its own way
	// of syncing the switch does nothing.
	if _, err := driver.Fdatasync(true); err != nil && !errors.Is(err, driver.ErrFdatasyncUnavailable) {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(abs))
	if err != nil {
		return nil, err
	}
	return &database{path: path, db: db, idle: make(chan *session, 4)}, nil
}

// dsn names the file as a URI, in which any byte of a path can be written.
func dsn(abs string) string {
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // C:/…
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: abs, RawQuery: url.Values{
		"_pragma": {"busy_timeout(10000)", "synchronous(FULL)", "trusted_schema(OFF)"},
	}.Encode()}
	return u.String()
}

// read runs fn in one read transaction.
func (d *database) read(ctx context.Context, fn func(*session) error) error {
	s, err := d.reader(ctx)
	if err != nil {
		return problem(d.path, err)
	}
	defer d.release(s)
	if err := s.exec("BEGIN"); err != nil {
		return problem(d.path, err)
	}
	defer s.rollback()
	return problem(d.path, fn(s))
}

// reader takes an idle session or makes one. Give it back with release.
func (d *database) reader(ctx context.Context) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s := <-d.idle:
		return s, nil
	default:
		return d.session(ctx)
	}
}

func (d *database) release(s *session) {
	if s.broken {
		s.close()
		return
	}
	select {
	case d.idle <- s:
	default:
		s.close()
	}
}

func (d *database) close() error {
	for {
		select {
		case s := <-d.idle:
			s.close()
		default:
			return problem(d.path, d.db.Close())
		}
	}
}
