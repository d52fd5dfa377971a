package clade_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/cladehq/clade"
)

// The numbers come from an independent implementation of FNV-1a and splitmix64,
// which was held against their published vectors: fnv1a("a") =
// af63dc4c8601ec8c, and the first output of splitmix64 from 1234567 =
// 6457827717110365317. They must never change: replays depend on them.
// P11: no two attempts draw alike.
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

// A minibatch depends on seed, attempt and the cases' names, and is drawn evenly.
func TestMinibatch(t *testing.T) {
	t.Parallel()
	cases := []string{"a", "b", "c", "d", "e"}
	asked := map[string]int{}
	for id := clade.ID(1); id <= 1000; id++ {
		got := clade.Minibatch(7, id, cases, 2)
		if len(got) != 2 || got[0] >= got[1] || !slices.Equal(got, clade.Minibatch(7, id, cases, 2)) {
			t.Fatalf("attempt %d: %v", id, got)
		}
		for _, c := range got {
			asked[c]++
		}
		turned := slices.Clone(cases)
		slices.Reverse(turned)
		if again := clade.Minibatch(7, id, turned, 2); !slices.Contains(again, got[0]) || !slices.Contains(again, got[1]) {
			t.Fatalf("attempt %d: %v, in another order %v", id, got, again)
		}
	}
	for _, c := range cases { // 400 expected, standard deviation 15.5
		if asked[c] < 330 || asked[c] > 470 {
			t.Errorf("%s is asked %d of 1000 times", c, asked[c])
		}
	}
	for _, n := range []int{-1, 0, 5, 9} {
		if got := clade.Minibatch(7, 1, cases, n); !slices.Equal(got, cases) {
			t.Errorf("%d of 5: %v", n, got)
		}
	}
	if cases[0] != "a" || cases[4] != "e" {
		t.Error("the cases were changed")
	}
}
