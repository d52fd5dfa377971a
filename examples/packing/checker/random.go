package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// bestOfRandom is the best score of n packings whose centres are uniform in the
// square and whose radii are uniform from 0 to 0.2, twice the mean radius of a
// good packing: uniform random search with the same checker.
func bestOfRandom(n int, seed uint64) string {
	g := rand.New(rand.NewPCG(seed, 26))
	best := ""
	for range n {
		var b strings.Builder
		for range discs {
			fmt.Fprintf(&b, "%.6f %.6f %.6f\n", g.Float64(), g.Float64(), g.Float64()/5)
		}
		// Scores are below 10 and of equal length: text compares as numbers do.
		if s, err := score(b.String()); err == nil && s > best {
			best = s
		}
	}
	return best
}
