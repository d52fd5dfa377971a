package syntax

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cladehq/clade"
)

// Faults is everything that is wrong with one file. Its methods that read a
// value take nil for what is absent and return the zero value for what is
// absent or wrong, so that one pass finds every fault.
type Faults []Fault

// A Fault is one thing that is wrong.
type Fault struct {
	At   Pos
	Text string
	Hint string // how to mend it, may be empty
}

// Add records a fault. The hint says how to mend it and may be empty.
func (f *Faults) Add(at Pos, hint, text string, args ...any) {
	at = Pos{max(1, at.Line), max(1, at.Col)}
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	*f = append(*f, Fault{at, text, hint})
}

// Where writes a place in a file for people: file:line:column.
func Where(name string, at Pos) string { return fmt.Sprintf("%s:%d:%d", name, at.Line, at.Col) }

// Err joins the faults of the file called name in the order of the file, each
// once, as *clade.Problem; nil if there are none.
func (f Faults) Err(name string) error {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Col, b.At.Col), cmp.Compare(a.Text, b.Text))
	})
	var all []error
	for _, x := range slices.Compact(f) {
		all = append(all, &clade.Problem{Fault: clade.FaultSpec, Text: x.Text, Where: Where(name, x.At), Hint: x.Hint})
	}
	return errors.Join(all...)
}
