package syntax

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func source(name string, data []byte) Source {
	return Source{Name: name, Data: data, Limits: Limits{Size: 1 << 20, Values: 20_000, Words: 200_000}, What: "file"}
}

// A scribe writes random documents in every style and notes where it wrote each
// value and key. It is the other side of the proof: nothing in it knows how the
// spans are found.
type scribe struct {
	*rand.Rand
	strings.Builder
	eol    string
	values map[string]Span
	styles map[string]Style
	keys   map[string]Span
}

func newScribe(seed uint64) *scribe {
	s := &scribe{Rand: rand.New(rand.NewPCG(seed, 7)), eol: "\n", values: map[string]Span{}, styles: map[string]Style{}, keys: map[string]Span{}}
	if s.IntN(2) == 0 {
		s.eol = "\r\n"
	}
	if s.IntN(3) == 0 {
		s.WriteString("\ufeff")
	}
	if s.IntN(3) == 0 {
		s.noise(0)
		s.WriteString("---" + s.pick("", " # a: [b", " ") + s.eol)
	}
	return s
}

func (s *scribe) pick(of ...string) string { return of[s.IntN(len(of))] }

func (s *scribe) text() string {
	return s.pick("a", "größe", "日本語 text", "x y", "don't", "a#b", "a:b", "http://x/y", "👩‍🚀", "é\u0301", "tab\there", "1.5", "-x", "?y")
}

// noise is what stands between lines and means nothing.
func (s *scribe) noise(indent int) {
	for range s.IntN(2) * s.IntN(3) {
		s.WriteString(s.pick("", strings.Repeat(" ", indent)+"# größe: {", "#\ttab: |", strings.Repeat(" ", indent)) + s.eol)
	}
}

// end ends a line.
func (s *scribe) end() { s.WriteString(s.pick("", "", " ", " # c: 'x", "\t# \"") + s.eol) }

func (s *scribe) note(path string, style Style, from int) {
	s.values[path], s.styles[path] = Span{from, s.Len()}, style
}

// mapping writes entries at an indentation; with inline the first one goes on
// in the line that was begun.
func (s *scribe) mapping(path string, indent, depth int, inline bool) {
	from := s.Len()
	for i := range 1 + s.IntN(4) {
		if i > 0 || !inline {
			s.noise(indent)
			s.WriteString(strings.Repeat(" ", indent))
		}
		if i == 0 {
			from = s.Len()
		}
		key := fmt.Sprintf("k%d", i)
		at := s.Len()
		s.WriteString(s.pick(key, key, `"`+key+`"`, "'"+key+"'"))
		s.keys[Join(path, key)] = Span{at, s.Len()}
		s.WriteString(s.pick(":", ":", " :"))
		s.value(Join(path, key), indent, depth, true)
	}
	s.close(path, from)
}

func (s *scribe) list(path string, indent, depth int, inline bool) {
	from := s.Len()
	for i := range 1 + s.IntN(4) {
		if i > 0 || !inline {
			s.noise(indent)
			s.WriteString(strings.Repeat(" ", indent))
		}
		if i == 0 {
			from = s.Len()
		}
		s.WriteString("-")
		s.value(fmt.Sprintf("%s[%d]", path, i), indent, depth, false)
	}
	s.close(path, from)
}

// close notes a block, which ends with the last value in it.
func (s *scribe) close(path string, from int) {
	end := 0
	for p, v := range s.values {
		if strings.HasPrefix(p, path) && p != path && v.Start >= from {
			end = max(end, v.End)
		}
	}
	s.values[path], s.styles[path] = Span{from, end}, Block
}

// value writes a value behind a colon or a dash and ends its line.
func (s *scribe) value(path string, indent, depth int, key bool) {
	if key && s.IntN(12) == 0 { // the library misreads an empty entry before a key
		s.note(path, Plain, s.Len())
		s.end()
		return
	}
	more := 1 + s.IntN(4)
	if depth > 0 && s.IntN(3) == 0 {
		s.collection(path, indent, more, depth-1, key)
		return
	}
	gap := s.pick(" ", "  ")
	if s.IntN(6) == 0 && depth > 0 {
		gap = s.pick(" &a", " &größe") + fmt.Sprint(s.Len()) + " "
	}
	s.WriteString(gap)
	from := s.Len()
	switch s.IntN(6) {
	case 0:
		s.block(path, indent, more)
		return
	case 1:
		s.flow(path, 2, indent+more)
	case 2:
		s.WriteString("'" + strings.ReplaceAll(s.text(), "'", "''") + s.pick("", s.eol+strings.Repeat(" ", indent+more)+"b # no comment") + "'")
		s.note(path, Single, from)
	case 3:
		s.WriteString(`"` + s.pick(s.text(), `\"q\\`, `a: {`, `\u00e9`+s.eol+strings.Repeat(" ", indent+more)+"b") + `"`)
		s.note(path, Double, from)
	default:
		s.WriteString(strings.TrimLeft(s.text(), "-?") + s.pick("", "", s.eol+strings.Repeat(" ", indent+more)+"goes on"))
		s.note(path, Plain, from)
	}
	s.end()
}

func (s *scribe) collection(path string, indent, more, depth int, key bool) {
	inside := indent + more
	switch {
	case !key && s.IntN(2) == 0: // in the line of the dash
		s.WriteString(strings.Repeat(" ", more))
		if s.IntN(2) == 0 {
			s.mapping(path, indent+1+more, depth, true)
		} else {
			s.list(path, indent+1+more, depth, true)
		}
	case s.IntN(2) == 0:
		s.WriteString(s.pick("", " &m"+fmt.Sprint(s.Len())))
		s.end()
		s.mapping(path, inside, depth, false)
	default:
		s.end()
		if key && s.IntN(2) == 0 {
			inside = indent // a list may stand below its key
		}
		s.list(path, inside, depth, false)
	}
}

func (s *scribe) block(path string, indent, more int) {
	from, style := s.Len(), Literal
	if s.IntN(2) == 0 {
		style = Folded
	}
	s.WriteString(map[Style]string{Literal: "|", Folded: ">"}[style] + s.pick("", "-", "") + s.pick("", " # c") + s.eol)
	for i := range 1 + s.IntN(3) {
		if i > 0 {
			s.WriteString(s.eol + s.pick("", s.eol))
		}
		if s.WriteString(strings.Repeat(" ", indent+more)); i > 0 {
			s.WriteString(s.pick("", "", "  ")) // deeper than the first line
		}
		s.WriteString(s.pick("text", "# no comment", "k: v", "- a", "größe", "it's \"q\""))
	}
	s.note(path, style, from)
	s.WriteString(s.eol)
}

func (s *scribe) flow(path string, depth, indent int) {
	from := s.Len()
	gap := func() {
		s.WriteString(s.pick("", " ", "", s.eol+strings.Repeat(" ", indent+1)))
	}
	pairs := s.IntN(2) == 0
	s.WriteString(map[bool]string{true: "{", false: "["}[pairs])
	for i := range s.IntN(4) {
		if i > 0 {
			s.WriteString(",")
		}
		gap()
		at := fmt.Sprintf("%s[%d]", path, i)
		if pairs {
			key := fmt.Sprintf("f%d", i)
			at = Join(path, key)
			begin := s.Len()
			s.WriteString(key)
			s.keys[at] = Span{begin, s.Len()}
			s.WriteString(": ")
		}
		begin := s.Len()
		switch {
		case depth > 0 && s.IntN(4) == 0:
			s.flow(at, depth-1, indent)
		case s.IntN(3) == 0:
			s.WriteString(`"` + s.pick(s.text(), "a, b]}") + `"`)
			s.note(at, Double, begin)
		default:
			s.WriteString(s.pick("a", "größe", "x y", "1.5", "日本"))
			s.note(at, Plain, begin)
		}
		s.WriteString(s.pick("", " "))
	}
	s.WriteString(map[bool]string{true: "}", false: "]"}[pairs])
	s.note(path, Flow, from)
}

// walk visits every value of a tree.
func walk(n *Node, visit func(*Node)) {
	visit(n)
	for _, item := range n.Items {
		walk(item, visit)
	}
	for _, p := range n.Pairs {
		walk(p.Value, visit)
	}
}

// TestSpansOfWhatWasWritten: every value and key of thousands of documents lies
// where it was written, in the style it was written in.
func TestSpansOfWhatWasWritten(t *testing.T) {
	t.Parallel()
	seen, parsed := map[Style]int{}, 0
	for seed := range uint64(4000) {
		s := newScribe(seed)
		s.mapping("", 0, 4, false)
		data := []byte(s.String())
		if s.IntN(3) == 0 {
			data = bytes.TrimRight(data, "\r\n") // no final line end
		}
		var f Faults
		root := f.Parse(source("a.yaml", data))
		if root == nil || len(f) > 0 {
			continue // the library takes less than YAML; what it takes is told below
		}
		parsed++
		walk(root, func(n *Node) {
			want, ok := s.values[n.Path]
			want.End = min(want.End, len(data))
			if !ok || n.Span != want || n.Style != s.styles[n.Path] {
				t.Fatalf("seed %d: %s is at %v in style %d, written at %v in style %d\n%q", seed, n.Path, n.Span, n.Style, want, s.styles[n.Path], data)
			}
			seen[n.Style]++
			for _, p := range n.Pairs {
				if want := s.keys[Join(n.Path, p.Key)]; p.Span != want {
					t.Fatalf("seed %d: key %s is at %v, written at %v\n%q", seed, p.Key, p.Span, want, data)
				}
			}
		})
	}
	if parsed < 3000 {
		t.Errorf("only %d documents of 4000 were taken", parsed)
	}
	for style := Block; style <= Folded; style++ {
		if seen[style] < 1000 {
			t.Errorf("style %d was seen %d times", style, seen[style])
		}
	}
}
