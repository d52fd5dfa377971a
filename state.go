package clade

import (
	"iter"
	"slices"
	"sort"
)

// State is everything a run's log says, in memory. The zero value is a run with
// no history. It implements View. It is not safe for concurrent use.
type State struct {
	head     Head
	lives    []*Life
	notes    []Note
	children map[ID][]ID
	open     idSet
	unjudged idSet
	frontier []place // ascending by (score, ID): the last is the first of Frontier
	placed   map[ID]place
	fresh    map[ID]bool // changed by the record being applied
	touched  map[ID]bool // changed since Touched was called
	told     int         // notes that NewNotes has returned
}

type place struct {
	score float64
	id    ID
}

func (p place) less(q place) bool { return p.score < q.score || p.score == q.score && p.id < q.id }

// Apply folds one record. See Fold for errors.
func (s *State) Apply(r Record) error {
	if s.children == nil {
		s.children, s.placed = map[ID][]ID{}, map[ID]place{}
		s.fresh, s.touched = map[ID]bool{}, map[ID]bool{}
	}
	if err := Fold(&s.head, (*memory)(s), r); err != nil {
		return err
	}
	for id := range s.fresh {
		s.index(s.lives[id])
		s.touched[id] = true
	}
	clear(s.fresh)
	return nil
}

// Touched returns the lives changed since the last call, ascending.
func (s *State) Touched() []*Life {
	ids := make([]ID, 0, len(s.touched))
	for id := range s.touched {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	clear(s.touched)
	out := make([]*Life, len(ids))
	for i, id := range ids {
		out[i] = s.lives[id]
	}
	return out
}

// NewNotes returns the notes taken since the last call, oldest first.
func (s *State) NewNotes() []Note {
	out := slices.Clone(s.notes[s.told:])
	s.told = len(s.notes)
	return out
}

// memory is State as a Book, kept apart so that State's methods are the View's.
type memory State

func (m *memory) Page(id ID) *Life {
	if id < 0 || int(id) >= len(m.lives) {
		return nil
	}
	return m.lives[id]
}

func (m *memory) Changed(l *Life) { m.fresh[l.ID] = true }

func (m *memory) Add(l *Life) {
	m.lives = append(m.lives, l)
	m.fresh[l.ID] = true
	if l.ID != Base {
		for _, p := range ParentsOrBase(l.Parents) {
			if c := m.children[p]; len(c) == 0 || c[len(c)-1] != l.ID {
				m.children[p] = append(c, l.ID)
			}
		}
	}
}

func (m *memory) Note(n Note) { m.notes = append(m.notes, n) }

func (m *memory) Turn(int) {
	m.frontier = nil
	clear(m.placed)
}

// ParentsOrBase is the given parents, or the base when there are none.
func ParentsOrBase(parents []ID) []ID {
	if len(parents) == 0 {
		return []ID{Base}
	}
	return parents
}

// OnFrontier reports whether l belongs to the frontier of the given epoch.
func OnFrontier(l *Life, epoch int) bool {
	return l.Verdict.Status.Parent() && l.Scored && l.Epoch == epoch
}

func (s *State) index(l *Life) {
	s.open.set(l.ID, l.Open)
	s.unjudged.set(l.ID, l.Unjudged)
	was, placed := s.placed[l.ID]
	want := OnFrontier(l, s.head.Epoch)
	now := place{l.Score, l.ID}
	if placed && (!want || was != now) {
		i := sort.Search(len(s.frontier), func(i int) bool { return !s.frontier[i].less(was) })
		s.frontier = slices.Delete(s.frontier, i, i+1)
		delete(s.placed, l.ID)
		placed = false
	}
	if want && !placed {
		i := sort.Search(len(s.frontier), func(i int) bool { return !s.frontier[i].less(now) })
		s.frontier = slices.Insert(s.frontier, i, now)
		s.placed[l.ID] = now
	}
}

// Head implements View.
func (s *State) Head() *Head { return &s.head }

// Life implements View.
func (s *State) Life(id ID) *Life {
	if id < 0 || int(id) >= len(s.lives) {
		return nil
	}
	return s.lives[id]
}

// Children implements View.
func (s *State) Children(id ID) []ID { return s.children[id] }

// Frontier implements View.
func (s *State) Frontier() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for i := len(s.frontier) - 1; i >= 0; i-- {
			if !yield(s.frontier[i].id) {
				return
			}
		}
	}
}

// Open implements View.
func (s *State) Open() []ID { return s.open.list() }

// Unjudged implements View.
func (s *State) Unjudged() []ID { return s.unjudged.list() }

// Notes implements View.
func (s *State) Notes(kind NoteKind) iter.Seq[Note] {
	return func(yield func(Note) bool) {
		for _, n := range s.notes {
			if (kind == "" || n.Kind == kind) && !yield(n) {
				return
			}
		}
	}
}

// idSet is a small set kept in ascending order.
type idSet struct{ ids []ID }

func (s *idSet) set(id ID, in bool) {
	i, found := slices.BinarySearch(s.ids, id)
	switch {
	case in && !found:
		s.ids = slices.Insert(s.ids, i, id)
	case !in && found:
		s.ids = slices.Delete(s.ids, i, i+1)
	}
}

func (s *idSet) list() []ID { return slices.Clone(s.ids) }
