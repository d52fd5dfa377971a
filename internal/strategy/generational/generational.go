// Package generational searches in generations: seeds from the base, then
// mutations, crossovers and fresh starts from the survivors, in lockstep.
package generational

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/strategy"
)

// What holds unless the spec says otherwise.
const (
	Batch   = 8 // attempts in a generation
	Parents = 4 // survivors that the next one draws from
)

// dimensions are what seeds told in prose are asked to vary, one each.
var dimensions = [...]string{"the algorithm", "the data structures", "the parameters", "the control flow",
	"what is computed ahead of time", "the libraries or tools used", "the wording and order of text", "what can be left out"}

// Search is the generational search.
type Search struct {
	batch, parents int
	planner        *strategy.Planner
	sieve          strategy.Sieve
}

// New returns the search for a spec.
func New(spec *clade.Spec, briefers policy.Briefers) *Search {
	s := &Search{batch: spec.Search.Batch, parents: spec.Search.Parents, planner: strategy.NewPlanner(briefers)}
	if s.batch <= 0 {
		s.batch = Batch
	}
	if s.parents <= 0 {
		s.parents = Parents
	}
	return s
}

var _ strategy.Search = (*Search)(nil)

// Lockstep implements strategy.Strategy.
func (*Search) Lockstep() bool { return true }

// Next implements strategy.Strategy.
func (s *Search) Next(v clade.View, _ int) (plan []clade.Attempt, stop *clade.Stopped) {
	n := strategy.Missing(v, s.batch)
	if n == 0 {
		return nil, nil
	}
	g, place := v.Head().Generation+1, s.batch-n
	last, barren := latest(v)
	if last != nil && last.Open { // only the first of this generation were recorded
		g = last.Generation
		barren = s.barrenBefore(v, last)
	}
	pool := s.survivors(v)
	for i := range n {
		var c strategy.Choice
		switch {
		case g == 1:
			c = seed(place+i, s.batch, "seed")
		case barren:
			c = seed(place+i, s.batch, "fresh seed, since the last generation failed altogether")
		default:
			c = choose(v, v.Head().Count+1+clade.ID(i), pool)
		}
		c.Generation = g
		plan = append(plan, s.planner.Attempt(v, i, c))
	}
	return plan, nil
}

// latest is the newest attempt that the search planned, and whether nothing in
// its generation has a score. What was adopted is of no generation of its own.
func latest(v clade.View) (last *clade.Life, barren bool) {
	return generationUpTo(v, v.Head().Count)
}

func generationUpTo(v clade.View, id clade.ID) (last *clade.Life, barren bool) {
	for ; id > 0; id-- {
		l := v.Life(id)
		switch {
		case !l.Proposes() || l.Adopts > 0:
			continue
		case last == nil:
			last, barren = l, true
		case l.Generation != last.Generation:
			return last, barren
		}
		barren = barren && !l.Scored
	}
	return last, barren
}

// barrenBefore is barren of the generation before that of l.
func (s *Search) barrenBefore(v clade.View, l *clade.Life) bool {
	id := l.ID
	for id > 0 && (!v.Life(id).Proposes() || v.Life(id).Adopts > 0 || v.Life(id).Generation == l.Generation) {
		id--
	}
	_, barren := generationUpTo(v, id)
	return barren
}

func seed(i, n int, what string) strategy.Choice {
	return strategy.Choice{Reason: fmt.Sprintf("%s %d of %d", what, i+1, n), Idea: "vary " + dimensions[i%len(dimensions)],
		Hint: "This is one of several seeds. Vary " + dimensions[i%len(dimensions)] + " and leave the rest to others."}
}

// choose draws a fresh start, a crossover or a mutation.
func choose(v clade.View, id clade.ID, pool []clade.ID) strategy.Choice {
	search, u := v.Head().Spec.Search, strategy.Unit(clade.DrawOf(v, "kind", id))
	if len(pool) == 0 || u < search.Explore {
		return strategy.Choice{Reason: "explore from the base", Idea: "try what was not tried yet", Hint: "Try something that was not tried yet."}
	}
	first := draw(pool, strategy.Unit(clade.DrawOf(v, "parent", id)))
	if u < search.Explore+search.Cross && len(pool) > 1 {
		rest := slices.DeleteFunc(slices.Clone(pool), func(p clade.ID) bool { return p == first })
		second := draw(rest, strategy.Unit(clade.DrawOf(v, "second", id)))
		return strategy.Choice{Parents: []clade.ID{first, second}, Hint: "Combine what is good in both.", Idea: "combine what is good in both",
			Reason: fmt.Sprintf("cross %s with %s", strategy.Name(v, first), strategy.Name(v, second))}
	}
	return strategy.Choice{Parents: []clade.ID{first}, Idea: "go on from there",
		Reason: fmt.Sprintf("mutate %s, %d of %d survivors", strategy.Name(v, first), slices.Index(pool, first)+1, len(pool))}
}

// draw takes one of pool, best first, with weights 1, 1/2, 1/3, …
func draw(pool []clade.ID, u float64) clade.ID {
	total := 0.0
	for i := range pool {
		total += 1 / float64(i+1)
	}
	for i, id := range pool {
		if u -= 1 / float64(i+1) / total; u < 0 {
			return id
		}
	}
	return pool[len(pool)-1]
}

// survivors are the parents of the next generation, best first. The base is
// one of them only as long as it is good enough.
func (s *Search) survivors(v clade.View) []clade.ID {
	ranked := strategy.Ranked(v, slices.Collect(v.Frontier()))
	return ranked[:min(len(ranked), s.parents)]
}

// Judge implements strategy.Judge.
func (s *Search) Judge(v clade.View) []clade.Verdict {
	open, settled := strategy.Awaited(v)
	if !settled || len(open) == 0 {
		return nil
	}
	pool := slices.Collect(v.Frontier())
	fresh, out := s.sieve.Sift(v, open)
	for _, l := range fresh {
		pool = append(pool, l.ID)
	}
	return strategy.ByID(append(out, s.rank(v, fresh, pool)...))
}

// rank moves what is new in, and what it pushes out, of the survivors.
func (s *Search) rank(v clade.View, fresh []*clade.Life, pool []clade.ID) (out []clade.Verdict) {
	score, ranked := strategy.Composite(v, pool), strategy.Ranked(v, pool)
	best := v.Life(clade.Base).Score
	for id := range v.Frontier() {
		best = v.Life(id).Score
		break
	}
	place, elite := map[clade.ID]int{}, elite(v, ranked)
	for i, id := range ranked {
		place[id] = i + 1
	}
	lives := func(id clade.ID) bool { return place[id] > 0 && place[id] <= s.parents || id == elite }
	for _, l := range fresh {
		text, _ := strategy.Scored(v, l)
		verdict := clade.Verdict{ID: l.ID, Status: clade.StatusRejected, Category: "beaten",
			Why: fmt.Sprintf("rank %d of %d, composite %.3f, %s", place[l.ID], len(ranked), score[l.ID], text)}
		if lives(l.ID) {
			verdict.Status, verdict.Category = clade.StatusAccepted, "survivor"
			if l.Score > best {
				verdict.Category = "improved"
			}
		}
		out = append(out, verdict)
	}
	for id := range v.Frontier() {
		if id != clade.Base && !lives(id) {
			out = append(out, clade.Verdict{ID: id, Status: clade.StatusDiscarded, Category: "outlived",
				Why: fmt.Sprintf("rank %d of %d, composite %.3f", place[id], len(ranked), score[id])})
		}
	}
	return out
}

// elite is the one with the highest score, which always survives.
func elite(v clade.View, ranked []clade.ID) clade.ID {
	if len(ranked) == 0 {
		return clade.Base
	}
	return slices.MaxFunc(ranked, func(a, b clade.ID) int { return cmp.Compare(v.Life(a).Score, v.Life(b).Score) })
}
