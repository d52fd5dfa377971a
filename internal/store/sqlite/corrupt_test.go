package sqlite_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

// filled makes a run with some history and returns its file, closed.
func filled(t *testing.T) (*sqlite.Store, string) {
	t.Helper()
	s := newStore(t)
	l, err := s.Create(t.Context(), opened("r"))
	if err != nil {
		t.Fatal(err)
	}
	var events []clade.Event
	for id := clade.ID(1); id <= 50; id++ {
		events = append(events, planned(id), clade.TryBegun{ID: id, Try: 1, Worker: strings.Repeat("w", 200)})
	}
	add(t, l, events...)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return s, filepath.Join(s.Dir("r"), "run.db")
}

// F23, F51: a file that is not what this program wrote is refused by its exact
// path, and not one byte of it is changed.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	put32 := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.BigEndian.PutUint32(b[at:], v)
			return b
		}
	}
	for name, damage := range map[string]func([]byte) []byte{
		"0 bytes":                 func([]byte) []byte { return nil },
		"cut inside the header":   func(b []byte) []byte { return b[:50] },
		"cut after the header":    func(b []byte) []byte { return b[:100] },
		"cut after one page":      func(b []byte) []byte { return b[:4096] },
		"cut to half":             func(b []byte) []byte { return b[:len(b)/2] },
		"cut by one byte":         func(b []byte) []byte { return b[:len(b)-1] },
		"no database":             func([]byte) []byte { return []byte("objective: go faster\n" + strings.Repeat("#", 200)) },
		"another application":     put32(68, 0x12345678),
		"a newer schema":          put32(60, 2),
		"an unknown schema":       put32(60, 0),
		"bit flip in the magic":   func(b []byte) []byte { b[3] ^= 1; return b },
		"bit flip in the root":    func(b []byte) []byte { b[100] ^= 8; return b },
		"zeroed schema":           func(b []byte) []byte { clear(b[100:4096]); return b },
		"bit flip in an event":    func(b []byte) []byte { return flip(b, `"worker":"wwww`) },
		"bit flip in the head":    func(b []byte) []byte { return flip(b, `{"seq":101,`) },
		"bit flip in page 2 type": func(b []byte) []byte { b[4096] ^= 4; return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, path := filled(t)
			sane, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := damage(bytes.Clone(sane))
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			folding, reading := readAll(s, true), readAll(s, false)
			if folding == nil && reading == nil {
				t.Error("nobody noticed")
			}
			if newer := strings.Contains(fmt.Sprint(reading), "newer clade"); newer != (name == "a newer schema") {
				t.Errorf("said to be newer: %v: %v", newer, reading)
			}
			if strings.HasPrefix(name, "cut ") && (folding == nil || reading == nil) {
				t.Errorf("not refused at once: %v, %v", folding, reading)
			}
			for _, err := range []error{folding, reading} {
				if err != nil { // nil: it does not need the damaged part
					refused(t, "reading all", err, path)
				}
			}
			if err := check(s); err != nil {
				refused(t, "checking", err, path)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, bad) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// F23: without its write-ahead file a database is an older one, whole up to its
// last checkpoint.
func TestMissingWAL(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, "r")
	add(t, l, planned(1), planned(2))
	b, err := os.ReadFile(filepath.Join(s.Dir("r"), "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.Dir("copy"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir("copy"), "run.db"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	older := open(t, s, "copy", true)
	sound(t, older)
	if err := older.View(t.Context(), func(v clade.View) error {
		if v.Head().Seq != 1 || v.Head().Run != "r" {
			t.Errorf("head %+v, want the opening only", v.Head())
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	add(t, older, planned(1))
}

// flip flips the lowest bit of the last byte of the last place that holds text.
func flip(b []byte, text string) []byte {
	i := bytes.LastIndex(b, []byte(text))
	if i < 0 {
		panic("the text is not in the file: " + text)
	}
	b[i+len(text)-1] ^= 1
	return b
}

func refused(t *testing.T, doing string, err error, path string) {
	t.Helper()
	var p *clade.Problem
	if !errors.As(err, &p) || p.Fault != clade.FaultCorrupt || p.Where != path || p.Hint == "" {
		t.Errorf("%s: %#v, want a corrupt problem at %s with a hint", doing, err, path)
	}
}

func readAll(s *sqlite.Store, fold bool) error {
	l, err := s.Open(context.Background(), "r", fold)
	if err != nil {
		return err
	}
	err = l.View(context.Background(), func(v clade.View) error {
		picture(v)
		return nil
	})
	return errors.Join(err, l.Read(context.Background(), 0, func(clade.Record) error { return nil }), l.Close())
}

// check returns what Check finds as a corrupt problem.
func check(s *sqlite.Store) error {
	l, err := s.Open(context.Background(), "r", false)
	if err != nil {
		return err
	}
	defer l.Close()
	found, err := l.Check(context.Background())
	if err == nil && len(found) == 0 {
		return errors.New("check finds nothing wrong")
	}
	return errors.Join(err, l.Close(), problemOf(s, found))
}

func problemOf(s *sqlite.Store, found []string) error {
	return &clade.Problem{
		Fault: clade.FaultCorrupt, Text: strings.Join(found, "; "), Where: filepath.Join(s.Dir("r"), "run.db"), Hint: "look",
	}
}

// Projections that are not the log's are found by Check, refused where it
// matters and made anew by Rebuild.
func TestRebuild(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql     string
		refuses bool // a view cannot be had, or not all of it
	}{
		"a life was changed":    {"UPDATE lives SET body = json_set(body, '$.why', 'other') WHERE id = 3", false},
		"a column was changed":  {"UPDATE lives SET unjudged = 1 WHERE id = 3", false},
		"a life is missing":     {"DELETE FROM parents WHERE child = 50; DELETE FROM lives WHERE id = 50", true},
		"a life makes no sense": {"UPDATE lives SET body = json_set(body, '$.id', 'x') WHERE id = 3", true},
		"a note makes no sense": {"INSERT INTO notes VALUES (1, 'finding', '[3]')", true},
		"a child is missing":    {"DELETE FROM parents WHERE child = 5", false},
		"a note too many":       {"INSERT INTO notes VALUES (1, 'finding', '{}')", false},
		"the head is old":       {"UPDATE head SET seq = seq - 1", true},
		"the head is missing":   {"DELETE FROM head", true},
		"the spec was changed":  {"UPDATE spec SET body = json_set(body, '$.seed', 8)", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, path := filled(t)
			want := pictureOf(t, open(t, s, "r", true))
			tamper(t, path, c.sql)
			refused(t, "check", check(s), path)
			l := open(t, s, "r", false)
			look := func(v clade.View) error {
				picture(v)
				return nil
			}
			err := l.View(t.Context(), look)
			if c.refuses {
				refused(t, "view", err, path)
				refused(t, "update", l.Update(t.Context(), func(tx store.Tx) error { return look(tx.View()) }), path)
			} else if err != nil {
				t.Error(err)
			}
			if err := l.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
			sound(t, l)
			if got := pictureOf(t, l); got != want {
				t.Errorf("rebuilt: %s\nwant: %s", got, want)
			}
		})
	}
}

// The database itself refuses what no log can hold.
func TestConstraints(t *testing.T) {
	t.Parallel()
	_, path := filled(t)
	for name, sql := range map[string]string{
		"a gap":                       "INSERT INTO events VALUES (200, 0, 'b', 'noted', '{}', 0)",
		"a second opening":            "INSERT INTO events VALUES (102, 0, 'b', 'opened', '{}', 0)",
		"no JSON":                     "INSERT INTO events VALUES (102, 0, 'b', 'noted', '{', 0)",
		"no writer":                   "INSERT INTO events VALUES (102, 0, '', 'noted', '{}', 0)",
		"a changed event":             "UPDATE events SET body = '{}' WHERE seq = 5",
		"a deleted event":             "DELETE FROM events WHERE seq = 101",
		"a NaN score":                 "UPDATE lives SET scored = 1, score = NULL WHERE id = 1",
		"an infinite score":           "UPDATE lives SET scored = 1, score = 9e999 WHERE id = 1",
		"a score without being one":   "UPDATE lives SET score = 1 WHERE id = 1",
		"on the frontier, no score":   "UPDATE lives SET on_frontier = 1 WHERE id = 1",
		"the base is never open":      "UPDATE lives SET open = 1 WHERE id = 0",
		"an attempt is its ancestor":  "INSERT INTO parents VALUES (3, 3)",
		"text where a number belongs": "UPDATE lives SET epoch = 'first' WHERE id = 1",
	} {
		if err := execRaw(t, path, sql); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
