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
	Look     int        `json:"look"`     // which final attempt of this run this is, from 1
	Round    int        `json:"round"`    // which final of this run it is part of, from 1; see noise.FurtherLevel
}

func isFinal(l *clade.Life) bool {
	return l.Makes == clade.MakesNumbers && len(l.After) > 0 && l.After[0].Split == clade.SplitTest
}

// finals are the final attempts of the round that is not over yet, ascending: those
// planned since the last candidate, unless the run was resumed after they closed.
func finals(v clade.View) []*clade.Life {
	h, tail := v.Head(), lastFinals(v)
	if n := len(tail); n > 0 && !tail[n-1].Open && tail[n-1].ID <= h.Resumed {
		return nil
	}
	return tail
}

// lastFinals are the final attempts planned since the last candidate, those of
// one round, ascending.
func lastFinals(v clade.View) (out []*clade.Life) {
	for id := v.Head().Count; id > 0 && isFinal(v.Life(id)); id-- {
		l := v.Life(id)
		if len(out) > 0 && l.ID <= v.Head().Resumed && out[0].ID > v.Head().Resumed {
			break // of an earlier round
		}
		out = append(out, l)
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
//
// Once a final has shown figures, only new candidates make another one, or a
// finalist of which nothing was learnt: a run that is merely resumed must not
// try its next best until one is lucky.
func finalists(v clade.View) (out []clade.ID) {
	h := v.Head()
	open := searchedSinceFinal(v)
	if h.Spec.Final.Leader == clade.LeaderComposite {
		id := front(v)
		if l := v.Life(id); id != clade.Base && (l.Verdict.Final == nil && l.Verdict.Status.Closes() && open || unlearnt(l)) {
			return []clade.ID{id}
		}
		return nil
	}
	most, bar := noise.Finalists(&h.Spec), v.Life(clade.Base).Score
	if w := standing(v); w != nil {
		bar = max(bar, w.Score)
	}
	for id := range v.Frontier() {
		l := v.Life(id)
		if l.Score <= bar || len(out) >= most && l.Score < v.Life(out[most-1]).Score {
			break
		}
		if l.Verdict.Status == clade.StatusAccepted && open || unlearnt(l) {
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

// unlearnt reports whether a finalist's final told nothing about it, or is not
// over.
func unlearnt(l *clade.Life) bool {
	return l.Verdict.Status == clade.StatusFinalist && l.Verdict.Final == nil
}

// standing is the winner so far, nil if there is none or what is measured has
// changed since.
func standing(v clade.View) *clade.Life {
	h := v.Head()
	if w := v.Life(h.Winner); h.Winner != clade.Base && w.Scored && w.Epoch == h.Epoch {
		return w
	}
	return nil
}

// searchedSinceFinal reports whether a candidate was planned since a final last
// told something, or none has.
func searchedSinceFinal(v clade.View) bool {
	for id := v.Head().Count; id > 0; id-- {
		switch l := v.Life(id); {
		case l.Proposes():
			return true
		case told(l):
			return false
		}
	}
	return true
}

// told reports whether the attempt is a final that told something.
func told(l *clade.Life) bool { return isFinal(l) && l.Verdict.Status == clade.StatusMeasured }

// planFinals plans a final for each finalist that has none yet.
func planFinals(v clade.View, why clade.Stopped, have []*clade.Life) (plan []clade.Attempt) {
	h := v.Head()
	chosen := finalists(v)
	open := len(chosen)
	for _, id := range chosen {
		if slices.ContainsFunc(have, func(l *clade.Life) bool { return l.ParentOr() == id }) {
			open--
		}
	}
	looks, round := earlierFinals(v)
	for _, id := range chosen {
		if slices.ContainsFunc(have, func(l *clade.Life) bool { return l.ParentOr() == id }) {
			continue
		}
		b, _ := json.Marshal(finalBrief{ // numbers are finite: a score is
			Cause: why.Cause, Reason: why.Reason, Selected: selected(v, id),
			Of: len(chosen), Look: looks + 1 + len(have) + len(plan), Round: round + 1,
		})
		a := clade.Attempt{
			ID: h.Count + 1 + clade.ID(len(plan)), Parents: []clade.ID{id}, Makes: clade.MakesNumbers, Brief: string(b),
			Hold:  finalHold(v, open),
			After: finalStages(&h.Spec, calibration(v), id, len(chosen), round+1),
			Why:   fmt.Sprintf("final: %s fresh beside the base, since %s", Name(v, id), why.Reason),
		}
		if round > 0 {
			a.Why += fmt.Sprintf("; final %d of this run, at 1/%d of the level of the first", round+1, 1<<min(round, 60))
		}
		plan = append(plan, a)
	}
	return plan
}

// earlierFinals counts the final attempts of earlier rounds, and those of the
// rounds that told something.
func earlierFinals(v clade.View) (looks, rounds int) {
	tail := len(finals(v))
	for id := v.Head().Count - clade.ID(tail); id > 0; id-- {
		l := v.Life(id)
		if !isFinal(l) {
			continue
		}
		looks++
		if told(l) {
			rounds = max(rounds, max(1, brief(l).Round))
		}
	}
	return looks, rounds
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
