package command

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

const (
	summaryMost = 200     // runes
	noteMost    = 4 << 10 // bytes
	excerptMost = 2 << 10 // bytes, of each stream
	namesMost   = 5       // files named in a summary
)

// listed names the first few changed files.
func listed(changes []ledger.Change) string {
	var names []string
	for _, c := range changes {
		if len(names) == namesMost {
			names = append(names, fmt.Sprintf("%d more", len(changes)-namesMost))
			break
		}
		name := c.Path
		if c.Delete {
			name += " (deleted)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// logger passes output on as text.
type logger func(text string)

func (l logger) Write(b []byte) (int, error) {
	l(clade.Clean(string(b)))
	return len(b), nil
}
