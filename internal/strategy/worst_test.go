package strategy_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

func TestWorst(t *testing.T) {
	t.Parallel()
	command := clade.Command{Run: "./measure"}
	exact := clade.Measure{ID: "exact", Command: command}
	timing := clade.Measure{ID: "time", Command: command, Noise: clade.NoiseTiming}
	gates := []clade.Gate{{ID: "tests", Command: command}}
	dataset := &clade.Dataset{Command: command}
	cases := clade.Measure{ID: "right", Read: clade.Read{Kind: clade.ReadCases}, Noise: clade.NoiseCases}
	for _, c := range []struct {
		name string
		spec clade.Spec
		want strategy.Commands
	}{
		{"gate and exact measure", // base 3 times, final both twice
			clade.Spec{Gates: gates, Measures: []clade.Measure{exact}}, strategy.Commands{Baseline: 6, Candidate: 2, Final: 8}},
		{"repeats", // 3 runs are one number
			clade.Spec{Gates: gates, Measures: []clade.Measure{{ID: "exact", Command: command, Repeats: 3}}},
			strategy.Commands{Baseline: 3 * 4, Candidate: 4, Final: 2 * 2 * 4}},
		{"exact measure that reads the gate", clade.Spec{Gates: gates, Measures: []clade.Measure{{ID: "exact", From: "tests"}}},
			strategy.Commands{Baseline: 3, Candidate: 1, Final: 4}},
		{"benchmark read twice", clade.Spec{Benchmark: &clade.Benchmark{Command: command}, Measures: []clade.Measure{
			{ID: "a", Read: clade.Read{Kind: clade.ReadResult}}, {ID: "b", Read: clade.Read{Kind: clade.ReadResult}}}},
			strategy.Commands{Baseline: 3, Candidate: 1, Final: 4}},
		{"cases", // 10 to select by and 8 for the final
			clade.Spec{Gates: gates, Dataset: dataset, Measures: []clade.Measure{cases}},
			strategy.Commands{Baseline: 11, Candidate: 11, Final: 2 * 9}},
		{"a batch of cases", // the gate, 3 of the 5 train cases for parent and child, 10 to select by
			clade.Spec{Gates: gates, Dataset: &clade.Dataset{Command: command, Batch: 3}, Measures: []clade.Measure{cases}},
			strategy.Commands{Baseline: 11, Candidate: 1 + 2*3 + 10, Final: 2 * 9}},
		{"a batch larger than the train cases, and a measure that reads the gate",
			clade.Spec{Gates: gates, Dataset: &clade.Dataset{Command: command, Batch: 9}, Measures: []clade.Measure{cases, {ID: "n", From: "tests", Noise: clade.NoiseCases}}},
			strategy.Commands{Baseline: 11, Candidate: 1 + 2*5 + 10, Final: 2 * 9}},
		{"cases scored by a command", clade.Spec{Dataset: &clade.Dataset{Command: command, Scorer: clade.Scorer{Kind: "command", Command: &command}},
			Measures: []clade.Measure{cases}}, strategy.Commands{Baseline: 20, Candidate: 20, Final: 32}},
		{"timing", // base: the gate, 10 pairs and one to warm up; candidate: gate and one run, then base, parent and child
			// 20 times and once to warm up; final: the gate, then both 20 times and once to warm up
			clade.Spec{Gates: gates, Measures: []clade.Measure{timing}},
			strategy.Commands{Baseline: 1 + 22, Candidate: 2 + 3*21, Final: 2 + 2*21}},
		{"timing from the base", clade.Spec{Gates: gates, Measures: []clade.Measure{timing}, Search: clade.Search{Strategy: "race"}},
			strategy.Commands{Baseline: 1 + 22, Candidate: 2 + 2*21, Final: 2 + 2*21}},
		{"timing beside an exact measure", // the gate once a stage, the exact measure 3 and 2 times
			clade.Spec{Gates: gates, Measures: []clade.Measure{timing, exact}, Search: clade.Search{Strategy: "race"}},
			strategy.Commands{Baseline: 1 + 3 + 22, Candidate: 3 + 2*21, Final: 2*(1+2) + 2*21}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.spec.Budget.Candidates, c.spec.Final.Finalists = 7, 2
			c.want.All = c.want.Baseline + 7*c.want.Candidate + 2*c.want.Final
			got := strategy.Worst(&c.spec, map[string]int{clade.SplitTrain: 5, clade.SplitSelect: 10, clade.SplitTest: 8})
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// What a run really plans is never more than was said, and as much in the kinds
// that have no early end.
func TestWorstIsWhatIsPlanned(t *testing.T) {
	t.Parallel()
	for _, name := range strategies {
		for _, noise := range []clade.Noise{clade.NoiseNone, clade.NoiseCases, clade.NoiseTiming} {
			s := spec(name, noise, 9)
			s.Measures[0].Command.Run, s.Measures[0].Goal = "./measure", clade.Minimize
			s.Final.Finalists = 3
			w := noisyTimes(&s, .01, -.2)
			switch noise {
			case clade.NoiseCases:
				s.Dataset, s.Measures[0].Goal, s.Measures[0].Read.Kind = &clade.Dataset{}, clade.Maximize, clade.ReadCases
				w = noisyCases(&s, 12, .4)
			case clade.NoiseNone:
				w = exactWorld(&s)
			}
			planned := map[bool]int{}
			run := strategytest.Run{Spec: s, Search: search, Try: w.Try, Observe: func(_ clade.View, r clade.Record) {
				if p, ok := r.Event.(clade.Planned); ok {
					n := strategy.CommandsOf(&s, p.Attempt.After, map[string]int{clade.SplitSelect: 12, clade.SplitTest: 12})
					tree := p.Attempt.Makes == clade.MakesTree
					planned[tree] = max(planned[tree], n)
				}
			}}
			if _, log, err := run.Do(); err != nil {
				t.Fatal(err, tail(log))
			}
			most := strategy.Worst(&s, map[string]int{clade.SplitSelect: 12, clade.SplitTest: 12})
			if planned[true] != most.Candidate || planned[false] != max(most.Baseline, most.Final) {
				t.Errorf("%s, %s: planned at most %v, said %+v", name, noise, planned, most)
			}
		}
	}
}
