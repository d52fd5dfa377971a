package evo

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// maxDepth is how deep lists and mappings may be nested: as deep as the program
// that wrote them could.
const maxDepth = 1000

// Parse reads JSON as the program writes it: standard JSON with NaN, Infinity and
// -Infinity. A key that is given twice is an error, since readers disagree on
// what it means. Errors are *clade.Problem with file:line:column; name is what
// the file is called there.
func Parse(name string, data []byte) (Value, error) {
	v, f := parse(data)
	if f != nil {
		return Value{}, f.problem(name, data)
	}
	return v, nil
}

// A fault is what is wrong at a place of a file.
type fault struct {
	at   int
	text string
}

func (f *fault) problem(name string, data []byte) error {
	return &clade.Problem{Fault: clade.FaultSpec, Text: f.text, Where: syntax.Where(name, position(data, f.at))}
}

// position counts lines and columns, in characters.
func position(data []byte, at int) syntax.Pos {
	before := data[:min(at, len(data))]
	line := strings.Count(string(before), "\n") + 1
	begin := strings.LastIndexByte(string(before), '\n') + 1
	return syntax.Pos{Line: line, Col: utf8.RuneCount(before[begin:]) + 1}
}

func parse(data []byte) (v Value, f *fault) {
	s := scanner{data: string(data)}
	if at := firstInvalid(s.data); at >= 0 {
		return v, &fault{at, "not UTF-8"}
	}
	s.space()
	if s.at == len(s.data) {
		return v, &fault{s.at, "empty"}
	}
	v = s.value(0)
	if s.space(); s.fault == nil && s.at < len(s.data) {
		s.fail("more text after the JSON value")
	}
	if s.fault != nil {
		return Value{}, s.fault
	}
	return v, nil
}

func firstInvalid(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// A scanner reads values; after a fault it reads nothing more.
type scanner struct {
	data  string
	at    int
	fault *fault
}

func (s *scanner) fail(text string, args ...any) {
	if s.fault == nil {
		s.fault = &fault{s.at, fmt.Sprintf(text, args...)}
	}
	s.at = len(s.data)
}

func (s *scanner) space() {
	for s.at < len(s.data) && strings.IndexByte(" \t\r\n", s.data[s.at]) >= 0 {
		s.at++
	}
}

// take moves past a byte, if it is next.
func (s *scanner) take(b byte) bool {
	if s.at < len(s.data) && s.data[s.at] == b {
		s.at++
		return true
	}
	return false
}

func (s *scanner) value(depth int) Value {
	begin := s.at
	switch {
	case depth > maxDepth:
		s.fail("nested more than %d deep", maxDepth)
	case s.at == len(s.data):
		s.fail("the file ends within a value")
	case s.data[s.at] == '{':
		return s.mapping(depth)
	case s.data[s.at] == '[':
		return s.list(depth)
	case s.data[s.at] == '"':
		return Value{kind: text, raw: s.text(), at: begin}
	default:
		return s.word()
	}
	return Value{}
}

func (s *scanner) list(depth int) Value {
	v := Value{kind: list, at: s.at}
	s.at++
	if s.space(); s.take(']') {
		return v
	}
	for s.fault == nil {
		s.space()
		v.items = append(v.items, s.value(depth+1))
		s.space()
		if s.take(']') {
			break
		}
		if !s.take(',') {
			s.fail("a comma or ] is missing")
		}
	}
	return v
}

func (s *scanner) mapping(depth int) Value {
	v := Value{kind: mapping, at: s.at}
	s.at++
	if s.space(); s.take('}') {
		return v
	}
	seen := map[string]bool{}
	for s.fault == nil {
		s.space()
		begin := s.at
		key := unquote(s.text())
		if seen[key] && s.fault == nil {
			s.at = begin
			s.fail("the key %s is given twice", syntax.Quote(key))
		}
		seen[key] = true
		if s.space(); !s.take(':') {
			s.fail("a colon is missing")
		}
		s.space()
		v.pairs = append(v.pairs, Pair{key, s.value(depth + 1)})
		s.space()
		if s.take('}') {
			break
		}
		if !s.take(',') {
			s.fail("a comma or } is missing")
		}
	}
	return v
}

// text reads a string and returns it as written.
func (s *scanner) text() string {
	begin := s.at
	if !s.take('"') {
		s.fail("text in quotes is missing")
		return `""`
	}
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return s.data[begin:s.at]
		case c < ' ':
			s.fail("a control character within text")
		case c == '\\':
			s.escape()
		default:
			s.at++
		}
	}
	s.fail("the file ends within text")
	return `""`
}

func (s *scanner) escape() {
	s.at++
	switch {
	case s.at == len(s.data):
		s.fail("the file ends within text")
	case strings.IndexByte(`"\/bfnrt`, s.data[s.at]) >= 0:
		s.at++
	case s.data[s.at] == 'u' && hex4(s.data[s.at+1:]) >= 0:
		s.at += 5
	default:
		s.fail("an unknown escape within text")
	}
}

// words are the values that are no number, text, list or mapping.
var words = map[string]kind{"null": null, "true": boolean, "false": boolean, "NaN": number, "Infinity": number, "-Infinity": number}

func (s *scanner) word() Value {
	begin := s.at
	end := begin
	for end < len(s.data) && strings.IndexByte(" \t\r\n,:]}[{\"", s.data[end]) < 0 {
		end++
	}
	w := s.data[begin:end]
	k, ok := words[w]
	if !ok {
		if !isNumber(w) {
			s.fail("%s is no JSON value", syntax.Quote(w))
			return Value{}
		}
		k = number
	}
	s.at = end
	return Value{kind: k, raw: w, at: begin}
}

// isNumber reports whether w is a number of JSON.
func isNumber(w string) bool {
	w = strings.TrimPrefix(w, "-")
	whole := digits(w)
	if whole == 0 || whole > 1 && w[0] == '0' {
		return false
	}
	w = w[whole:]
	if strings.HasPrefix(w, ".") {
		n := digits(w[1:])
		if n == 0 {
			return false
		}
		w = w[1+n:]
	}
	if w != "" && (w[0] == 'e' || w[0] == 'E') {
		w = w[1:]
		if w != "" && (w[0] == '+' || w[0] == '-') {
			w = w[1:]
		}
		n := digits(w)
		return n > 0 && n == len(w)
	}
	return w == ""
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
