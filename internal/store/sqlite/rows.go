package sqlite

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/cladehq/clade"
)

// rows is a model that reads what it needs from the projections, for the length
// of one transaction. A View cannot fail, so the first error is kept and
// everything after it is empty; whoever opened the transaction asks for it.
type rows struct {
	s       *session
	path    string
	head    clade.Head
	lives   map[clade.ID]*clade.Life
	changed map[clade.ID]*clade.Life
	notes   []clade.Note
	write   *projector // nil in a read transaction
	err     error
}

// openRows reads the head. It refuses projections that are not those of the
// whole log.
func openRows(s *session, path string) (*rows, error) {
	r := &rows{s: s, path: path, lives: map[clade.ID]*clade.Life{}, changed: map[clade.ID]*clade.Life{}}
	var seq, last int64
	var head, spec []byte
	err := s.row(`SELECT coalesce((SELECT seq FROM head), 0), coalesce((SELECT max(seq) FROM events), 0),
		coalesce((SELECT body FROM head), ''), coalesce((SELECT body FROM spec), '')`).Scan(&seq, &last, &head, &spec)
	if err != nil {
		return nil, fmt.Errorf("read head: %w", err)
	}
	if last == 0 && seq == 0 {
		return r, nil
	}
	if seq != last {
		return nil, stale(path, fmt.Errorf("they end at record %d, the log at %d", seq, last))
	}
	if err := errors.Join(json.Unmarshal(head, &r.head), json.Unmarshal(spec, &r.head.Spec)); err != nil {
		return nil, stale(path, err)
	}
	return r, nil
}

// stale reports projections that do not fit the log.
func stale(path string, err error) error {
	return &clade.Problem{
		Fault: clade.FaultCorrupt, Text: "what was worked out from the log cannot be used", Where: path,
		Hint: "make it anew with: clade store rebuild", Err: err,
	}
}

// Apply implements model.
func (r *rows) Apply(rec clade.Record) error {
	err := clade.Fold(&r.head, (*book)(r), rec)
	if r.err != nil {
		return r.err
	}
	return err
}

// Touched implements model.
func (r *rows) Touched() []*clade.Life {
	out := slices.SortedFunc(maps.Values(r.changed), func(a, b *clade.Life) int { return int(a.ID - b.ID) })
	clear(r.changed)
	return out
}

// NewNotes implements model.
func (r *rows) NewNotes() []clade.Note {
	out := r.notes
	r.notes = nil
	return out
}

// book is rows as a clade.Book.
type book rows

func (b *book) Page(id clade.ID) *clade.Life { return (*rows)(b).Life(id) }
func (b *book) Changed(l *clade.Life)        { b.changed[l.ID] = l }
func (b *book) Add(l *clade.Life)            { b.lives[l.ID], b.changed[l.ID] = l, l }
func (b *book) Note(n clade.Note)            { b.notes = append(b.notes, n) }
func (b *book) Turn(int)                     {} // the frontier is looked up by epoch

// Head implements clade.View.
func (r *rows) Head() *clade.Head { return &r.head }

// Life implements clade.View.
func (r *rows) Life(id clade.ID) *clade.Life {
	if l, ok := r.lives[id]; ok {
		return l
	}
	if r.err != nil || id < 0 || id >= nextLife(&r.head) {
		return nil
	}
	var body []byte
	l := new(clade.Life)
	err := r.s.row("SELECT body FROM lives WHERE id = ?", int(id)).Scan(&body)
	if err == nil {
		if wrong := json.Unmarshal(body, l); wrong != nil {
			err = stale(r.path, wrong)
		}
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = stale(r.path, errors.New("it is missing"))
	}
	if err != nil {
		r.keep(fmt.Errorf("read attempt %d: %w", id, err))
		return nil
	}
	r.lives[id] = l
	return l
}

func (r *rows) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

// flush writes what was applied in this transaction, so that queries see it.
func (r *rows) flush() {
	if r.err == nil && r.write != nil && (len(r.changed) > 0 || len(r.notes) > 0) {
		r.keep(r.write.project(r))
	}
}

func (r *rows) ids(query string, args ...any) (out []clade.ID) {
	r.flush()
	if r.err != nil {
		return nil
	}
	err := r.s.each(func(row scanner) error {
		var id clade.ID
		err := row.Scan(&id)
		out = append(out, id)
		return err
	}, query, args...)
	r.keep(err)
	return out
}

// Children implements clade.View.
func (r *rows) Children(id clade.ID) []clade.ID {
	return r.ids("SELECT child FROM parents WHERE parent = ? ORDER BY child", int(id))
}

// Open implements clade.View.
func (r *rows) Open() []clade.ID {
	return r.ids("SELECT id FROM lives WHERE open = 1 ORDER BY id")
}

// Unjudged implements clade.View.
func (r *rows) Unjudged() []clade.ID {
	return r.ids("SELECT id FROM lives WHERE unjudged = 1 ORDER BY id")
}

// page is how many rows Frontier and Notes fetch at a time: enough for one
// screen, and no statement stays open while the caller works.
const page = 64

// Frontier implements clade.View.
func (r *rows) Frontier() iter.Seq[clade.ID] {
	return func(yield func(clade.ID) bool) {
		var score float64
		ids := r.frontier(&score, "", r.head.Epoch, page)
		for len(ids) > 0 {
			for _, id := range ids {
				if !yield(id) {
					return
				}
			}
			ids = r.frontier(&score, " AND (score, id) < (?, ?)", r.head.Epoch, score, int(ids[len(ids)-1]), page)
		}
	}
}

// frontier reads one page, and the score of its last row.
func (r *rows) frontier(score *float64, after string, args ...any) (ids []clade.ID) {
	r.flush()
	if r.err != nil {
		return nil
	}
	r.keep(r.s.each(func(row scanner) error {
		var id clade.ID
		err := row.Scan(&id, score)
		ids = append(ids, id)
		return err
	}, "SELECT id, score FROM lives WHERE on_frontier = 1 AND epoch = ?"+after+" ORDER BY score DESC, id DESC LIMIT ?", args...))
	return ids
}

// Notes implements clade.View.
func (r *rows) Notes(kind clade.NoteKind) iter.Seq[clade.Note] {
	return func(yield func(clade.Note) bool) {
		for last := 0; ; {
			notes := r.notePage(kind, &last)
			for _, n := range notes {
				if !yield(n) {
					return
				}
			}
			if len(notes) < page {
				return
			}
		}
	}
}

func (r *rows) notePage(kind clade.NoteKind, last *int) (notes []clade.Note) {
	r.flush()
	if r.err != nil {
		return nil
	}
	query, args := "SELECT n, body FROM notes WHERE n > ? ORDER BY n LIMIT ?", []any{*last, page}
	if kind != "" {
		query, args = "SELECT n, body FROM notes WHERE kind = ? AND n > ? ORDER BY n LIMIT ?", []any{string(kind), *last, page}
	}
	r.keep(r.s.each(func(row scanner) error {
		var body []byte
		if err := row.Scan(last, &body); err != nil {
			return err
		}
		var n clade.Note
		if err := json.Unmarshal(body, &n); err != nil {
			return stale(r.path, err)
		}
		notes = append(notes, n)
		return nil
	}, query, args...))
	return notes
}
