package strategy

import (
	"fmt"
	"strconv"

	"github.com/cladehq/clade"
)

// Every number that people read is written here: values with six digits and
// their unit, gains of timings in percent, others in the unit of the measure.

// number writes a value of a measure.
func number(m clade.Measure, x float64) string { return fmt.Sprintf("%.6g%s", x, suffix(" ", m.Unit)) }

// exactly writes a value with as many digits as tell it from its neighbours.
func exactly(m clade.Measure, x float64) string {
	return strconv.FormatFloat(x, 'g', -1, 64) + suffix(" ", m.Unit)
}

// gain writes what a measure gained.
func gain(m clade.Measure, x float64) string {
	if m.Noise == clade.NoiseTiming {
		return percent(x)
	}
	return fmt.Sprintf("%+.4g%s", x, suffix(" ", m.Unit))
}

func percent(x float64) string { return fmt.Sprintf("%+.2f %%", 100*x) }

// Scored writes by what a candidate is judged: "latency 12 ms", or with several
// measures "weighted gain +3.10 %". The value is also given alone.
func Scored(v clade.View, l *clade.Life) (text, value string) {
	ms := v.Head().Spec.Measures
	if len(ms) == 1 {
		value = number(ms[0], ms[0].Goal.Sign()*l.Score)
		return ms[0].ID + " " + value, value
	}
	value = percent(l.Score)
	return "weighted gain " + value, value
}

func figureText(m clade.Measure, f clade.Final) string {
	s := fmt.Sprintf("%s %s against %s of the base", f.Measure, number(m, f.Value), number(m, f.Base))
	if f.Kind == "exact" {
		return s + ", exact"
	}
	of := "case"
	if m.Noise == clade.NoiseTiming {
		of = "pair"
	}
	return fmt.Sprintf("%s, gain %s [%s, %s], %s, p %.3g at level %.3g, look %d, %s",
		s, gain(m, f.Estimate), gain(m, f.Low), gain(m, f.High), clade.Counted(f.N, of), f.P, f.Alpha, f.Look, f.Kind)
}

func suffix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}
