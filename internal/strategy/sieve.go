package strategy

import (
	"fmt"
	"slices"

	"github.com/cladehq/clade"
)

// A Sieve parts settled attempts into those that are judged by their score and
// verdicts on the others. Beside dismiss it finds twins: a worker compares a tree
// with closed candidates only, so that two attempts of one batch may have made
// the same one. Of twins that are judged together the lower ID counts; else the
// one judged first.
//
// What it keeps is folded from the view: a fresh Sieve gives the same answers.
type Sieve struct {
	run     string
	epoch   int
	next    clade.ID            // lives from here on were not looked at
	waiting []clade.ID          // looked at, but not closed
	judged  map[string]clade.ID // by tree, the lowest closed life with a score of this epoch
}

// Sift parts settled attempts, which ascend by ID. Verdicts do so, too.
func (s *Sieve) Sift(v clade.View, settled []*clade.Life) (fit []*clade.Life, out []clade.Verdict) {
	s.catchUp(v)
	batch := map[string]clade.ID{}
	for _, l := range settled {
		verdict, dismissed := dismiss(v, l)
		if !dismissed {
			verdict, dismissed = s.twin(v, l, batch)
		}
		if dismissed {
			out = append(out, verdict)
			continue
		}
		fit, batch[l.Tree] = append(fit, l), l.ID
	}
	return fit, out
}

func (s *Sieve) twin(v clade.View, l *clade.Life, batch map[string]clade.ID) (verdict clade.Verdict, ok bool) {
	twin, ok := s.judged[l.Tree]
	if !ok {
		twin, ok = batch[l.Tree]
	}
	if !ok || l.Tree == "" {
		return clade.Verdict{}, false
	}
	return clade.Verdict{ID: l.ID, Status: clade.StatusRejected, Category: "duplicate",
		Why: fmt.Sprintf("the same tree as %s", Name(v, twin))}, true
}

// catchUp takes in what was closed since the last time.
func (s *Sieve) catchUp(v clade.View) {
	h := v.Head()
	if s.judged == nil || s.run != h.Run || s.epoch != h.Epoch || s.next > h.Count+1 {
		*s = Sieve{run: h.Run, epoch: h.Epoch, next: clade.Base + 1, judged: map[string]clade.ID{v.Life(clade.Base).Tree: clade.Base}}
	}
	for ; s.next <= h.Count; s.next++ {
		if v.Life(s.next).Proposes() {
			s.waiting = append(s.waiting, s.next)
		}
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(id clade.ID) bool {
		l := v.Life(id)
		if l.Open {
			return false
		}
		if l.Scored && l.Epoch == h.Epoch && l.Tree != "" {
			if known, ok := s.judged[l.Tree]; !ok || id < known {
				s.judged[l.Tree] = id
			}
		}
		return true
	})
}

// ByID sorts verdicts by ID, in the order given where there are several on one.
func ByID(verdicts []clade.Verdict) []clade.Verdict {
	slices.SortStableFunc(verdicts, func(a, b clade.Verdict) int { return int(a.ID - b.ID) })
	return verdicts
}
