package mutate

import (
	"fmt"
	"math/rand/v2"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/edit"
)

// deeper reports whether line n opens a block by indentation.
func (s *source) deeper(n int) bool {
	for m := n + 1; m < len(s.lines); m++ {
		if !s.lines[m].blank() {
			return s.lines[m].indent > s.lines[n].indent
		}
	}
	return false
}

// simple reports whether a line can be taken out or put in by itself.
func (s *source) simple(n int) bool {
	l := s.lines[n]
	return !l.blank() && !l.marked && l.balance == 0 && l.lowest == 0 && !s.deeper(n)
}

// block ends the block that line n opens: the line after it. It is n when n
// opens none or what it opens does not close.
func (s *source) block(n int) int {
	if l := s.lines[n]; l.blank() || l.marked || l.lowest < 0 || !s.deeper(n) {
		return n
	}
	balance, end := s.lines[n].balance, n+1
	for ; end < len(s.lines) && (s.lines[end].blank() || s.lines[end].indent > s.lines[n].indent); end++ {
		if s.lines[end].marked {
			return n
		}
		balance += s.lines[end].balance
	}
	if balance > 0 && end < len(s.lines) && s.lines[end].lowest < 0 {
		balance += s.lines[end].balance
		end++
	}
	if balance != 0 {
		return n
	}
	for end > n+1 && s.lines[end-1].blank() {
		end--
	}
	return end
}

// editableLines counts what line edits can choose from.
func (s *source) editableLines() (count int) {
	for n := range s.lines {
		if s.simple(n) {
			count++
		}
	}
	return count
}

// editLine makes one line edit, nothing when there is no room for it.
func (s *source) editLine(k edit.Kind, g *rand.Rand) change {
	n, ok := s.pickLine(g, func(n int) bool {
		return s.simple(n) || k == edit.LineDelete && s.block(n) > n
	})
	if !ok {
		return change{}
	}
	switch k {
	case edit.LineDelete:
		return s.deleteLine(n)
	case edit.LineReplace:
		return s.replaceLine(n, g)
	case edit.LineInsert:
		return s.insertLine(n, g)
	case edit.LineSwap:
		return s.swapLine(n, g)
	}
	return change{}
}

// pickLine draws a line that will do, all alike.
func (s *source) pickLine(g *rand.Rand, will func(n int) bool) (int, bool) {
	if len(s.lines) == 0 {
		return 0, false
	}
	for range 16 { // most lines will do in most files
		if n := g.IntN(len(s.lines)); will(n) {
			return n, true
		}
	}
	var all []int
	for n := range s.lines {
		if will(n) {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	return all[g.IntN(len(all))], true
}

func (s *source) content(n int) string {
	l := s.lines[n]
	return string(s.data[l.start+l.indent : l.end])
}

func (s *source) margin(n int) string {
	l := s.lines[n]
	return string(s.data[l.start : l.start+l.indent])
}

// deleteLine takes out line n, or the block it opens. The file keeps having or
// not having a newline at its end.
func (s *source) deleteLine(n int) change {
	end := max(n+1, s.block(n))
	p := splice{start: s.lines[n].start, end: s.lines[end-1].next}
	if last := s.lines[end-1]; last.end == last.next && n > 0 {
		p.start = s.lines[n-1].end
	}
	what := fmt.Sprintf("deleted line %d of %s: %s", n+1, s.path, quoted(s.content(n)))
	if end > n+1 {
		what = fmt.Sprintf("deleted lines %d to %d of %s: %s", n+1, end, s.path, quoted(s.content(n)))
	}
	return change{[]splice{p}, what}
}

// donor draws a simple line other than n with other content, at the same
// indentation where there is one.
func (s *source) donor(n int, g *rand.Rand) (int, bool) {
	want := s.content(n)
	differs := func(m int) bool { return m != n && s.simple(m) && s.content(m) != want }
	m, ok := s.pickLine(g, func(m int) bool { return differs(m) && s.margin(m) == s.margin(n) })
	if !ok {
		m, ok = s.pickLine(g, differs)
	}
	return m, ok
}

func (s *source) replaceLine(n int, g *rand.Rand) change {
	m, ok := s.donor(n, g)
	if !ok {
		return change{}
	}
	l := s.lines[n]
	return change{[]splice{{l.start + l.indent, l.end, s.content(m)}},
		fmt.Sprintf("replaced line %d of %s, %s, by line %d, %s", n+1, s.path, quoted(s.content(n)), m+1, quoted(s.content(m)))}
}

func (s *source) insertLine(n int, g *rand.Rand) change {
	m, ok := s.donor(n, g)
	if !ok {
		m = n
	}
	l := s.lines[n]
	p := splice{l.next, l.next, s.margin(n) + s.content(m) + string(s.data[l.end:l.next])}
	if l.end == l.next { // the last line, without a newline
		p.with = s.newline() + s.margin(n) + s.content(m)
	}
	return change{[]splice{p}, fmt.Sprintf("copied line %d of %s to line %d: %s", m+1, s.path, n+2, quoted(s.content(m)))}
}

// newline is what ends the file's first line.
func (s *source) newline() string {
	if l := s.lines[0]; l.next > l.end {
		return string(s.data[l.end:l.next])
	}
	return "\n"
}

// swapLine exchanges line n with a simple line of the same block.
func (s *source) swapLine(n int, g *rand.Rand) change {
	var partners []int
	for _, step := range []int{-1, 1} {
		for m := n + step; m >= 0 && m < len(s.lines); m += step {
			if l := s.lines[m]; !l.blank() && l.indent < s.lines[n].indent {
				break
			}
			if s.simple(m) && s.margin(m) == s.margin(n) && s.content(m) != s.content(n) {
				partners = append(partners, m)
			}
		}
	}
	if len(partners) == 0 {
		return change{}
	}
	m := partners[g.IntN(len(partners))]
	a, b := min(n, m), max(n, m)
	la, lb := s.lines[a], s.lines[b]
	return change{[]splice{{la.start + la.indent, la.end, s.content(b)}, {lb.start + lb.indent, lb.end, s.content(a)}},
		fmt.Sprintf("swapped lines %d and %d of %s: %s and %s", a+1, b+1, s.path, quoted(s.content(a)), quoted(s.content(b)))}
}

// quoted shows a piece of a file within a summary.
func quoted(text string) string {
	return "`" + clade.Line(text, 48) + "`"
}
