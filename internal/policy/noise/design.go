package noise

import (
	"fmt"
	"math"

	"github.com/cladehq/clade"
)

// Primary is the measure whose gain is claimed: the one with the highest weight,
// the first among equals. ok is false when there is none.
func Primary(spec *clade.Spec) (m clade.Measure, ok bool) {
	for _, c := range spec.Measures {
		if !ok || weight(c) > weight(m) {
			m, ok = c, true
		}
	}
	return m, ok
}

func weight(m clade.Measure) float64 {
	if m.Weight <= 0 {
		return 1
	}
	return m.Weight
}

// Looks are the numbers of pairs after which a timing is looked at.
func Looks(spec *clade.Spec) []int {
	if len(spec.Final.Looks) > 0 {
		return spec.Final.Looks
	}
	return standardLooks[:]
}

// Level is the one-sided level that a claim about m is held to: per look for a
// timing, in all otherwise.
func Level(spec *clade.Spec, m clade.Measure) float64 {
	switch {
	case m.Noise == clade.NoiseTiming && spec.Final.LookAlpha > 0:
		return spec.Final.LookAlpha
	case m.Noise == clade.NoiseTiming:
		return LookAlpha
	case spec.Final.Alpha > 0:
		return spec.Final.Alpha
	}
	return Alpha
}

// FurtherLevel is the level of the round-th final of a run, from 1: Level, and
// half of the one before for each further one. However often a person lets a run
// go on after a final that proved nothing, all its finals together are wrong
// with probability below twice the level of the first.
func FurtherLevel(spec *clade.Spec, m clade.Measure, round int) float64 {
	return math.Ldexp(Level(spec, m), 1-max(1, round))
}

// Finalists is how many candidates go to the final, at least 1.
func Finalists(spec *clade.Spec) int { return max(1, spec.Final.Finalists) }

// smallestFinal is the smallest one-sided p that the final of this spec can give,
// with so many test cases; 0 for measures that are compared exactly.
func smallestFinal(spec *clade.Spec, m clade.Measure, testCases int) float64 {
	switch m.Noise {
	case clade.NoiseTiming:
		looks := Looks(spec)
		return smallestP(looks[len(looks)-1])
	case clade.NoiseCases:
		return smallestP(testCases)
	}
	return 0
}

// Refuse says why a final of this spec could prove nothing: its smallest
// reachable p exceeds the level it is held to. testCases is how many cases the
// final compares; below 0 it is not known yet.
func Refuse(spec *clade.Spec, testCases int) error {
	m, ok := Primary(spec)
	if !ok {
		return &clade.Problem{Fault: clade.FaultSpec, Text: "there is no measure", Hint: "add one under measures"}
	}
	if err := refuseLooks(spec); err != nil {
		return err
	}
	if m.Noise == clade.NoiseCases && testCases < 0 {
		return nil
	}
	level := Level(spec, m) / float64(Finalists(spec))
	p := smallestFinal(spec, m, testCases)
	if p <= level {
		return nil
	}
	what, hint := fmt.Sprintf("a final of %d test cases", testCases), "more test cases"
	if m.Noise == clade.NoiseTiming {
		looks := Looks(spec)
		what, hint = fmt.Sprintf("a final of %d pairs", looks[len(looks)-1]), "a later last look under final.looks"
	}
	need := 1
	for smallestP(need) > level && need < 1000 {
		need++
	}
	return &clade.Problem{Fault: clade.FaultBudget,
		Text: fmt.Sprintf("%s cannot prove anything: the smallest p it can give is %.3g, the level is %.3g", what, p, level),
		Hint: fmt.Sprintf("%d are enough: %s, or fewer finalists", need, hint)}
}

func refuseLooks(spec *clade.Spec) error {
	last := 0
	for _, n := range Looks(spec) {
		if n <= last {
			return &clade.Problem{Fault: clade.FaultSpec, Text: "final.looks must rise from 1", Hint: "6, 10, 15, 20 is the default"}
		}
		last = n
	}
	return nil
}
