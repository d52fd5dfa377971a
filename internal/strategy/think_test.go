package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// thinking is a run whose operators are told in prose, with an ideator that has
// so many ideas a round and a reviewer.
func thinking(name string, ideas int, fails bool) strategytest.Run {
	s := spec(name, clade.NoiseNone, 40)
	if name != "hillclimb" {
		s.Search.Batch = 8
	}
	s.Operators = []clade.Operator{{Use: "agent", Name: "worker"}, {Use: "reflect", Name: "thinker", Role: clade.RoleIdeate},
		{Use: "reflect", Name: "critic", Role: clade.RoleReview}}
	w := exactWorld(&s)
	w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(r.Of.ID) }
	w.Fails = func(l *clade.Life) (clade.Class, string) {
		if fails && l.Operator == "thinker" {
			return clade.ClassOperator, "no JSON"
		}
		return clade.OK, ""
	}
	w.Notes = func(l *clade.Life) (out []clade.Note) {
		if l.Operator == "critic" {
			return []clade.Note{{About: l.Parents, Kind: clade.NoteFinding, Body: fmt.Sprintf("a weakness of %d", l.Parents[0])}}
		}
		for i := range ideas {
			out = append(out, clade.Note{Kind: clade.NoteProposal, Body: fmt.Sprintf(`{"hypothesis":"h%d-%d","approach":"so"}`, l.ID, i)})
		}
		return out
	}
	return strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 3}
}

// Each candidate takes up a hypothesis of its own; a new best is reviewed once,
// and what was found is told to those who start from it.
func TestHypothesesAndReviews(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, _, err := thinking(name, 8, false).Do()
			if err != nil {
				t.Fatal(err)
			}
			h := state.Head()
			seen, with, found, rounds := map[int]bool{}, 0, 0, 0
			reviews := map[clade.ID]int{}
			for id := clade.ID(1); id <= h.Count; id++ {
				l := state.Life(id)
				switch {
				case l.Operator == "thinker":
					rounds++
				case l.Operator == "critic":
					reviews[l.ParentOr()]++
				case l.Proposes() && l.Idea > 0:
					with++
					if seen[l.Idea] {
						t.Errorf("#%d takes up hypothesis %d, which another has", id, l.Idea)
					}
					seen[l.Idea] = true
					if !strings.Contains(l.Brief, "Test this hypothesis and no other: h") || !strings.Contains(l.Why, "h") {
						t.Errorf("#%d: %s: %s", id, l.Why, l.Brief)
					}
				}
				if strings.Contains(l.Brief, "a weakness of") {
					found++
				}
				if l.Open {
					t.Errorf("#%d is open", id)
				}
			}
			if with < 20 || rounds < 2 || h.Proposing != 40 {
				t.Errorf("%d with a hypothesis of %d, %d rounds", with, h.Proposing, rounds)
			}
			for id, n := range reviews {
				if n != 1 {
					t.Errorf("#%d is reviewed %d times", id, n)
				}
			}
			if name != "race" && (len(reviews) == 0 || found == 0) {
				t.Errorf("%d reviews, told %d times", len(reviews), found)
			}
		})
	}
}

// Ideators that fail, or have nothing, hold nothing up and are not asked again at
// once.
func TestNoHypotheses(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for _, fails := range []bool{true, false} {
			state, _, err := thinking(name, 0, fails).Do()
			if err != nil {
				t.Fatal(name, err)
			}
			asked := 0
			for id := clade.ID(1); id <= state.Head().Count; id++ {
				if state.Life(id).Operator == "thinker" {
					asked++
				}
			}
			if h := state.Head(); h.Proposing != 40 || asked > 7 || asked == 0 {
				t.Errorf("%s, fails %v: %d candidates, asked %d times", name, fails, h.Proposing, asked)
			}
		}
	}
}

// A run of several operators leans to the one that gains.
func TestBanditLeansToWhatGains(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		s := spec(name, clade.NoiseNone, 120)
		s.Operators = []clade.Operator{{Use: "agent", Name: "good", Share: 1}, {Use: "agent", Name: "poor", Share: 1}, {Use: "agent", Name: "never", Share: 0}}
		s.Search.Operators = "bandit"
		w := exactWorld(&s)
		w.Value = func(v clade.View, r strategytest.Reading) float64 {
			if r.Of.ID == clade.Base {
				return 100
			}
			if r.Of.Operator == "good" {
				return 100 + float64(r.Of.ID)
			}
			return 50
		}
		state, _, err := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2}.Do()
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for id := clade.ID(1); id <= state.Head().Count; id++ {
			if l := state.Life(id); l.Proposes() {
				n[l.Operator]++
			}
		}
		if n["good"] < 3*n["poor"]/2 || n["poor"] == 0 || n["never"] > 0 {
			t.Errorf("%s: %v", name, n)
		}
	}
}
