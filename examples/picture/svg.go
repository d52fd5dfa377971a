package picture

import (
	"fmt"
	"html"
	"strings"
)

// Sizes of the drawing, in pixels.
const (
	side   = 240 // of a packing and of the chart
	margin = 48
	gap    = 32
	top    = 44
)

// A Run is what SVG draws of a search.
type Run struct {
	Title string
	// Best is the best score after each attempt, the base's score first.
	Best          []float64
	Before, After Packing
}

// SVG draws how the score rose, and the packing before and after.
func SVG(r Run) []byte {
	var b strings.Builder
	width, height := margin+3*side+2*gap+16, top+side+40
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#222">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="14">%s</text>`+"\n", margin, html.EscapeString(r.Title))
	chart(&b, margin, r.Best)
	square(&b, margin+side+gap, fmt.Sprintf("before: %.4f", r.Before.Sum()), r.Before)
	square(&b, margin+2*(side+gap), fmt.Sprintf("after: %.4f", r.After.Sum()), r.After)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func square(b *strings.Builder, left int, label string, p Packing) {
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#f4f4f4" stroke="#888"/>`+"\n", left, top, side, side)
	for _, d := range p {
		fmt.Fprintf(b, `<circle cx="%.2f" cy="%.2f" r="%.2f" fill="#7fb3d5" stroke="#1f618d"/>`+"\n",
			float64(left)+d.X*side, top+(1-d.Y)*side, d.R*side)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", left+side/2, top+side+20, label)
}

// chart draws steps: a best score holds until a better one is found.
func chart(b *strings.Builder, left int, best []float64) {
	if len(best) == 0 {
		return
	}
	low, high := best[0], best[0]
	for _, v := range best {
		low, high = min(low, v), max(high, v)
	}
	if high == low {
		high = low + 1
	}
	at := func(i int, v float64) string {
		x := float64(left) + float64(i)/float64(max(1, len(best)-1))*side
		return fmt.Sprintf("%.1f %.1f", x, top+(high-v)/(high-low)*side)
	}
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="#888"/>`+"\n", left, top, top+side, left+side)
	path := "M" + at(0, best[0])
	for i := 1; i < len(best); i++ {
		if best[i] != best[i-1] {
			path += "L" + at(i, best[i-1]) + "L" + at(i, best[i])
		}
	}
	path += "L" + at(len(best)-1, best[len(best)-1])
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="#1f618d" stroke-width="1.5"/>`+"\n", path)
	for _, v := range []float64{low, high} {
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%.3f</text>`+"\n", left-4, top+4+(high-v)/(high-low)*side, v)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">best score over %d attempts</text>`+"\n", left+side/2, top+side+20, len(best)-1)
}
