package noise

import (
	"fmt"

	"github.com/cladehq/clade"
)

type minibatch struct{}

// Continue drops a candidate that answered the cases of the batch worse than its
// parent did. So few cases prove nothing, and nothing is claimed of them: they
// only tell which candidates are worth asking more.
func (minibatch) Continue(spec *clade.Spec, a *clade.Attempt, stage int, evs []clade.Evaluation) (bool, string) {
	if why := broken(stage, evs); why != "" {
		return false, why
	}
	sum, weights, n := 0.0, 0.0, 0
	for _, m := range spec.Measures {
		gain, cases, ok := batchGain(m, a, stage, evs)
		if !ok {
			continue
		}
		w := m.Weight
		if w <= 0 {
			w = 1
		}
		sum, weights, n = sum+w*gain, weights+w, cases
	}
	if weights == 0 {
		return true, "there is no case to compare on"
	}
	gain := sum / weights
	what := fmt.Sprintf("%+.3g beside its parent on %s of the train split", gain, clade.Counted(n, "case"))
	if gain < 0 {
		return false, what + ": not asked any other"
	}
	return true, what
}

// batchGain is by how much the last subject of a stage did better than the first
// one on the cases of the stage, on the average, and how many these are. It is not
// ok where the two were not asked the same.
func batchGain(m clade.Measure, a *clade.Attempt, stage int, evs []clade.Evaluation) (gain float64, n int, ok bool) {
	if stage < 0 || stage >= len(a.After) || len(a.After[stage].Subjects) < 2 {
		return 0, 0, false
	}
	s := a.After[stage].Subjects
	parent, of, okA := batchMean(m, stage, s[0], evs)
	child, n, okB := batchMean(m, stage, s[len(s)-1], evs)
	return m.Goal.Sign() * (child - parent), n, okA && okB && n == of
}

func batchMean(m clade.Measure, stage int, of clade.ID, evs []clade.Evaluation) (mean float64, n int, ok bool) {
	for _, e := range evs {
		if e.Stage == stage && e.Subject == of && !e.Claim {
			scores, _ := clade.CaseScores(m.ID, e.Samples)
			mean, ok = clade.CaseMean(m.ID, e.Samples)
			return mean, len(scores), ok
		}
	}
	return 0, 0, false
}

// OnMinibatch says why an attempt went no further than its batch of train cases,
// "" if it did or has none.
func OnMinibatch(spec *clade.Spec, a *clade.Attempt, evs []clade.Evaluation) string {
	for i, s := range a.After {
		if s.Rule != RuleMinibatch || !measured(evs, i) {
			continue
		}
		if more, why := (minibatch{}).Continue(spec, a, i, evs); !more {
			return why
		}
	}
	return ""
}
