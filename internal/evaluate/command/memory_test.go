//go:build unix

package command

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

func logging(name, line string) string { return "echo " + name + " >> $LOG; " + line }

// everything is a spec with every kind of check.
func everything() *clade.Spec {
	return &clade.Spec{
		Gates:     []clade.Gate{gate("g", logging("g", "echo score: 4"))},
		Benchmark: &clade.Benchmark{Command: sh(logging("b", `echo '{"score": 1, "tasks": {"x": 1, "y": 0}}' > $CLADE_RESULT`))},
		Measures: []clade.Measure{
			measure("from", "", func(m *clade.Measure) {
				m.From, m.Read = "g", clade.Read{Kind: clade.ReadRegex, Regex: `score: (\d)`}
			}),
			measure("score", "", func(m *clade.Measure) { m.Read.Kind = clade.ReadResult }),
			measure("tasks", "", func(m *clade.Measure) { m.Read.Kind, m.Noise = clade.ReadCases, clade.NoiseCases }),
			measure("m", logging("m", "echo 3")),
		},
	}
}

var everythingSamples = []string{"g=1", "from=4", "score=1", "tasks/x=1", "tasks/y=0", "m=3"}

func TestRecallOfTheSameAttempt(t *testing.T) {
	t.Parallel()
	b, mem := newBench(t), newMemory()
	j := b.job(everything(), 1)
	j.Memory = mem
	first := b.evaluate(j)
	wantSamples(t, "first", first[0].Samples, everythingSamples...)
	b.forget()
	opened := len(b.prov.opened)
	again := b.evaluate(j)
	if !slices.Equal(again[0].Samples, first[0].Samples) {
		t.Errorf("again %+v, want %+v", again[0].Samples, first[0].Samples)
	}
	if len(b.logged()) != 0 || len(b.prov.opened) != opened {
		t.Errorf("ran %v, opened %v: recalled samples need no workspace", b.logged(), b.prov.opened)
	}
}

// A crash between any two Keeps loses only the command that was running.
func TestRecallAfterACrash(t *testing.T) {
	t.Parallel()
	const commands = 3 // gate, benchmark, measure
	for after := 1; ; after++ {
		b, mem := newBench(t), newMemory()
		mem.stopAfter = after
		j := b.job(everything(), 1)
		j.Memory = mem
		_, err := b.eval.Evaluate(t.Context(), j)
		if err == nil {
			if after < commands {
				t.Errorf("only %d keeps", after)
			}
			return
		}
		if !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		mem.stopAfter = 0
		wantSamples(t, "resumed", b.evaluate(j)[0].Samples, everythingSamples...)
		if n := len(b.logged()); n > commands+1 {
			t.Errorf("crash after %d keeps: %d commands ran: %v", after, n, b.logged())
		}
	}
}

func TestRecallOfAnotherAttempt(t *testing.T) {
	t.Parallel()
	type edit func(*clade.Spec, *evaluate.Job)
	timed := func(s *clade.Spec, _ *evaluate.Job) { s.Measures[3].Noise = clade.NoiseTiming }
	for name, tc := range map[string]struct {
		first, second edit
		want          string // what the second attempt runs
	}{
		"the same tree":        {nil, nil, ""},
		"another tree":         {nil, func(_ *clade.Spec, j *evaluate.Job) { j.Subjects[0].Tree = "other" }, "g b m"},
		"fresh":                {nil, func(_ *clade.Spec, j *evaluate.Job) { j.Stage.Fresh = true }, "g b m"},
		"fresh before":         {func(_ *clade.Spec, j *evaluate.Job) { j.Stage.Fresh = true }, nil, "g b m"},
		"on the test split":    {nil, func(_ *clade.Spec, j *evaluate.Job) { j.Stage.Split = clade.SplitTest }, "g b m"},
		"a final before":       {func(_ *clade.Spec, j *evaluate.Job) { j.Stage.Split = clade.SplitTest }, nil, "g b m"},
		"two finals":           {func(_ *clade.Spec, j *evaluate.Job) { j.Stage.Split = clade.SplitTest }, func(_ *clade.Spec, j *evaluate.Job) { j.Stage.Split = clade.SplitTest }, "g b m"},
		"a replicate":          {nil, func(_ *clade.Spec, j *evaluate.Job) { j.Stage.First = 2 }, "g b m"},
		"a timing":             {timed, timed, "m"},
		"another command":      {nil, func(s *clade.Spec, _ *evaluate.Job) { s.Measures[3].Run += " " }, "m"},
		"another variable":     {nil, func(s *clade.Spec, _ *evaluate.Job) { s.Measures[3].Env["X"] = "1" }, "m"},
		"another bound":        {nil, func(s *clade.Spec, _ *evaluate.Job) { s.Measures[3].Max = ptr(9) }, "m"},
		"another limit":        {nil, func(s *clade.Spec, _ *evaluate.Job) { s.Limits.Processes = 9 }, "g b m"},
		"another fixture":      {nil, func(_ *clade.Spec, j *evaluate.Job) { j.Plan.Fixtures = map[string][]byte{"f": nil} }, "g b m"},
		"the network":          {func(s *clade.Spec, _ *evaluate.Job) { s.Measures[3].Network = true }, func(s *clade.Spec, _ *evaluate.Job) { s.Measures[3].Network = true }, "m"},
		"a weight":             {nil, func(s *clade.Spec, _ *evaluate.Job) { s.Measures[3].Weight = 9 }, ""},
		"another run's budget": {nil, func(s *clade.Spec, _ *evaluate.Job) { s.Budget.Candidates = 9 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, mem := newBench(t), newMemory()
			for attempt, e := range []edit{tc.first, tc.second} {
				b.forget()
				spec := everything()
				j := b.job(spec, 1)
				j.Memory, j.Attempt = mem, &clade.Attempt{ID: clade.ID(attempt + 1)}
				if e != nil {
					e(spec, &j)
				}
				for _, s := range b.evaluate(j)[0].Samples {
					if want := attempt == 1 && tc.want == ""; (s.PaidBy == 1) != want && tc.want == "" {
						t.Errorf("%s was paid by %d", s.Check, s.PaidBy)
					}
				}
			}
			if got := strings.Join(b.logged(), " "); got != tc.want {
				t.Errorf("ran %q, want %q", got, tc.want)
			}
		})
	}
}

// A passed variable's value is part of what a sample depends on.
func TestRecallDependsOnPassedValues(t *testing.T) {
	t.Parallel()
	b, mem := newBench(t), newMemory()
	spec := &clade.Spec{Measures: []clade.Measure{measure("m", logging("m", "echo 1"), func(m *clade.Measure) { m.Pass = []string{"MODE"} })}}
	for _, mode := range []string{"a", "b"} {
		b.env["MODE"] = mode
		j := b.job(spec, 1)
		j.Memory = mem
		b.evaluate(j)
	}
	if n := len(b.logged()); n != 2 {
		t.Errorf("ran %d times, want 2", n)
	}
}

// Failures serve their own attempt's later tries, never another attempt; those
// of the evaluator serve nobody.
func TestRecallOfFailures(t *testing.T) {
	t.Parallel()
	b, mem := newBench(t), newMemory()
	failing := &clade.Spec{Gates: []clade.Gate{gate("g", logging("g", "false"))}}
	broken := &clade.Spec{Measures: []clade.Measure{measure("m", logging("m", "echo no number"))}}
	for _, step := range []struct {
		spec    *clade.Spec
		attempt clade.ID
		want    int
	}{{failing, 1, 1}, {failing, 1, 0}, {failing, 2, 1}, {broken, 1, 1}, {broken, 1, 1}} {
		b.forget()
		j := b.job(step.spec, 1)
		j.Memory, j.Attempt = mem, &clade.Attempt{ID: step.attempt}
		b.evaluate(j)
		if n := len(b.logged()); n != step.want {
			t.Errorf("attempt %d: %d commands ran, want %d", step.attempt, n, step.want)
		}
	}
}

// Half a timing pair is not reused; whole ones are.
func TestRecallOfPairs(t *testing.T) {
	t.Parallel()
	b, mem := newBench(t), newMemory()
	spec := &clade.Spec{Measures: []clade.Measure{measure("t", logging("t", "echo 1"), timing)}}
	j := b.job(spec, 0, 1)
	j.Memory, j.Stage.Replicates, j.Stage.Warmup = mem, 4, 1
	mem.stopAfter = 3 // one pair and a half
	if _, err := b.eval.Evaluate(t.Context(), j); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	b.forget()
	mem.stopAfter = 0
	evs := b.evaluate(j)
	wantSamples(t, "pairs", evs[0].Samples, "t=1", "t#2=1", "t#3=1", "t#4=1")
	// A warm-up pair and three pairs; the first was there.
	if n := len(b.logged()); n != 8 {
		t.Errorf("%d commands ran, want 8", n)
	}
	b.forget()
	b.evaluate(j)
	if n := len(b.logged()); n != 0 {
		t.Errorf("%d commands ran for pairs that were there", n)
	}
}

// A later stage of the attempt, or the same subject in another place, is
// something else than what was kept.
func TestKeysTellPlacesApart(t *testing.T) {
	t.Parallel()
	b, mem := newBench(t), newMemory()
	j := b.job(&clade.Spec{Measures: []clade.Measure{measure("t", logging("t", "echo 1"), timing)}}, 0, 0)
	j.Memory = mem
	for index := range 2 {
		j.Index = index
		b.evaluate(j)
	}
	if n := len(b.logged()); n != 4 {
		t.Errorf("the base against itself in two stages: %d commands ran, want 4", n)
	}
}
