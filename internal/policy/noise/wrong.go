package noise

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade"
)

// What a tripwire expects; see clade.Tripwire.
const (
	ExpectFail  = "fail"
	ExpectWorse = "worse"
)

// A Wrong is how a wrong candidate was measured, one that a sound evaluator
// refuses or scores worse than the base. If it does well, the evaluator does not
// look at what it measures, and every other score is worth nothing.
type Wrong struct {
	Attempt     *clade.Attempt // made the tree that Subject names
	Subject     clade.ID
	Evaluations []clade.Evaluation
	Failure     clade.Class        // of the try; never one that is lost
	Detail      string             // explains Failure
	Base        map[string]float64 // what the base measured
}

// Held says whether the evaluator held, and why, in words that follow the
// candidate's name. It did if a gate said no, or there is no number, or the first
// measure is worse than the base by its noise: exactly for a measure without
// noise, in the mean for cases, and not proven better for a timing. Expecting
// ExpectFail wants the gate and nothing less.
func (w Wrong) Held(spec *clade.Spec, expect string) (held bool, why string) {
	if gate, failed := w.refused(); failed {
		why = fmt.Sprintf("gate %q refused it", gate)
		if expect == ExpectWorse {
			why += " before it was measured, so that the measure was not tried"
		}
		return true, why
	}
	held, why = w.measured(spec)
	if expect == ExpectFail {
		return false, "no gate refused it: " + why
	}
	return held, why
}

// HeldBlank is Held for the base with its files emptied. A timing of it is taken
// once and proves nothing, so that it must be slower.
func (w Wrong) HeldBlank(spec *clade.Spec) (held bool, why string) {
	if gate, failed := w.refused(); failed {
		return true, fmt.Sprintf("gate %q refused it", gate)
	}
	plain := *spec
	plain.Measures = append([]clade.Measure(nil), spec.Measures...)
	for i := range plain.Measures {
		if plain.Measures[i].Noise == clade.NoiseTiming {
			plain.Measures[i].Noise = clade.NoiseNone
		}
	}
	return w.measured(&plain)
}

// refused names the gate that said no.
func (w Wrong) refused() (gate string, failed bool) {
	for _, e := range w.Evaluations {
		for _, s := range e.Samples {
			if e.Subject == w.Subject && s.Gate && (s.Class != clade.OK || s.Value != 1) {
				return s.Check, true
			}
		}
	}
	return "", false
}

func (w Wrong) measured(spec *clade.Spec) (held bool, why string) {
	if w.Failure != clade.OK {
		return true, "it has no number: " + clade.Clip(strings.Join(strings.Fields(w.Detail), " "), 200)
	}
	if len(spec.Measures) == 0 {
		return false, "nothing is measured"
	}
	m := spec.Measures[0]
	values, _ := clade.Values(spec, w.Evaluations, w.Subject)
	x, ok := values[m.ID]
	if !ok {
		return true, "it has no number for " + m.ID
	}
	worse, base := "worse", w.Base[m.ID]
	held = m.Goal.Sign()*(x-base) < 0
	if m.Noise == clade.NoiseTiming {
		d, looked := LastLook(spec, w.Attempt, w.Evaluations)
		worse, held = "not proven faster", !looked || !d.Proven
	}
	if !held {
		worse = "not worse"
	}
	return held, fmt.Sprintf("it is %s: %s %.6g against %.6g of the base", worse, m.ID, x, base)
}
