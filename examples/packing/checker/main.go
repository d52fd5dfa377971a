// Command checker scores a packing of discs in the unit square, exactly.
//
//	check FILE                  score the packing in FILE
//	check -random N [-seed S]   the best of N uniformly random packings
//
// FILE holds 26 lines "x y r": decimal numbers, with an exponent if need be.
// Discs that overlap or stick out are shrunk until they do not (see shrink), and
// the score is the sum of what remains. No floating point is involved: the
// printed score is a true lower bound of the sum of an exactly valid packing.
//
// The result is one line of JSON, {"score": 2.5, "valid": true}. A file that is
// no packing is an error and exit status 1.
package main

import (
	"flag"
	"fmt"
	"os"
)

// discs is how many discs a packing has.
const discs = 26

func main() {
	random := flag.Int("random", 0, "score this many uniformly random packings instead of a file and print the best")
	seed := flag.Uint64("seed", 1, "of the random packings")
	flag.Parse()
	score, err := run(*random, *seed, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
	fmt.Printf("{\"score\": %s, \"valid\": true}\n", score)
}

func run(random int, seed uint64, args []string) (string, error) {
	switch {
	case random > 0 && len(args) == 0:
		return bestOfRandom(random, seed), nil
	case random == 0 && len(args) == 1:
		data, err := os.ReadFile(args[0])
		if err != nil {
			return "", err
		}
		return score(string(data))
	}
	return "", fmt.Errorf("usage: check FILE, or check -random N")
}

// score reads, shrinks and verifies a packing.
func score(text string) (string, error) {
	p, err := parse(text)
	if err != nil {
		return "", err
	}
	p.shrink()
	if err := p.verify(); err != nil {
		return "", fmt.Errorf("the shrunk packing is not valid, this is a bug: %w", err)
	}
	return p.sum(), nil
}
