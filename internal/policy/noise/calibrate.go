package noise

import (
	"fmt"
	"math"
	"slices"

	"github.com/cladehq/clade"
)

// A Calibration is what pairs of the baseline against itself say of a timing.
type Calibration struct {
	N     int     // pairs
	Sigma float64 // standard deviation of the log-ratios
	Lag1  float64 // their autocorrelation at lag 1; 0 when they do not vary
	// P95 is the 95th percentile of the absolute relative gain that the
	// baseline shows over itself, over all 2^N assignments of the signs.
	P95 float64
}

// Calibrate reads log-ratios of the baseline against itself, in the order in
// which they were measured. Numbers that are not finite are left out.
func Calibrate(logs []float64) Calibration {
	logs = slices.DeleteFunc(slices.Clone(logs), func(x float64) bool { return !finite(x) })
	c := Calibration{N: len(logs), Sigma: Sigma(logs), P95: math.Expm1(signFlip95(logs))}
	m, over, under := clade.Mean(logs), 0.0, 0.0
	for i, x := range logs {
		under += (x - m) * (x - m)
		if i > 0 {
			over += (x - m) * (logs[i-1] - m)
		}
	}
	if under > 0 {
		c.Lag1 = over / under
	}
	return c
}

// Sigma is Calibration.Sigma alone, which is cheap.
func Sigma(logs []float64) float64 { return spread(logs) }

// signFlip95 is the 95th percentile of |Hodges–Lehmann estimate| over all
// assignments of signs; above CalibrationPairs pairs the first ones are used.
func signFlip95(logs []float64) float64 {
	logs = logs[:min(len(logs), CalibrationPairs)]
	if len(logs) == 0 {
		return 0
	}
	// The estimate of −d is minus that of d: half the assignments are enough.
	all := make([]float64, 0, 1<<(len(logs)-1))
	d, walsh := make([]float64, len(logs)), make([]float64, len(logs)*(len(logs)+1)/2)
	for signs := range 1 << (len(logs) - 1) {
		for i, x := range logs {
			if signs>>i&1 == 1 {
				x = -x
			}
			d[i] = x
		}
		all = append(all, math.Abs(middle(averages(d, walsh))))
	}
	slices.Sort(all)
	return all[int(math.Ceil(0.95*float64(len(all))))-1]
}

// MDE is the relative gain that n pairs show at this one-sided level with
// probability power.
func (c Calibration) MDE(n int, alpha float64) float64 {
	if n < 1 {
		return 0
	}
	return math.Expm1((z(alpha) + z(1-power)) * c.Sigma / math.Sqrt(float64(n)))
}

// Pairs is how many pairs show a relative gain at this one-sided level with
// probability power; 0 when gain is not positive.
func (c Calibration) Pairs(gain, alpha float64) int {
	if gain <= 0 {
		return 0
	}
	need := (z(alpha) + z(1-power)) * c.Sigma / math.Log1p(gain)
	return max(1, int(math.Ceil(need*need)))
}

// Delta is the smallest relative gain of a timing measure that counts: its
// threshold, or minGain, and never less than what the baseline shows over itself.
func Delta(m clade.Measure, c Calibration) float64 {
	d := minGain
	if m.Threshold != nil {
		d = *m.Threshold
	}
	return max(d, c.P95)
}

// BaselineLogs are the log-ratios of the baseline against itself.
func BaselineLogs(measure string, evs []clade.Evaluation) ([]float64, error) {
	as, bs := clade.Pairs(measure, evs, clade.Base, clade.Base, false)
	return logRatios(as, bs, 1)
}

// logRatios are sign × ln(b/a), pair by pair.
func logRatios(as, bs []float64, sign float64) ([]float64, error) {
	logs := make([]float64, len(as))
	for i := range as {
		if !(as[i] > 0 && bs[i] > 0) || !finite(as[i], bs[i]) {
			return nil, fmt.Errorf("a timing must be above zero, got %g and %g", as[i], bs[i])
		}
		logs[i] = sign * math.Log(bs[i]/as[i])
	}
	return logs, nil
}
