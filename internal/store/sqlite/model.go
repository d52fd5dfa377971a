package sqlite

import "github.com/cladehq/clade"

// A model is a run's state while records are applied: clade.State in memory, or
// rows. It remembers what has changed since it was last asked.
type model interface {
	clade.View
	Apply(clade.Record) error
	Touched() []*clade.Life
	NewNotes() []clade.Note
}

var (
	_ model = (*clade.State)(nil)
	_ model = (*rows)(nil)
)
