package noise_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// C16: what a wrong candidate must have come to for the evaluator to have held.
func TestWrongCandidates(t *testing.T) {
	t.Parallel()
	passed := clade.Sample{Check: "g", Gate: true, Value: 1}
	failed := clade.Sample{Check: "g", Gate: true, Class: clade.ClassCandidate}
	is := func(x float64) clade.Sample { return clade.Sample{Check: "m", Value: x} }
	for name, c := range map[string]struct {
		noise   clade.Noise
		samples []clade.Sample
		failure clade.Class
		blank   bool   // the emptied base, not a tripwire
		holds   string // for expect "", fail, worse: + or −
		say     string
	}{
		"refused":                 {clade.NoiseNone, []clade.Sample{failed}, clade.ClassCandidate, false, "+++", `gate "g" refused it`},
		"worse":                   {clade.NoiseNone, []clade.Sample{passed, is(9)}, clade.OK, false, "+-+", "it is worse"},
		"the same":                {clade.NoiseNone, []clade.Sample{passed, is(10)}, clade.OK, false, "---", "not worse"},
		"better":                  {clade.NoiseCases, []clade.Sample{passed, {Check: "m", Case: "a", Value: 11}}, clade.OK, false, "---", "not worse"},
		"no number":               {clade.NoiseNone, []clade.Sample{passed}, clade.ClassEvaluator, false, "+-+", "no number"},
		"another number":          {clade.NoiseNone, []clade.Sample{passed, {Check: "n", Value: 1}}, clade.OK, false, "+-+", "no number for m"},
		"a timing without pairs":  {clade.NoiseTiming, []clade.Sample{passed, is(10)}, clade.OK, false, "+-+", "not proven faster"},
		"emptied, refused":        {clade.NoiseTiming, []clade.Sample{failed}, clade.ClassCandidate, true, "+", "refused"},
		"emptied, as fast":        {clade.NoiseTiming, []clade.Sample{passed, is(10)}, clade.OK, true, "-", "not worse"},
		"emptied, slower":         {clade.NoiseTiming, []clade.Sample{passed, is(9)}, clade.OK, true, "+", "worse"},
		"emptied, without number": {clade.NoiseTiming, []clade.Sample{passed}, clade.ClassEvaluator, true, "+", "no number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := &clade.Spec{Gates: []clade.Gate{{ID: "g"}}, Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize, Noise: c.noise}}}
			w := noise.Wrong{Attempt: &clade.Attempt{ID: 2, After: []clade.Stage{{}}}, Subject: 2, Failure: c.failure, Detail: "why",
				Evaluations: []clade.Evaluation{{Subject: 2, Samples: c.samples}}, Base: map[string]float64{"m": 10}}
			got, told := "", ""
			for _, expect := range []string{"", noise.ExpectFail, noise.ExpectWorse}[:len(c.holds)] {
				held, why := w.Held(spec, expect)
				if c.blank {
					held, why = w.HeldBlank(spec)
				}
				got, told = got+map[bool]string{true: "+", false: "-"}[held], told+why+"\n"
			}
			if got != c.holds || !strings.Contains(told, c.say) {
				t.Errorf("%s, want %s: %s", got, c.holds, told)
			}
		})
	}
}
