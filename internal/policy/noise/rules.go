package noise

import (
	"fmt"
	"math"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy"
)

// Names of the rules that stages may give.
const (
	RulePromising = "promising" // after a few pairs: not clearly worse
	RuleLook      = "look"      // after the pairs of a look: not decided yet
	RuleMinibatch = "minibatch" // after a few train cases: no worse than the parent
)

// Rules are the stage rules of this package by name.
func Rules() policy.Rules {
	return policy.Rules{RulePromising: promising{}, RuleLook: look{}, RuleMinibatch: minibatch{}}
}

type promising struct{}

// Continue drops a candidate whose estimate lies more than two standard errors
// below its reference.
func (promising) Continue(spec *clade.Spec, a *clade.Attempt, stage int, evs []clade.Evaluation) (bool, string) {
	if why := broken(stage, evs); why != "" {
		return false, why
	}
	c, err := compareStage(spec, a, stage, evs)
	if err != nil {
		return false, err.Error()
	}
	floor := math.Expm1(-2 * a.After[stage].Sigma / math.Sqrt(float64(c.N)))
	if c.Estimate < floor {
		return false, fmt.Sprintf("%s after %d pairs is below %s: not promising", percent(c.Estimate), c.N, percent(floor))
	}
	return true, fmt.Sprintf("%s after %d pairs", percent(c.Estimate), c.N)
}

type look struct{}

// Continue goes on to the next look until the question is decided.
func (look) Continue(spec *clade.Spec, a *clade.Attempt, stage int, evs []clade.Evaluation) (bool, string) {
	if why := broken(stage, evs); why != "" {
		return false, why
	}
	d, err := lookAt(spec, a, stage, evs)
	if err != nil {
		return false, err.Error()
	}
	return !d.Proven && !d.Futile, d.Why
}

// A Decision is what a look at pairs says.
type Decision struct {
	Comparison
	Proven bool // p and estimate both hold
	Futile bool // not worth another look
	Look   int  // from 1
	Why    string
}

// lookAt looks at the pairs that an attempt has measured by the end of a stage
// whose rule is RuleLook.
func lookAt(spec *clade.Spec, a *clade.Attempt, stage int, evs []clade.Evaluation) (Decision, error) {
	c, err := compareStage(spec, a, stage, evs)
	if err != nil {
		return Decision{}, err
	}
	s, d := a.After[stage], Decision{Comparison: c}
	for i := range stage + 1 {
		if a.After[i].Rule == RuleLook {
			d.Look++
		}
	}
	d.Proven = c.P <= s.Level && c.Estimate >= s.Delta
	// A final looks on while its interval holds a gain that counts; the search
	// has other candidates to try and gives up earlier.
	d.Futile = !d.Proven && (c.High < s.Delta || s.Split != clade.SplitTest && c.Estimate < s.Delta)
	state := "not decided"
	switch {
	case d.Proven:
		state = "proven"
	case d.Futile && c.High < s.Delta:
		state = fmt.Sprintf("surely below the %s that counts", percent(s.Delta))
	case d.Futile:
		state = fmt.Sprintf("below the %s that counts", percent(s.Delta))
	}
	d.Why = fmt.Sprintf("gain %s [%s, %s], %d pairs, p %.3g at level %.3g, look %d: %s",
		percent(c.Estimate), percent(c.Low), percent(c.High), c.N, c.P, s.Level, d.Look, state)
	return d, nil
}

// LastLook is the decision at the last look that was measured; ok is false when
// the attempt did not get as far as a look.
func LastLook(spec *clade.Spec, a *clade.Attempt, evs []clade.Evaluation) (d Decision, ok bool) {
	for i := len(a.After) - 1; i >= 0; i-- {
		if a.After[i].Rule != RuleLook || !measured(evs, i) {
			continue
		}
		d, err := lookAt(spec, a, i, evs)
		return d, err == nil
	}
	return Decision{}, false
}

func measured(evs []clade.Evaluation, stage int) bool {
	for _, e := range evs {
		if e.Stage == stage {
			return true
		}
	}
	return false
}

// compareStage compares the last subject of the stage with the one before it.
func compareStage(spec *clade.Spec, a *clade.Attempt, stage int, evs []clade.Evaluation) (Comparison, error) {
	m, ok := Timed(spec)
	if !ok || stage < 0 || stage >= len(a.After) || len(a.After[stage].Subjects) < 2 {
		return Comparison{}, fmt.Errorf("stage %d: %w", stage, ErrNothing)
	}
	s := a.After[stage]
	level := s.Level
	if level <= 0 {
		level = Level(spec, m)
	}
	ref, sub := s.Subjects[len(s.Subjects)-2], s.Subjects[len(s.Subjects)-1]
	return Compare(m, evs, ref, sub, s.Split == clade.SplitTest, level)
}

// Timed is the timing that looks are about: the primary measure if it is one,
// else the first timing. ok is false when there is none.
func Timed(spec *clade.Spec) (clade.Measure, bool) {
	if m, ok := Primary(spec); ok && m.Noise == clade.NoiseTiming {
		return m, true
	}
	for _, m := range spec.Measures {
		if m.Noise == clade.NoiseTiming {
			return m, true
		}
	}
	return clade.Measure{}, false
}

// broken says what failed in the stage, "" if nothing did.
func broken(stage int, evs []clade.Evaluation) string {
	for _, e := range evs {
		if e.Stage != stage {
			continue
		}
		for _, s := range e.Samples {
			if s.Gate && (s.Class != clade.OK || s.Value != 1) {
				return fmt.Sprintf("gate %s failed", s.Check)
			}
			if s.Class != clade.OK && s.Case == "" {
				return fmt.Sprintf("%s has no number: %s", s.Check, s.Detail)
			}
		}
	}
	return ""
}

func percent(x float64) string { return fmt.Sprintf("%+.2f %%", 100*x) }
