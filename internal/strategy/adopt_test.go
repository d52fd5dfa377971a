package strategy_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// given is a variant that was made elsewhere, thought one that was only thought of.
func given(name string, parents ...string) clade.Adopted {
	return clade.Adopted{Name: name, Parents: parents, Generation: 1, Hypothesis: "made " + name,
		Given: &clade.Given{Commit: "commit-" + name, Tree: "tree-" + name}}
}

func thought(name string, parents ...string) clade.Adopted {
	return clade.Adopted{Name: name, Parents: parents, Generation: 1, Hypothesis: "think of " + name, Approach: "by " + name}
}

// offered is a log of a run that was just opened and offered variants.
func offered(s clade.Spec, all ...clade.Adopted) []clade.Record {
	log := []clade.Record{{Seq: 1, Event: clade.Opened{Run: "test", Spec: s, Base: "base", Tree: "base-tree"}}}
	return offer(log, all...)
}

func offer(log []clade.Record, all ...clade.Adopted) []clade.Record {
	log = slices.Clone(log)
	for _, a := range all {
		log = append(log, clade.Record{Seq: int64(len(log)) + 1, Event: clade.Noted{Note: a.Note()}})
	}
	return log
}

// told is a spec whose operator is told something in words and costs nothing.
func toldSpec(name string, candidates int) clade.Spec {
	s := spec(name, clade.NoiseNone, candidates)
	s.Operators = []clade.Operator{{Use: "agent"}}
	s.Search.Names, s.Search.Batch = "v%d", 4
	return s
}

func proceed(t *testing.T, s clade.Spec, slots int, log []clade.Record) (*clade.State, []clade.Record) {
	t.Helper()
	w := exactWorld(&s)
	state, log, err := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: slots, Order: uint64(slots)}.Continue(log)
	if err != nil {
		t.Fatal(err, tail(log))
	}
	return state, log
}

func byName(state *clade.State) map[string]*clade.Life {
	out := map[string]*clade.Life{}
	for id := clade.Base + 1; id <= state.Head().Count; id++ {
		if l := state.Life(id); l.Name != "" {
			out[l.Name] = l
		}
	}
	return out
}

// proposers are the attempts that propose, in the order in which they were planned.
func proposers(state *clade.State) (names []string) {
	for id := clade.Base + 1; id <= state.Head().Count; id++ {
		if l := state.Life(id); l.Proposes() {
			names = append(names, l.Name)
		}
	}
	return names
}

// E20: what was offered is planned before anything of the search's own. What is
// made comes in the order of the offers, what is only thought of once its parents
// are judged; parents are found by name, unknown ones and those that made nothing
// left out.
func TestE20AdoptedComesFirst(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := toldSpec(name, 12)
			state, _ := proceed(t, s, 4, offered(s, thought("v3", "v1", "nobody", "v1"), given("v1"), given("v2", "v1"), thought("v5")))
			want := []string{"v1", "v2", "v5", "v3", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13"}
			if name != "hillclimb" && !slices.Equal(proposers(state), want) {
				t.Errorf("planned %q", proposers(state))
			}
			if got := proposers(state); len(got) != 12 || !slices.Equal(got[:3], want[:3]) {
				t.Errorf("planned %q", got)
			}
			all := byName(state)
			if v := all["v3"]; !slices.Equal(v.Parents, []clade.ID{all["v1"].ID}) || v.Adopts != 1 || v.Operator != "agent" ||
				!strings.Contains(v.Brief, "think of v3") || !strings.Contains(v.Brief, "by v3") || v.Why != "think of v3" {
				t.Errorf("v3: %+v", v.Attempt)
			}
			if v := all["v2"]; !slices.Equal(v.Parents, []clade.ID{all["v1"].ID}) || v.Commit != "commit-v2" || !v.Scored || v.Generation != 1 {
				t.Errorf("v2: %+v", v)
			}
			if h := state.Head(); h.Offered != 4 || h.Adopted != 4 || h.Stop != clade.StopCandidates {
				t.Errorf("%+v", h)
			}
		})
	}
}

// A search in lockstep decides by all there is: nothing of its own is planned
// before what was adopted is judged.
func TestE20LockstepWaitsForWhatWasAdopted(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		s := toldSpec(name, 12)
		w := exactWorld(&s)
		r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 8}
		own := 0
		r.Observe = func(v clade.View, rec clade.Record) {
			p, ok := rec.Event.(clade.Planned)
			if !ok || p.Attempt.Makes != clade.MakesTree || p.Attempt.Adopts > 0 {
				return
			}
			own++
			for _, id := range v.Open() {
				if v.Life(id).Adopts > 0 {
					t.Errorf("%s: #%d is planned while %s is open", name, p.Attempt.ID, v.Life(id).Name)
				}
			}
		}
		if _, log, err := r.Continue(offered(s, given("v1"), thought("v2", "v1"), given("v3"))); err != nil || own != 9 {
			t.Errorf("%s: %d of its own, %v\n%s", name, own, err, tail(log))
		}
	}
}

// What is made is measured whatever the budget of candidates says; what is only
// thought of is planned as far as it bears it, and holds up nothing behind it.
func TestAdoptedAndTheBudget(t *testing.T) {
	t.Parallel()
	cent := clade.Microdollars(10_000)
	none, zero := clade.Microdollars(0), int64(0)
	for _, c := range []struct {
		name  string
		spec  func(*clade.Spec)
		offer []clade.Adopted
		want  []string // planned
		stop  clade.Stop
	}{
		{"more are made than it has", func(s *clade.Spec) { s.Budget.Candidates = 2 },
			[]clade.Adopted{given("v1"), given("v2"), thought("v3"), given("v4")}, []string{"v1", "v2", "v4"}, clade.StopCandidates},
		{"none may be made", func(s *clade.Spec) { s.Budget.Candidates = 0 }, []clade.Adopted{given("v1"), thought("v2")}, []string{"v1"}, clade.StopCandidates},
		{"one is left for a thought", func(s *clade.Spec) { s.Budget.Candidates = 3 },
			[]clade.Adopted{given("v1"), given("v2"), thought("v3"), thought("v4")}, []string{"v1", "v2", "v3"}, clade.StopCandidates},
		{"no money for a thought", func(s *clade.Spec) { s.Budget.USD, s.Budget.PerTry = &none, &cent },
			[]clade.Adopted{thought("v1"), given("v2"), given("v3", "v2")}, []string{"v2", "v3"}, clade.StopMoney},
		{"no tokens at all", func(s *clade.Spec) { s.Budget.Tokens = &zero },
			[]clade.Adopted{given("v1"), thought("v2")}, []string{"v1"}, clade.StopTokens},
		{"no calls at all", func(s *clade.Spec) { s.Budget.Calls = &zero },
			[]clade.Adopted{thought("v2"), given("v1")}, []string{"v1"}, clade.StopCalls},
	} {
		for _, name := range strategies {
			s := toldSpec(name, 20)
			c.spec(&s)
			state, _ := proceed(t, s, 4, offered(s, c.offer...))
			if got := proposers(state); !slices.Equal(got, c.want) || state.Head().Stop != c.stop {
				t.Errorf("%s, %s: planned %q, stopped by %s: %s", c.name, name, got, state.Head().Stop, state.Head().Reason)
			}
			for _, l := range byName(state) {
				if l.Given != nil && !l.Scored {
					t.Errorf("%s, %s: %s was not measured: %s", c.name, name, l.Name, l.Verdict.Why)
				}
			}
		}
	}
}

// What agents answer the cases of costs money, and is borne as any other.
func TestAdoptedWhereMeasuringCosts(t *testing.T) {
	t.Parallel()
	zero := int64(0)
	s := toldSpec("race", 20)
	s.Dataset = &clade.Dataset{Rollout: &clade.Rollout{}}
	s.Budget.Calls = &zero
	state, _ := proceed(t, s, 2, offered(s, given("v1")))
	if got := proposers(state); len(got) > 0 {
		t.Errorf("planned %q", got)
	}
}

// E27: parents that broke a rule, or made nothing, give what is built on them no tree.
func TestE27AdoptedParentsThatAreNone(t *testing.T) {
	t.Parallel()
	s := toldSpec("race", 6)
	w := exactWorld(&s)
	w.Fails = func(l *clade.Life) (clade.Class, string) {
		switch l.Name {
		case "v1":
			return clade.ClassPolicy, "a frozen file"
		case "v2":
			return clade.ClassOperator, "nothing"
		}
		return clade.OK, ""
	}
	state, log, err := strategytest.Run{Spec: s, Search: search, Try: w.Try}.Continue(
		offered(s, given("v1"), thought("v2"), given("v3"), thought("v4", "v1", "v2", "v3"), thought("v5", "v1")))
	if err != nil {
		t.Fatal(err, tail(log))
	}
	all := byName(state)
	if v := all["v4"]; !slices.Equal(v.Parents, []clade.ID{all["v3"].ID}) {
		t.Errorf("v4 has parents %v", v.Parents)
	}
	if v := all["v5"]; len(v.Parents) > 0 {
		t.Errorf("v5 has parents %v", v.Parents)
	}
}

// No two attempts have one name, whatever is offered; and an offer that nobody
// can read holds up nothing.
func TestAdoptedNames(t *testing.T) {
	t.Parallel()
	s := toldSpec("race", 4)
	log := offered(s, given("v1"), given("v1"))
	log = append(log, clade.Record{Seq: int64(len(log)) + 1, Event: clade.Noted{Note: clade.Note{Kind: clade.NoteAdopt, Body: "{"}}})
	state, _ := proceed(t, s, 1, log)
	if got := proposers(state); !slices.Equal(got, []string{"v1", "", "", "v2"}) {
		t.Errorf("planned %q", got)
	}
}

// The generation after what was adopted is the next one, whatever generation a
// person wrote beside his own variant.
func TestGenerationsGoOnAfterWhatWasAdopted(t *testing.T) {
	t.Parallel()
	at := func(a clade.Adopted, g int) clade.Adopted { a.Generation = g; return a }
	s := toldSpec("generational", 11)
	state, log := proceed(t, s, 4, offered(s, at(given("v1"), 1), at(given("v2", "v1"), 2), at(given("v3"), 0)))
	for id := clade.Base + 1; id <= state.Head().Count; id++ {
		if l := state.Life(id); l.Proposes() && l.Adopts == 0 {
			if want := 3 + (l.ID-5)/4; clade.ID(l.Generation) != want { // 1 is the baseline, 2 to 4 are adopted
				t.Errorf("#%d is of generation %d, want %d", id, l.Generation, want)
			}
			if strings.Contains(l.Why, "fresh seed") || strings.Contains(l.Why, "seed 1") {
				t.Errorf("#%d: %s", id, l.Why)
			}
		}
	}
	// A person adds one, which fails, to a run that goes on.
	w := exactWorld(&s)
	w.Fails = func(l *clade.Life) (clade.Class, string) {
		if l.Name == "v12" {
			return clade.ClassCandidate, "no"
		}
		return clade.OK, ""
	}
	r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 3}
	state, _ = resumed(t, r, offer(log, at(given("v12"), 1)), func(s *clade.Spec) { s.Budget.Candidates = 16 })
	if l := state.Life(byName(state)["v12"].ID + 1); l.Generation != 5 || strings.Contains(l.Why, "fresh seed") {
		t.Errorf("%+v", l.Attempt)
	}
}

// mixed is a run of which some variants are given, some are made by somebody
// outside and the rest by an edit operator; all may fail in every way.
func mixed(name string, seed uint64) (strategytest.Run, []clade.Record) {
	r := lockstepRun(name, seed)
	r.Spec.Search.Names = "v%d"
	fails := rough(seed)
	r.Hand = func(l *clade.Life) clade.Event {
		if clade.Draw(seed, "hand", l.ID)%3 == 0 && l.Ended == 0 {
			return clade.TryEnded{Outcome: clade.Outcome{Failure: clade.ClassOperator, Detail: "left nothing"}}
		}
		return clade.Proposed{Commit: "by-hand-" + l.Name, Tree: "tree-by-hand-" + l.Name}
	}
	w := exactWorld(&r.Spec)
	w.Fails = fails
	r.Try = w.Try
	return r, offered(r.Spec, given("v1"), thought("v2", "v1"), given("v4", "v1", "v2"), thought("v3"), given("v7"))
}

// E21: half by hand and half by clade, with any number of slots, killed after any
// record: the decisions are the same.
func TestE21HalfByHandDecidesTheSame(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				r, log := mixed(name, seed)
				_, whole, err := r.Continue(log)
				if err != nil {
					t.Fatal(err, tail(whole))
				}
				want := strategytest.Decisions(whole)
				r.Slots = 4
				for k := len(log); k < len(whole); k++ {
					r.Order = uint64(k)
					from := whole[:k]
					if k == len(log) {
						from = log
					}
					_, again, err := r.Continue(slices.Clone(from))
					if err != nil {
						t.Fatalf("seed %d after record %d: %v", seed, k, err)
					}
					same(t, fmt.Sprintf("seed %d after record %d", seed, k), strategytest.Decisions(again), want)
				}
			}
		})
	}
}

// E28: an offer that comes at any moment, in the middle of a batch or of a final, is
// measured, and every run ends.
func TestE28OffersAtAnyMoment(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"arrival"}, strategies...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := lockstepRun(name, 2)
			r.Spec.Budget.Candidates, r.Slots = 12, 3
			if name == "arrival" {
				r.Spec.Search.Batch = 0
			}
			w := exactWorld(&r.Spec)
			r.Try = w.Try
			_, log, err := r.Do()
			if err != nil {
				t.Fatal(err)
			}
			for k := 1; k < len(log); k++ {
				r.Order = uint64(k)
				state, after, err := r.Continue(offer(log[:k], given("late")))
				if err != nil {
					t.Fatalf("after record %d: %v\n%s", k, err, tail(after))
				}
				if l := byName(state)["late"]; l == nil || !l.Scored || l.Open || len(state.Open()) > 0 {
					t.Fatalf("after record %d: %+v, open %v", k, l, state.Open())
				}
			}
		})
	}
}

func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	s := toldSpec("generational", 8)
	s.Operators = nil
	w := exactWorld(&s)
	state, _, err := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2}.Do()
	if !errors.Is(err, strategytest.ErrHands) || len(state.Open()) != 4 {
		t.Fatalf("%v, open %v", err, state.Open())
	}
	for _, id := range state.Open() {
		if l := state.Life(id); l.Operator != clade.OperatorManual || l.Tries != 2 || !l.Kept || l.Brief == "" || l.Name == "" {
			t.Errorf("%+v", l.Attempt)
		}
	}
}

// E24: a claim that runs out is handed out once more; then the attempt is over.
func TestE24HandedOutTwiceInAll(t *testing.T) {
	t.Parallel()
	s := toldSpec("generational", 4)
	s.Operators = nil
	w := exactWorld(&s)
	r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2}
	r.Hand = func(*clade.Life) clade.Event {
		return clade.TryEnded{Outcome: clade.Outcome{Failure: clade.ClassOperator, Detail: "left nothing"}}
	}
	state, log, err := r.Do()
	if err != nil {
		t.Fatal(err, tail(log))
	}
	for _, l := range byName(state) {
		if l.Try != 2 || l.Verdict.Status != clade.StatusRejected || l.Verdict.Category != "operator" {
			t.Errorf("%s: %d tries, %+v", l.Name, l.Try, l.Verdict)
		}
	}
	if h := state.Head(); h.Stop != clade.StopAllFailed {
		t.Errorf("%s: %s", h.Stop, h.Reason)
	}
}

// E26: what was handed in is measured once: a gate that says no is not asked until it
// says yes. What only infrastructure failed is measured again.
func TestE26HandedInIsMeasuredAsItIs(t *testing.T) {
	t.Parallel()
	for class, tries := range map[clade.Class]int{clade.ClassCandidate: 2, clade.ClassPolicy: 2, clade.ClassInfra: 5, clade.ClassEvaluator: 3} {
		s := toldSpec("race", 1)
		s.Operators, s.Search.Batch = nil, 1
		w := exactWorld(&s)
		w.Fails = func(l *clade.Life) (clade.Class, string) {
			if l.Proposes() {
				return class, "no"
			}
			return clade.OK, ""
		}
		r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
		r.Hand = func(l *clade.Life) clade.Event { return clade.Proposed{Commit: "h", Tree: "th"} }
		state, log, err := r.Do()
		if err != nil {
			t.Fatal(err, tail(log))
		}
		if l := state.Life(2); l.Try != tries { // the first is the one by hand
			t.Errorf("%s: %d tries, want %d", class, l.Try, tries)
		}
	}
}

// state is what a log says.
func stateOf(t *testing.T, log []clade.Record, more ...clade.Event) *clade.State {
	t.Helper()
	s := &clade.State{}
	for _, e := range more {
		log = append(log[:len(log):len(log)], clade.Record{Seq: int64(len(log)) + 1, Event: e})
	}
	for _, r := range log {
		if err := s.Apply(r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestUnclaimedAndReassigned(t *testing.T) {
	t.Parallel()
	cent, little := clade.Microdollars(10_000), clade.Microdollars(5_000)
	attempt := func(op string, tries int) clade.Planned {
		return clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesTree, Why: "why", Operator: op, Tries: tries, Hold: clade.Amount{Microdollars: cent}}}
	}
	byHand := clade.TryBegun{ID: 1, Try: 1, Hand: "ada"}
	nothing := clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Failure: clade.ClassOperator}}
	again := []clade.Event{clade.TryBegun{ID: 1, Try: 2, Hand: "bob"}, clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 2, Failure: clade.ClassOperator}}}
	handed := clade.Proposed{ID: 1, Try: 1, Commit: "h", Tree: "th"}
	for _, c := range []struct {
		name      string
		use       string
		usd       *clade.Microdollars
		events    []clade.Event
		unclaimed int    // tries that the claimed attempt has; 0: nobody may claim it
		operator  string // that takes it up; "": none
		tries     int    // that it then has
	}{
		{"planned for nobody", "agent", nil, []clade.Event{attempt("manual", 2)}, 2, "agent", 0},
		{"planned for an agent", "agent", nil, []clade.Event{attempt("agent", 0)}, 2, "", 0},
		{"an agent is at work", "agent", nil, []clade.Event{attempt("agent", 0), clade.TryBegun{ID: 1, Try: 1}}, 0, "", 0},
		{"an agent's machine failed", "agent", nil, []clade.Event{attempt("agent", 0), clade.TryBegun{ID: 1, Try: 1},
			clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Failure: clade.ClassInfra}}}, 2, "", 0},
		{"an agent failed", "agent", nil, []clade.Event{attempt("agent", 0), clade.TryBegun{ID: 1, Try: 1}, nothing}, 0, "", 0},
		{"an agent may try again", "agent", nil, []clade.Event{attempt("agent", 2), clade.TryBegun{ID: 1, Try: 1}, nothing}, 3, "", 0},
		{"claimed", "agent", nil, []clade.Event{attempt("manual", 2), byHand}, 0, "", 0},
		{"its claim ran out", "agent", nil, []clade.Event{attempt("manual", 2), byHand, nothing}, 2, "agent", 2},
		{"twice", "agent", nil, append([]clade.Event{attempt("manual", 2), byHand, nothing}, again...), 0, "", 0},
		{"handed in", "agent", nil, []clade.Event{attempt("manual", 2), byHand, handed}, 0, "", 0},
		{"no operator can be told", "mutate", nil, []clade.Event{attempt("manual", 2)}, 2, "", 0},
		{"nobody can read the brief", "mutate", nil, []clade.Event{attempt("mutate", 0)}, 0, "", 0},
		{"no money is left", "agent", &little, []clade.Event{attempt("manual", 2)}, 2, "", 0},
	} {
		s := spec("race", clade.NoiseNone, 9)
		s.Operators = []clade.Operator{{Use: c.use}}
		s.Budget.USD, s.Budget.PerTry = c.usd, &cent
		v := stateOf(t, offered(s), c.events...)
		a, ok := strategy.Unclaimed(v, v.Life(1))
		if ok != (c.unclaimed > 0) || ok && (a.Tries != c.unclaimed || a.Operator != clade.OperatorManual) {
			t.Errorf("%s: unclaimed %v, %+v", c.name, ok, a)
		}
		a, ok = strategy.Reassigned(v, v.Life(1))
		if ok != (c.operator != "") || ok && (a.Operator != c.operator || a.Tries != c.tries || a.Kept) {
			t.Errorf("%s: reassigned %v, %+v", c.name, ok, a)
		}
		if !ok || len(c.events) == 1 {
			continue
		}
		if v := stateOf(t, offered(s), append(c.events, clade.Planned{Attempt: a})...); !strategy.TriesLeft(v.Life(1)) {
			t.Errorf("%s: what is taken up is not tried", c.name)
		}
	}
}
