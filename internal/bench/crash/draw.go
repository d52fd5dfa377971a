package crash

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/crash"
)

// A kill ends one clade.
type kill struct {
	verb []string // of clade
	step
	count int
	all   bool // its children die first, as in a power cut
}

// at is the kill as a plan of package crash.
func (k kill) at() string {
	at := fmt.Sprintf("%s:%s:%d", k.label, k.side, k.count)
	if k.all {
		at += ":all"
	}
	return at
}

func (k kill) String() string { return strings.Join(k.verb, " ") + " killed at " + k.at() }

// A draw is a run with its kills, in order.
type draw struct {
	*reference
	kills []kill
	// stale says that an outcome of a try that was fenced arrives between the
	// second kill and the last resume.
	stale bool
	// linger says that an operator of the first process lives on and wants to
	// spoil the work of the next.
	linger bool
}

func (d *draw) String() string {
	text := d.name
	for _, k := range d.kills {
		text += ", " + k.String()
	}
	if d.stale {
		text += ", then a fenced outcome"
	}
	if d.linger {
		text += ", an operator lives on"
	}
	return text
}

// A cell is a step that can occur, with how often it does.
type cell struct {
	of    *reference
	verb  string // run or resume; for others see first
	step  step
	times int
}

var verbs = map[string][]string{
	"run": {"run", "--plain"}, "resume": {"resume", "--plain"}, "cancel": {"cancel"},
	"amend": {"resume", "--plain", "--candidates", "24"},
}

// matter are the labels that a short look begins with.
var matter = []string{"opened", "proposed", "sync", "sample", "unpend", "try-ended", "try-begun"}

// inOrder sorts steps: those that matter most, then the others by name.
func inOrder(passes map[step]int) []step {
	rank := func(s step) int {
		if i := slices.Index(matter, s.label); i >= 0 {
			return i
		}
		return len(matter)
	}
	return slices.SortedFunc(maps.Keys(passes), func(a, b step) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.String(), b.String()))
	})
}

// cells lists every step that can occur, in an order that begins with what
// matters most.
func cells(refs map[string]*reference) (out []cell) {
	add := func(r *reference, verb string, passes map[step]int, labels ...string) {
		for _, s := range inOrder(passes) {
			if len(labels) == 0 || slices.Contains(labels, s.label) {
				out = append(out, cell{r, verb, s, passes[s]})
			}
		}
	}
	once := func(label string) map[step]int {
		return map[step]int{{label, crash.Before}: 1, {label, crash.After}: 1}
	}
	if r := refs["actor"]; r != nil {
		add(r, "run", r.passes)
		add(r, "resume", r.resumed)
		add(r, "cancel", once("directed"))
		add(r, "amend", once("amended"))
	}
	if r := refs["mutate"]; r != nil {
		add(r, "run", r.passes, "noted", "proposed", "try-ended")
	}
	if r := refs["clock"]; r != nil {
		add(r, "run", r.passes, "ticked", "stopped")
	}
	if r := refs["boxed"]; r != nil {
		add(r, "run", r.passes, "pack", "proposed", "sample")
		add(r, "resume", r.resumed, "try-begun")
	}
	return out
}

// draws plans n draws: the fixed ones, every cell once, then more with more
// kills. Fewer than there are cells leaves out the last ones.
func draws(refs map[string]*reference, n int, seed uint64) (out []*draw) {
	rng := rand.New(rand.NewPCG(seed, 0xc1ade))
	all := cells(refs)
	if r := refs["actor"]; r != nil {
		out = fixed(r)
	}
	out = out[:min(n, len(out))]
	for i := 0; len(out) < n; i++ {
		c := all[i%len(all)]
		if i >= len(all) {
			c = all[rng.IntN(len(all))]
		}
		out = append(out, drawn(rng, c, i >= len(all)))
	}
	return out
}

// drawn is one draw that passes a cell.
func drawn(rng *rand.Rand, c cell, more bool) *draw {
	// What is only in the memory of git must be lost before it is on disk.
	all := rng.IntN(2) == 0 || c.step == step{"sync", crash.Before}
	last := kill{verb: verbs[c.verb], step: c.step, count: 1 + rng.IntN(c.times), all: all}
	d := &draw{reference: c.of, kills: []kill{last}}
	if c.verb != "run" {
		d.kills = []kill{early(rng, c.of), last}
	}
	if more && rng.IntN(3) == 0 && !d.timed { // and once more while it resumes
		s := inOrder(d.resumed)
		again := s[rng.IntN(len(s))]
		d.kills = append(d.kills, kill{verb: verbs["resume"], step: again, count: 1 + rng.IntN(d.resumed[again]), all: rng.IntN(2) == 0})
	}
	return d
}

// early kills a run while commits are only in the log and attempts in flight.
func early(rng *rand.Rand, r *reference) kill {
	s := []step{{"proposed", crash.After}, {"sample", crash.After}, {"sample", crash.Before}, {"try-ended", crash.After}}[rng.IntN(4)]
	n := r.passes[s]
	return kill{verb: verbs["run"], step: s, count: n/4 + 1 + rng.IntN(max(1, n/4)), all: true}
}
