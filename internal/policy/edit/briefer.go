package edit

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cladehq/clade"
)

// stream keys the draws of briefs.
const stream = "edit"

// A Briefer writes the briefs of one mutate operator; it is a policy.Briefer. It
// caches what it folded from the view: a fresh Briefer writes the same briefs.
// It is not safe for concurrent use.
type Briefer struct {
	operator string
	body     string // of the survey that space was read from
	space    Space
	tuner    *tuner
	credit   credit
	next     clade.ID   // the first attempt not yet looked at
	waiting  []clade.ID // looked at, not closed yet
}

// NewBriefer makes the briefer of the operator that attempts call by this name
// (clade.Operator.Name).
func NewBriefer(operator string) *Briefer { return &Briefer{operator: operator, next: 1} }

// Brief implements policy.Briefer.
func (b *Briefer) Brief(v clade.View, a *clade.Attempt) (brief, why string) {
	b.catchUp(v)
	draw := clade.DrawOf(v, stream, a.ID)
	out := Brief{Version: Version, Draw: draw}
	switch {
	case len(a.Parents) > 1 && a.Parents[0] != a.Parents[1]:
		out, why = cross(v, a, out)
	case len(b.space.Files) == 0:
		out.Kind, why = Any, "change one thing, chosen by the operator"
	default:
		var tuned map[string]string
		if b.tuner != nil {
			tuned = b.tuned(v, a)
		}
		out, why = b.choose(out, tuned, freshStart(v, a))
	}
	return out.String(), why
}

// catchUp folds what is new in the view. A new survey starts it over.
func (b *Briefer) catchUp(v clade.View) {
	if body := spaceOf(v); body != b.body {
		*b = Briefer{operator: b.operator, next: 1, body: body}
		b.space, _ = ParseSpace(body)
		if len(b.space.Tunes) > 0 {
			b.tuner = newTuner(b.space.Tunes)
		}
	}
	for ; b.next <= v.Head().Count; b.next++ {
		b.meet(v.Life(b.next))
	}
	still := b.waiting[:0]
	for _, id := range b.waiting {
		if l := v.Life(id); l.Open {
			still = append(still, id)
		} else {
			b.settle(v, l)
		}
	}
	b.waiting = still
	if b.tuner != nil {
		b.tuner.advance(v)
	}
}

// meet takes in a life that is seen for the first time.
func (b *Briefer) meet(l *clade.Life) {
	if l.Operator != b.operator || !l.Proposes() {
		return
	}
	b.waiting = append(b.waiting, l.ID)
	if b.tuner != nil && kindOf(l.Brief) == Tune {
		if brief, err := ParseBrief(l.Brief, 0); err == nil {
			b.tuner.note(l.ID, brief)
		}
	}
}

func (b *Briefer) settle(v clade.View, l *clade.Life) {
	for i, k := range kinds {
		if k != kindOf(l.Brief) {
			continue
		}
		parent := v.Life(l.ParentOr())
		b.credit.add(l.ID, i, l.Scored && parent != nil && parent.Scored && l.Score > parent.Score)
	}
}

// kindOf reads no more of a brief than its kind, which String writes second.
func kindOf(brief string) Kind {
	_, rest, ok := strings.Cut(brief[:min(len(brief), 48)], `"kind":"`)
	if !ok {
		return Any
	}
	kind, _, _ := strings.Cut(rest, `"`)
	return Kind(kind)
}

// choose draws the kind and fills in the rest. tuned are the parent's parameters,
// far is for a fresh start.
func (b *Briefer) choose(out Brief, tuned map[string]string, far bool) (Brief, string) {
	g := Source(out.Draw)
	shares := b.credit.shares(priors(&b.space))
	for {
		i := pick(g, shares[:])
		if i < 0 {
			out.Kind = Any
			return out, "change one thing, chosen by the operator"
		}
		if kinds[i] != Tune {
			return b.place(out, kinds[i], far, g)
		}
		if out.Values, out.Point = b.tuner.propose(out.Draw, tuned); out.Values != nil {
			out.Kind = Tune
			return out, "set " + bounded(written(out.Values), 120)
		}
		shares[i] = 0 // nothing else to be had there
	}
}

// place names the file and, for numbers, the changes.
func (b *Briefer) place(out Brief, k Kind, far bool, g *rand.Rand) (Brief, string) {
	weights := make([]float64, len(b.space.Files))
	for i, f := range b.space.Files {
		weights[i] = float64(material(f, k))
	}
	out.Kind, out.File = k, b.space.Files[pick(g, weights)].Path
	switch k {
	case Number, NumberLine, NumberFew:
		out.Moves = moves(g, k, far)
	}
	return out, hypothesis(out)
}

// freshStart reports whether the attempt goes back to the base although the
// search has found better: it is meant to explore, and goes far.
func freshStart(v clade.View, a *clade.Attempt) bool {
	return a.Generation > 1 && v.Head().Best != clade.Base && (len(a.Parents) == 0 || a.Parents[0] == clade.Base)
}

// tuned are the parent's parameters as they are written.
func (b *Briefer) tuned(v clade.View, a *clade.Attempt) map[string]string {
	if len(a.Parents) > 0 {
		if l := v.Life(a.Parents[0]); l != nil {
			if f := ParseFeedback(l.Feedback); len(f.Tunes) > 0 {
				return f.Tunes
			}
		}
	}
	return b.tuner.start()
}

// pick draws an index by weight, −1 when all are 0.
func pick(g *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	u := g.Float64() * sum
	last := -1
	for i, w := range weights {
		if w <= 0 {
			continue
		}
		if last = i; u < w {
			return i
		}
		u -= w
	}
	return last
}

func cross(v clade.View, a *clade.Attempt, out Brief) (Brief, string) {
	ancestor := common(v, a.Parents[0], a.Parents[1])
	out.Kind = Cross
	if l := v.Life(ancestor); l != nil {
		out.Ancestor = l.Commit
	}
	return out, fmt.Sprintf("cross %d with %d against %d", a.Parents[0], a.Parents[1], ancestor)
}

// common is the youngest common ancestor along first parents, whose IDs are
// always lower than their children's.
func common(v clade.View, a, b clade.ID) clade.ID {
	for a != b {
		if a < b {
			a, b = b, a
		}
		l := v.Life(a)
		if l == nil {
			return clade.Base
		}
		a = l.ParentOr()
	}
	return a
}

// hypothesis says what an edit of this kind tries.
func hypothesis(b Brief) string {
	file := bounded(b.File, 80)
	switch b.Kind {
	case Number:
		return "nudge 1 number of " + file
	case NumberLine:
		return "nudge the numbers of one line of " + file
	case NumberFew:
		return "nudge some numbers of " + file // fewer than moves, where the file has fewer
	case LineDelete:
		return "delete one line of " + file + " that may not be needed"
	case LineReplace:
		return "replace one line of " + file + " by another of its lines"
	case LineInsert:
		return "copy one line of " + file + " to another place"
	case LineSwap:
		return "swap two lines of " + file
	case TokenDelete:
		return "delete one token of " + file
	case TokenReplace:
		return "replace one token of " + file + " by another of its class"
	case TokenFlip:
		return "flip one operator or word of " + file
	}
	return "edit " + file
}

// bounded shortens text to at most n runes.
func bounded(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Default is the brief of an attempt that was given none: a kind that the space
// has material for, by prior shares, all drawn from draw.
func Default(body string, draw uint64) Brief {
	out := Brief{Version: Version, Kind: Any, Draw: draw}
	s, ok := ParseSpace(body)
	if !ok || len(s.Files) == 0 {
		return out
	}
	b := Briefer{space: s}
	var tuned map[string]string
	if len(s.Tunes) > 0 {
		b.tuner = newTuner(s.Tunes)
		tuned = b.tuner.start()
	}
	out, _ = b.choose(out, tuned, false)
	return out
}
