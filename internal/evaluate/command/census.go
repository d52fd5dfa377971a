package command

import (
	"fmt"
	"sync"

	"github.com/cladehq/clade"
)

// census counts what outlived a command. Such processes are dead by now, but while
// they lived they could slow down what ran beside them. It returns samples that
// stand for the run's where the spec rejects it, nil where it only warns.
//
// The base is an innocent: what it leaves behind is a tool's own server, which is
// no news of candidates that leave as many.
func (s *stage) census(u *unit, p *place, r *ran) []clade.Sample {
	level := s.job.Spec.Protect.Census
	if r.Strays == 0 || level == clade.ProtectOff || level == "" {
		return nil
	}
	text := fmt.Sprintf("%s left processes running when it ended: %d", u.name, r.Strays)
	base := p.subject.ID == clade.Base
	if level == clade.ProtectWarn {
		if usual := s.strays.usual(u.digest, base, r.Strays); (base || r.Strays > usual) && s.job.Warn != nil {
			s.job.Warn(p.subject.ID, text)
		}
		return nil
	}
	class := clade.ClassPolicy
	if base {
		class, text = clade.ClassEvaluator, text+" on the base itself; protect.census: warn bears that"
	}
	if u.gate != "" {
		return []clade.Sample{{Check: u.gate, Gate: true, Class: class, Detail: text}}
	}
	return failures(u, class, text)
}

// strays remembers, for this process, how many processes commands left behind on
// the base.
type strays struct {
	mu   sync.Mutex
	most map[string]int // by unit
}

// usual takes in a count of the base and tells the most known of it.
func (s *strays) usual(unit string, base bool, n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if base {
		if s.most == nil {
			s.most = map[string]int{}
		}
		s.most[unit] = max(s.most[unit], n)
	}
	return s.most[unit]
}
