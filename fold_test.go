package clade_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cladehq/clade"
)

// A log is a State with a cursor, so that tests list events only.
type log struct {
	clade.State
	t testing.TB
}

// fold opens a run with one gate-free measure and applies events.
func fold(t testing.TB, events ...clade.Event) *log {
	t.Helper()
	l := &log{t: t}
	spec := clade.Spec{Measures: []clade.Measure{{ID: "score", Goal: clade.Maximize, Noise: clade.NoiseNone}}}
	l.add(clade.Opened{Run: "r", Spec: spec, Digest: "d", Base: "c0", Tree: "t0"})
	l.add(events...)
	return l
}

func (l *log) add(events ...clade.Event) {
	l.t.Helper()
	for _, e := range events {
		if err := l.try(e); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *log) try(e clade.Event) error {
	return l.Apply(clade.Record{Seq: l.Head().Seq + 1, At: time.Unix(0, 0).UTC(), By: "test", Event: e})
}

func plan(id clade.ID, parents ...clade.ID) clade.Planned {
	return clade.Planned{Attempt: clade.Attempt{ID: id, Parents: parents, Makes: clade.MakesTree, Why: "why"}}
}

func begin(id clade.ID, try int) clade.TryBegun {
	return clade.TryBegun{ID: id, Try: try, Worker: fmt.Sprint("w", try)}
}

// scored ends a try with a commit and, of its own tree, one score.
func scored(id clade.ID, try int, score float64) clade.TryEnded {
	return clade.TryEnded{Outcome: clade.Outcome{
		ID: id, Try: try, Commit: fmt.Sprintf("c%d.%d", id, try), Spent: clade.Amount{Wall: 1},
		Evaluations: []clade.Evaluation{{Subject: id, Samples: []clade.Sample{{Check: "score", Value: score}}}},
	}}
}

func judged(id clade.ID, s clade.Status) clade.Judged {
	return clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: s, Why: "why"}}}
}

// candidate is a whole life.
func candidate(id clade.ID, score float64, s clade.Status) []clade.Event {
	return []clade.Event{plan(id), begin(id, 1), scored(id, 1, score), judged(id, s)}
}

func TestWhatCannotFollow(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]clade.Event{
		"a second opening":         clade.Opened{},
		"an attempt left out":      plan(2),
		"an attempt planned twice": plan(0),
		"a parent to come":         plan(1, 1),
		"a parent below the base":  plan(1, -1),
		"a try of nothing":         begin(1, 1),
		"a proposal of nothing":    clade.Proposed{ID: 1},
		"an outcome of nothing":    clade.TryEnded{Outcome: clade.Outcome{ID: 7}},
		"a verdict on nothing":     judged(-3, clade.StatusAccepted),
	} {
		if err := fold(t).try(e); !errors.Is(err, clade.ErrCorruptLog) {
			t.Errorf("%s: %v, want %v", name, err, clade.ErrCorruptLog)
		}
	}
	for name, r := range map[string]clade.Record{
		"a gap":                                 {Seq: 3, Event: plan(1)},
		"a repetition":                          {Seq: 1, Event: plan(1)},
		"a log that was not opened":             {Seq: 1, Event: plan(1)},
		"a kind that may be skipped, but first": {Seq: 1},
	} {
		var s clade.State
		if name == "a gap" || name == "a repetition" {
			s = fold(t).State
		}
		if err := s.Apply(r); !errors.Is(err, clade.ErrCorruptLog) {
			t.Errorf("%s: %v, want %v", name, err, clade.ErrCorruptLog)
		}
	}
	skipped := fold(t)
	if err := skipped.try(nil); err != nil || skipped.Head().Seq != 2 {
		t.Errorf("a kind that may be skipped: %v, at %d", err, skipped.Head().Seq)
	}
}

// Whoever comes too late changes nothing but what was paid.
func TestFence(t *testing.T) {
	t.Parallel()
	late := scored(1, 1, 99)
	late.Outcome.Notes = []clade.Note{{Kind: clade.NoteFinding, Body: "late"}}
	late.Outcome.Commit = "late"
	for name, c := range map[string]struct {
		before []clade.Event
		late   clade.Event
	}{
		"an outcome of a fenced try":     {[]clade.Event{plan(1), begin(1, 1), begin(1, 2)}, late},
		"a proposal of a fenced try":     {[]clade.Event{plan(1), begin(1, 1), begin(1, 2)}, clade.Proposed{ID: 1, Try: 1, Commit: "late"}},
		"an outcome delivered twice":     {[]clade.Event{plan(1), begin(1, 1), scored(1, 1, 1)}, late},
		"an outcome of a closed attempt": {[]clade.Event{plan(1), begin(1, 1), judged(1, clade.StatusRejected)}, late},
		"a claim of a lower try":         {[]clade.Event{plan(1), begin(1, 3)}, begin(1, 2)},
		"a claim of the same try":        {[]clade.Event{plan(1), begin(1, 3)}, begin(1, 3)},
		"a claim of a closed attempt":    {append(candidate(1, 1, clade.StatusAccepted), plan(2)), begin(1, 2)},
		"a verdict that would reopen":    {candidate(1, 1, clade.StatusAccepted), judged(1, clade.StatusPending)},
		"an outcome never claimed":       {[]clade.Event{plan(1)}, late},
	} {
		l := fold(t, c.before...)
		want := shape(t, l)
		l.add(c.late)
		if got := shape(t, l); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// shape is a state without its place in the log and without its money.
func shape(t *testing.T, l *log) string {
	t.Helper()
	head := *l.Head()
	head.Seq, head.Spent, head.Held = 0, clade.Amount{}, clade.Amount{}
	var lives []clade.Life
	for id := clade.Base; l.Life(id) != nil; id++ {
		life := *l.Life(id)
		life.Paid, life.Held, life.Assumed = clade.Amount{}, clade.Amount{}, nil
		lives = append(lives, life)
	}
	b, err := json.Marshal([]any{head, lives, l.Open(), l.Unjudged(), slices.Collect(l.Frontier()), slices.Collect(l.Notes(""))})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const dollar = clade.Microdollars(1e6)

func usd(dollars float64) clade.Amount {
	return clade.Amount{Microdollars: clade.Microdollars(dollars * 1e6)}
}

func unknown(a clade.Amount) clade.Amount {
	a.Unknown = true
	return a
}

// The hold of each try is 3 dollars, 100 tokens and 10 calls.
func TestMoney(t *testing.T) {
	t.Parallel()
	paid := clade.Planned{Attempt: clade.Attempt{
		ID: 1, Makes: clade.MakesTree, Why: "why", Hold: clade.Amount{Microdollars: 3 * dollar, Tokens: 100, Calls: 10},
	}}
	proposed := func(try int, a clade.Amount) clade.Event {
		return clade.Proposed{ID: 1, Try: try, Commit: "c", Spent: a}
	}
	ended := func(try int, a clade.Amount) clade.Event {
		return clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: try, Spent: a}}
	}
	failed := func(c clade.Class) clade.Event {
		return clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Failure: c}}
	}
	hold := paid.Attempt.Hold
	wall := clade.Amount{Wall: time.Second}
	for name, c := range map[string]struct {
		events []clade.Event // after the plan
		spent  clade.Amount
		held   clade.Amount
	}{
		"reserved before it works": {[]clade.Event{begin(1, 1)}, clade.Amount{}, hold},
		"settled with the operator": {
			[]clade.Event{begin(1, 1), proposed(1, usd(2))}, usd(2), clade.Amount{},
		},
		"the evaluation adds its own": {
			[]clade.Event{begin(1, 1), proposed(1, usd(2)), ended(1, usd(0.25))}, usd(2.25), clade.Amount{},
		},
		"more than the hold is paid all the same": {
			[]clade.Event{begin(1, 1), ended(1, usd(5))}, usd(5), clade.Amount{},
		},
		"time is a word: it cost nothing else": {
			[]clade.Event{begin(1, 1), ended(1, wall)}, wall, clade.Amount{},
		},
		"died": {[]clade.Event{begin(1, 1), begin(1, 2)}, unknown(hold), hold},
		"died twice": {
			[]clade.Event{begin(1, 1), begin(1, 2), begin(1, 3)}, unknown(hold.Plus(hold)), hold,
		},
		"died after the operator said its cost": {
			[]clade.Event{begin(1, 1), proposed(1, usd(2)), begin(1, 2), ended(2, wall)}, usd(2).Plus(wall), clade.Amount{},
		},
		"a try after the operator was paid reserves nothing": {
			[]clade.Event{begin(1, 1), proposed(1, usd(2)), begin(1, 2)}, usd(2), clade.Amount{},
		},
		"the operator did not know its cost": {
			[]clade.Event{begin(1, 1), proposed(1, unknown(wall)), ended(1, wall)},
			unknown(hold.Plus(wall).Plus(wall)), clade.Amount{},
		},
		"it knew its tokens, not its money": {
			[]clade.Event{begin(1, 1), proposed(1, clade.Amount{Tokens: 40, Calls: 2, Unknown: true})},
			clade.Amount{Microdollars: 3 * dollar, Tokens: 40, Calls: 2, Unknown: true}, clade.Amount{},
		},
		"unknown, and more than the hold": {
			[]clade.Event{begin(1, 1), ended(1, clade.Amount{Microdollars: 4 * dollar, Tokens: 1, Calls: 1, Unknown: true})},
			clade.Amount{Microdollars: 4 * dollar, Tokens: 1, Calls: 1, Unknown: true}, clade.Amount{},
		},
		"no commit and no cost":          {[]clade.Event{begin(1, 1), ended(1, unknown(clade.Amount{}))}, unknown(hold), clade.Amount{}},
		"it said nothing at all":         {[]clade.Event{begin(1, 1), failed(clade.ClassInfra)}, unknown(hold), clade.Amount{}},
		"poisoned: it was not performed": {[]clade.Event{begin(1, 1), failed(clade.ClassPoisoned)}, clade.Amount{}, clade.Amount{}},
		"budget: it was not performed":   {[]clade.Event{begin(1, 1), failed(clade.ClassBudget)}, clade.Amount{}, clade.Amount{}},
		"a late word replaces the hold": {
			[]clade.Event{begin(1, 1), begin(1, 2), ended(1, usd(1))}, unknown(usd(1)), hold,
		},
		"a late word said twice": {
			[]clade.Event{begin(1, 1), begin(1, 2), ended(1, usd(1)), ended(1, usd(1))}, unknown(usd(1)), hold,
		},
		"a late proposal and its outcome": {
			[]clade.Event{begin(1, 1), begin(1, 2), proposed(1, usd(2)), ended(1, usd(0.5))}, unknown(usd(2.5)), hold,
		},
		"late and still unknown": {
			[]clade.Event{begin(1, 1), begin(1, 2), ended(1, unknown(clade.Amount{}))}, unknown(hold), hold,
		},
		"late, unknown and more than the hold": {
			[]clade.Event{begin(1, 1), begin(1, 2), ended(1, unknown(usd(5)))},
			clade.Amount{Microdollars: 5 * dollar, Tokens: 100, Calls: 10, Unknown: true}, hold,
		},
		"late and silent": {
			[]clade.Event{begin(1, 1), begin(1, 2), ended(1, clade.Amount{})}, unknown(hold), hold,
		},
		"late, after a proposal in time": {
			[]clade.Event{begin(1, 1), proposed(1, usd(2)), begin(1, 2), ended(1, usd(0.5))}, usd(2.5), clade.Amount{},
		},
		"an outcome delivered twice": {
			[]clade.Event{begin(1, 1), ended(1, usd(1)), ended(1, usd(1))}, usd(1), clade.Amount{},
		},
		"closed while it ran": {
			[]clade.Event{begin(1, 1), judged(1, clade.StatusDiscarded)}, unknown(hold), clade.Amount{},
		},
		"closed while it ran, then its word": {
			[]clade.Event{begin(1, 1), judged(1, clade.StatusDiscarded), ended(1, usd(1))}, unknown(usd(1)), clade.Amount{},
		},
		"a fenced claim reserves nothing": {[]clade.Event{begin(1, 2), begin(1, 1)}, clade.Amount{}, hold},
	} {
		l := fold(t, append([]clade.Event{paid}, c.events...)...)
		if h := l.Head(); h.Spent != c.spent || h.Held != c.held {
			t.Errorf("%s: spent %+v, held %+v\nwant  %+v,      %+v", name, h.Spent, h.Held, c.spent, c.held)
		}
		if life := l.Life(1); life.Paid != c.spent || life.Held != c.held {
			t.Errorf("%s: the attempt paid %+v and holds %+v", name, life.Paid, life.Held)
		}
	}
}

func TestNothingReservedNothingOwed(t *testing.T) {
	t.Parallel()
	l := fold(t, plan(1), begin(1, 1), begin(1, 2), clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 2}})
	if h := l.Head(); !h.Spent.IsZero() || !h.Held.IsZero() {
		t.Errorf("spent %+v, held %+v; want nothing, and that is known", h.Spent, h.Held)
	}
}

// I3: whatever comes in whatever order, the run's money is the sum of its
// attempts', nothing is negative, and only running tries hold any.
func TestMoneyIsConserved(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		l := fold(t)
		for range 60 {
			l.add(anyMoney(rng, l.Head().Count))
			conserved(t, seed, l)
		}
	}
}

func anyMoney(rng *rand.Rand, count clade.ID) clade.Event {
	id, try := clade.ID(1+rng.IntN(max(1, int(count)))), 1+rng.IntN(4)
	spent := clade.Amount{
		Microdollars: clade.Microdollars(rng.IntN(5)), Tokens: int64(rng.IntN(3)), Unknown: rng.IntN(4) == 0,
	}
	switch n := rng.IntN(10); {
	case count == 0 || n < 2:
		p := plan(count + 1)
		p.Attempt.Hold = clade.Amount{Microdollars: clade.Microdollars(rng.IntN(4)), Tokens: int64(rng.IntN(3))}
		return p
	case n < 4:
		return begin(id, try)
	case n < 5:
		hold := clade.Amount{Microdollars: spent.Microdollars, Tokens: spent.Tokens}
		return []clade.Event{claim(id, try), planned(clade.Attempt{ID: id, Hold: hold})}[rng.IntN(2)]
	case n < 6:
		return clade.Proposed{ID: id, Try: try, Commit: "c", Spent: spent}
	case n < 9:
		return clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Spent: spent}}
	}
	return judged(id, []clade.Status{clade.StatusEvaluated, clade.StatusRejected}[rng.IntN(2)])
}

func conserved(t *testing.T, seed uint64, l *log) {
	t.Helper()
	var paid, held clade.Amount
	for id := clade.Base; l.Life(id) != nil; id++ {
		life := l.Life(id)
		paid, held = paid.Plus(life.Paid), held.Plus(life.Held)
		if life.Paid.Microdollars < 0 || life.Paid.Tokens < 0 {
			t.Fatalf("seed %d: attempt %d paid %+v", seed, id, life.Paid)
		}
		if !life.Running && life.Held != (clade.Amount{}) || life.Running && !life.Open {
			t.Fatalf("seed %d: attempt %d holds %+v, running %v, open %v", seed, id, life.Held, life.Running, life.Open)
		}
	}
	if h := l.Head(); h.Spent != paid || h.Held != held {
		t.Fatalf("seed %d at %d: spent %+v, held %+v; the attempts say %+v, %+v", seed, h.Seq, h.Spent, h.Held, paid, held)
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	two := func(first, second clade.ID, a, b float64) []clade.Event {
		return []clade.Event{plan(1), plan(2), begin(1, 1), begin(2, 1), scored(first, 1, a), scored(second, 1, b)}
	}
	again := []clade.Event{judged(2, clade.StatusEvaluated), begin(2, 2)}
	for name, c := range map[string]struct {
		events []clade.Event
		best   clade.ID
	}{
		"none yet":                     {[]clade.Event{plan(1), begin(1, 1)}, clade.Base},
		"the higher":                   {two(1, 2, 1, 2), 2},
		"the higher, in another order": {two(2, 1, 2, 1), 2},
		"the oldest among equals":      {two(1, 2, 1, 1), 1},
		"the oldest, in another order": {two(2, 1, 1, 1), 1},
		"its next try was worse":       {append(append(two(1, 2, 1, 2), again...), scored(2, 2, 0.5)), 1},
		"its next try had no number":   {append(append(two(1, 2, 1, 2), again...), clade.TryEnded{Outcome: clade.Outcome{ID: 2, Try: 2}}), 1},
		"scores of an older epoch":     {append(two(1, 2, 1, 2), clade.Amended{Spec: fold(t).Head().Spec, Epoch: 1}), clade.Base},
		"the first of a new epoch":     {append(two(1, 2, 1, 2), clade.Amended{Spec: fold(t).Head().Spec, Epoch: 1}, plan(3), begin(3, 1), scored(3, 1, -5)), 3},
		"begun before the amendment, ended after": {
			append(two(1, 2, 1, 2), plan(3), begin(3, 1), clade.Amended{Spec: fold(t).Head().Spec, Epoch: 1}, scored(3, 1, 9)), clade.Base,
		},
		"an amendment that scores alike": {append(two(1, 2, 1, 2), clade.Amended{Spec: fold(t).Head().Spec}), 2},
	} {
		if got := fold(t, c.events...).Head().Best; got != c.best {
			t.Errorf("%s: best %d, want %d", name, got, c.best)
		}
	}
}

func TestFrontierOrder(t *testing.T) {
	t.Parallel()
	l := fold(t)
	for i, c := range []struct {
		score float64
		s     clade.Status
	}{
		{1, clade.StatusAccepted}, {3, clade.StatusStable}, {3, clade.StatusAccepted}, {9, clade.StatusRejected},
		{2, clade.StatusFinalist}, {3, clade.StatusWinner}, {8, clade.StatusPending}, {-1, clade.StatusAccepted},
	} {
		l.add(candidate(clade.ID(i+1), c.score, c.s)...)
	}
	frontier := func(want ...clade.ID) {
		t.Helper()
		if got := slices.Collect(l.Frontier()); !slices.Equal(got, want) {
			t.Errorf("frontier %v, want %v", got, want)
		}
	}
	frontier(6, 3, 2, 5, 1, 8)
	for range l.Frontier() {
		break // stopping early is fine
	}
	l.add(judged(3, clade.StatusAbsorbed))
	frontier(6, 2, 5, 1, 8)
	l.add(clade.Amended{Spec: l.Head().Spec, Epoch: 1})
	frontier()
	l.add(candidate(9, 0, clade.StatusAccepted)...)
	frontier(9)
}

func TestKinAndWaiting(t *testing.T) {
	t.Parallel()
	l := fold(t, plan(1), plan(2, 1), plan(3, 1, 2, 1), plan(4, 0), begin(2, 1), scored(2, 1, 1), begin(3, 1))
	for id, want := range map[clade.ID][]clade.ID{0: {1, 4}, 1: {2, 3}, 2: {3}, 3: nil, 99: nil} {
		if got := l.Children(id); !slices.Equal(got, want) {
			t.Errorf("children of %d: %v, want %v", id, got, want)
		}
	}
	if open, unjudged := l.Open(), l.Unjudged(); !slices.Equal(open, []clade.ID{1, 2, 3, 4}) || !slices.Equal(unjudged, []clade.ID{2}) {
		t.Errorf("open %v, unjudged %v", open, unjudged)
	}
	l.add(judged(2, clade.StatusPending), judged(1, clade.StatusDiscarded))
	if open, unjudged := l.Open(), l.Unjudged(); !slices.Equal(open, []clade.ID{2, 3, 4}) || len(unjudged) > 0 {
		t.Errorf("after the verdicts: open %v, unjudged %v", open, unjudged)
	}
	if l.Life(-1) != nil || l.Life(5) != nil {
		t.Error("a life that is none")
	}
}

func TestDirectives(t *testing.T) {
	t.Parallel()
	l := fold(t, plan(1), clade.Directed{What: clade.DirectPause}, clade.Directed{What: clade.DirectCancel},
		clade.Stopped{Cause: clade.StopCancelled, Reason: "asked"}, clade.Ticked{Active: 5}, clade.Ticked{Active: 3})
	if h := l.Head(); !h.Paused || h.Cancelled != "cancelled" || h.Stop != clade.StopCancelled || h.Active != 5 {
		t.Errorf("head %+v", h)
	}
	l.add(clade.Directed{What: clade.DirectResume}, clade.Directed{To: 1, What: clade.DirectCancel, Text: "this one"},
		clade.Directed{What: clade.DirectSteer, Text: "left"}, clade.Directed{To: 1, What: clade.DirectSteer, Text: "right"})
	if h := l.Head(); h.Paused || h.Cancelled != "" || h.Stop != clade.StopNone || h.Reason != "" {
		t.Errorf("head %+v", h)
	}
	want := []clade.Note{{Kind: clade.NoteSteer, Body: "left"}, {About: []clade.ID{1}, Kind: clade.NoteSteer, Body: "right"}}
	if got := slices.Collect(l.Notes(clade.NoteSteer)); !reflect.DeepEqual(got, want) {
		t.Errorf("notes %+v, want %+v", got, want)
	}
	if got := slices.Collect(l.Notes(clade.NoteFinding)); len(got) > 0 {
		t.Errorf("findings %+v", got)
	}
}

// What was open when the run stopped goes on; only what had closed may be
// planned again.
func TestResumed(t *testing.T) {
	t.Parallel()
	stop, resume := clade.Stopped{Cause: clade.StopBaseline, Reason: "no"}, clade.Directed{What: clade.DirectResume}
	for _, c := range []struct {
		name   string
		events []clade.Event
		want   clade.ID
	}{
		{"nothing planned", []clade.Event{stop, resume}, 0},
		{"last closed", []clade.Event{plan(1), plan(2), judged(2, clade.StatusExhausted), stop, resume}, 2},
		{"last open", []clade.Event{plan(1), judged(1, clade.StatusRejected), plan(2), stop, resume}, 0},
		{"twice", []clade.Event{plan(1), judged(1, clade.StatusRejected), stop, resume, plan(2), judged(2, clade.StatusRejected), stop, resume}, 2},
		{"only paused", []clade.Event{plan(1), judged(1, clade.StatusRejected), clade.Directed{What: clade.DirectPause}, resume}, 0},
	} {
		if got := fold(t, c.events...).Head().Resumed; got != c.want {
			t.Errorf("%s: resumed at %d, want %d", c.name, got, c.want)
		}
	}
}

func TestApplying(t *testing.T) {
	t.Parallel()
	intent := clade.Applying{Winner: 1, Before: "b", After: "a", Paths: clade.Paths{"f"}}
	l := fold(t, append(candidate(1, 1, clade.StatusWinner), intent)...)
	if h := l.Head(); h.Winner != 1 || h.Applying == nil || !reflect.DeepEqual(*h.Applying, intent) {
		t.Errorf("head %+v", h)
	}
	if got := l.Head().Applied(); got != clade.Base {
		t.Errorf("%d is applied while it is being written", got)
	}
	l.add(clade.Applied{Winner: 1})
	if h := l.Head(); h.Applying != nil || h.Applied() != 1 {
		t.Errorf("applied: %+v", h)
	}
}

// What is applied is what the last apply that stands left: an undo uncovers the
// one before it, and what was put back never happened.
func TestApplied(t *testing.T) {
	t.Parallel()
	landing := func(id clade.ID, undo, undone bool) []clade.Event {
		return []clade.Event{clade.Applying{Winner: id, Undo: undo}, clade.Applied{Winner: id, Undone: undone}}
	}
	apply := func(id clade.ID) []clade.Event { return landing(id, false, false) }
	undo := func(id clade.ID) []clade.Event { return landing(id, true, true) }
	for _, c := range []struct {
		name  string
		steps [][]clade.Event
		want  clade.ID
	}{
		{"nothing", nil, clade.Base},
		{"one", [][]clade.Event{apply(1)}, 1},
		{"one undone", [][]clade.Event{apply(1), undo(1)}, clade.Base},
		{"two", [][]clade.Event{apply(1), apply(2)}, 2},
		{"the second of two undone", [][]clade.Event{apply(1), apply(2), undo(2)}, 1},
		{"both undone", [][]clade.Event{apply(1), apply(2), undo(2), undo(1)}, clade.Base},
		{"the same twice, one undone", [][]clade.Event{apply(1), apply(1), undo(1)}, 1},
		{"undone and another", [][]clade.Event{apply(1), undo(1), apply(2)}, 2},
		{"an apply put back", [][]clade.Event{apply(1), landing(2, false, true)}, 1},
		{"an undo put back", [][]clade.Event{apply(1), landing(1, true, false)}, 1},
		{"an end without a beginning", [][]clade.Event{apply(1), {clade.Applied{Winner: 1, Undone: true}}}, 1},
		{"an undo of nothing", [][]clade.Event{undo(1)}, clade.Base},
	} {
		l := fold(t, append(candidate(1, 1, clade.StatusWinner), candidate(2, 2, clade.StatusWinner)...)...)
		for _, s := range c.steps {
			l.add(s...)
		}
		if h := l.Head(); h.Applying != nil || h.Applied() != c.want {
			t.Errorf("%s: %d is applied, want %d", c.name, h.Applied(), c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	numbers := clade.Planned{Attempt: clade.Attempt{ID: 3, Makes: clade.MakesNumbers, Why: "look"}}
	l := fold(t, append(append(candidate(1, 1, clade.StatusAccepted), candidate(2, 2, clade.StatusRejected)...),
		numbers, judged(3, clade.StatusMeasured), plan(4), begin(4, 1),
		clade.TryEnded{Outcome: clade.Outcome{ID: 4, Try: 1, Failure: clade.ClassInfra}}, begin(4, 2),
		clade.TryEnded{Outcome: clade.Outcome{ID: 4, Try: 2, Failure: clade.ClassCandidate}})...)
	if h := l.Head(); h.Count != 4 || h.Proposing != 3 || h.Closed != 2 || h.Usable != 2 || h.BestAt != 2 {
		t.Errorf("head %+v", h)
	}
	if life := l.Life(4); life.Ended != 2 || life.Counted != 1 {
		t.Errorf("a lost try counts against the attempt: %+v", life)
	}
}

// A life is usable once, however often it is tried and whatever comes last.
func TestUsableCountsLives(t *testing.T) {
	t.Parallel()
	lost := func(try int) clade.TryEnded {
		return clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: try, Failure: clade.ClassEvaluator}}
	}
	l := fold(t, plan(1))
	for i, c := range []struct {
		end  clade.TryEnded
		want int
	}{{scored(1, 1, 5), 1}, {scored(1, 2, 6), 1}, {lost(3), 0}, {scored(1, 4, 5), 1}, {lost(5), 0}} {
		l.add(begin(1, i+1), c.end)
		if got := l.Head().Usable; got != c.want {
			t.Errorf("after try %d: %d usable, want %d", i+1, got, c.want)
		}
	}
}

func TestTouchedAndNewNotes(t *testing.T) {
	t.Parallel()
	l := fold(t, plan(1), plan(2), clade.Noted{Note: clade.Note{Kind: clade.NoteFinding, Body: "a"}})
	ids := func() (out []clade.ID) {
		for _, life := range l.Touched() {
			out = append(out, life.ID)
		}
		return out
	}
	if got := ids(); !slices.Equal(got, []clade.ID{0, 1, 2}) {
		t.Errorf("touched %v", got)
	}
	if got := l.NewNotes(); len(got) != 1 || got[0].Body != "a" {
		t.Errorf("new notes %v", got)
	}
	l.add(begin(2, 1), clade.Ticked{Active: 1})
	if got := ids(); !slices.Equal(got, []clade.ID{2}) {
		t.Errorf("touched %v", got)
	}
	if touched, notes := ids(), l.NewNotes(); len(touched)+len(notes) > 0 {
		t.Errorf("nothing happened, but %v, %v", touched, notes)
	}
}

// F22: what a clock said when an event was written changes nothing that is
// decided: the fold of the same events with clocks that jump, run backwards or
// stand at the epoch is the same, but for when the run began.
func TestF22ClocksDecideNothing(t *testing.T) {
	t.Parallel()
	var events []clade.Event
	for id := clade.ID(1); id < 20; id++ {
		events = append(events, candidate(id, float64(id%7), clade.StatusAccepted)...)
		events = append(events, clade.Ticked{Active: time.Duration(id) * time.Second})
	}
	folded := func(at func(seq int64) time.Time) clade.State {
		var s clade.State
		events := append([]clade.Event{clade.Opened{Run: "r", Spec: clade.Spec{Measures: []clade.Measure{{ID: "score", Goal: clade.Maximize, Weight: 1}}}}}, events...)
		for i, e := range events {
			if err := s.Apply(clade.Record{Seq: int64(i + 1), At: at(int64(i + 1)), By: "test", Event: e}); err != nil {
				t.Fatal(err)
			}
		}
		s.Head().Started = time.Time{}
		return s
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	want := folded(func(seq int64) time.Time { return now.Add(time.Duration(seq) * time.Second) })
	if h := want.Head(); h.Active != 19*time.Second || h.Best == clade.Base {
		t.Fatalf("active %v, best %d", h.Active, h.Best)
	}
	for name, at := range map[string]func(int64) time.Time{
		"backwards":       func(seq int64) time.Time { return now.Add(-time.Duration(seq) * time.Hour) },
		"the epoch":       func(int64) time.Time { return time.Unix(0, 0).UTC() },
		"an hour on, off": func(seq int64) time.Time { return now.Add(time.Duration(seq%2) * time.Hour) },
	} {
		if got := folded(at); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another state", name)
		}
	}
}
