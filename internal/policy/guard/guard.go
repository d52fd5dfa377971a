// Package guard looks at an edit for what only serves to fool an evaluator or
// gives a secret away: files that tools load by themselves, lines that skip or
// leave a test, keys. It reads text and proves nothing: an edit without a finding
// may still cheat, and one with a finding may be honest, so a spec can lower each
// kind to a warning.
package guard

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade"
)

// An Edit is one changed file. Old is nil for a new one, New for a deleted one.
type Edit struct {
	Path     string // slash separated, relative to the target
	Old, New []byte
	IsNew    bool
	Link     bool // New is where a symbolic link leads
	Beside   bool // a folder with frozen files lies beside it and has its name without the ending
}

// A Finding is one thing that was found.
type Finding struct {
	Rule string // a fixed word
	Path string
	Line int    // of the new file, from 1; 0: the file as a whole
	Text string // for people: what it means, with an excerpt that holds no secret
}

func (f Finding) String() string {
	if f.Line > 0 {
		return fmt.Sprintf("%q line %d: %s (%s)", f.Path, f.Line, f.Text, f.Rule)
	}
	return fmt.Sprintf("%q: %s (%s)", f.Path, f.Text, f.Rule)
}

// A line is one that the edit added.
type line struct {
	n    int
	text string
}

// most is how many findings of one file are told.
const most = 10

// added are the lines of the new file that the old one does not have as often.
// Moving a line adds nothing.
func added(e Edit) (out []line) {
	had := map[string]int{}
	for l := range strings.SplitSeq(string(e.Old), "\n") {
		had[strings.TrimSpace(l)]++
	}
	n := 0
	for l := range strings.SplitSeq(string(e.New), "\n") {
		n++
		key := strings.TrimSpace(l)
		if key == "" {
			continue
		}
		if had[key] > 0 {
			had[key]--
			continue
		}
		out = append(out, line{n, l})
	}
	return out
}

func excerpt(text string) string { return clade.Line(text, 80) }
