package mutate

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/policy/edit"
)

func numbersOf(text string) (out []string) {
	for _, l := range read("f", []byte(text)).numbers {
		out = append(out, l.old)
	}
	return out
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"plain":                {"a = 1 + 2.5", "1 2.5"},
		"data with signs":      {"-1 2 -3.5,+4", "-1 2 -3.5 4"},
		"code with minus":      {"f(x -1, -2, y-3, a[4]-5, (6) - 7)", "1 -2 3 4 5 6 7"},
		"identifiers":          {"x2 utf8 sha256 a_1 é1 $1 @2 #3", ""},
		"versions":             {"v1.2.3 1.2.3 v1.5 go1.26.8 127.0.0.1", ""},
		"dates and times":      {"2026-11-30 12:30:05 at 7", "7"},
		"bases":                {"0xFF 0b101 0o17 0755 1_000", "0xFF 0b101 0o17 0755 1_000"},
		"exponents":            {"1e5 2.5E-3 .5 5.", "1e5 2.5E-3 .5 5"},
		"suffixes":             {"1.5f 10ms 3px 7u 8i32", "1.5f 10ms 3px 7u 8i32"},
		"not suffixes":         {"1st 2nd 3d 12ab", ""},
		"end of a sentence":    {"Count to 5.\nOr 6. Then 7.", "5 6 7"},
		"too large":            {"99999999999999999999 3", "3"},
		"quoted":               {`"1" '2' 3`, "3"},
		"an apostrophe":        {"it's 5 o'clock", "5"},
		"a range with dots":    {"1..5", ""},
		"subtracting decimals": {"x-.5", ".5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(numbersOf(c.text), " "); got != c.want {
				t.Errorf("%q: got %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want, warning string }{
		"same line":                {"x = 5 // clade:tune x=1..10", "x=5 int", ""},
		"line above":               {"# clade:tune x=0.1..10 log\nrate: 0.5", "x=0.5 log", ""},
		"closed comment":           {"/* clade:tune x=1..10 */ ;\nint a[4];", "x=4 int", ""},
		"html":                     {"count 5 <!-- clade:tune n=1..9 int -->", "n=5 int", ""},
		"choices":                  {"mode: fast # clade:tune mode choices=slow,fast", "mode=fast slow|fast", ""},
		"quoted choice":            {"mode(\"a b\", 'fast') # clade:tune m choices=slow,fast", "m=fast slow|fast", ""},
		"number choice":            {"n = 8 # clade:tune n choices=4,8,16", "n=8 4|8|16", ""},
		"negative":                 {"x = -2 // clade:tune x=-5..5", "x=-2 int", ""},
		"no range":                 {"x = 5 // clade:tune x", "", "f:1: clade:tune: x needs a range (x=0.1..10) or at least two choices (x choices=a,b)"},
		"empty":                    {"x = 5 // clade:tune", "", "f:1: clade:tune: needs a name, as in name=0.1..10"},
		"bad range":                {"x = 5 // clade:tune x=1-10", "", `f:1: clade:tune: "1-10" is no range, as in 0.1..10`},
		"upside down":              {"x = 5 // clade:tune x=10..1", "", "f:1: clade:tune: the range of x is empty or has no end"},
		"not a number":             {"x = 5 // clade:tune x=NaN..1", "", "f:1: clade:tune: the range of x is empty or has no end"},
		"log of nothing":           {"x = 5 // clade:tune x=0..1 log", "", "f:1: clade:tune: log needs a range above 0"},
		"unknown word":             {"x = 5 // clade:tune x=1..10 linear", "", `f:1: clade:tune: "linear" is not understood here`},
		"no value":                 {"x = y // clade:tune x=1..10", "", "f:1: clade:tune: no number for x is on this line or the next"},
		"no such choice":           {"x = y // clade:tune x choices=a,b", "", "f:1: clade:tune: none of the choices of x is on this line or the next"},
		"twice":                    {"x = 5 // clade:tune x=1..10\ny = 6 // clade:tune x=1..10", "x=5 int", "f:2: clade:tune: x is tuned twice"},
		"a fraction of an integer": {"x = 5 // clade:tune x=0.1..0.9", "", "f:1: clade:tune: no number for x is on this line or the next"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read("f", []byte(c.text))
			var got []string
			for _, p := range s.tunes {
				said := p.Name + "=" + p.Value
				if p.Log {
					said += " log"
				}
				if p.Int {
					said += " int"
				}
				if len(p.Choices) > 0 {
					said += " " + strings.Join(p.Choices, "|")
				}
				got = append(got, said)
			}
			if g, w := strings.Join(got, "; "), strings.Join(s.warns, "; "); g != c.want || w != c.warning {
				t.Errorf("got %q, warnings %q", g, w)
			}
		})
	}
}

// blocky has blocks by indentation and by brackets.
const blocky = "func f() {\n\ta()\n\tif x {\n\t\tb()\n\t\tc()\n\t}\n\td()\n}\n"

func TestLineEditsKeepBlocks(t *testing.T) {
	t.Parallel()
	s := read("f", []byte(blocky))
	for _, k := range []edit.Kind{edit.LineDelete, edit.LineReplace, edit.LineInsert, edit.LineSwap} {
		results := map[string]bool{}
		for draw := range uint64(200) {
			c := s.editLine(k, edit.Source(draw))
			if len(c.splices) == 0 {
				continue
			}
			now := string(apply(s.data, c.splices))
			if strings.Count(now, "{") != strings.Count(now, "}") || strings.Contains(c.summary, "\n") {
				t.Errorf("%s: %s gave %q", k, c.summary, now)
			}
			results[now] = true
		}
		want := map[edit.Kind]int{
			edit.LineDelete:  6, // four simple lines, the if block, all of f
			edit.LineReplace: 4, // each simple line by the other of its block, b and c alike
			edit.LineInsert:  4, // behind each, the other of its margin
			edit.LineSwap:    2, // a with d across the block, b with c
		}[k]
		if len(results) != want {
			t.Errorf("%s gives %d results, want %d: %v", k, len(results), want, results)
		}
	}
}

func TestDeleteKeepsTheEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a\nb": "a", "a\r\nb\r\n": "a\r\n", "a\n\nb": "a\n"} {
		s := read("f", []byte(text))
		if got := string(apply(s.data, s.deleteLine(len(s.lines)-1).splices)); got != want {
			t.Errorf("%q without its last line is %q, want %q", text, got, want)
		}
	}
}

// P7: line edits of a file with carriage returns leave no line end of another
// kind, not even where the last line had none.
func TestLineEditsKeepTheEnds(t *testing.T) {
	t.Parallel()
	s := read("f", []byte("one\r\ntwo\r\nthree"))
	for _, k := range []edit.Kind{edit.LineDelete, edit.LineReplace, edit.LineInsert, edit.LineSwap} {
		edits := 0
		for draw := range uint64(100) {
			c := s.editLine(k, edit.Source(draw))
			edits += len(c.splices)
			now := string(apply(s.data, c.splices))
			if strings.ContainsAny(strings.ReplaceAll(now, "\r\n", ""), "\r\n") {
				t.Errorf("%s: %s gave %q", k, c.summary, now)
			}
		}
		if edits == 0 {
			t.Errorf("%s edits nothing", k)
		}
	}
}

func TestTokenEdits(t *testing.T) {
	t.Parallel()
	s := read("f", []byte("if a < 5 && ok == true {\n\treturn b // clade:tune\n}\n# note\n"))
	results := map[edit.Kind]map[string]bool{}
	for _, k := range []edit.Kind{edit.TokenDelete, edit.TokenReplace, edit.TokenFlip} {
		results[k] = map[string]bool{}
		for draw := range uint64(300) {
			if c := s.editToken(k, edit.Source(draw)); len(c.splices) > 0 {
				results[k][string(apply(s.data, c.splices)[:24])] = true
			}
		}
	}
	for _, want := range []string{"if a <= 5 && ok == true ", "if a > 5 && ok == true {", "if a < 5 || ok == true {", "if a < 5 && ok != true {", "if a < 5 && ok == false "} {
		if !results[edit.TokenFlip][want] {
			t.Errorf("no flip gives %q: %v", want, results[edit.TokenFlip])
		}
	}
	if n := len(results[edit.TokenFlip]); n != 5 {
		t.Errorf("%d flips, want 5", n)
	}
	if n := len(results[edit.TokenDelete]); n != 7 { // if a < && ok == true
		t.Errorf("%d deletions, want 7: %v", n, results[edit.TokenDelete])
	}
}

func sources(f *testing.F) {
	for _, s := range []string{"", "1 2\r\n-3.5e-7", blocky, "x = '\\'' \"un\nclosed\" `a`", "é1.5ü 0x 1e 1.e5 .5. 5..", "a\x00b", "// clade:tune x=1..2 3\n4",
		"2026-11-30 0755 1_0 -", "#!/bin/sh\n\tif x; then\n\t\ty\n\tfi", "\xff\xfe1"} {
		f.Add([]byte(s), uint64(len(s)))
	}
	if matches, _ := filepath.Glob("*.go"); len(matches) > 0 {
		data, _ := os.ReadFile(matches[0])
		f.Add(data, uint64(1))
	}
}

// FuzzScan: tokens and lines cover the file, literals lie within their line.
func FuzzScan(f *testing.F) {
	sources(f)
	f.Fuzz(func(t *testing.T, data []byte, _ uint64) {
		s := read("f", data)
		at := 0
		for _, tok := range s.tokens {
			if tok.start != at || tok.end <= tok.start {
				t.Fatalf("token %v after %d", tok, at)
			}
			at = tok.end
		}
		if at != len(data) {
			t.Fatalf("tokens end at %d of %d", at, len(data))
		}
		at = 0
		for _, l := range s.lines {
			if l.start != at || l.end < l.start || l.next < l.end {
				t.Fatalf("line %+v after %d", l, at)
			}
			at = l.next
		}
		if at != len(data) {
			t.Fatalf("lines end at %d of %d", at, len(data))
		}
		at = 0
		for i := range s.numbers {
			l := &s.numbers[i]
			if l.start < at || l.end > s.lines[l.line].end || l.start < s.lines[l.line].start {
				t.Fatalf("literal %+v", l)
			}
			at = l.end
		}
	})
}

// FuzzEdit: an edit changes its spans and nothing else, in order, and numbers
// stay numbers.
func FuzzEdit(f *testing.F) {
	sources(f)
	kinds := []edit.Kind{edit.LineDelete, edit.LineReplace, edit.LineInsert, edit.LineSwap, edit.TokenDelete, edit.TokenReplace, edit.TokenFlip}
	f.Fuzz(func(t *testing.T, data []byte, draw uint64) {
		s := read("f", data)
		g := edit.Source(draw)
		for _, k := range kinds {
			if strings.HasPrefix(string(k), "line") {
				outside(t, s, s.editLine(k, g))
			} else {
				outside(t, s, s.editToken(k, g))
			}
		}
		c := s.nudge([]edit.Move{{At: g.Float64(), Line: true, Z: draws(g), Grow: []float64{1, 2, 0.5, 1}}}, &edit.Steps{})
		outside(t, s, c)
		for _, p := range c.splices {
			if _, ok := parse(strings.TrimPrefix(p.with, "-")); !ok {
				t.Fatalf("%q became %q", data[p.start:p.end], p.with)
			}
		}
	})
}

func draws(g *rand.Rand) []float64 {
	return []float64{g.NormFloat64() * 10, g.NormFloat64() / 1e9, g.NormFloat64(), 1e6 * g.NormFloat64()}
}

// outside checks that the bytes between the splices are the old ones.
func outside(t *testing.T, s *source, c change) {
	t.Helper()
	if !slices.IsSortedFunc(c.splices, func(a, b splice) int { return a.start - b.start }) {
		t.Fatalf("splices out of order: %v", c.splices)
	}
	now := apply(s.data, c.splices)
	at, from := 0, 0
	for _, p := range c.splices {
		if p.start < from || p.end < p.start || !bytes.HasPrefix(now[at:], s.data[from:p.start]) {
			t.Fatalf("splice %+v", p)
		}
		at += p.start - from
		if !bytes.HasPrefix(now[at:], []byte(p.with)) {
			t.Fatalf("splice %+v is not in the result", p)
		}
		at, from = at+len(p.with), p.end
	}
	if !bytes.Equal(now[at:], s.data[from:]) {
		t.Fatal("the rest changed")
	}
}
