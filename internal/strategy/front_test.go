package strategy_test

import (
	"fmt"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
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

// Who leads is who leads the tables of an evolution, which are made of the same
// rows: those with the tree of another have its values, what differs by rounding
// is the same, and of equals the one with the lower number in its name comes first.
func TestFrontIsWhoLeadsTheTable(t *testing.T) {
	t.Parallel()
	type row struct {
		name   string
		values []float64 // of axes a, b and c, as many as there are
		same   clade.ID  // whose tree it has
	}
	for _, c := range []struct {
		name    string
		weights []float64
		rows    []row // of candidates from 2 on
		want    clade.ID
	}{
		{"nobody", []float64{1}, nil, 0},
		{"the best", []float64{1}, []row{{"v1", []float64{1}, 0}, {"v2", []float64{3}, 0}, {"v3", []float64{2}, 0}}, 3},
		{"the first of equals", []float64{1}, []row{{"", []float64{1}, 0}, {"", []float64{3}, 0}, {"", []float64{3}, 0}}, 3},
		{"the lower name of equals", []float64{1}, []row{{"v7", []float64{3}, 0}, {"v3", []float64{3}, 0}, {"v10", []float64{3}, 0}}, 3},
		{"equals but for rounding", []float64{.1, .2, .3}, // 0.3 against 0.1 + 0.2, in binary a little more
			[]row{{"v1", []float64{0, 0, 1}, 0}, {"v2", []float64{1, 1, 0}, 0}}, 2},
		// Without the fifth #2 and #3 both have 2/3: in a #3, #5, #2, #4, in b #2, #4, #3, #5.
		{"four", []float64{1, 1}, []row{{"v1", []float64{8, 10}, 0}, {"v2", []float64{10, 5}, 0}, {"v3", []float64{7, 6}, 0}, {"v4", []float64{9, 1}, 0}}, 2},
		// With one that has the tree of #5, #3 has (1 + 0.5)/2 and #2 has (0.25 + 1)/2.
		{"a twin counts", []float64{1, 1}, []row{{"v1", []float64{8, 10}, 0}, {"v2", []float64{10, 5}, 0}, {"v3", []float64{7, 6}, 0},
			{"v4", []float64{9, 1}, 0}, {"v5", nil, 5}}, 3},
		{"a twin of the leader", []float64{1}, []row{{"v5", []float64{3}, 0}, {"v2", nil, 2}, {"v1", []float64{1}, 0}}, 2},
	} {
		s := spec("race", clade.NoiseNone, 9)
		s.Measures, s.Final.Leader = nil, clade.LeaderComposite
		for i, w := range c.weights {
			s.Measures = append(s.Measures, clade.Measure{ID: string(rune('a' + i)), Goal: clade.Maximize, Weight: w})
		}
		samples := func(values []float64) (out []clade.Sample) {
			for i, x := range values {
				out = append(out, clade.Sample{Check: string(rune('a' + i)), Value: x})
			}
			return out
		}
		events := []clade.Event{
			clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesNumbers, Why: "base", After: []clade.Stage{{Subjects: []clade.ID{0}}}}},
			clade.TryBegun{ID: 1, Try: 1},
			clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Evaluations: []clade.Evaluation{{Subject: 0, Samples: samples(make([]float64, len(c.weights)))}}}},
		}
		for i, r := range c.rows {
			id := clade.ID(i + 2)
			o := clade.Outcome{ID: id, Try: 1, Commit: "c", Same: r.same}
			if r.same == 0 {
				o.Evaluations = []clade.Evaluation{{Subject: id, Samples: samples(r.values)}}
			}
			events = append(events, clade.Planned{Attempt: clade.Attempt{ID: id, Makes: clade.MakesTree, Why: "row", Name: r.name}},
				clade.TryBegun{ID: id, Try: 1}, clade.TryEnded{Outcome: o})
		}
		if got := strategy.Front(stateOf(t, offered(s), events...)); got != c.want {
			t.Errorf("%s: #%d leads, want #%d", c.name, got, c.want)
		}
	}
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
