package evolution

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// notBeaten is what the rationale of a winner that is not proven says first.
const notBeaten = " did not beat the measured baseline: "

// proof says what the leader's numbers are worth: first, where it did not beat
// the measured baseline, and last, what was measured fresh.
func (p *projection) proof(leader evolution.Row) (first string, doubts []string) {
	h := p.v.Head()
	l, won := p.lives[leader.Variant.ID], p.v.Life(h.Winner)
	if l != nil && h.Winner != clade.Base && (l.ID == h.Winner || p.first(l) == won) {
		return "", []string{"Measured fresh beside the base: " + sentence(won.Verdict.Why)}
	}
	first = leader.Variant.ID + notBeaten + p.against(leader, l)
	if name := p.names[h.Winner]; name != "" {
		doubts = []string{name + " did: " + sentence(won.Verdict.Why)}
	}
	return first, doubts
}

// against compares a variant with the base: by the final where there was one,
// else by what the search measured.
func (p *projection) against(leader evolution.Row, l *clade.Life) string {
	if l != nil && p.tested(l.ID) {
		return sentence(l.Verdict.Why)
	}
	base := p.v.Life(clade.Base).Values
	var all []string
	for k, a := range p.want.Rubric {
		of := "nothing"
		if x, ok := base[a.ID]; ok {
			of = plain(x)
		}
		all = append(all, fmt.Sprintf("%s (%s) is %s against %s of the base", a.ID, a.Direction, plain(leader.Values[k]), of))
	}
	return strings.Join(all, ", ") + "."
}

// tested reports whether a candidate was measured in a final.
func (p *projection) tested(id clade.ID) bool {
	for i := p.v.Head().Count; i > id; i-- {
		l := p.v.Life(i)
		if l.Makes == clade.MakesNumbers && l.ParentOr() == id && len(l.After) > 0 && l.After[0].Split == clade.SplitTest && l.Ended > 0 {
			return true
		}
	}
	return false
}

// sentence is text as one sentence.
func sentence(text string) string {
	const most = 400
	return strings.TrimRight(clade.Line(text, most), ".") + "."
}

// plain is a value for people, — where there is none.
func plain(x float64) string {
	if math.IsNaN(x) {
		return "—"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
