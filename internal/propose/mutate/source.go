package mutate

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// largest is the size of the largest file that is edited, in bytes.
const largest = 1 << 20

// A source is one text file, taken apart.
type source struct {
	path    string
	data    []byte
	tokens  []token
	lines   []line
	numbers []literal // that may be moved: not tuned, not part of a marker
	tunes   []tuned
	warns   []string
	prose   bool // reads as text: a "#" is a heading and no comment
}

// A line is a span without its newline, which reaches up to next.
type line struct {
	start, end, next int
	indent           int // columns, a tab counting as one
	first, last      int // tokens, last exclusive, without the newline
	balance          int // opening less closing brackets
	lowest           int // the lowest the balance gets
	marked           bool
	data             bool // no words and no quoted text
}

func (l line) blank() bool { return l.start+l.indent == l.end }

// editable reports whether a file's bytes are text that mutate edits.
func editable(data []byte) bool {
	return len(data) > 0 && len(data) <= largest && bytes.IndexByte(data, 0) < 0 && utf8.Valid(data)
}

func read(path string, data []byte) *source {
	s := &source{path: path, data: data, tokens: scan(data)}
	s.split()
	s.mark()
	s.count()
	s.prose = s.readsAsText()
	return s
}

// split finds the lines.
func (s *source) split() {
	cur := line{data: true}
	for i, t := range s.tokens {
		if t.class == newline {
			cur.end, cur.next, cur.last = t.start, t.end, i
			s.lines = append(s.lines, cur)
			cur = line{start: t.end, first: i + 1, data: true}
			continue
		}
		switch t.class {
		case space:
			if t.start == cur.start {
				cur.indent = t.end - t.start
			}
		case word, text:
			cur.data = false
		case punct:
			switch s.data[t.start] {
			case '(', '[', '{':
				cur.balance++
			case ')', ']', '}':
				cur.balance--
				cur.lowest = min(cur.lowest, cur.balance)
			}
		}
	}
	if cur.start < len(s.data) {
		cur.end, cur.next, cur.last = len(s.data), len(s.data), len(s.tokens)
		s.lines = append(s.lines, cur)
	}
}

// notNumbers are dates and clock times.
var notNumbers = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b|\b\d{2}:\d{2}(:\d{2})?\b`)

// count finds the literals that may be moved.
func (s *source) count() {
	skip := notNumbers.FindAllIndex(s.data, -1)
	for n := range s.lines {
		l := &s.lines[n]
		for i := l.first; i < l.last; i++ {
			t := s.tokens[i]
			for len(skip) > 0 && skip[0][1] <= t.start {
				skip = skip[1:]
			}
			if t.class != number || len(skip) > 0 && skip[0][0] <= t.start || s.reserved(t) {
				continue
			}
			if lit, ok := s.literal(n, i); ok {
				s.numbers = append(s.numbers, lit)
			}
		}
	}
}

// reserved reports whether a token belongs to a marker or is what it marks.
func (s *source) reserved(t token) bool {
	for _, m := range s.tunes {
		if m.from <= t.start && t.start < m.to || m.marker <= t.start && t.start < m.markerEnd {
			return true
		}
	}
	return false
}

// literal reads token i of line n.
func (s *source) literal(n, i int) (literal, bool) {
	t := s.tokens[i]
	lit, ok := parse(string(s.data[t.start:t.end]))
	if !ok {
		return lit, false
	}
	l := s.lines[n]
	lit.start, lit.end, lit.line = t.start, t.end, n
	lit.free = l.data || lit.base == float
	if i > l.first && s.is(i-1, "-") {
		if s.unary(l, i-1) {
			lit.start, lit.signed, lit.value = t.start-1, true, -lit.value
		} else {
			lit.free = false
		}
	}
	lit.old = string(s.data[lit.start:lit.end])
	return lit, true
}

func (s *source) is(i int, what string) bool {
	t := s.tokens[i]
	return t.class == punct && string(s.data[t.start:t.end]) == what
}

// unary reports whether the minus at token i is a sign and no subtraction. In a
// line of data a sign follows a gap; in code it follows neither a value nor a
// closing bracket.
func (s *source) unary(l line, i int) bool {
	prev := i - 1
	gap := prev >= l.first && s.tokens[prev].class == space
	if gap {
		prev--
	}
	if prev < l.first || gap && l.data {
		return true
	}
	t := s.tokens[prev]
	return t.class == punct && strings.IndexByte(")]}", s.data[t.start]) < 0
}

// isData reports whether nearly every line with a number is nothing but data.
func (s *source) isData() bool {
	code := 0
	for _, l := range s.lines {
		if !l.data && !s.comment(l) {
			code++
		}
	}
	return len(s.numbers) > 0 && code*10 <= len(s.lines)
}

// comment reports whether a line begins like a comment.
func (s *source) comment(l line) bool {
	t := s.data[l.start+l.indent : l.end]
	for _, lead := range []string{"#", "//", "/*", "--", "%", ";"} {
		if bytes.HasPrefix(t, []byte(lead)) {
			return true
		}
	}
	return false
}

// readsAsText reports whether no line opens a bracket and most are no comments.
func (s *source) readsAsText() bool {
	comments := 0
	for _, l := range s.lines {
		if l.balance != 0 {
			return false
		}
		if s.comment(l) {
			comments++
		}
	}
	return comments*2 <= len(s.lines)
}

// A splice replaces a span by text.
type splice struct {
	start, end int
	with       string
}

// apply makes the splices, which must not overlap and be in order.
func apply(data []byte, splices []splice) []byte {
	out := make([]byte, 0, len(data)+64)
	at := 0
	for _, p := range splices {
		out = append(append(out, data[at:p.start]...), p.with...)
		at = p.end
	}
	return append(out, data[at:]...)
}
