package native

import (
	"fmt"

	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/syntax"
)

// list is the faults among what is collected.
type list = syntax.Faults

// faults collects everything that is wrong with one file, and what a person
// should know of it besides.
type faults struct {
	name string // of the file, for positions
	list
	warnings []format.Warning
}

func (f *faults) warn(at syntax.Pos, text string, args ...any) {
	f.warnings = append(f.warnings, format.Warning{Where: syntax.Where(f.name, at), Text: fmt.Sprintf(text, args...)})
}

// err joins the faults in the order of the file, each once; nil if there are none.
func (f *faults) err() error { return f.Err(f.name) }
