package sqlite

import (
	"encoding/json"
	"fmt"

	"github.com/cladehq/clade"
)

// A projector writes what a model says has changed into the projections. The
// rows are the same whichever model it is.
type projector struct {
	s    *session
	next clade.ID // the first life without a row
	spec bool     // the spec has changed
}

// nextLife is the ID of the first life that head does not know.
func nextLife(h *clade.Head) clade.ID {
	if !h.Opened {
		return clade.Base
	}
	return h.Count + 1
}

func (p *projector) project(m model) error {
	for _, l := range m.Touched() {
		if err := p.life(l); err != nil {
			return err
		}
	}
	p.next = nextLife(m.Head())
	if err := p.notes(m.NewNotes()); err != nil {
		return err
	}
	return p.head(m.Head())
}

func (p *projector) life(l *clade.Life) error {
	r, err := rowOf(l)
	if err != nil {
		return err
	}
	if err := p.s.exec(`INSERT INTO lives (id, open, unjudged, on_frontier, epoch, scored, score, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
		open = excluded.open, unjudged = excluded.unjudged, on_frontier = excluded.on_frontier,
		epoch = excluded.epoch, scored = excluded.scored, score = excluded.score, body = excluded.body`,
		r.id, r.open, r.unjudged, r.frontier, r.epoch, r.scored, r.score, r.body); err != nil {
		return fmt.Errorf("write attempt %d: %w", l.ID, err)
	}
	if l.ID < p.next || l.ID == clade.Base {
		return nil
	}
	for _, parent := range clade.ParentsOrBase(l.Parents) {
		if err := p.s.exec("INSERT OR IGNORE INTO parents (parent, child) VALUES (?, ?)", int(parent), int(l.ID)); err != nil {
			return fmt.Errorf("write parents of %d: %w", l.ID, err)
		}
	}
	return nil
}

// A lifeRow is a row of the table lives.
type lifeRow struct {
	id, epoch                        int
	open, unjudged, frontier, scored bool
	score                            float64
	body                             string
}

func rowOf(l *clade.Life) (lifeRow, error) {
	body, err := json.Marshal(l)
	r := lifeRow{
		id: int(l.ID), epoch: l.Epoch, open: l.Open, unjudged: l.Unjudged, scored: l.Scored,
		frontier: clade.OnFrontier(l, l.Epoch), body: string(body),
	}
	if l.Scored {
		r.score = l.Score
	}
	return r, err
}

func (p *projector) notes(notes []clade.Note) error {
	for _, n := range notes {
		body, err := json.Marshal(n)
		if err != nil {
			return err
		}
		if err := p.s.exec("INSERT INTO notes (n, kind, body) SELECT coalesce(max(n), 0) + 1, ?, ? FROM notes",
			string(n.Kind), string(body)); err != nil {
			return fmt.Errorf("write note: %w", err)
		}
	}
	return nil
}

func (p *projector) head(h *clade.Head) error {
	if p.spec {
		body, err := json.Marshal(h.Spec)
		if err != nil {
			return err
		}
		if err := p.s.exec("INSERT OR REPLACE INTO spec (one, body) VALUES (1, ?)", string(body)); err != nil {
			return fmt.Errorf("write spec: %w", err)
		}
		p.spec = false
	}
	body, err := headBody(h)
	if err != nil {
		return err
	}
	if err := p.s.exec("INSERT OR REPLACE INTO head (one, seq, body) VALUES (1, ?, ?)", h.Seq, body); err != nil {
		return fmt.Errorf("write head: %w", err)
	}
	return nil
}

// headBody leaves the spec out: it is large and hardly ever changes.
func headBody(h *clade.Head) (string, error) {
	lean := *h
	lean.Spec = clade.Spec{}
	body, err := json.Marshal(lean)
	return string(body), err
}

// changesSpec reports whether folding e may change the spec.
func changesSpec(e clade.Event) bool {
	switch e.(type) {
	case clade.Opened, clade.Amended:
		return true
	}
	return false
}
