package strategy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// A finalBrief is what a final attempt's brief says, as JSON: why the search
// ended, so that the run stops with that cause whatever happens meanwhile, and
// what was seen of the finalist during the search.
type finalBrief struct {
	Cause    clade.Stop `json:"cause"`
	Reason   string     `json:"reason"`
	Selected float64    `json:"selected"` // gain over the base: selected, hence biased
	Of       int        `json:"of"`       // how many finalists there are
	Look     int        `json:"look"`     // which final of this run this is, from 1
}

func isFinal(l *clade.Life) bool {
	return l.Makes == clade.MakesNumbers && len(l.After) > 0 && l.After[0].Split == clade.SplitTest
}

// finals are the final attempts planned since the last candidate, ascending.
func finals(v clade.View) (out []*clade.Life) {
	for id := v.Head().Count; id > 0 && isFinal(v.Life(id)); id-- {
		out = append(out, v.Life(id))
	}
	slices.Reverse(out)
	return out
}

// brief reads a final's brief; one that was not written here says nothing.
func brief(l *clade.Life) (b finalBrief) {
	if json.Unmarshal([]byte(l.Brief), &b) != nil {
		return finalBrief{Cause: clade.StopDone, Reason: "the search is over"}
	}
	return b
}

// finalists are the candidates that go to the final: the best by what the search
// measured, the older first among equals, that beat the base and an earlier winner.
func finalists(v clade.View) (out []clade.ID) {
	h := v.Head()
	most, bar := noise.Finalists(&h.Spec), v.Life(clade.Base).Score
	if w := v.Life(h.Winner); w.Scored && w.Epoch == h.Epoch {
		bar = max(bar, w.Score)
	}
	for id := range v.Frontier() {
		l := v.Life(id)
		if l.Score <= bar || len(out) >= most && l.Score < v.Life(out[most-1]).Score {
			break
		}
		if l.Verdict.Status == clade.StatusAccepted || l.Verdict.Status == clade.StatusFinalist && l.Verdict.Final == nil {
			out = append(out, id)
		}
	}
	slices.SortStableFunc(out, func(a, b clade.ID) int {
		if c := cmp.Compare(v.Life(b).Score, v.Life(a).Score); c != 0 {
			return c
		}
		return int(a - b)
	})
	return out[:min(len(out), most)]
}

// planFinals plans a final for each finalist that has none yet.
func planFinals(v clade.View, why clade.Stopped, have []*clade.Life) (plan []clade.Attempt) {
	h := v.Head()
	chosen := finalists(v)
	for _, id := range chosen {
		if slices.ContainsFunc(have, func(l *clade.Life) bool { return l.ParentOr() == id }) {
			continue
		}
		b, _ := json.Marshal(finalBrief{ // numbers are finite: a score is
			Cause: why.Cause, Reason: why.Reason, Selected: selected(v, id),
			Of: len(chosen), Look: 1 + earlierFinals(v),
		})
		plan = append(plan, clade.Attempt{
			ID: h.Count + 1 + clade.ID(len(plan)), Parents: []clade.ID{id}, Makes: clade.MakesNumbers, Brief: string(b),
			After: finalStages(&h.Spec, calibration(v), id, len(chosen)),
			Why:   fmt.Sprintf("final: %s fresh beside the base, since %s", Name(id), why.Reason),
		})
	}
	return plan
}

// earlierFinals counts the finals of earlier phases: looks at the same data.
func earlierFinals(v clade.View) (n int) {
	tail := len(finals(v))
	for id := v.Head().Count - clade.ID(tail); id > 0; id-- {
		if isFinal(v.Life(id)) {
			n++
		}
	}
	return n
}

// selected is the gain over the base that the search saw.
func selected(v clade.View, id clade.ID) float64 {
	m, ok := noise.Primary(&v.Head().Spec)
	if !ok {
		return 0
	}
	b, x := v.Life(clade.Base).Values[m.ID], v.Life(id).Values[m.ID]
	switch {
	case m.Noise != clade.NoiseTiming:
		return m.Goal.Sign() * (x - b)
	case m.Goal == clade.Minimize && x > 0:
		return b/x - 1
	case b > 0:
		return x/b - 1
	}
	return 0
}
