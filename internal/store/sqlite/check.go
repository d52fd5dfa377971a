package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/cladehq/clade"
)

// Check implements store.Log. It reads the whole file. What cannot be read at
// all is a finding too; the error is for a check that could not be made.
func (l *Log) Check(ctx context.Context) (found []string, err error) {
	err = l.read(ctx, func(s *session) error {
		found, err = quickCheck(s)
		if err != nil || len(found) > 0 {
			return err // what a damaged file says further on means nothing
		}
		fresh := new(clade.State)
		if err := records(s, 0, -1, fresh.Apply); err != nil {
			return err
		}
		found, err = compare(s, fresh)
		return err
	})
	var p *clade.Problem
	if errors.As(err, &p) && p.Fault == clade.FaultCorrupt {
		return append(found, p.Error()), nil
	}
	return found, err
}

// quickCheck asks SQLite about the file's structure and its constraints.
func quickCheck(s *session) (found []string, err error) {
	err = s.each(func(row scanner) error {
		var line string
		if err := row.Scan(&line); err != nil {
			return err
		}
		if line != "ok" {
			found = append(found, line)
		}
		return nil
	}, "PRAGMA quick_check")
	return found, err
}

// A difference collects what the projections say otherwise than the log.
type difference struct{ found []string }

func (d *difference) add(format string, args ...any) {
	const most = 20
	if len(d.found) < most {
		d.found = append(d.found, fmt.Sprintf(format, args...))
	}
}

// compare holds every row of the projections against a fresh fold.
func compare(s *session, fresh *clade.State) ([]string, error) {
	var d difference
	for _, part := range []func(*session, *clade.State) error{d.head, d.lives, d.parents, d.notes} {
		if err := part(s, fresh); err != nil {
			return d.found, err
		}
	}
	return d.found, nil
}

func (d *difference) head(s *session, fresh *clade.State) error {
	var seq int64
	var head, spec string
	err := s.row("SELECT coalesce(max(seq), 0), coalesce(max(body), ''), coalesce((SELECT body FROM spec), '') FROM head").
		Scan(&seq, &head, &spec)
	if err != nil {
		return err
	}
	want, err := headBody(fresh.Head())
	if err != nil {
		return err
	}
	wantSpec, err := json.Marshal(fresh.Head().Spec)
	if err != nil {
		return err
	}
	if seq != fresh.Head().Seq || head != want {
		d.add("head differs from the log")
	}
	if spec != string(wantSpec) {
		d.add("the spec differs from the log's")
	}
	return nil
}

func (d *difference) lives(s *session, fresh *clade.State) error {
	id := clade.Base
	err := s.each(func(row scanner) error {
		var got lifeRow
		if err := row.Scan(&got.id, &got.open, &got.unjudged, &got.frontier, &got.epoch, &got.scored, &got.score, &got.body); err != nil {
			return err
		}
		if l := fresh.Life(id); l == nil {
			d.add("attempt %d is not in the log", got.id)
		} else if want, err := rowOf(l); err != nil {
			return err
		} else if got != want {
			d.add("attempt %d differs from the log", id)
		}
		id++
		return nil
	}, "SELECT id, open, unjudged, on_frontier, epoch, scored, score, body FROM lives ORDER BY id")
	for ; fresh.Life(id) != nil; id++ {
		d.add("attempt %d is missing", id)
	}
	return err
}

func (d *difference) parents(s *session, fresh *clade.State) error {
	type edge struct{ parent, child clade.ID }
	want := map[edge]bool{}
	for id := clade.Base; fresh.Life(id) != nil; id++ {
		for _, child := range fresh.Children(id) {
			want[edge{id, child}] = true
		}
	}
	err := s.each(func(row scanner) error {
		var got edge
		if err := row.Scan(&got.parent, &got.child); err != nil {
			return err
		}
		if !want[got] {
			d.add("attempt %d is no child of %d", got.child, got.parent)
		}
		delete(want, got)
		return nil
	}, "SELECT parent, child FROM parents")
	if len(want) > 0 {
		d.add("%d children are missing", len(want))
	}
	return err
}

func (d *difference) notes(s *session, fresh *clade.State) error {
	next, stop := iter.Pull(fresh.Notes(""))
	defer stop()
	err := s.each(func(row scanner) error {
		var n int
		var kind, body string
		if err := row.Scan(&n, &kind, &body); err != nil {
			return err
		}
		note, _ := next()
		want, err := json.Marshal(note)
		if err == nil && (string(note.Kind) != kind || string(want) != body) {
			d.add("note %d differs from the log", n)
		}
		return err
	}, "SELECT n, kind, body FROM notes ORDER BY n")
	if _, more := next(); more {
		d.add("notes are missing")
	}
	return err
}

// Rebuild implements store.Log.
func (l *Log) Rebuild(ctx context.Context) error {
	err := l.maintain(ctx, func(s *session) error {
		fresh := new(clade.State)
		if err := records(s, 0, -1, fresh.Apply); err != nil {
			return err
		}
		if err := s.exec("DELETE FROM head; DELETE FROM spec; DELETE FROM parents; DELETE FROM lives; DELETE FROM notes"); err != nil {
			return err
		}
		p := projector{s: s, next: clade.Base, spec: true}
		return p.project(fresh)
	})
	if err == nil {
		l.announce()
	}
	return err
}
