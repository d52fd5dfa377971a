package evolution

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"
)

// TestStops: the first condition that holds decides.
func TestStops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		budget   Budget
		active   time.Duration
		variants []string
		want     Stop
	}{
		"nothing yet":                 {Budget{MaxVariants: 4, Parallel: 2}, 0, nil, Stop{}},
		"between generations":         {Budget{MaxVariants: 4, Parallel: 2}, 0, []string{"v1 g1 5", "v2 g1 6"}, Stop{}},
		"used up in generation 1":     {Budget{MaxVariants: 2, Parallel: 2, PlateauGenerations: 1}, time.Hour, []string{"v1 g1 5", "v2 g1 6"}, Stop{StopVariants, "2 of 2 variants are used up", "v1"}},
		"used up but not measured":    {Budget{MaxVariants: 2, Parallel: 2}, 0, []string{"v1 g1 5", "v2 g1 pending"}, Stop{}},
		"used up, none passes":        {Budget{MaxVariants: 1, Parallel: 2}, 0, []string{"v1 g1 x"}, Stop{StopVariants, "1 of 1 variants are used up, and nothing passes every gate: G2 fails 1 of 1", ""}},
		"time":                        {Budget{MaxVariants: 9, Parallel: 2, MaxMinutes: 30}, 30 * time.Minute, []string{"v1 g1 5", "v2 g1 running"}, Stop{StopMinutes, "30 minutes are over", "v1"}},
		"time without end":            {Budget{MaxVariants: 9, Parallel: 2, MaxMinutes: math.MaxInt}, time.Hour, []string{"v1 g1 5"}, Stop{}},
		"time left":                   {Budget{MaxVariants: 9, Parallel: 2, MaxMinutes: 30}, 30*time.Minute - 1, []string{"v1 g1 5"}, Stop{}},
		"plateau":                     {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 1}, 0, []string{"v1 g1 5", "v2 g2 6"}, Stop{StopPlateau, "nothing better than v1 in the last 1 generations", "v1"}},
		"a tie is a plateau":          {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 1}, 0, []string{"v1 g1 5", "v2 g2 5"}, Stop{StopPlateau, "nothing better than v1 in the last 1 generations", "v1"}},
		"better by a little":          {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 1}, 0, []string{"v1 g1 5", "v2 g2 4.99"}, Stop{}},
		"two generations of patience": {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 2}, 0, []string{"v1 g1 5", "v2 g2 6"}, Stop{}},
		"and then":                    {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 2}, 0, []string{"v1 g1 5", "v2 g2 6", "v3 g3 7"}, Stop{StopPlateau, "nothing better than v1 in the last 2 generations", "v1"}},
		"one generation is none":      {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 1}, 0, []string{"v1 g1 5", "v2 g1 6"}, Stop{}},
		"a generation that runs":      {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 1}, 0, []string{"v1 g1 5", "v2 g2 6", "v3 g2 running"}, Stop{}},
		"abort":                       {Budget{MaxVariants: 9, Parallel: 2, PlateauGenerations: 1}, 0, []string{"v1 g1 x", "v2 g2 killed", "v3 g2 x"}, Stop{StopAbort, "after generation 2 nothing passes every gate: G2 fails 2 of 3", ""}},
		"no abort in generation 1":    {Budget{MaxVariants: 9, Parallel: 2}, 0, []string{"v1 g1 x", "v2 g1 x"}, Stop{}},
		"nothing was evaluated":       {Budget{MaxVariants: 9, Parallel: 2}, 0, []string{"v1 g1 killed", "v2 g2 errored"}, Stop{StopAbort, "after generation 2 nothing passes every gate: no variant was evaluated", ""}},
	} {
		e := scored(t, low, c.variants...)
		e.Budget = c.budget
		if got, ok := Stops(e, c.active); got != c.want || ok != (c.want.Reason != "") {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// TestPlateauOfRawValues: the leader's score is 1 in every generation, and that
// other variants arrive can make an old one lead; neither is an improvement.
func TestPlateauOfRawValues(t *testing.T) {
	t.Parallel()
	// R1 low is good and counts 3, R2 high is good. Of the first two, v1 leads
	// (3·1+0)/4 against (0+1)/4; among all four, R1 ranks v1 v2 v3 v4 and R2
	// v2 v3 v4 v1, so that v2 scores (3·⅔+1)/4 = ¾ and v1 (3·1+0)/4 = ¾: a tie,
	// and a fifth one below v2 on both axes puts v2 in front.
	e := scored(t, both, "v1 g1 1 1", "v2 g1 2 9", "v3 g2 3 5", "v4 g2 4 4", "v5 g2 5 3")
	e.Budget.PlateauGenerations = 1
	rows := Score(e)
	if rows[0].Variant.Generation != 1 || rows[0].Score >= 1 {
		t.Fatalf("%+v", rows[0])
	}
	if s, ok := Stops(e, 0); !ok || s.Reason != StopPlateau || s.Winner != "v2" {
		t.Errorf("%+v", s)
	}
}

func TestNextGeneration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		max      int
		variants []string
		gen, n   int
		id       string
	}{
		{9, nil, 1, 4, "v1"},
		{3, nil, 1, 3, "v1"},
		{5, []string{"v1 g1 5", "v10 g2 5"}, 3, 3, "v11"},
		{1, []string{"v1 g1 5", "v2 g1 5"}, 2, 0, "v3"},
	} {
		e := scored(t, low, c.variants...)
		e.Budget.MaxVariants = c.max
		if g, n := e.NextGeneration(); g != c.gen || n != c.n || e.NextVariant() != c.id {
			t.Errorf("%v: generation %d of %d, %s", c.variants, g, n, e.NextVariant())
		}
	}
}

// TestSweep: what is found of a running variant decides, and its own status is
// taken.
func TestSweep(t *testing.T) {
	t.Parallel()
	e := scored(t, low, "v1 g1 running", "v2 g1 running", "v3 g1 running", "v4 g1 running", "v5 g1 running", "v6 g1 pending", "v7 g1 5")
	bad := errors.New("half of it")
	found := map[string]Found{
		"v1": {Tries: 1},
		"v2": {Result: &Result{Status: Killed}, Tries: 2},
		"v3": {Err: bad, Tries: 1},
		"v4": {Err: bad, Tries: 2},
		"v6": {Result: &Result{Status: Evaluated}},
	}
	all := Sweep(e, found)
	want := []Decision{
		{"v1", Requeue, "it left no result"},
		{"v2", Ingest, "its result says killed"},
		{"v3", Requeue, "its result cannot be read: half of it"},
		{"v4", GiveUp, "its result cannot be read: half of it"},
		{"v5", Requeue, "it left no result"},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got %+v", all)
	}
	var got []string
	for _, v := range Swept(e, all, found).Variants {
		got = append(got, string(v.Status))
	}
	if s := fmt.Sprint(got); s != "[pending killed pending errored pending pending evaluated]" {
		t.Error(s)
	}
}
