// Package picture draws what the packing example made: packings of discs, and
// how the score rose. It draws for people and decides nothing.
package picture

import (
	"bufio"
	"fmt"
	"math"
	"strings"
)

// A Disc lies in the unit square, y pointing up.
type Disc struct{ X, Y, R float64 }

// A Packing is what one file of the example holds, as it is scored: discs that
// overlap or stick out are shrunk by the rule of the example's checker, here in
// floating point, which is exact enough to be looked at.
type Packing []Disc

// ParsePacking reads lines of the form "x y r".
func ParsePacking(text string) (Packing, error) {
	var p Packing
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		var d Disc
		if _, err := fmt.Sscan(lines.Text(), &d.X, &d.Y, &d.R); err != nil {
			return nil, fmt.Errorf("line %d is not \"x y r\": %w", n, err)
		}
		p = append(p, d)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	p.shrink()
	return p, nil
}

func (p Packing) shrink() {
	for i := range p {
		d := &p[i]
		d.R = max(0, min(d.R, d.X, 1-d.X, d.Y, 1-d.Y))
	}
	for i := range p {
		for j := range i {
			a, b := &p[j], &p[i]
			gap := math.Hypot(a.X-b.X, a.Y-b.Y)
			if sum := a.R + b.R; sum > gap {
				a.R *= gap / sum
				b.R *= gap / sum
			}
		}
	}
}

// Sum is the sum of the radii.
func (p Packing) Sum() (sum float64) {
	for _, d := range p {
		sum += d.R
	}
	return sum
}

func (p Packing) covers(x, y float64) bool {
	for _, d := range p {
		if math.Hypot(d.X-x, d.Y-y) < d.R {
			return true
		}
	}
	return false
}

// Text draws packings side by side, each rows lines high, with a title above.
func Text(rows int, titles []string, ps ...Packing) string {
	var b strings.Builder
	columns := 2 * rows // a character is about twice as high as wide
	for i := range ps {
		fmt.Fprintf(&b, "  %-*s", columns+2, titles[i])
	}
	b.WriteByte('\n')
	for row := range rows {
		for _, p := range ps {
			b.WriteString("  ")
			for column := range columns {
				// Each character shows an upper and a lower half.
				x := (float64(column) + .5) / float64(columns)
				upper := p.covers(x, 1-(float64(row)+.25)/float64(rows))
				lower := p.covers(x, 1-(float64(row)+.75)/float64(rows))
				b.WriteRune(halves[upper][lower])
			}
			b.WriteString("  ")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

var halves = map[bool]map[bool]rune{
	true:  {true: '█', false: '▀'},
	false: {true: '▄', false: ' '},
}
