package worker

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/propose"
)

// An operator sees the train split and failed gates, worst first, and nothing of
// the cases that decide or of its own child.
func TestTraces(t *testing.T) {
	t.Parallel()
	spec := &clade.Spec{Dataset: &clade.Dataset{}, Measures: []clade.Measure{{ID: "right", Goal: clade.Maximize}, {ID: "cost", Goal: clade.Minimize}}}
	cases := []evaluate.Case{
		{ID: "a", Split: clade.SplitTrain, Input: []byte("1+1"), Expected: "2"},
		{ID: "b", Split: clade.SplitTrain, Input: []byte("2+2"), Expected: "4"},
		{ID: "secret", Split: clade.SplitTest, Input: []byte("3+3"), Expected: "6"},
	}
	evs := []clade.Evaluation{
		{Subject: 3, Stage: -1, Samples: []clade.Sample{
			{Check: "right", Case: "a", Value: 1, Detail: "two"}, {Check: "right", Case: "b", Value: 0, Detail: "five"},
			{Check: "right", Case: "secret", Value: 0, Detail: "seven"},
			{Check: "cost", Case: "a", Value: 9}, {Check: "cost", Case: "b", Class: clade.ClassCandidate, Detail: "crashed"},
			{Check: "build", Gate: true, Value: 1}, {Check: "vet", Gate: true, Value: 0, Detail: "line 3"},
		}},
		{Subject: 9, Stage: 0, Samples: []clade.Sample{{Check: "right", Case: "a", Value: 0}}},
	}
	want := []propose.Trace{
		{Of: 3, Check: "cost", Case: "b", Input: "2+2", Expected: "4", Failed: "crashed"},
		{Of: 3, Check: "vet", Failed: "line 3"},
		{Of: 3, Check: "cost", Case: "a", Input: "1+1", Expected: "2", Score: 9},
		{Of: 3, Check: "right", Case: "b", Input: "2+2", Expected: "4", Answer: "five"},
		{Of: 3, Check: "right", Case: "a", Input: "1+1", Expected: "2", Answer: "two", Score: 1},
	}
	got := traces(spec, cases, evs)
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}
