package clade_test

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/cladehq/clade"
)

// examples is one event of each kind, with every field that matters set.
func examples() []clade.Event {
	limit := clade.Microdollars(2_500_000)
	spec := clade.Spec{
		Version: 1, Objective: "go <faster> & safer", Seed: 1<<64 - 1, Allow: []string{"*.go"},
		Target:   clade.Target{Path: ".", Kind: clade.TargetGit, Prefix: "a/b"},
		Gates:    []clade.Gate{{ID: "test", Command: clade.Command{Run: "go test", Timeout: clade.Duration(time.Minute)}}},
		Measures: []clade.Measure{{ID: "m", Goal: clade.Minimize, Noise: clade.NoiseTiming, Read: clade.Read{Kind: clade.ReadClock}}},
		Search:   clade.Search{Strategy: "race"},
		Budget:   clade.Budget{Candidates: 10, USD: &limit}, Limits: clade.Limits{Memory: 64 << 20},
	}
	stage := clade.Stage{Subjects: []clade.ID{0, 3}, Replicates: 6, First: 4, Split: clade.SplitTest, Fresh: true, Rule: "race"}
	sample := clade.Sample{Check: "m", Case: "c1", Split: "select", Replicate: 2, Value: -0.1, Class: clade.ClassInfra, Detail: "é", PaidBy: 2}
	return []clade.Event{
		clade.Opened{Run: "r", Spec: spec, Digest: "d", Base: "b", Tree: "t", From: "f", Where: "/w", File: "/w/clade.yaml", Said: map[string]string{"seed": "d"}},
		clade.Amended{Spec: spec, Digest: "d2", What: "budget", Epoch: 1},
		clade.Planned{Attempt: clade.Attempt{
			ID: 3, Parents: []clade.ID{0, 2}, Operator: "mutate", Makes: clade.MakesTree, Brief: "{}", Why: "w", Generation: 2,
			Before: []clade.Stage{stage}, After: []clade.Stage{stage}, Hold: usd(1.25), Tries: 2, Kept: true,
		}},
		clade.TryBegun{ID: 3, Try: 1, Worker: "w"},
		clade.Proposed{ID: 3, Try: 1, Commit: "c", Tree: "t", Summary: "s", Feedback: "{}", Spent: unknown(usd(0.1))},
		clade.TryEnded{Outcome: clade.Outcome{
			ID: 3, Try: 1, Commit: "c", Tree: "t", Failure: clade.ClassPolicy, Detail: "d", Isolation: "none", Same: clade.SameAsBase,
			Evaluations: []clade.Evaluation{{Subject: 3, Tree: "t", Claim: true, Stage: -1, Samples: []clade.Sample{sample}}},
			Notes:       []clade.Note{{About: []clade.ID{1}, Kind: clade.NoteFinding, Body: "b"}},
			Files:       map[string]string{"trace": "digest"}, Spent: clade.Amount{Wall: time.Second, Tokens: 3, Calls: 1},
		}},
		clade.Judged{Verdicts: []clade.Verdict{{
			ID: 3, Status: clade.StatusWinner, Category: "improved", Why: "w",
			Final: &clade.Final{Measure: "m", Base: 1, Value: 2, Estimate: 1, Low: 0.5, High: 1.5, P: 0.01, N: 9, Look: 1, Kind: "held out"},
		}}},
		clade.Directed{To: 3, What: clade.DirectSteer, Text: "left"},
		clade.Noted{Note: clade.Note{Kind: clade.NoteSpace, Body: "{}"}},
		clade.Ticked{Active: time.Hour},
		clade.Stopped{Cause: clade.StopPlateau, Reason: "r"},
		clade.Applying{Winner: 3, Undo: true, Before: "b", After: "a", Paths: clade.Paths{"x", "new\nline", "\xff\xfe"}, Commit: "c"},
		clade.Applied{Winner: 3, Undone: true},
		clade.Mirrored{Path: "evolution.yaml", Digest: "d"},
	}
}

func TestEventsRoundTrip(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for _, e := range examples() {
		kind, body, err := clade.EncodeEvent(e)
		if err != nil {
			t.Errorf("%s: %v", e.Kind(), err)
			continue
		}
		kinds[kind] = true
		got, err := clade.DecodeEvent(kind, body)
		if err != nil || !reflect.DeepEqual(got, e) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", kind, err, got, e)
		}
	}
	if len(kinds) != 14 {
		t.Errorf("%d kinds, want 14: is there an example of each?", len(kinds))
	}
}

func TestForeignEvents(t *testing.T) {
	t.Parallel()
	if e, err := clade.DecodeEvent("heartbeat?", []byte("anything")); e != nil || err != nil {
		t.Errorf("a kind that may be skipped: %v, %v", e, err)
	}
	for kind, body := range map[string]string{"heartbeat": "{}", "": "{}", "planned": "{", "judged": `{"verdicts":3}`, "ticked": ""} {
		if e, err := clade.DecodeEvent(kind, []byte(body)); !errors.Is(err, clade.ErrCorruptLog) {
			t.Errorf("%q %s: %v, %v", kind, body, e, err)
		}
	}
	bad := scored(1, 1, math.NaN())
	if _, _, err := clade.EncodeEvent(bad); err == nil {
		t.Error("B22: a NaN was encoded")
	}
}

// Whatever a log holds, reading it ends in a state or in an error.
func FuzzEvents(f *testing.F) {
	for _, e := range examples() {
		kind, body, err := clade.EncodeEvent(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kind, body)
	}
	f.Add("heartbeat?", []byte("x"))
	f.Add("try-ended", []byte(`{"outcome":{"id":1,"try":1,"evaluations":[{"subject":-5,"samples":[{"check":"score"}]}]}}`))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		e, err := clade.DecodeEvent(kind, body)
		if err != nil {
			return
		}
		l := fold(t, append(candidate(1, 1, clade.StatusAccepted), plan(2, 1), begin(2, 1), plan(3))...)
		_ = l.try(e)
		if e == nil {
			return
		}
		kind, first, err := clade.EncodeEvent(e)
		if err != nil {
			t.Fatalf("decoded, but not encoded: %v", err)
		}
		again, err := clade.DecodeEvent(kind, first)
		if err != nil {
			t.Fatalf("encoded, but not decoded: %v", err)
		}
		if _, second, _ := clade.EncodeEvent(again); string(second) != string(first) {
			t.Errorf("written %s, then %s", first, second)
		}
	})
}

// The engine may use 200 MB at 10,000 candidates; the state must be a small part
// of it. Not parallel: it reads the size of the heap.
func TestStateIsSmall(t *testing.T) {
	const lives, most = 10_000, 60 << 20
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	l := fold(t)
	for id := clade.ID(1); id <= lives; id++ {
		for _, e := range candidate(id, float64(id%97), clade.StatusAccepted) {
			kind, body, err := clade.EncodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := clade.DecodeEvent(kind, body)
			if err != nil {
				t.Fatal(err)
			}
			l.add(stored)
		}
	}
	used := heap() - before
	t.Logf("%d lives: %.1f MB", lives, float64(used)/(1<<20))
	if used > most {
		t.Errorf("%d bytes for %d lives, more than %d", used, lives, most)
	}
	runtime.KeepAlive(l)
}
