package mutate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/policy/edit"
)

// A change is what an edit does to one file.
type change struct {
	splices []splice
	summary string
}

// nudge makes the moves of numbers; steps are the parent's and become the
// child's. Nothing is changed when the file has no numbers.
func (s *source) nudge(moves []edit.Move, steps *edit.Steps) (c change) {
	if len(s.numbers) == 0 {
		return c
	}
	became := map[int]string{}
	for _, m := range moves {
		for j, i := range s.reach(m) {
			if _, twice := became[i]; twice {
				continue
			}
			l := &s.numbers[i]
			step, ok := steps.Get(i)
			if !ok {
				step = s.firstStep(l)
			}
			step = steps.Set(i, s.held(l, step*m.Grow[j]))
			if now := l.moved(l.value + step*m.Z[j]); now != "" && now != l.old {
				became[i] = now
			}
		}
	}
	return s.rewrite(became)
}

// reach lists the literals a move is about.
func (s *source) reach(m edit.Move) (at []int) {
	first := min(int(m.At*float64(len(s.numbers))), len(s.numbers)-1)
	end := first + len(m.Z)
	if m.Line {
		line := s.numbers[first].line
		begin := first
		for begin > 0 && s.numbers[begin-1].line == line {
			begin--
		}
		first = begin + (first-begin)/len(m.Z)*len(m.Z)
		end = first
		for end < len(s.numbers) && end < first+len(m.Z) && s.numbers[end].line == line {
			end++
		}
	}
	for i := first; i < min(end, len(s.numbers)); i++ {
		at = append(at, i)
	}
	return at
}

// firstStep is a tenth of a number's size; that of 0 is a tenth of the file's
// median, or where all are 0 the unit of an integer and a tenth for a float.
func (s *source) firstStep(l *literal) float64 {
	size := math.Abs(l.value)
	if size == 0 {
		var sizes []float64
		for i := range s.numbers {
			if o := &s.numbers[i]; o.value != 0 && (o.base == float) == (l.base == float) {
				sizes = append(sizes, math.Abs(o.value))
			}
		}
		if size = 1; len(sizes) > 0 {
			slices.Sort(sizes)
			size = sizes[len(sizes)/2]
		}
	}
	return size / 10
}

// held keeps a step within what can be written: integers move by about one at
// least, floats by what sixteen digits show.
func (s *source) held(l *literal, step float64) float64 {
	if l.base != float {
		return max(0.5, min(step, exact/64))
	}
	return max(step, 1e-14*math.Abs(l.value))
}

// rewrite replaces literals.
func (s *source) rewrite(became map[int]string) (c change) {
	var said []string
	for i := range s.numbers {
		now, ok := became[i]
		if !ok {
			continue
		}
		l := &s.numbers[i]
		c.splices = append(c.splices, splice{l.start, l.end, now})
		if len(said) < 4 {
			said = append(said, fmt.Sprintf("%s → %s", l.old, now))
		}
	}
	if len(said) == 0 {
		return change{}
	}
	if more := len(c.splices) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	c.summary = fmt.Sprintf("%s in %s", strings.Join(said, ", "), s.path)
	if len(c.splices) == 1 {
		c.summary = fmt.Sprintf("%s in line %d of %s", said[0], s.lineAt(c.splices[0].start)+1, s.path)
	}
	return c
}

// lineAt is the index of the line that holds a byte.
func (s *source) lineAt(at int) int {
	i, found := slices.BinarySearchFunc(s.lines, at, func(l line, at int) int { return l.start - at })
	if !found {
		i--
	}
	return max(0, i)
}

// set writes tuned parameters.
func (s *source) set(values map[string]string) (c change) {
	var said []string
	for i := range s.tunes {
		t := &s.tunes[i]
		value, ok := values[t.Name]
		if !ok {
			continue
		}
		if now := t.write(value); now != "" {
			c.splices = append(c.splices, splice{t.from, t.to, now})
			said = append(said, fmt.Sprintf("%s: %s → %s", t.Name, t.Value, now))
		}
	}
	slices.SortFunc(c.splices, func(a, b splice) int { return a.start - b.start })
	if len(said) > 0 {
		c.summary = fmt.Sprintf("%s in %s", strings.Join(said, ", "), s.path)
	}
	return c
}
