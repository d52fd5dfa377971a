package strategy_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// resumed goes on with a stopped run, with changes to its spec if there are any.
func resumed(t *testing.T, r strategytest.Run, log []clade.Record, amend func(*clade.Spec)) (*clade.State, []clade.Record) {
	t.Helper()
	events := []clade.Event{clade.Directed{What: clade.DirectResume}}
	if amend != nil {
		amend(&r.Spec)
		events = append([]clade.Event{clade.Amended{Spec: r.Spec, What: "budget"}}, events...)
	}
	for _, e := range events {
		log = append(log[:len(log):len(log)], clade.Record{Seq: int64(len(log)) + 1, Event: e})
	}
	state, log, err := r.Continue(log)
	if err != nil {
		t.Fatal(err, tail(log))
	}
	return state, log
}

func numbers(state *clade.State) (ids []clade.ID) {
	for id := clade.ID(1); id <= state.Head().Count; id++ {
		if !state.Life(id).Proposes() {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestResumeMeasuresTheBaseAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		fail    clade.Class // of the first baselines
		times   int
		resumes int
		want    clade.Stop
		tried   int // baselines
	}{
		{"infra, mended", clade.ClassInfra, 1, 1, clade.StopCandidates, 2},
		{"infra, twice", clade.ClassInfra, 2, 1, clade.StopInfra, 2},
		{"infra, mended later", clade.ClassInfra, 2, 2, clade.StopCandidates, 3},
		{"evaluator, not resumed", clade.ClassEvaluator, 1, 0, clade.StopBaseline, 1},
		{"evaluator", clade.ClassEvaluator, 1, 1, clade.StopCandidates, 2},
		{"clade was killed", clade.ClassPoisoned, 1, 0, clade.StopInfra, 1},
		{"clade was killed, resumed", clade.ClassPoisoned, 1, 1, clade.StopCandidates, 2},
		{"not resumed", clade.ClassInfra, 1, 0, clade.StopInfra, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := spec("hillclimb", clade.NoiseNone, 3)
			w, failed := exactWorld(&s), map[clade.ID]bool{}
			w.Fails = func(l *clade.Life) (clade.Class, string) {
				if !l.Proposes() && (failed[l.ID] || len(failed) < c.times) {
					failed[l.ID] = true
					return c.fail, "broken"
				}
				return clade.OK, ""
			}
			r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
			state, log, err := r.Do()
			if err != nil {
				t.Fatal(err)
			}
			for range c.resumes {
				state, log = resumed(t, r, log, nil)
			}
			baselines := 0
			for _, id := range numbers(state) {
				if state.Life(id).After[0].Split != clade.SplitTest {
					baselines++
				}
			}
			if h := state.Head(); h.Stop != c.want || baselines != c.tried {
				t.Errorf("stop %s (%s) after %d baselines; want %s after %d", h.Stop, h.Reason, baselines, c.want, c.tried)
			}
		})
	}
}

// What is declared exact and is not stays so, however often the run is resumed.
func TestResumeDoesNotAskAnUnsteadyEvaluatorAgain(t *testing.T) {
	t.Parallel()
	for _, final := range []bool{false, true} {
		s := spec("hillclimb", clade.NoiseNone, 3)
		w := exactWorld(&s)
		value := w.Value
		w.Value = func(v clade.View, r strategytest.Reading) float64 {
			if r.Rep == 1 && (r.Split == clade.SplitTest) == final {
				return 7
			}
			return value(v, r)
		}
		r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
		state, log, err := r.Do()
		if err != nil || state.Head().Stop != clade.StopEvaluator {
			t.Fatal(err, state.Head().Reason)
		}
		count, reason := state.Head().Count, state.Head().Reason
		state, _ = resumed(t, r, log, func(s *clade.Spec) { s.Budget.Candidates = 9 })
		if h := state.Head(); h.Count != count || h.Reason != reason || h.Stop != clade.StopEvaluator {
			t.Errorf("stop %s: %s, %d attempts after %d", h.Stop, h.Reason, h.Count, count)
		}
	}
}

func TestResumeMeasuresTheFinalAgain(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name, clade.NoiseCases, 5)
			s.Dataset = &clade.Dataset{}
			w := noisyCases(&s, 40, .45)
			var lost clade.ID
			w.Fails = func(l *clade.Life) (clade.Class, string) {
				if l.ID > 1 && !l.Proposes() && (lost == 0 || lost == l.ID) {
					lost = l.ID
					return clade.ClassInfra, "no space left"
				}
				return clade.OK, ""
			}
			r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
			state, log, err := r.Do()
			if err != nil {
				t.Fatal(err)
			}
			h := state.Head()
			if h.Stop != clade.StopInfra || h.Winner != clade.Base || !strings.Contains(h.Reason, "no space left") {
				t.Fatalf("stop %s: %s", h.Stop, h.Reason)
			}
			finalist := state.Life(lost).ParentOr()
			state, _ = resumed(t, r, log, nil)
			if h = state.Head(); h.Stop != clade.StopCandidates || h.Winner != finalist || h.Count != lost+1 {
				t.Fatalf("stop %s: %s, winner %d, %d attempts", h.Stop, h.Reason, h.Winner, h.Count)
			}
			// Nothing was learnt of the first one, so that this is not held to less.
			if f := state.Life(h.Winner).Verdict.Final; f.Alpha != noise.Alpha || f.Look != 2 {
				t.Errorf("final %+v", f)
			}
		})
	}
}

// A run that is merely resumed after a final that proved nothing must not try
// its next best; one that searched on may, at half the level.
func TestFurtherFinals(t *testing.T) {
	t.Parallel()
	s := spec("race", clade.NoiseCases, 4)
	s.Dataset = &clade.Dataset{}
	w := noisyCases(&s, 40, 0)
	w.Value = func(_ clade.View, r strategytest.Reading) float64 {
		n := 0
		fmt.Sscanf(r.Case[1:], "%d", &n)
		better := r.Of.ID != clade.Base && (r.Split == clade.SplitSelect || r.Of.ID > 6 && n < 5)
		return map[bool]float64{true: 1, false: 0}[n%2 == 0 || better && n < 5+int(r.Of.ID)]
	}
	plateau := 100
	s.Budget.Plateau = plateau
	r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
	state, log, err := r.Do()
	if err != nil || state.Head().Winner != clade.Base || state.Head().Count != 6 {
		t.Fatal(err, state.Head().Reason, state.Head().Count)
	}
	for range 3 {
		state, log = resumed(t, r, log, nil)
		if h := state.Head(); h.Count != 6 || h.Stop != clade.StopCandidates {
			t.Fatalf("a resume alone planned %d: %s", h.Count, h.Reason)
		}
	}
	for round := 2; round <= 4; round++ {
		state, log = resumed(t, r, log, func(s *clade.Spec) { s.Budget.Candidates = 4 * round })
		last := state.Life(state.Head().Count)
		f := state.Life(last.ParentOr()).Verdict.Final
		if want := noise.Alpha / math.Exp2(float64(round-1)); f == nil || f.Alpha != want || f.Look != round {
			t.Errorf("round %d: %+v, want level %g", round, f, want)
		}
		if !strings.Contains(last.Why, fmt.Sprintf("final %d of this run", round)) {
			t.Errorf("round %d is not told: %s", round, last.Why)
		}
	}
}

// A winner stays one, with its figure, until another proves a larger gain.
func TestWinnerNeverVanishes(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replaced, kept := 0, 0
			for seed := range uint64(12) {
				s := spec(name, clade.NoiseNone, 12)
				s.Seed, s.Search.Parents, s.Search.Batch = seed, 1, 3
				w := exactWorld(&s)
				w.Value = func(_ clade.View, r strategytest.Reading) float64 {
					return float64(100*min(1, r.Of.ID)) + float64(clade.Draw(seed, "v", r.Of.ID)%1000)*float64(min(1, r.Of.ID))
				}
				r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 2, Observe: observeWinner(t)}
				state, log, err := r.Do()
				if err != nil || state.Head().Winner == clade.Base {
					t.Fatal(err, state.Head().Reason)
				}
				before := state.Head().Winner
				state, _ = resumed(t, r, log, func(s *clade.Spec) { s.Budget.Candidates = 36 })
				h := state.Head()
				if was := state.Life(before).Verdict; h.Winner == before {
					kept++
					if !strings.HasSuffix(h.Reason, fmt.Sprintf("#%d stays the winner", before)) {
						t.Errorf("kept: %s", h.Reason)
					}
				} else if replaced++; was.Status != clade.StatusFinalist || was.Final == nil || was.Category != "succeeded" {
					t.Errorf("replaced, but %+v", was)
				}
			}
			if replaced == 0 || kept == 0 {
				t.Errorf("%d replaced, %d kept", replaced, kept)
			}
		})
	}
}

// observeWinner fails when the head's winner has lost its status or figure.
func observeWinner(t *testing.T) func(clade.View, clade.Record) {
	return func(v clade.View, r clade.Record) {
		if w := v.Life(v.Head().Winner); w.ID != clade.Base && (w.Verdict.Status != clade.StatusWinner || w.Verdict.Final == nil) {
			t.Errorf("record %d: winner #%d is %s", r.Seq, w.ID, w.Verdict.Status)
		}
	}
}

// A candidate that scored higher in the search, but gains less where it counts,
// does not take a winner's place.
func TestSmallerProvenGainDoesNotReplace(t *testing.T) {
	t.Parallel()
	s := spec("race", clade.NoiseCases, 1)
	s.Dataset = &clade.Dataset{}
	w := noisyCases(&s, 40, 0)
	w.Value = func(_ clade.View, r strategytest.Reading) float64 {
		n, most := 0, map[clade.ID]int{2: 20, 4: 30}[r.Of.ID]
		fmt.Sscanf(r.Case[1:], "%d", &n)
		if r.Split == clade.SplitTest {
			most = map[clade.ID]int{2: 20, 4: 10}[r.Of.ID]
		}
		return map[bool]float64{true: 1, false: 0}[n < most]
	}
	r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
	_, log, err := r.Do()
	if err != nil {
		t.Fatal(err)
	}
	state, _ := resumed(t, r, log, func(s *clade.Spec) { s.Budget.Candidates = 2 })
	if h, v := state.Head(), state.Life(4).Verdict; h.Winner != 2 || v.Status != clade.StatusFinalist || v.Final == nil {
		t.Errorf("winner %d (%s); #4 is %s: %s", h.Winner, h.Reason, v.Status, v.Why)
	}
}

// A cancel in the middle of a final: a resume goes on with the same look.
func TestCancelledFinalGoesOn(t *testing.T) {
	t.Parallel()
	s := spec("race", clade.NoiseNone, 3)
	w := exactWorld(&s)
	r := strategytest.Run{Spec: s, Search: search, Try: w.Try}
	want, log, err := r.Do()
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range log {
		if p, ok := rec.Event.(clade.Planned); ok && p.Attempt.ID == want.Head().Count {
			log = append(log[:i+1:i+1], clade.Record{Seq: int64(i + 2), Event: clade.Directed{What: clade.DirectCancel}},
				clade.Record{Seq: int64(i + 3), Event: clade.Stopped{Cause: clade.StopCancelled, Reason: "cancelled"}})
			break
		}
	}
	state, _ := resumed(t, r, log, nil)
	if h := state.Head(); h.Count != want.Head().Count || h.Winner != want.Head().Winner || h.Reason != want.Head().Reason {
		t.Errorf("%d attempts, winner %d, %s; want %d, %d, %s", h.Count, h.Winner, h.Reason,
			want.Head().Count, want.Head().Winner, want.Head().Reason)
	}
}

// Which look at the test split a final was is told by the try; without a count,
// by the finals of the run.
func TestLooksAreShown(t *testing.T) {
	t.Parallel()
	for counted, want := range map[int]int{0: 1, 7: 7} {
		s := spec("race", clade.NoiseCases, 3)
		s.Dataset = &clade.Dataset{}
		w := noisyCases(&s, 40, .45)
		try := func(v clade.View, l *clade.Life) clade.Outcome {
			o := w.Try(v, l)
			if l.ID > 1 && !l.Proposes() {
				o.Look = counted
			}
			return o
		}
		state, _, err := strategytest.Run{Spec: s, Search: search, Try: try}.Do()
		if err != nil {
			t.Fatal(err)
		}
		v := state.Life(state.Head().Winner).Verdict
		if v.Final == nil || v.Final.Look != want || !strings.Contains(v.Why, fmt.Sprintf("look %d,", want)) {
			t.Errorf("counted %d: %+v: %s", counted, v.Final, v.Why)
		}
	}
}

// A run that was given up because everything failed goes on when it is resumed,
// and is given up again only after as many failures.
func TestResumeAfterAllFailed(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name, clade.NoiseNone, 300)
			w, mended := exactWorld(&s), false
			w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(r.Of.ID) }
			w.Fails = func(l *clade.Life) (clade.Class, string) {
				if l.Proposes() && !mended {
					return clade.ClassOperator, "no edit"
				}
				return clade.OK, ""
			}
			r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 3}
			state, log, err := r.Do()
			if err != nil || state.Head().Stop != clade.StopAllFailed {
				t.Fatal(err, state.Head().Reason)
			}
			first := state.Head().Closed
			state, log = resumed(t, r, log, nil)
			if h := state.Head(); h.Stop != clade.StopAllFailed || h.Closed < 2*first-3 {
				t.Fatalf("resumed: stop %s after %d candidates, first after %d", h.Stop, h.Closed, first)
			}
			mended = true
			if state, _ = resumed(t, r, log, nil); state.Head().Winner == clade.Base {
				t.Errorf("mended: %s", state.Head().Reason)
			}
		})
	}
}

// F15, F33: a machine that fails in the middle of a run ends it, with candidates
// left for when it is mended: a budget is not for failures nobody learns from.
func TestF33FailingMachineEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name, clade.NoiseNone, 500)
			w, mended := exactWorld(&s), false
			w.Value = func(_ clade.View, r strategytest.Reading) float64 { return float64(r.Of.ID) }
			w.Fails = func(l *clade.Life) (clade.Class, string) {
				if l.Proposes() && l.ID > 20 && !mended {
					return clade.ClassInfra, "no space left"
				}
				return clade.OK, ""
			}
			r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 3}
			state, log, err := r.Do()
			h := state.Head()
			if err != nil || h.Usable == 0 || h.Proposing > 150 || !strings.Contains(h.Reason, "no space left") {
				t.Fatalf("%v; %s after %d candidates, %d usable: %s", err, h.Stop, h.Proposing, h.Usable, h.Reason)
			}
			mended = true
			if state, _ = resumed(t, r, log, nil); state.Head().Proposing != 500 {
				t.Errorf("mended: %s after %d candidates: %s", state.Head().Stop, state.Head().Proposing, state.Head().Reason)
			}
		})
	}
}
