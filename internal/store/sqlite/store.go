package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/store"
)

// A Store is a folder of runs. It implements store.Store.
type Store struct {
	dir     string
	by      string
	started time.Time // of this process, near enough for people
}

var (
	_ store.Store = (*Store)(nil)
	_ store.Log   = (*Log)(nil)
	_ store.Index = (*Index)(nil)
)

// New returns the store in dir, which need not exist: it is made by Create.
func New(dir string) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("store in %s: %w", dir, err)
	}
	return &Store{dir: abs, by: fmt.Sprintf("%s:%d", host(), os.Getpid()), started: now()}, nil
}

func (s *Store) runs() string           { return filepath.Join(s.dir, "runs") }
func (s *Store) file(run string) string { return filepath.Join(s.Dir(run), "run.db") }
func (s *Store) ignore() string         { return filepath.Join(s.dir, ".gitignore") }

// Dir implements store.Store.
func (s *Store) Dir(run string) string { return filepath.Join(s.runs(), run) }

// CheckName refuses names that could not be a folder everywhere, or would be
// taken for another place.
func CheckName(run string) error {
	const most = 128
	odd := func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) }
	switch {
	case run == "", len(run) > most, !utf8.ValidString(run), strings.ContainsFunc(run, odd),
		run[0] == '.', run[0] == '-', strings.Contains(run, ".."), strings.TrimRight(run, ". ") != run:
		return &clade.Problem{
			Fault: clade.FaultUsage, Text: fmt.Sprintf("%q is no name for a run", run),
			Hint: fmt.Sprintf("use letters, digits, '-', '_' and '.', at most %d bytes", most),
		}
	}
	return nil
}

// Create implements store.Store. The log folds in memory.
func (s *Store) Create(ctx context.Context, opened clade.Opened) (store.Log, error) {
	if err := CheckName(opened.Run); err != nil {
		return nil, err
	}
	path := s.file(opened.Run)
	if err := s.prepare(opened.Run); err != nil {
		return nil, problem(path, err)
	}
	err := runFormat().create(ctx, path, func(se *session) error {
		m := new(clade.State)
		t := &tx{s: se, by: s.by, model: m, projector: projector{s: se}}
		return t.run(func(t store.Tx) error { return t.Append(opened) })
	})
	if errors.Is(err, fs.ErrExist) {
		return nil, &clade.Problem{
			Fault: clade.FaultConflict, Text: fmt.Sprintf("run %s exists already", opened.Run), Where: path,
			Hint: "choose another name, or resume it", Err: err,
		}
	}
	if err != nil {
		return nil, err
	}
	return s.Open(ctx, opened.Run, true)
}

// prepare makes the run's folder, and the store's with what keeps it out of the
// user's commits.
func (s *Store) prepare(run string) error {
	if err := os.MkdirAll(s.Dir(run), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(s.ignore()); errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Write(s.ignore(), []byte("*\n"), 0o644)
	}
	return nil
}

// Open implements store.Store. With fold the whole log is read and verified.
func (s *Store) Open(ctx context.Context, run string, fold bool) (store.Log, error) {
	if err := CheckName(run); err != nil {
		return nil, err
	}
	path := s.file(run)
	d, err := runFormat().open(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.noRun(run)
	}
	if err != nil {
		return nil, problem(path, err)
	}
	l, err := newLog(d, s.by, fold)
	if err != nil {
		return nil, errors.Join(problem(path, err), d.close())
	}
	if fold {
		if err := l.View(ctx, func(clade.View) error { return nil }); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

func (s *Store) noRun(run string) error {
	return &clade.Problem{
		Fault: clade.FaultNotFound, Text: fmt.Sprintf("there is no run %s in %s", run, s.dir),
		Hint: "list them with: clade status", Err: store.ErrNoRun,
	}
}

// List implements store.Store, in order of the names.
func (s *Store) List(context.Context) (runs []string, err error) {
	entries, err := os.ReadDir(s.runs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, problem(s.runs(), err)
	}
	for _, e := range entries {
		if s.has(e.Name()) {
			runs = append(runs, e.Name())
		}
	}
	return runs, nil
}

func (s *Store) has(run string) bool {
	if CheckName(run) != nil {
		return false
	}
	_, err := os.Lstat(s.file(run))
	return err == nil
}

// Remove implements store.Store. It returns store.ErrHeld while another process
// searches the run.
func (s *Store) Remove(ctx context.Context, run string) error {
	held, _, err := s.Lease(ctx, run)
	if err != nil {
		return err
	}
	// A name that is no run's, so that half a removal leaves no half a run.
	doomed, err := os.MkdirTemp(s.runs(), ".removed-*")
	if err != nil {
		return problem(s.runs(), errors.Join(err, held.Release()))
	}
	if err := held.Release(); err != nil { // a folder with an open file cannot be renamed everywhere
		return err
	}
	if err := os.Rename(s.Dir(run), filepath.Join(doomed, run)); err != nil {
		return problem(s.Dir(run), errors.Join(err, os.Remove(doomed)))
	}
	return problem(doomed, os.RemoveAll(doomed))
}
