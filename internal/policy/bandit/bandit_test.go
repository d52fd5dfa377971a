package bandit

import (
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	gain := func(arm int, g, cost float64) Pull { return Pull{Arm: arm, Gain: g, Cost: cost} }
	var even []Pull
	for range 20 {
		even = append(even, gain(0, 1, 0), gain(1, 0, 0))
	}
	var dear []Pull
	for range 20 {
		dear = append(dear, gain(0, 1, 10), gain(1, 1, 1))
	}
	var idle []Pull
	for range 20 {
		idle = append(idle, gain(0, 1, 10), gain(1, 0, 0))
	}
	for name, c := range map[string]struct {
		shares []float64
		pulls  []Pull
		u1, u2 float64
		want   int
	}{
		"nothing known":              {[]float64{1, 1}, nil, .9, 0, 0},
		"what was not tried":         {[]float64{1, 1}, []Pull{gain(0, 5, 0)}, .9, 0, 1},
		"open counts as tried":       {[]float64{1, 1, 1}, []Pull{gain(0, 5, 0), {Arm: 1, Open: true}}, .9, 0, 2},
		"what gains":                 {[]float64{1, 1}, even, .9, 0, 0},
		"explores by share":          {[]float64{1, 3}, even, .1, .26, 1},
		"explores by share, low":     {[]float64{1, 3}, even, .1, .24, 0},
		"the cheaper of equals":      {[]float64{1, 1}, dear, .9, 0, 1},
		"cheap without gain is none": {[]float64{1, 1}, idle, .9, 0, 0},
		"share 0 is never chosen":    {[]float64{0, 1}, []Pull{gain(1, 0, 0)}, .9, 0, 1},
	} {
		if got, why := Choose(c.shares, c.pulls, c.u1, c.u2); got != c.want || why == "" {
			t.Errorf("%s: %d (%s), want %d", name, got, why, c.want)
		}
	}
}

// What was long ago does not count: an arm that gained then and not since is left.
func TestForgets(t *testing.T) {
	t.Parallel()
	var pulls []Pull
	for i := range 400 {
		old := i < 200
		for arm := range 2 {
			g := 0.0
			if (arm == 0) == old {
				g = 1
			}
			pulls = append(pulls, Pull{Arm: arm, Gain: g})
		}
	}
	if got, why := Choose([]float64{1, 1}, pulls, .9, 0); got != 1 {
		t.Errorf("%d: %s", got, why)
	}
}
