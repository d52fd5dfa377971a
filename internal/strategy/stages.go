package strategy

import (
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// searchStages is how a candidate is measured during the search: once, with
// everything; and where a measure is a timing, then in pairs with the base and
// the parent, 3 if that is promising and up to the last look as long as the
// difference from the parent is not decided.
func searchStages(spec *clade.Spec, cal noise.Calibration, parent, child clade.ID) []clade.Stage {
	stages := []clade.Stage{{}}
	m, ok := noise.Timed(spec)
	if !ok {
		return stages
	}
	pair := clade.Stage{
		Subjects: []clade.ID{clade.Base, child}, Checks: timedChecks(spec), Fresh: true,
		Level: noise.Level(spec, m), Sigma: cal.Sigma, Delta: noise.Delta(m, cal),
	}
	if parent != clade.Base {
		pair.Subjects = []clade.ID{clade.Base, parent, child}
	}
	first := pair
	first.Rule, first.Replicates, first.Warmup = noise.RulePromising, noise.PromisingPairs, 1
	return append(append(stages, first), lookStages(spec, pair, noise.PromisingPairs)...)
}

// candidateStages are searchStages and before them, where the spec has a batch,
// the gates and then a few train cases beside the parent: a candidate that does
// worse on these is asked no others. What was measured by then is not measured
// again.
func candidateStages(spec *clade.Spec, cal noise.Calibration, parent, child clade.ID) []clade.Stage {
	stages, checks := searchStages(spec, cal, parent, child), caseChecks(spec)
	if spec.Dataset == nil || spec.Dataset.Batch <= 0 || len(checks) == 0 {
		return stages
	}
	var first []clade.Stage
	gates, rest := gateChecks(spec)
	if len(gates) > 0 {
		first = append(first, clade.Stage{Checks: gates})
		stages[0].Checks = rest
	}
	first = append(first, clade.Stage{Subjects: []clade.ID{parent, child}, Checks: checks,
		Split: clade.SplitTrain, Batch: spec.Dataset.Batch, Rule: noise.RuleMinibatch})
	return append(first, stages...)
}

// gateChecks are the gates with the measures that read their runs, and the other
// measures.
func gateChecks(spec *clade.Spec) (gates, rest []string) {
	for _, g := range spec.Gates {
		gates = append(gates, g.ID)
	}
	for _, m := range spec.Measures {
		if m.From != "" {
			gates = append(gates, m.ID)
		} else {
			rest = append(rest, m.ID)
		}
	}
	return gates, rest
}

// lookStages continue pairs after the first done ones up to each look.
func lookStages(spec *clade.Spec, pair clade.Stage, done int) (stages []clade.Stage) {
	pair.Rule = noise.RuleLook
	for _, n := range noise.Looks(spec) {
		if n <= done {
			continue
		}
		pair.First, pair.Replicates = done+1, n-done
		stages = append(stages, pair)
		done = n
	}
	return stages
}

// baselineStages measure the base: what is exact three times, timings in pairs
// with itself.
func baselineStages(spec *clade.Spec) (stages []clade.Stage) {
	rest, timed := restChecks(spec), timedChecks(spec)
	if len(timed) == 0 || len(rest) > 0 {
		stages = append(stages, clade.Stage{Subjects: []clade.ID{clade.Base}, Checks: only(rest, timed), Replicates: 1})
		if hasExact(spec) {
			stages[0].Replicates = 3
		}
	}
	if len(timed) > 0 {
		stages = append(stages, clade.Stage{Subjects: []clade.ID{clade.Base, clade.Base}, Checks: timed,
			Replicates: noise.CalibrationPairs, Warmup: 1, Fresh: true})
	}
	if seesTraces(spec) {
		stages = append(stages, clade.Stage{Subjects: []clade.ID{clade.Base}, Checks: caseChecks(spec), Split: clade.SplitTrain})
	}
	if emptied(spec) {
		stages = append(stages, clade.Stage{Subjects: []clade.ID{clade.Base}, Blank: true, Fresh: true})
	}
	return stages
}

// emptied reports whether the baseline tries the evaluator with emptied files.
// Answers of agents cost money, which is not spent on a warning.
func emptied(spec *clade.Spec) bool {
	return spec.Protect.Blank == clade.ProtectWarn && (spec.Dataset == nil || spec.Dataset.Rollout == nil)
}

// lookBack has the parents answer the train cases before an operator that learns
// from them works. What was measured of a tree before is not measured again.
func lookBack(spec *clade.Spec, op clade.Operator, parents []clade.ID) []clade.Stage {
	if !learns(op) || spec.Dataset == nil || len(caseChecks(spec)) == 0 {
		return nil
	}
	return []clade.Stage{{Subjects: clade.ParentsOrBase(parents)[:1], Checks: caseChecks(spec), Split: clade.SplitTrain}}
}

// learns reports whether the operator is shown how its parents did.
func learns(op clade.Operator) bool { return op.Use == "agent" || op.Use == "reflect" }

func seesTraces(spec *clade.Spec) bool {
	return spec.Dataset != nil && len(caseChecks(spec)) > 0 && slices.ContainsFunc(spec.Operators, learns)
}

// caseChecks are the measures over the dataset's cases.
func caseChecks(spec *clade.Spec) (ids []string) {
	for _, m := range spec.Measures {
		if m.Read.Kind == clade.ReadCases {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// finalStages measure a finalist fresh beside the base: what is exact twice,
// cases on the test split, timings up to the last look.
func finalStages(spec *clade.Spec, cal noise.Calibration, finalist clade.ID, finalists, round int) (stages []clade.Stage) {
	rest, timed := restChecks(spec), timedChecks(spec)
	both := clade.Stage{Subjects: []clade.ID{clade.Base, finalist}, Split: clade.SplitTest, Fresh: true}
	if len(timed) == 0 || len(rest) > 0 {
		s := both
		s.Checks, s.Replicates = only(rest, timed), 1
		if hasExact(spec) {
			s.Replicates = 2
		}
		stages = append(stages, s)
	}
	if m, ok := noise.Timed(spec); ok {
		both.Checks, both.Sigma, both.Delta = timed, cal.Sigma, noise.Delta(m, cal)
		both.Level = noise.FurtherLevel(spec, m, round) / float64(finalists)
		looks := lookStages(spec, both, 0)
		if len(looks) > 0 {
			looks[0].Warmup = 1
		}
		stages = append(stages, looks...)
	}
	return stages
}

// only is the checks to name when timings are measured apart; all of them
// otherwise.
func only(rest, timed []string) []string {
	if len(timed) == 0 {
		return nil
	}
	return rest
}

// restChecks are the gates and the measures that are no timings.
func restChecks(spec *clade.Spec) (ids []string) {
	for _, g := range spec.Gates {
		ids = append(ids, g.ID)
	}
	for _, m := range spec.Measures {
		if m.Noise != clade.NoiseTiming {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// timedChecks are the timings, each after the gate whose run it reads.
func timedChecks(spec *clade.Spec) (ids []string) {
	named := map[string]bool{}
	for _, m := range spec.Measures {
		if m.Noise != clade.NoiseTiming {
			continue
		}
		if m.From != "" && !named[m.From] {
			named[m.From] = true
			ids = append(ids, m.From)
		}
		ids = append(ids, m.ID)
	}
	return ids
}

func hasExact(spec *clade.Spec) bool {
	for _, m := range spec.Measures {
		if m.Noise == clade.NoiseNone || m.Noise == "" {
			return true
		}
	}
	return false
}
