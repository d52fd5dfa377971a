package strategy

import (
	"errors"
	"fmt"
	"math"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// isBaseline reports whether the attempt measures the base before the search.
func isBaseline(l *clade.Life) bool {
	return l.Makes == clade.MakesNumbers && !isFinal(l) && len(l.After) > 0 &&
		len(l.After[0].Subjects) > 0 && l.After[0].Subjects[0] == clade.Base
}

// baselineOf finds the baseline of this epoch that stands, nil if there is none.
func baselineOf(v clade.View) *clade.Life {
	for id := v.Head().Count; id > 0; id-- {
		if l := v.Life(id); isBaseline(l) && l.Epoch == v.Head().Epoch && l.Verdict.Status == clade.StatusMeasured {
			return l
		}
	}
	return nil
}

// baselineStands reports whether the base was measured in this epoch and found
// good. Only a baseline that failed is the last attempt of a run.
func baselineStands(v clade.View) bool {
	h, base := v.Head(), v.Life(clade.Base)
	if !base.Scored || base.Epoch != h.Epoch {
		return false
	}
	last := v.Life(h.Count)
	return !isBaseline(last) || last.Verdict.Status == clade.StatusMeasured
}

// planBaseline plans the baseline, waits for it, or stops the run when the base
// is not fit to start from. After a resume it is measured again: a person says
// that what was wrong is mended.
func planBaseline(v clade.View) ([]clade.Attempt, *clade.Stopped) {
	h := v.Head()
	if last := v.Life(h.Count); isBaseline(last) {
		if last.Open {
			return nil, nil
		}
		failed, unsteady := last.Verdict.Status != clade.StatusMeasured, last.Verdict.Category == "unsteady"
		switch {
		case !failed || last.Epoch != h.Epoch:
		case unsteady: // as in distrusted
			return nil, &clade.Stopped{Cause: clade.StopEvaluator, Reason: last.Verdict.Why}
		case last.ID > h.Resumed:
			return nil, &clade.Stopped{Cause: unmeasured(v, last), Reason: last.Verdict.Why}
		}
	}
	return []clade.Attempt{{
		ID: h.Count + 1, Makes: clade.MakesNumbers, Hold: rollouts(v), After: baselineStages(&h.Spec),
		Why: "measure the base before anything is spent",
	}}, nil
}

// unmeasured is what ends a run whose baseline failed. The base may be sound
// where something else failed it.
func unmeasured(v clade.View, l *clade.Life) clade.Stop {
	switch l.Failure {
	case clade.ClassInfra, clade.ClassPoisoned: // whoever killed clade
		return clade.StopInfra
	case clade.ClassModel, clade.ClassAccess:
		return clade.StopModel
	case clade.ClassBudget:
		return tightest(v, l)
	}
	return clade.StopBaseline
}

// judgeBaseline is the verdict on a settled baseline.
func judgeBaseline(v clade.View, l *clade.Life) clade.Verdict {
	to := func(s clade.Status, category, why string) clade.Verdict {
		return clade.Verdict{ID: l.ID, Status: s, Category: category, Why: why}
	}
	if g, failed := failedGateOf(l.Evaluations, clade.Base); failed {
		return to(clade.StatusRejected, "gate", tell(fmt.Sprintf("the base fails its own gate %q", g.Check), g.Detail))
	}
	switch l.Failure {
	case clade.OK:
	case clade.ClassInfra, clade.ClassModel, clade.ClassAccess:
		return to(clade.StatusExhausted, "infra", tell("the base could not be measured", l.Detail))
	case clade.ClassPoisoned:
		return to(clade.StatusExhausted, string(l.Failure), tell("clade was killed each time that it measured the base", l.Detail))
	default:
		return to(clade.StatusInvalid, string(l.Failure), tell("the base could not be measured", l.Detail))
	}
	spec, base := &v.Head().Spec, v.Life(clade.Base)
	for _, m := range spec.Measures {
		if err := steady(m, l.Evaluations); errors.Is(err, noise.ErrUnsteady) {
			return to(clade.StatusInvalid, "unsteady", err.Error()+": find what varies, or declare its noise")
		} else if err != nil {
			return to(clade.StatusInvalid, "evaluator", "the base could not be measured: "+err.Error())
		}
		if x, ok := base.Values[m.ID]; !ok || math.IsNaN(x) || math.IsInf(x, 0) {
			return to(clade.StatusInvalid, "evaluator", fmt.Sprintf("the base has no valid number for measure %q", m.ID))
		}
	}
	if !base.Scored {
		return to(clade.StatusInvalid, "evaluator", "the base has no score: a gate did not run, or nothing is measured")
	}
	return to(clade.StatusMeasured, "baseline", baselineWhy(v, l))
}

// steady checks what a baseline must show of a measure's declared noise.
func steady(m clade.Measure, evs []clade.Evaluation) error {
	switch m.Noise {
	case clade.NoiseTiming:
		_, err := noise.BaselineLogs(m.ID, evs)
		return err
	case clade.NoiseCases:
		return nil
	}
	_, _, err := noise.Exact(m.ID, evs, clade.Base, false)
	return err
}

func baselineWhy(v clade.View, l *clade.Life) string {
	spec := &v.Head().Spec
	why := "baseline: " + results(v, v.Life(clade.Base))
	m, ok := noise.Timed(spec)
	if !ok {
		return why
	}
	cal := calibrate(m, l.Evaluations)
	looks := noise.Looks(spec)
	n := looks[len(looks)-1]
	mde := cal.MDE(n, noise.Level(spec, m))
	why += fmt.Sprintf("; noise σ %.2f %% over %s, lag-1 correlation %.2f; %d pairs show gains from %s",
		100*cal.Sigma, clade.Counted(cal.N, "pair"), cal.Lag1, n, percent(mde))
	if m.Threshold != nil && mde > *m.Threshold {
		why += fmt.Sprintf(", not the %s asked for, which would take %d", percent(*m.Threshold),
			cal.Pairs(*m.Threshold, noise.Level(spec, m)))
	}
	return why
}

// calibration is what this epoch's baseline says of the timing that looks are
// about; zero when there is none.
func calibration(v clade.View) noise.Calibration {
	if m, ok := noise.Timed(&v.Head().Spec); ok {
		return calibrationOf(v, m)
	}
	return noise.Calibration{}
}

func calibrationOf(v clade.View, m clade.Measure) noise.Calibration {
	if l := baselineOf(v); l != nil {
		return calibrate(m, l.Evaluations)
	}
	return noise.Calibration{}
}

func calibrate(m clade.Measure, evs []clade.Evaluation) noise.Calibration {
	logs, err := noise.BaselineLogs(m.ID, evs)
	if err != nil {
		return noise.Calibration{}
	}
	return noise.Calibrate(logs)
}
