package clade

import "iter"

// View is what decisions and displays may read of a run. State answers it from
// memory in the engine, the store's projections answer it elsewhere without
// folding; one test holds the two equal.
type View interface {
	// Head is everything but the lives and notes. It must not be changed.
	Head() *Head
	// Life returns the life with this ID, nil if there is none. It must not be
	// changed and is valid until the next append.
	Life(ID) *Life
	// Children lists the attempts that name id as a parent, ascending. Children
	// of the base include attempts without parents.
	Children(id ID) []ID
	// Frontier yields the candidates that may be parents, scored in this
	// epoch: by score, highest first, the newest first among equals.
	Frontier() iter.Seq[ID]
	// Open lists attempts that no verdict has closed, ascending.
	Open() []ID
	// Unjudged lists attempts with evidence since their last verdict, ascending.
	Unjudged() []ID
	// Notes yields the notes of a kind, oldest first; "" means all.
	Notes(NoteKind) iter.Seq[Note]
}

// Draw is the run's random number for decision n of a stream.
func DrawOf(v View, stream string, n ID) uint64 { return Draw(v.Head().Spec.Seed, stream, n) }
