package run

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade"
)

// A Trouble is that this machine fails one attempt after the other: no candidate
// is to blame, and none gets anywhere.
type Trouble struct {
	Attempts int    `json:"attempts"` // the latest that were heard of, all failed so
	Tries    int    `json:"tries"`    // of these
	Reason   string `json:"reason"`   // of the latest
}

// fewTries is how many lost tries in a row are no trouble yet: things go wrong.
const fewTries = 1

// TroubleOf looks at the latest attempts since the run began or was last let go
// on. It is nil while one of them got anywhere, and after the search.
func TroubleOf(v clade.View) *Trouble {
	h, t := v.Head(), Trouble{}
	if h.Stop != clade.StopNone {
		return nil
	}
	for id := h.Count; id > h.Resumed; id-- {
		l := v.Life(id)
		if l.Ended == 0 {
			continue
		}
		if l.Failure != clade.ClassInfra {
			break
		}
		if t.Attempts++; t.Attempts == 1 {
			t.Reason = l.Detail
		}
		t.Tries += l.Ended - l.Counted
	}
	if t.Tries <= fewTries {
		return nil
	}
	return &t
}

// String says it in a sentence of one line.
func (t *Trouble) String() string {
	what := clade.Counted(t.Attempts, "attempt")
	if t.Attempts == 1 {
		what = fmt.Sprintf("an attempt failed %d times", t.Tries)
	} else {
		what += " failed"
	}
	return fmt.Sprintf("%s for reasons of this machine: %s", what, clade.Clip(strings.Join(strings.Fields(t.Reason), " "), 300))
}
