package mutate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/cladehq/clade/internal/policy/edit"
)

// A hunk replaces lines [start, end) of the ancestor.
type hunk struct {
	start, end int
	with       string
}

// hunks are what turns the lines of from into to.
func hunks(from, to string) (out []hunk) {
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // the same answer on any machine
	a, b, lines := d.DiffLinesToRunes(from, to)
	at, open := 0, false
	for _, part := range d.DiffMainRunes(a, b, false) {
		n := utf8.RuneCountInString(part.Text)
		if part.Type == diffmatchpatch.DiffEqual {
			at, open = at+n, false
			continue
		}
		if !open {
			out, open = append(out, hunk{start: at, end: at}), true
		}
		h := &out[len(out)-1]
		if part.Type == diffmatchpatch.DiffDelete {
			at += n
			h.end = at
			continue
		}
		for _, r := range d.DiffCharsToLines([]diffmatchpatch.Diff{part}, lines) {
			h.with += r.Text
		}
	}
	return out
}

// splitLines cuts after every newline.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// crossed recombines two descendants of an ancestor by their hunks. A hunk of
// one side is taken or left; where both changed the same lines one of them is.
func crossed(ancestor, ours, theirs string, g *rand.Rand) (out string, took int) {
	lines := splitLines(ancestor)
	left, right := hunks(ancestor, ours), hunks(ancestor, theirs)
	eager := 0.5 + g.Float64()/2
	var b strings.Builder
	at := 0
	for len(left)+len(right) > 0 {
		l, r := group(&left, &right)
		chosen, theirsWon := l, false
		switch {
		case len(l) == 0:
			if theirsWon = g.Float64() < eager; theirsWon {
				chosen = r
			}
		case len(r) == 0:
			if g.Float64() >= eager {
				chosen = nil
			}
		case g.Float64() < 0.5:
			chosen, theirsWon = r, true
		}
		if theirsWon {
			took++
		}
		for _, h := range chosen {
			b.WriteString(strings.Join(lines[at:h.start], ""))
			b.WriteString(h.with)
			at = h.end
		}
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String(), took
}

// group takes the next hunks of both sides that touch each other.
func group(left, right *[]hunk) (l, r []hunk) {
	end := -1
	for {
		switch {
		case len(*left) > 0 && (end >= 0 && (*left)[0].start <= end || end < 0 && before(*left, *right)):
			l, end = append(l, (*left)[0]), max(end, (*left)[0].end)
			*left = (*left)[1:]
		case len(*right) > 0 && (end >= 0 && (*right)[0].start <= end || end < 0):
			r, end = append(r, (*right)[0]), max(end, (*right)[0].end)
			*right = (*right)[1:]
		default:
			return l, r
		}
	}
}

func before(a, b []hunk) bool { return len(b) == 0 || a[0].start <= b[0].start }

// alike reports whether two files differ in nothing but their numbers.
func alike(a, b *source) bool {
	if len(a.numbers) != len(b.numbers) || len(a.numbers) == 0 {
		return false
	}
	i, j := 0, 0
	for n := range a.numbers {
		x, y := &a.numbers[n], &b.numbers[n]
		if x.base != y.base || x.suffix != y.suffix || !bytes.Equal(a.data[i:x.start], b.data[j:y.start]) {
			return false
		}
		i, j = x.end, y.end
	}
	return bytes.Equal(a.data[i:], b.data[j:])
}

// mix recombines two files that are alike: each number, or all those of a line,
// comes from either, or lies on the line through both.
func mix(a, b *source, ours, theirs *edit.Steps, g *rand.Rand) (c change) {
	byLine, blend := g.Float64() < 0.5, g.Float64() < 0.3
	became := map[int]string{}
	swap, along, line := false, 0.0, -1
	for n := range a.numbers {
		x, y := &a.numbers[n], &b.numbers[n]
		if !byLine || x.line != line {
			swap, along, line = g.Float64() < 0.5, 1.5*g.Float64()-0.25, x.line
		}
		if x.value == y.value {
			continue
		}
		switch {
		case blend:
			if now := x.moved(x.value + along*(y.value-x.value)); now != "" {
				became[n] = now
			}
		case swap:
			became[n] = y.old
			if step, ok := theirs.Get(n); ok {
				ours.Set(n, step)
			}
		}
	}
	if c = a.rewrite(became); len(c.splices) > 0 {
		c.summary = fmt.Sprintf("%d numbers of %s from the second parent", len(c.splices), a.path)
		if blend {
			c.summary = fmt.Sprintf("%d numbers of %s blended", len(c.splices), a.path)
		}
	}
	return c
}
