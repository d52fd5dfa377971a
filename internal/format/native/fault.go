package native

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
)

// faults collects everything that is wrong with one file.
type faults struct {
	name     string // of the file, for positions
	list     []fault
	warnings []format.Warning
}

type fault struct {
	at   pos
	text string
	hint string
}

// add records a fault. The hint says how to mend it and may be empty.
func (f *faults) add(at pos, hint, text string, args ...any) {
	at = pos{max(1, at.line), max(1, at.col)}
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	f.list = append(f.list, fault{at, text, hint})
}

func (f *faults) warn(at pos, text string, args ...any) {
	f.warnings = append(f.warnings, format.Warning{Where: f.where(at), Text: fmt.Sprintf(text, args...)})
}

func (f *faults) where(at pos) string { return fmt.Sprintf("%s:%d:%d", f.name, at.line, at.col) }

// err joins the faults in the order of the file, each once; nil if there are none.
func (f *faults) err() error {
	slices.SortStableFunc(f.list, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.col, b.at.col), cmp.Compare(a.text, b.text))
	})
	var all []error
	for _, x := range slices.Compact(f.list) {
		all = append(all, &clade.Problem{Fault: clade.FaultSpec, Text: x.text, Where: f.where(x.at), Hint: x.hint})
	}
	return errors.Join(all...)
}
