package run

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]float64{
		"0": 0, "-3": -3, "999999999": 999999999, "1e+09": 1e9, "0.333333": 1. / 3, "123457": 123456.7, "1.23457e+06": 1234567.8, "NaN": math.NaN(),
	} {
		if got := Number(x); got != want {
			t.Errorf("Number(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]int64{
		"0 B": 0, "999 B": 999, "1.0 kB": 1000, "1.4 MB": 1_400_000, "2.0 GB": 2_000_000_000, "9.2 EB": math.MaxInt64,
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
}
