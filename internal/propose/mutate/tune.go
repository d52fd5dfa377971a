package mutate

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/cladehq/clade/internal/policy/edit"
)

// A tuned is a marked value: where it stands and what it may become.
type tuned struct {
	edit.Parameter
	from, to          int // of what is replaced, without quotes
	marker, markerEnd int
	lit               literal // of a range
}

const mark = "clade:tune"

var tuneName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// mark finds the markers.
func (s *source) mark() {
	if !bytes.Contains(s.data, []byte(mark)) {
		return
	}
	for n := range s.lines {
		l := &s.lines[n]
		at := bytes.Index(s.data[l.start:l.end], []byte(mark))
		if at < 0 {
			continue
		}
		l.marked = true
		t, err := parseMarker(string(s.data[l.start+at+len(mark) : l.end]))
		t.marker, t.markerEnd, t.Path = l.start+at, l.end, s.path
		if err == nil {
			err = s.locate(&t, n)
		}
		if err == nil && s.tunedAs(t.Name) != nil {
			err = fmt.Errorf("%s is tuned twice", t.Name)
		}
		if err != nil {
			s.warns = append(s.warns, fmt.Sprintf("%s:%d: %s: %v", s.path, n+1, mark, err))
			continue
		}
		s.tunes = append(s.tunes, t)
	}
}

func (s *source) tunedAs(name string) *tuned {
	for i := range s.tunes {
		if s.tunes[i].Name == name {
			return &s.tunes[i]
		}
	}
	return nil
}

// parseMarker reads what follows clade:tune.
func parseMarker(rest string) (t tuned, err error) {
	fields := strings.Fields(rest)
	for i, f := range fields {
		if f == "*/" || f == "-->" || f == "#}" {
			fields = fields[:i]
			break
		}
	}
	if len(fields) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return t, fmt.Errorf("needs a name, as in name=0.1..10")
	}
	name, span, ranged := strings.Cut(fields[0], "=")
	if t.Name = name; !tuneName.MatchString(name) {
		return t, fmt.Errorf("%q is no name", name)
	}
	if ranged {
		if err := t.setRange(span); err != nil {
			return t, err
		}
	}
	for _, f := range fields[1:] {
		choices, isChoices := strings.CutPrefix(f, "choices=")
		switch {
		case isChoices && !ranged:
			t.Choices = strings.Split(choices, ",")
		case f == "log" && ranged:
			t.Log = true
		case f == "int" && ranged:
			t.Int = true
		default:
			return t, fmt.Errorf("%q is not understood here", f)
		}
	}
	return t, t.check(ranged)
}

func (t *tuned) setRange(span string) error {
	low, high, ok := strings.Cut(span, "..")
	var err, err2 error
	t.Low, err = strconv.ParseFloat(low, 64)
	t.High, err2 = strconv.ParseFloat(high, 64)
	if !ok || err != nil || err2 != nil {
		return fmt.Errorf("%q is no range, as in 0.1..10", span)
	}
	return nil
}

func (t *tuned) check(ranged bool) error {
	switch {
	case !ranged && (len(t.Choices) < 2 || hasEmpty(t.Choices)):
		return fmt.Errorf("%s needs a range (%s=0.1..10) or at least two choices (%s choices=a,b)", t.Name, t.Name, t.Name)
	case !ranged:
		return nil
	case !(t.Low < t.High) || math.IsInf(t.High-t.Low, 0):
		return fmt.Errorf("the range of %s is empty or has no end", t.Name)
	case t.Log && t.Low <= 0:
		return fmt.Errorf("log needs a range above 0")
	case t.Int && math.Floor(t.High) < math.Ceil(t.Low)+1:
		return fmt.Errorf("the range of %s holds no two whole numbers", t.Name)
	}
	return nil
}

func hasEmpty(list []string) bool {
	for _, s := range list {
		if s == "" {
			return true
		}
	}
	return false
}

// locate finds the marked value: before the marker on its line, else on the
// next line.
func (s *source) locate(t *tuned, n int) error {
	if s.find(t, n, t.marker) {
		return nil
	}
	if n+1 < len(s.lines) && s.find(t, n+1, s.lines[n+1].end) {
		return nil
	}
	if len(t.Choices) > 0 {
		return fmt.Errorf("none of the choices of %s is on this line or the next", t.Name)
	}
	return fmt.Errorf("no number for %s is on this line or the next", t.Name)
}

func (s *source) find(t *tuned, n, before int) bool {
	l := s.lines[n]
	for i := l.last - 1; i >= l.first; i-- {
		tok := s.tokens[i]
		if tok.end > before {
			continue
		}
		if len(t.Choices) == 0 {
			if tok.class == number && s.take(t, n, i) {
				return true
			}
			continue
		}
		from, to := tok.start, tok.end
		if tok.class == text {
			from, to = from+1, to-1
		}
		if tok.class == word || tok.class == text || tok.class == number {
			for _, c := range t.Choices {
				if c == string(s.data[from:to]) {
					t.from, t.to, t.Line, t.Value = from, to, n+1, c
					return true
				}
			}
		}
	}
	return false
}

func (s *source) take(t *tuned, n, i int) bool {
	lit, ok := s.literal(n, i)
	if !ok {
		return false
	}
	t.lit, t.from, t.to, t.Line = lit, lit.start, lit.end, n+1
	t.Value = strings.ReplaceAll(strings.TrimSuffix(lit.old, lit.suffix), "_", "")
	if lit.base != float {
		t.Int = true
		t.Value = strconv.FormatFloat(lit.value, 'f', -1, 64)
	}
	return t.check(true) == nil
}

// write returns the text that gives the parameter a value, "" when the value
// makes no sense here or is already there.
func (t *tuned) write(value string) string {
	if len(t.Choices) > 0 {
		if value == t.Value {
			return ""
		}
		return value
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || v == t.lit.value || v < t.Low || v > t.High {
		return ""
	}
	if t.lit.base == float {
		return value + t.lit.suffix
	}
	if v != math.Trunc(v) || math.Abs(v) >= exact {
		return ""
	}
	return t.lit.integer(int64(v))
}
