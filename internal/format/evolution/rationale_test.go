package evolution

import "testing"

func TestRationale(t *testing.T) {
	t.Parallel()
	const doubt = " A score ranks the variants of this evolution; it does not say by how much one is better."
	for name, c := range map[string]struct {
		axes     []Axis
		variants []string
		want     string
	}{
		"nothing passes": {low, []string{"v1 g1 x"}, ""},
		"alone":          {low, []string{"v1 g1 x", "v2 g1 8"}, "v2 scores 1.00, the only variant that passes every gate and was measured on every axis. R1 is 8. Noisy."},
		"axis by axis": {both, []string{"v1 g1 50 4", "v2 g1 100 5"},
			"v1 scores 0.75 against 0.25 of v2, the next of 2. R1 (minimize): 50 against 100, 50 % better. R2 (maximize): 4 against 5, 20 % worse." + doubt + " Noisy."},
		"equal": {low, []string{"v1 g1 0", "v2 g1 0"},
			"v1 scores 0.50 against 0.50 of v2, the next of 2. R1 (minimize): 0 against 0, equal. They are equal on every axis, which leaves the lower id in front." + doubt + " Noisy."},
		"of nothing": {low, []string{"v1 g1 -1", "v2 g1 0"},
			"v1 scores 1.00 against 0.00 of v2, the next of 2. R1 (minimize): -1 against 0, better." + doubt + " Noisy."},
	} {
		e := scored(t, c.axes, c.variants...)
		if got := Rationale(e, Score(e), "Noisy."); got != c.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
