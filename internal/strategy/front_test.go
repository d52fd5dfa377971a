package strategy_test

import (
	"fmt"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// axes is a run of two measures, a and b, both to be maximised and worth the same;
// points are the values of attempts by ID, 0 being the base and 1 the baseline.
// What has no point is at (11, 11).
func axes(name, leader string, batch, candidates int, points map[clade.ID][2]float64) strategytest.Run {
	s := spec(name, clade.NoiseNone, candidates)
	s.Measures = []clade.Measure{{ID: "a", Goal: clade.Maximize}, {ID: "b", Goal: clade.Maximize}}
	s.Search.Batch, s.Final.Leader = batch, leader
	w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
		p, ok := points[r.Of.ID]
		if !ok {
			p = [2]float64{11, 11}
		}
		if r.Measure.ID == "a" {
			return p[0]
		}
		return p[1]
	}}
	return strategytest.Run{Spec: s, Search: search, Try: w.Try}
}

// By merit, the mean gain over the base, the first leads: ((100−10)/10 + (1−10)/10)/2
// = 4.05 against 0.4 and 0.25. By the composite the second does: its ranks are 2
// of 3 and 1 of 3, which count 0.5 and 1, against 1 and 0, and 0 and 0.5. The fourth,
// of the next generation, is best by merit (9.05) and third by the composite.
var rivals = map[clade.ID][2]float64{0: {10, 10}, 2: {100, 1}, 3: {14, 14}, 4: {12, 13}, 5: {200, 1}}

func finalsOf(state *clade.State) (of []clade.ID) {
	for id := clade.Base + 1; id <= state.Head().Count; id++ {
		if l := state.Life(id); l.Makes == clade.MakesNumbers && len(l.Parents) == 1 {
			of = append(of, l.Parents[0])
		}
	}
	return of
}

func do(t *testing.T, r strategytest.Run) (*clade.State, []clade.Record) {
	t.Helper()
	state, log, err := r.Do()
	if err != nil {
		t.Fatal(err, tail(log))
	}
	return state, log
}

// E22: who leads by the composite of all goes to the final, and only he, whatever
// the search thought of him.
func TestE22TheLeaderByCompositeIsProven(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for leader, want := range map[string]struct{ finalist, winner clade.ID }{
			clade.LeaderComposite: {3, 3}, clade.LeaderScore: {2, 0}, // what is far better in a is far worse in b
		} {
			state, _ := do(t, axes(name, leader, 3, 3, rivals))
			if got := finalsOf(state); fmt.Sprint(got) != fmt.Sprint([]clade.ID{want.finalist}) || state.Head().Winner != want.winner {
				t.Errorf("%s by %s: finals of %v, winner %d: %s", name, leader, got, state.Head().Winner, state.Head().Reason)
			}
		}
	}
}

// A plateau is counted from who leads.
func TestPlateauCountsFromTheLeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, leader   string
		batch, plateau int
		want           int // candidates
	}{
		// Generations of three: #3 of the first leads the six of both by the composite
		// (0.8; #4 0.6, #5 0.55, #2 0.45, the others 0.3), #5 of the second by merit.
		{"generational", clade.LeaderComposite, 3, 1, 6},
		{"generational", clade.LeaderScore, 3, 1, 9},
		// One after the other: #3 leads from #4 on, and #4, #5, #6 come after it; by merit
		// #6, #7, #8 come after #5.
		{"hillclimb", clade.LeaderComposite, 0, 3, 5},
		{"hillclimb", clade.LeaderScore, 0, 3, 7},
	} {
		r := axes(c.name, c.leader, c.batch, 30, rivals)
		r.Spec.Budget.Plateau = c.plateau
		state, _ := do(t, r)
		if h := state.Head(); h.Stop != clade.StopPlateau || h.Proposing != c.want {
			t.Errorf("%s by %s: %d candidates, %s: %s", c.name, c.leader, h.Proposing, h.Stop, h.Reason)
		}
	}
}

// E22: a leader of whom a final told something is not looked at again, however
// often the run is resumed; a new leader is.
func TestE22ALeaderIsLookedAtOnce(t *testing.T) {
	t.Parallel()
	points := map[clade.ID][2]float64{0: {10, 10}, 2: {8, 9}, 3: {9, 20}, 4: {8, 9}} // the leader is no better in a, the first measure
	r := axes("race", clade.LeaderComposite, 2, 3, points)
	state, log := do(t, r)
	check := func(what string, winner clade.ID, want ...clade.ID) {
		t.Helper()
		if got := finalsOf(state); fmt.Sprint(got) != fmt.Sprint(want) || state.Head().Winner != winner {
			t.Errorf("%s: finals of %v, winner %d: %s", what, got, state.Head().Winner, state.Head().Reason)
		}
	}
	check("first", 0, 3)
	state, log = resumed(t, r, log, nil)
	check("resumed", 0, 3)
	points[state.Head().Count+1] = [2]float64{8, 8}
	r.Spec.Budget.Candidates++
	state, log = resumed(t, r, log, func(*clade.Spec) {})
	check("with one more", 0, 3)
	points[state.Head().Count+1] = [2]float64{12, 30}
	r.Spec.Budget.Candidates++
	state, _ = resumed(t, r, log, func(*clade.Spec) {})
	check("with a better one", state.Head().Count-1, 3, state.Head().Count-1)
}

// What did not come again when it was measured again leads nothing.
func TestWhatWasNotConfirmedLeadsNothing(t *testing.T) {
	t.Parallel()
	s := spec("hillclimb", clade.NoiseNone, 7)
	jump := 2.0
	s.Protect.Jump, s.Final.Leader = &jump, clade.LeaderComposite
	w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
		switch {
		case r.Of.ID == clade.Base:
			return 0
		case r.Of.ID == 6 && r.In.ID == 6:
			return 1000
		}
		return float64(r.Of.ID)
	}}
	state, _ := do(t, strategytest.Run{Spec: s, Search: search, Try: w.Try})
	if v := state.Life(6).Verdict; v.Category != "implausible" {
		t.Fatalf("%+v", v)
	}
	if h := state.Head(); h.Winner != 9 { // 7 measured #6 again, 8 and 9 are the last candidates
		t.Errorf("winner %d: %s", h.Winner, h.Reason)
	}
}

func TestHopeless(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		batch, hopeless int
		want            int
	}{
		{"hillclimb", 0, 3, 3}, {"hillclimb", 0, 0, 64}, {"generational", 2, 2, 2}, {"generational", 2, 3, 4}, {"race", 5, 1, 5},
	} {
		s := spec(c.name, clade.NoiseNone, 100)
		s.Search.Batch, s.Search.Hopeless = c.batch, c.hopeless
		w := exactWorld(&s)
		w.Fails = func(l *clade.Life) (clade.Class, string) {
			if l.Proposes() {
				return clade.ClassCandidate, "no"
			}
			return clade.OK, ""
		}
		state, _ := simulate(t, s, w, 1, 1)
		if h := state.Head(); h.Stop != clade.StopAllFailed || h.Closed != c.want {
			t.Errorf("%s of %d, hopeless after %d: %d, %s", c.name, c.batch, c.hopeless, h.Closed, h.Stop)
		}
	}
}
