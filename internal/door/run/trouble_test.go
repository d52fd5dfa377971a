package run

import (
	"testing"

	"github.com/cladehq/clade"
)

func TestTroubleOf(t *testing.T) {
	t.Parallel()
	plan := func(id clade.ID) clade.Event {
		return clade.Planned{Attempt: clade.Attempt{ID: id, Makes: clade.MakesTree}}
	}
	ended := func(id clade.ID, try int, class clade.Class, why string) []clade.Event {
		return []clade.Event{clade.TryBegun{ID: id, Try: try}, clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Failure: class, Detail: why}}}
	}
	lost := func(id clade.ID, try int, why string) []clade.Event { return ended(id, try, clade.ClassInfra, why) }
	for _, c := range []struct {
		name   string
		events [][]clade.Event
		want   string
	}{
		{"nothing yet", nil, ""},
		{"one lost", [][]clade.Event{{plan(1)}, lost(1, 1, "full")}, ""},
		{"one lost again", [][]clade.Event{{plan(1)}, lost(1, 1, "full"), lost(1, 2, "no\nspace")},
			"an attempt failed 2 times for reasons of this machine: no space"},
		{"three lost", [][]clade.Event{{plan(1), plan(2), plan(3)}, lost(1, 1, "a"), lost(2, 1, "b"), lost(3, 1, "c")},
			"3 attempts failed for reasons of this machine: c"},
		{"a newer one runs", [][]clade.Event{{plan(1), plan(2), plan(3)}, lost(1, 1, "a"), lost(2, 1, "b"), {clade.TryBegun{ID: 3, Try: 1}}},
			"2 attempts failed for reasons of this machine: b"},
		{"a newer one got somewhere", [][]clade.Event{{plan(1), plan(2), plan(3)}, lost(1, 1, "a"), lost(2, 1, "b"), ended(3, 1, clade.OK, "")}, ""},
		{"a newer one failed by itself", [][]clade.Event{{plan(1), plan(2), plan(3)}, lost(1, 1, "a"), lost(2, 1, "b"), ended(3, 1, clade.ClassCandidate, "red")}, ""},
		{"an older one got somewhere", [][]clade.Event{{plan(1), plan(2), plan(3)}, ended(1, 1, clade.OK, ""), lost(2, 1, "b"), lost(3, 1, "c")},
			"2 attempts failed for reasons of this machine: c"},
		{"mended", [][]clade.Event{{plan(1)}, lost(1, 1, "a"), lost(1, 2, "a"), ended(1, 3, clade.OK, "")}, ""},
		{"over", [][]clade.Event{{plan(1)}, lost(1, 1, "a"), lost(1, 2, "a"), {clade.Stopped{Cause: clade.StopInfra}}}, ""},
	} {
		var s clade.State
		for _, e := range append([][]clade.Event{{clade.Opened{Run: "r"}}}, c.events...) {
			for _, one := range e {
				if err := s.Apply(clade.Record{Seq: s.Head().Seq + 1, Event: one}); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := ""
		if trouble := TroubleOf(&s); trouble != nil {
			got = trouble.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
