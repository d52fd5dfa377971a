package run

import (
	"fmt"

	"github.com/cladehq/clade"
)

// A Landing is an apply or an undo that was begun and has not ended: another
// process is at it, or died.
type Landing struct {
	Candidate clade.ID `json:"candidate"`
	Undo      bool     `json:"undo,omitempty"`
	// Mend is the command that completes it.
	Mend string `json:"mend"`
}

// landing is the run's open intent, nil if there is none.
func landing(h *clade.Head) *Landing {
	in := h.Applying
	if in == nil {
		return nil
	}
	out := &Landing{Candidate: in.Winner, Undo: in.Undo, Mend: "clade apply " + h.Run}
	switch {
	case in.Undo:
		out.Mend = "clade undo " + h.Run
	case in.Winner != h.Winner || h.Stop == clade.StopNone:
		out.Mend += fmt.Sprintf(" --candidate %d --unproven", in.Winner)
	}
	return out
}

// String says it in a sentence.
func (l *Landing) String() string {
	what := "apply"
	if l.Undo {
		what = "undo"
	}
	return fmt.Sprintf("the %s of candidate %d was begun and has not ended; if nobody is at it, %s completes it", what, l.Candidate, l.Mend)
}
