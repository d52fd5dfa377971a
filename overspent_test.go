package clade_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cladehq/clade"
)

// capped opens a run with caps and applies events.
func capped(t *testing.T, b clade.Budget, events ...clade.Event) *log {
	t.Helper()
	l := &log{t: t}
	l.add(clade.Opened{Run: "r", Spec: clade.Spec{Budget: b}, Base: "c0", Tree: "t0"})
	l.add(events...)
	return l
}

func dollars(n float64) *clade.Microdollars {
	m := clade.Microdollars(n * 1e6)
	return &m
}

// What passes a cap is kept with whose word passed it. The cap is 4 dollars.
func TestOverspent(t *testing.T) {
	t.Parallel()
	planned := func(id clade.ID, hold float64) clade.Event {
		p := plan(id)
		p.Attempt.Hold = usd(hold)
		return p
	}
	ended := func(id clade.ID, try int, a clade.Amount) clade.Event {
		return clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Spent: a}}
	}
	one := []clade.Event{planned(1, 3), begin(1, 1)}
	two := []clade.Event{planned(1, 3), begin(1, 1), judged(1, clade.StatusDiscarded), planned(2, 1), begin(2, 1)}
	amended := func(n float64) clade.Event {
		return clade.Amended{Spec: clade.Spec{Budget: clade.Budget{USD: dollars(n)}}}
	}
	for name, c := range map[string]struct {
		events      []clade.Event
		first, next float64 // attempts 1 and 2
		head        float64
	}{
		"as held":                             {append(one, ended(1, 1, usd(3))), 0, 0, 0},
		"not told":                            {append(one, ended(1, 1, unknown(clade.Amount{}))), 0, 0, 0},
		"above the hold, below cap":           {append(one, ended(1, 1, usd(3.5))), 0, 0, 0},
		"above the cap":                       {append(one, ended(1, 1, usd(5))), 1, 0, 1},
		"unknown and above the cap":           {append(one, ended(1, 1, unknown(usd(5)))), 1, 0, 1},
		"with the proposal":                   {append(one, clade.Proposed{ID: 1, Try: 1, Commit: "c", Spent: usd(4.5)}), 0.5, 0, 0.5},
		"and with the evaluation":             {append(one, clade.Proposed{ID: 1, Try: 1, Commit: "c", Spent: usd(4.5)}, ended(1, 1, usd(0.25))), 0.75, 0, 0.75},
		"late, as assumed":                    {append(two, ended(1, 1, usd(3))), 0, 0, 0},
		"late, above what is held for others": {append(two, ended(1, 1, usd(3.5))), 0.5, 0, 0.5},
		"late and above, then the other":      {append(two, ended(1, 1, usd(3.5)), ended(2, 1, usd(2))), 0.5, 1, 1.5},
		"what was saved covers what is not":   {append(two, ended(1, 1, usd(1)), ended(2, 1, usd(3))), 0, 0, 0},
		"a cap that was raised":               {append(one, ended(1, 1, usd(5)), amended(6)), 1, 0, 0},
		"a cap that was lowered":              {append(one, ended(1, 1, usd(2)), amended(1)), 0, 0, 1},
	} {
		l := capped(t, clade.Budget{USD: dollars(4)}, c.events...)
		next := clade.Amount{}
		if two := l.Life(2); two != nil {
			next = two.Overspent
		}
		if got := l.Life(1).Overspent; got != usd(c.first) || next != usd(c.next) || l.Head().Overspent != usd(c.head) {
			t.Errorf("%s: %+v and %+v, in all %+v", name, got, next, l.Head().Overspent)
		}
	}
}

func TestOverspentKinds(t *testing.T) {
	t.Parallel()
	tokens, calls := int64(100), int64(10)
	spent := clade.Amount{Microdollars: 7, Tokens: 130, Calls: 12, Wall: 5}
	done := []clade.Event{plan(1), begin(1, 1), clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Spent: spent}}}
	for name, c := range map[string]struct {
		budget clade.Budget
		want   clade.Amount
	}{
		"no cap": {clade.Budget{}, clade.Amount{}},
		"tokens": {clade.Budget{Tokens: &tokens}, clade.Amount{Tokens: 30}},
		"calls":  {clade.Budget{Calls: &calls}, clade.Amount{Calls: 2}},
		"all":    {clade.Budget{Tokens: &tokens, Calls: &calls, USD: dollars(0)}, clade.Amount{Microdollars: 7, Tokens: 30, Calls: 2}},
	} {
		if got := capped(t, c.budget, done...).Head().Overspent; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// I3: the run's overspend is the sum of its attempts', and once something is paid
// nothing is spent or held beyond it.
func TestOverspentIsConserved(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		tokens, money := int64(rng.IntN(20)), clade.Microdollars(rng.IntN(30))
		l := capped(t, clade.Budget{USD: &money, Tokens: &tokens})
		for range 60 {
			e := anyMoney(rng, l.Head().Count)
			before := l.Head().Spent
			l.add(e)
			conserved(t, seed, l)
			var sum clade.Amount
			for id := clade.Base; l.Life(id) != nil; id++ {
				sum = sum.Plus(l.Life(id).Overspent)
			}
			h := l.Head()
			if sum != h.Overspent {
				t.Fatalf("seed %d: %+v; the attempts say %+v", seed, h.Overspent, sum)
			}
			used := h.Spent.Plus(h.Held)
			_, began := e.(clade.TryBegun)
			if !began && h.Spent != before && (used.Microdollars > money+h.Overspent.Microdollars || used.Tokens > tokens+h.Overspent.Tokens) {
				t.Fatalf("seed %d: spent %+v, held %+v, of %d and %d; overspent %+v", seed, h.Spent, h.Held, money, tokens, h.Overspent)
			}
		}
	}
}
