package clade_test

import (
	"math/bits"
	"testing"

	"github.com/cladehq/clade"
)

// The numbers come from an independent implementation of FNV-1a and splitmix64,
// which was held against their published vectors: fnv1a("a") =
// af63dc4c8601ec8c, and the first output of splitmix64 from 1234567 =
// 6457827717110365317. They must never change: replays depend on them.
func TestDraw(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seed   uint64
		stream string
		n      clade.ID
		want   uint64
	}{
		{0, "", 0, 0x21fa69a58f3d62f5},
		{0, "", 1, 0xbc78bed6e022d134},
		{7, "operator/mutate", 1, 0x116c07223f908c71},
		{7, "operator/mutate", 2, 0x6d4ece6226193fea},
		{8, "operator/mutate", 1, 0x1b291b2420f045cf},
		{1<<64 - 1, "explore", 10000, 0xce1b98c68552a3d5},
	} {
		if got := clade.Draw(c.seed, c.stream, c.n); got != c.want {
			t.Errorf("Draw(%d, %q, %d) = %#x, want %#x", c.seed, c.stream, c.n, got, c.want)
		}
	}
}

func TestDrawDependsOnNothingElse(t *testing.T) {
	t.Parallel()
	short := fold(t)
	long := fold(t, append(candidate(1, 1, clade.StatusAccepted), clade.Ticked{Active: 5}, plan(2))...)
	for n := range clade.ID(50) {
		if a, b := clade.DrawOf(short, "parent", n), clade.DrawOf(long, "parent", n); a != b || a != clade.Draw(0, "parent", n) {
			t.Fatalf("draw %d is %#x in a short log, %#x in a long one", n, a, b)
		}
	}
}

// Neighbouring decisions and streams share about half their bits: each of 2,000
// pairs differs in 32 ± 0.4 of 64 bits on average (five standard errors).
func TestDrawsAreUnrelated(t *testing.T) {
	t.Parallel()
	const n = 2000
	var next, stream, seed int
	for i := range clade.ID(n) {
		x := clade.Draw(1, "a", i)
		next += bits.OnesCount64(x ^ clade.Draw(1, "a", i+1))
		stream += bits.OnesCount64(x ^ clade.Draw(1, "b", i))
		seed += bits.OnesCount64(x ^ clade.Draw(2, "a", i))
	}
	for name, sum := range map[string]int{"ordinals": next, "streams": stream, "seeds": seed} {
		if mean := float64(sum) / n; mean < 31.5 || mean > 32.5 {
			t.Errorf("%s: %v of 64 bits differ", name, mean)
		}
	}
}
