package clade_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/cladehq/clade"
)

// claim is somebody's who works by hand.
func claim(id clade.ID, try int) clade.TryBegun {
	return clade.TryBegun{ID: id, Try: try, Hand: "ada", Until: time.Unix(60, 0).UTC()}
}

func handIn(id clade.ID, try int, commit string) clade.Proposed {
	return clade.Proposed{ID: id, Try: try, Commit: commit, Tree: "t-" + commit, Summary: "by hand"}
}

func lost(id clade.ID, try int, c clade.Class) clade.TryEnded {
	return clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Failure: c}}
}

func named(id clade.ID, name string, generation int) clade.Planned {
	p := plan(id)
	p.Attempt.Name, p.Attempt.Generation = name, generation
	return p
}

func TestAGivenCandidateIsThereWhenItIsPlanned(t *testing.T) {
	t.Parallel()
	p := plan(1)
	p.Attempt.Operator, p.Attempt.Adopts = clade.OperatorManual, 1
	p.Attempt.Given = &clade.Given{Commit: "g", Tree: "tg", Summary: "made elsewhere"}
	l := fold(t, clade.Noted{Note: clade.Adopted{Name: "v1"}.Note()}, p)
	g := l.Life(1)
	if g.Commit != "g" || g.Tree != "tg" || g.Summary != "made elsewhere" || !g.Outside() || g.ByHand() || !g.Candidate() {
		t.Errorf("%+v", g)
	}
	if h := l.Head(); h.Proposing != 1 || h.Offered != 1 || h.Adopted != 1 {
		t.Errorf("%+v", h)
	}
	l.add(begin(1, 1), scored(1, 1, 3))
	if g := l.Life(1); !g.Scored || g.Score != 3 || l.Head().Best != 1 {
		t.Errorf("after its try: %+v", g)
	}
}

// Whoever works by hand is paid nothing, so nothing is held for him, whatever the
// attempt would cost an operator; what measures his work costs that nothing either.
func TestAClaimByHandHoldsNothing(t *testing.T) {
	t.Parallel()
	p := plan(1)
	p.Attempt.Hold = usd(3)
	l := fold(t, p, claim(1, 1))
	if a := l.Life(1); !l.Head().Held.IsZero() || a.Hand != "ada" || !a.Running || !a.ByHand() || !a.Until.Equal(time.Unix(60, 0)) {
		t.Errorf("claimed: %+v, held %+v", a, l.Head().Held)
	}
	l.add(handIn(1, 1, "h"))
	if a := l.Life(1); a.Commit != "h" || a.Tree != "t-h" || !a.Handed || !a.Outside() || a.ByHand() || a.Paid.Unknown || !a.Paid.IsZero() {
		t.Errorf("handed in: %+v", a)
	}
	l.add(begin(1, 2))
	if a := l.Life(1); a.Hand != "" || !a.Until.IsZero() || !a.Handed || !l.Head().Held.IsZero() || !l.Head().Spent.IsZero() {
		t.Errorf("measured: %+v, %+v", a, l.Head())
	}
	l.add(scored(1, 2, 5))
	if a := l.Life(1); !a.Scored || a.Score != 5 || a.Counted != 1 || a.Ended != 1 {
		t.Errorf("%+v", a)
	}
}

// What somebody hands in after his claim was taken back is nobody's.
func TestALateHandInCountsNothing(t *testing.T) {
	t.Parallel()
	released := []clade.Event{plan(1), claim(1, 1), lost(1, 1, clade.ClassOperator)}
	for name, before := range map[string][]clade.Event{
		"released":          released,
		"claimed by others": append(released[:3:3], claim(1, 2)),
		"handed in already": {plan(1), claim(1, 1), handIn(1, 1, "first"), begin(1, 2)},
		"closed meanwhile":  {plan(1), claim(1, 1), judged(1, clade.StatusDiscarded)},
	} {
		l := fold(t, before...)
		want := shape(t, l)
		l.add(handIn(1, 1, "late"))
		if got := shape(t, l); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// An attempt is taken up by another operator only while nobody works on it and
// it has no candidate; what others were told of it stays.
func TestPlannedAnewOnlyWhenUntouched(t *testing.T) {
	t.Parallel()
	first := named(1, "v1", 2)
	first.Attempt.Operator, first.Attempt.Why, first.Attempt.Adopts = "agent", "because", 1
	again := planned(clade.Attempt{ID: 1, Name: "v9", Generation: 9, Operator: clade.OperatorManual, Brief: "told", Tries: 2, Kept: true,
		Hold: usd(1), Adopts: 7, Given: &clade.Given{Commit: "forged"}, Parents: []clade.ID{0}})
	for name, c := range map[string]struct {
		before []clade.Event
		taken  bool
	}{
		"untouched":             {nil, true},
		"released":              {[]clade.Event{claim(1, 1), lost(1, 1, clade.ClassOperator)}, true},
		"begun":                 {[]clade.Event{begin(1, 1)}, false},
		"claimed":               {[]clade.Event{claim(1, 1)}, false},
		"handed in":             {[]clade.Event{claim(1, 1), handIn(1, 1, "h")}, false},
		"made, then infra lost": {[]clade.Event{begin(1, 1), made(1, 1, "c")}, false},
		"closed":                {[]clade.Event{judged(1, clade.StatusDiscarded)}, false},
	} {
		l := fold(t, append([]clade.Event{first}, c.before...)...)
		want := shape(t, l)
		l.add(again)
		a := l.Life(1)
		if !c.taken {
			if got := shape(t, l); got != want {
				t.Errorf("%s: %s\nwant %s", name, got, want)
			}
			continue
		}
		if a.Operator != clade.OperatorManual || a.Brief != "told" || a.Tries != 2 || !a.Kept || a.Hold != usd(1) {
			t.Errorf("%s: not taken up: %+v", name, a)
		}
		if a.Name != "v1" || a.Generation != 2 || a.Why != "because" || a.Given != nil || a.Commit != "" || a.Adopts != 1 || len(a.Parents) > 0 {
			t.Errorf("%s: what it is has changed: %+v", name, a)
		}
		if h := l.Head(); h.Count != 1 || h.Proposing != 1 || h.Adopted != 1 || h.Named != 1 || h.Generation != 2 {
			t.Errorf("%s: counted twice: %+v", name, h)
		}
	}
	numbers := clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesNumbers, Why: "why"}}
	l := fold(t, numbers)
	l.add(again)
	if l.Life(1).Operator != "" {
		t.Errorf("a measurement was handed to somebody: %+v", l.Life(1))
	}
}

func TestNumbersInNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		named int
	}{
		{nil, 0},
		{[]string{"v3", "v1"}, 3},
		{[]string{"exp_0012"}, 12},
		{[]string{"seed-4-fast"}, 0},
		{[]string{"v2", "9"}, 9},
		{[]string{"v5", "v99999999999999999999"}, 5}, // no number that can be counted on from
		{[]string{"v5", "v9223372036854775807"}, 5},  // nor one whose next would overflow
		{[]string{"v٣"}, 0},                          // digits of other scripts are letters here
	} {
		l := fold(t)
		for i, name := range c.names {
			l.add(named(clade.ID(i+1), name, i))
		}
		if h := l.Head(); h.Named != c.named || h.Generation != max(0, len(c.names)-1) {
			t.Errorf("%q: named %d of generation %d", c.names, h.Named, h.Generation)
		}
	}
	l := fold(t, named(1, "v2", 0), clade.Noted{Note: clade.Adopted{Name: "v6"}.Note()}, clade.Noted{Note: clade.Note{Kind: clade.NoteAdopt, Body: "{"}})
	if h := l.Head(); h.Named != 6 || h.Offered != 2 { // what is offered has its name already
		t.Errorf("%+v", h)
	}
	for want, got := range map[string]string{"v4": clade.NameOf("v%d", 4), "exp_0012": clade.NameOf("exp_%04d", 12), "": clade.NameOf("", 3)} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestByHand(t *testing.T) {
	t.Parallel()
	manual := planned(clade.Attempt{ID: 1, Operator: clade.OperatorManual, Tries: 2})
	agent := planned(clade.Attempt{ID: 1, Operator: "agent"})
	for name, c := range map[string]struct {
		events []clade.Event
		want   bool
	}{
		"nobody has taken it up":        {[]clade.Event{manual}, true},
		"somebody has":                  {[]clade.Event{manual, claim(1, 1)}, true},
		"he left nothing":               {[]clade.Event{manual, claim(1, 1), lost(1, 1, clade.ClassOperator)}, true},
		"twice":                         {[]clade.Event{manual, claim(1, 1), lost(1, 1, clade.ClassOperator), claim(1, 2), lost(1, 2, clade.ClassOperator)}, false},
		"he had no idea":                {[]clade.Event{manual, claim(1, 1), lost(1, 1, clade.OK)}, false},
		"he handed in":                  {[]clade.Event{manual, claim(1, 1), handIn(1, 1, "h")}, false},
		"it is closed":                  {[]clade.Event{manual, judged(1, clade.StatusDiscarded)}, false},
		"an agent's":                    {[]clade.Event{agent}, false},
		"an agent's that was claimed":   {[]clade.Event{agent, claim(1, 1)}, true},
		"an agent's, after the claim":   {[]clade.Event{agent, claim(1, 1), lost(1, 1, clade.ClassOperator)}, false},
		"an agent's, at work":           {[]clade.Event{agent, begin(1, 1)}, false},
		"an agent's, fenced by a claim": {[]clade.Event{agent, begin(1, 1), claim(1, 2)}, true},
	} {
		if l := fold(t, c.events...); l.Life(1).ByHand() != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}

func TestAdoptedIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	a := clade.Adopted{Name: "v2", Parents: []string{"v1"}, Generation: 2, Hypothesis: "faster\n", Approach: "less", Given: &clade.Given{Commit: "c", Tree: "t"}}
	if got, ok := a.Note().Adopted(); !ok || !reflect.DeepEqual(got, a) {
		t.Errorf("%+v, want %+v", got, a)
	}
	for _, n := range []clade.Note{{Kind: clade.NoteAdopt, Body: "{"}, {Kind: clade.NoteAdopt, Body: `{"generation":"two"}`}, {Kind: clade.NoteFinding, Body: "{}"}} {
		if _, ok := n.Adopted(); ok {
			t.Errorf("%+v says something", n)
		}
	}
}
