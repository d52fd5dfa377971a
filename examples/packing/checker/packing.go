package main

import (
	"fmt"
	"math/big"
	"strings"
)

// A disc in whole units of the packing's scale.
type disc struct{ x, y, r *big.Int }

// A packing counts in units of 1/one, one being a power of ten so large that
// every number of the file is whole.
type packing struct {
	discs []disc
	one   *big.Int
	scale int // one is 10^scale
}

// least and most are the scales: at least 20 digits behind the point, so that
// rounding down costs nothing visible, and no more than a number may have.
const (
	least = 20
	most  = 60
)

// parse reads "x y r" lines.
func parse(text string) (*packing, error) {
	lines := strings.Split(strings.TrimRight(text, "\r\n\t "), "\n")
	if len(lines) != discs {
		return nil, fmt.Errorf("the file has %d lines, want %d of the form \"x y r\"", len(lines), discs)
	}
	var numbers []decimal
	scale := least
	for i, line := range lines {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %d has %d numbers, want 3: x y r", i+1, len(fields))
		}
		for _, f := range fields {
			d, err := parseDecimal(f)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			numbers = append(numbers, d)
			scale = max(scale, d.places)
		}
		if numbers[len(numbers)-1].digits.Sign() < 0 {
			return nil, fmt.Errorf("line %d: the radius %s is negative", i+1, fields[2])
		}
	}
	p := &packing{one: pow10(scale), scale: scale}
	for i := 0; i < len(numbers); i += 3 {
		p.discs = append(p.discs, disc{numbers[i].at(scale), numbers[i+1].at(scale), numbers[i+2].at(scale)})
	}
	return p, nil
}

// A decimal is digits / 10^places; places may be negative.
type decimal struct {
	digits *big.Int
	places int
}

func (d decimal) at(scale int) *big.Int {
	return new(big.Int).Mul(d.digits, pow10(scale-d.places))
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// parseDecimal reads [sign] digits [. digits] [e [sign] digits], exactly.
func parseDecimal(s string) (decimal, error) {
	bad := func() (decimal, error) {
		return decimal{}, fmt.Errorf("%.40q is no decimal number of at most %d places", s, most)
	}
	mantissa, exponent, hasExp := strings.Cut(strings.ToLower(s), "e")
	exp := 0
	if hasExp {
		if _, err := fmt.Sscanf(exponent+"\n", "%d\n", &exp); err != nil || len(exponent) > 4 {
			return bad()
		}
	}
	sign := ""
	if mantissa != "" && (mantissa[0] == '-' || mantissa[0] == '+') {
		sign, mantissa = mantissa[:1], mantissa[1:]
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	all := whole + frac
	if all == "" || len(all) > most || strings.Trim(all, "0123456789") != "" {
		return bad()
	}
	digits, ok := new(big.Int).SetString(strings.TrimPrefix(sign, "+")+all, 10)
	places := len(frac) - exp
	if !ok || places > most || places < -3 {
		return bad()
	}
	return decimal{digits, places}, nil
}

// shrink makes the packing valid. First every radius is cut to the distance of
// its centre from the nearest side, 0 when the centre is outside. Then the pairs
// are visited in order of the lines, each disc with those before it; two that
// overlap are both scaled by the distance of their centres over the sum of their
// radii. Radii only ever shrink, so a pair once valid stays valid. Every
// division and root is rounded down.
func (p *packing) shrink() {
	for _, d := range p.discs {
		d.r.Set(minimum(d.r, d.x, d.y, new(big.Int).Sub(p.one, d.x), new(big.Int).Sub(p.one, d.y)))
		if d.r.Sign() < 0 {
			d.r.SetInt64(0)
		}
	}
	sum, square := new(big.Int), new(big.Int)
	for i := range p.discs {
		for j := range i {
			a, b := p.discs[i], p.discs[j]
			sum.Add(a.r, b.r)
			apart := distance2(a, b)
			if square.Mul(sum, sum).Cmp(apart) <= 0 {
				continue
			}
			apart.Sqrt(apart)
			a.r.Div(a.r.Mul(a.r, apart), sum)
			b.r.Div(b.r.Mul(b.r, apart), sum)
		}
	}
}

func minimum(first *big.Int, rest ...*big.Int) *big.Int {
	for _, x := range rest {
		if x.Cmp(first) < 0 {
			first = x
		}
	}
	return first
}

func distance2(a, b disc) *big.Int {
	dx, dy := new(big.Int).Sub(a.x, b.x), new(big.Int).Sub(a.y, b.y)
	return dx.Add(dx.Mul(dx, dx), dy.Mul(dy, dy))
}

// verify checks, exactly, that the discs lie in the square and do not overlap.
func (p *packing) verify() error {
	for i, d := range p.discs {
		// A centre outside has radius 0 and counts nothing.
		if d.r.Sign() > 0 && minimum(d.x, d.y, new(big.Int).Sub(p.one, d.x), new(big.Int).Sub(p.one, d.y)).Cmp(d.r) < 0 {
			return fmt.Errorf("disc %d sticks out of the square", i+1)
		}
		for j := range i {
			o := p.discs[j]
			sum := new(big.Int).Add(d.r, o.r)
			if sum.Mul(sum, sum).Cmp(distance2(d, o)) > 0 {
				return fmt.Errorf("discs %d and %d overlap", j+1, i+1)
			}
		}
	}
	return nil
}

// places is how many digits of the score are printed.
const places = 15

// sum is the score, rounded down.
func (p *packing) sum() string {
	total := new(big.Int)
	for _, d := range p.discs {
		total.Add(total, d.r)
	}
	total.Div(total, pow10(p.scale-places))
	digits := fmt.Sprintf("%0*d", places+1, total)
	cut := len(digits) - places
	return digits[:cut] + "." + digits[cut:]
}
