package strategy

import (
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// Commands are the most commands that measuring takes: of the base, of each
// candidate, of each finalist and of a whole run. What is not counted is tries
// that are performed again, gates that turned out flaky and are run again, and
// the operators' own commands.
type Commands struct {
	Baseline, Candidate, Final, All int
}

// Worst counts the commands of the stages that a Campaign plans for this spec.
// cases are the numbers of dataset cases by split.
func Worst(spec *clade.Spec, cases map[string]int) Commands {
	parent := clade.ID(1)
	if spec.Search.Strategy == "race" {
		parent = clade.Base
	}
	finalists := min(noise.Finalists(spec), max(0, spec.Budget.Candidates))
	c := Commands{
		Baseline:  commandsOf(spec, baselineStages(spec), cases),
		Candidate: commandsOf(spec, candidateStages(spec, noise.Calibration{}, parent, 2), cases),
		Final:     commandsOf(spec, finalStages(spec, noise.Calibration{}, 2, finalists, 1), cases),
	}
	wrong := len(spec.Protect.Tripwires) * commandsOf(spec, searchStages(spec, noise.Calibration{}, clade.Base, 1), cases)
	c.All = c.Baseline + wrong + max(0, spec.Budget.Candidates)*c.Candidate + finalists*c.Final
	return c
}

func commandsOf(spec *clade.Spec, stages []clade.Stage, cases map[string]int) (n int) {
	for _, s := range stages {
		n += max(1, len(s.Subjects)) * perSubject(spec, s, cases)
	}
	return n
}

// perSubject counts as the evaluator performs a stage: every command once per
// replicate, gates that nothing timed reads only in the first one when the spec
// has timings; warm-ups are for timings and are not averaged.
func perSubject(spec *clade.Spec, s clade.Stage, cases map[string]int) (n int) {
	for _, g := range spec.Gates {
		readers := asked(spec, s, func(m clade.Measure) bool { return m.From == g.ID })
		switch {
		case len(readers) == 0 && !wanted(s, g.ID):
		case spec.Noise() == clade.NoiseTiming && !slices.ContainsFunc(readers, timed):
			n++
		default:
			n += times(s, 1, readers)
		}
	}
	own := func(m clade.Measure) bool { return m.From == "" && !ofDataset(spec, m) }
	if benched := asked(spec, s, func(m clade.Measure) bool { return own(m) && m.IsZero() }); len(benched) > 0 {
		n += times(s, repeats(benched), benched)
	}
	for _, m := range asked(spec, s, func(m clade.Measure) bool { return own(m) && !m.IsZero() }) {
		one := []clade.Measure{m}
		n += times(s, repeats(one), one)
	}
	if answered := asked(spec, s, func(m clade.Measure) bool { return ofDataset(spec, m) }); len(answered) > 0 {
		n += casesOf(spec, s, cases) * times(s, repeats(answered), answered)
	}
	return n
}

// times is how often a command runs for one subject, averaged over repeats.
func times(s clade.Stage, repeats int, readers []clade.Measure) int {
	n := max(1, s.Replicates) * repeats
	if slices.ContainsFunc(readers, timed) {
		n += s.Warmup
	}
	return n
}

func repeats(readers []clade.Measure) int {
	n := 1
	for _, m := range readers {
		n = max(n, m.Repeats)
	}
	return n
}

// casesOf is how many commands it takes to ask every case once.
func casesOf(spec *clade.Spec, s clade.Stage, cases map[string]int) int {
	n, split := len(s.Cases), s.Split
	if split == "" {
		split = clade.SplitSelect
	}
	if n == 0 {
		n = cases[split]
		if s.Batch > 0 {
			n = min(n, s.Batch)
		}
	}
	if spec.Dataset.Scorer.Command != nil {
		n *= 2
	}
	return n
}

func asked(spec *clade.Spec, s clade.Stage, is func(clade.Measure) bool) (out []clade.Measure) {
	for _, m := range spec.Measures {
		if wanted(s, m.ID) && is(m) {
			out = append(out, m)
		}
	}
	return out
}

func wanted(s clade.Stage, id string) bool {
	return len(s.Checks) == 0 || slices.Contains(s.Checks, id)
}

func ofDataset(spec *clade.Spec, m clade.Measure) bool {
	return m.Read.Kind == clade.ReadCases && spec.Dataset != nil
}

func timed(m clade.Measure) bool { return m.Noise == clade.NoiseTiming }
