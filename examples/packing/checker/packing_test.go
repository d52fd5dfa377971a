package main

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// with26 fills up with discs of radius 0 far from the others.
func with26(lines ...string) string {
	for i := len(lines); i < discs; i++ {
		lines = append(lines, fmt.Sprintf("0.%02d 1 0", i))
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestScore(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"alone":            {with26("0.5 0.4 0.25"), "0.250000000000000"},
		"sticks out":       {with26("0.1 0.5 0.25"), "0.100000000000000"},
		"outside":          {with26("1.1 0.5 0.25", "0.5 0.5 0.1"), "0.100000000000000"},
		"touching":         {with26("0.25 0.5 0.25", "0.75 0.5 0.25"), "0.500000000000000"},
		"overlapping":      {with26("0.3 0.5 0.3", "0.7 0.5 0.3"), "0.400000000000000"},
		"unequal":          {with26("0.4 0.5 0.3", "0.7 0.5 0.1"), "0.300000000000000"},
		"one within":       {with26("0.5 0.5 0.3", "0.5 0.5 0.1"), "0.000000000000000"},
		"no binary digits": {with26("0.1 0.1 0.1", "0.3 0.1 0.1", "0.5 0.1 0.1"), "0.300000000000000"},
		"exponents, signs": {with26("+5e-1 4.E-1 .25"), "0.250000000000000"},
		"CRLF, no newline": {strings.TrimSpace(strings.ReplaceAll(with26("0.5 0.5 0.1"), "\n", "\r\n")), "0.100000000000000"},
		// Rounding goes down: the printed sum is below 0.2, never above.
		"a hair of overlap": {with26("0.3 0.5 0.1000000000000001", "0.5 0.5 0.1"), "0.199999999999999"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := score(c.text); err != nil || got != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestMalformed(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", `the file has 1 lines, want 26 of the form "x y r"`},
		"a word":      {with26("0.5 0.5 x"), `line 1: "x" is no decimal number of at most 60 places`},
		"two numbers": {with26("0.5 0.5"), "line 1 has 2 numbers, want 3: x y r"},
		"NaN":         {with26("NaN 0.5 0.1"), `line 1: "NaN" is no decimal number of at most 60 places`},
		"infinity":    {with26("0.5 0.5 Inf"), `line 1: "Inf" is no decimal number of at most 60 places`},
		"hexadecimal": {with26("0x1 0.5 0.1"), `line 1: "0x1" is no decimal number of at most 60 places`},
		"huge":        {with26("1e999999999 0.5 0.1"), `line 1: "1e999999999" is no decimal number of at most 60 places`},
		"negative":    {with26("0.5 0.5 -0.1"), "line 1: the radius -0.1 is negative"},
		"underscore":  {with26("0.5 0.5 0_1"), `line 1: "0_1" is no decimal number of at most 60 places`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := score(c.text); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestSeed(t *testing.T) {
	data, err := os.ReadFile("../packing.txt")
	if err != nil {
		t.Fatal(err)
	}
	// 25 discs of 0.075 and one of 0.02.
	if got, err := score(string(data)); err != nil || got != "1.895000000000000" {
		t.Errorf("got %s, %v", got, err)
	}
}

// Any packing becomes exactly valid, and the printed score is not above the sum
// of its radii.
func FuzzScore(f *testing.F) {
	f.Add(with26("0.3 0.5 0.3", "0.7 0.5 0.3"))
	f.Add(with26("1e-20 0.123456789012345678901234567890 5", "-1 2 3"))
	f.Fuzz(func(t *testing.T, text string) {
		got, err := score(text)
		if err != nil {
			if strings.Contains(err.Error(), "bug") {
				t.Fatal(err)
			}
			return
		}
		p, _ := parse(text)
		p.shrink()
		sum := new(big.Int)
		for _, d := range p.discs {
			sum.Add(sum, d.r)
		}
		printed, ok := new(big.Rat).SetString(got)
		if !ok || printed.Cmp(new(big.Rat).SetFrac(sum, p.one)) > 0 {
			t.Fatalf("%s is above the sum", got)
		}
		if v, err := strconv.ParseFloat(got, 64); err != nil || math.IsInf(v, 0) {
			t.Fatalf("%s is no score", got)
		}
	})
}

func BenchmarkScore(b *testing.B) {
	data, _ := os.ReadFile("../packing.txt")
	text := strings.ReplaceAll(string(data), "0.075", "0.123456789012")
	for b.Loop() {
		_, _ = score(text)
	}
}
