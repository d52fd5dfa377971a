package evolution

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// project is what the evolution says of a run, and a remark by variant for the
// table. Every attempt of the run that makes a variant is one of the file, new
// ones behind those that are there; of those only status, workspace and results
// are the run's to say. Numbers are those that clade measured, exactly; what a
// worker claims is never among them.
//
// What the run does not know is left alone. With sweep, that which counts as
// evaluated and is not offered to the run either is errored: nobody but its
// worker has measured it. What was applied is done and stays as it is.
func project(e *evolution.Evolution, v clade.View, sweep bool) (want *evolution.Evolution, remarks map[string]string) {
	p := &projection{v: v, want: e.Clone(), remarks: map[string]string{}, attempts: attemptsOf(v)}
	for _, name := range p.order {
		p.variant(name)
	}
	p.offered()
	p.unknown(sweep)
	p.winner()
	if e.Applied != nil {
		return e.Clone(), p.remarks
	}
	return p.want, p.remarks
}

// A projection is a run on its way into an evolution.
type projection struct {
	v       clade.View
	want    *evolution.Evolution
	remarks map[string]string
	attempts
}

// The attempts of a run are its variants by name.
type attempts struct {
	lives map[string]*clade.Life   // of several with one name the last
	names map[clade.ID]string      // of attempts and, for the base, ""
	order []string                 // by the first attempt of each name
	notes []clade.Adopted          // every offer
	waits map[string]clade.Adopted // offers that are not planned yet
}

var variantForm = regexp.MustCompile(`^v[1-9][0-9]*$`)

func attemptsOf(v clade.View) attempts {
	a := attempts{lives: map[string]*clade.Life{}, names: map[clade.ID]string{}, waits: map[string]clade.Adopted{}}
	h, adopted := v.Head(), map[int]bool{}
	for id := clade.Base + 1; id <= h.Count; id++ {
		l := v.Life(id)
		name := nameOf(&h.Spec, l)
		adopted[l.Adopts] = true
		if !l.Proposes() || !variantForm.MatchString(name) {
			continue
		}
		if a.names[id] = name; a.lives[name] == nil {
			a.order = append(a.order, name)
		}
		a.lives[name] = l
	}
	for n := range v.Notes(clade.NoteAdopt) {
		var offer clade.Adopted
		if json.Unmarshal([]byte(n.Body), &offer) != nil {
			offer = clade.Adopted{} // counts all the same
		}
		if a.notes = append(a.notes, offer); !adopted[len(a.notes)] && offer.Name != "" {
			a.waits[offer.Name] = offer
		}
	}
	return a
}

// nameOf is what an attempt's candidate is called: in a run that names none, v
// and its number.
func nameOf(s *clade.Spec, l *clade.Life) string {
	if l.Name == "" && s.Search.Names == "" {
		return fmt.Sprintf("v%d", l.ID)
	}
	return l.Name
}

// variant writes one attempt into its variant.
func (p *projection) variant(name string) {
	l := p.lives[name]
	v := p.want.Variant(name)
	if v == nil {
		p.want.Variants = append(p.want.Variants, p.planned(name, l))
		v = &p.want.Variants[len(p.want.Variants)-1]
	}
	f := p.found(l)
	v.Status, v.Gates, v.Rubric = f.status, f.gates, f.rubric
	if v.Workspace == "" && (l.Try > 0 || l.Commit != "") {
		v.Workspace = p.want.WorkspaceOf(name)
	}
	p.remark(name, f.remark)
}

func (p *projection) remark(name, text string) {
	if text != "" {
		p.remarks[name] = text
	}
}

// planned is a variant as it is first written.
func (p *projection) planned(name string, l *clade.Life) evolution.Variant {
	v := evolution.Variant{ID: name, Generation: max(1, l.Generation), Hypothesis: clade.Line(l.Why, hypothesisMost)}
	for _, id := range l.Parents {
		parent := p.want.Variant(p.names[id])
		if parent == nil || slices.Contains(v.Parents, parent.ID) {
			continue // the base, or what the file cannot name
		}
		v.Parents = append(v.Parents, parent.ID)
		v.Generation = max(v.Generation, parent.Generation+1)
	}
	if n := l.Adopts; n > 0 && n <= len(p.notes) {
		offer := p.notes[n-1]
		v.Hypothesis = cmp.Or(clade.Line(offer.Hypothesis, hypothesisMost), v.Hypothesis)
		v.Approach = prose(offer.Approach)
	} else if l.Idea > 0 {
		v.Approach = prose(p.approach(l.Idea))
	}
	return v
}

// hypothesisMost bounds the hypothesis of a planned attempt, characters.
const hypothesisMost = 500

// prose is text of several lines as it is written into the file.
func prose(text string) string { return strings.TrimSpace(clade.Clean(text)) }

// approach is how the n-th proposal of the run is to be carried out. What else
// an operator is told speaks of the whole run and not of the variant.
func (p *projection) approach(n int) string {
	for note := range p.v.Notes(clade.NoteProposal) {
		if n--; n == 0 {
			var idea struct{ Approach string }
			if json.Unmarshal([]byte(note.Body), &idea) != nil {
				return "" // it was not written by clade
			}
			return idea.Approach
		}
	}
	return ""
}

// offered has what the run was offered and has not planned yet wait for it.
func (p *projection) offered() {
	for _, name := range slices.Sorted(maps.Keys(p.waits)) {
		if v := p.want.Variant(name); v != nil {
			v.Status, v.Gates, v.Rubric = evolution.Pending, nil, nil
			delete(p.remarks, name)
		}
	}
}

// unknown says which variants have no numbers of clade's.
func (p *projection) unknown(sweep bool) {
	for i := range p.want.Variants {
		v := &p.want.Variants[i]
		_, waits := p.waits[v.ID]
		if v.Open() || waits || p.lives[v.ID] != nil {
			continue
		}
		if sweep && v.Status == evolution.Evaluated {
			v.Status = evolution.Errored
		}
		p.remark(v.ID, "not measured by clade")
	}
}

// winner names who leads once the run has come to its end, and nobody before.
func (p *projection) winner() {
	h := p.v.Head()
	rows := evolution.Score(p.want)
	leader, ok := evolution.Leader(rows)
	if !ok || !decides(h.Stop) {
		p.want.Winner = nil
		return
	}
	first, doubts := p.proof(leader)
	text := evolution.Rationale(p.want, rows, doubts...)
	p.want.Winner = &evolution.Winner{Variant: leader.Variant.ID, Rationale: strings.TrimPrefix(first+" "+text, " ")}
}

// decides reports whether a run that stopped so has its winner: others were
// ended before they came to one.
func decides(stop clade.Stop) bool {
	switch stop {
	case clade.StopCandidates, clade.StopWall, clade.StopMoney, clade.StopTokens, clade.StopCalls,
		clade.StopPlateau, clade.StopTarget, clade.StopDone:
		return true
	}
	return false
}
