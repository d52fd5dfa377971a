package mutate

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

type base int

const (
	float base = 0
	bin   base = 2
	oct   base = 8
	dec   base = 10
	hex   base = 16
)

// shape is what a literal may look like; the last group is a suffix that stays:
// types of C and Rust, units of time and length.
var shape = regexp.MustCompile(`^(?:(0[xX][0-9a-fA-F_]+)|(0[bB][01_]+)|(0[oO][0-7_]+|0[0-7]+)|([0-9][0-9_]*)|([0-9][0-9_]*\.[0-9_]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9][0-9_]*[eE][+-]?[0-9]+))` +
	`([fFlLuU]|[uU][lL]{1,2}|[iu](?:8|16|32|64)|f(?:32|64)|ns|us|µs|ms|s|m|h|px|em|rem|pt)?$`)

func literalShape(s string) bool { return shape.MatchString(s) }

// exact is the largest integer that is moved: above, a float64 cannot hold it.
const exact = 1 << 53

// A literal is a number of a file, with its minus sign when it has one of its own.
type literal struct {
	start, end int
	line       int // index
	base       base
	value      float64
	digits     string // as written, without sign and suffix
	suffix     string
	signed     bool // a sign is part of the span
	free       bool // may become negative: in a line of data, or a float of code
	old        string
}

// parse reads a token of class number; ok is false when its value cannot be
// moved (too large).
func parse(s string) (l literal, ok bool) {
	m := shape.FindStringSubmatch(s)
	if m == nil {
		return l, false
	}
	l.suffix = m[6]
	l.digits = strings.TrimSuffix(s, l.suffix)
	clean := strings.ReplaceAll(l.digits, "_", "")
	for i, b := range []base{hex, bin, oct, dec, float} {
		if m[i+1] == "" {
			continue
		}
		l.base = b
		if b == float {
			v, err := strconv.ParseFloat(clean, 64)
			l.value = v
			return l, err == nil && !math.IsInf(v, 0)
		}
		v, err := strconv.ParseUint(trimBase(clean, b), int(b), 64)
		l.value = float64(v)
		return l, err == nil && v < exact
	}
	return l, false
}

func trimBase(s string, b base) string {
	if b != dec && len(s) > 1 && s[0] == '0' && !isDigit(s[1]) {
		return s[2:]
	}
	return s
}

// moved writes the literal with a value near want that differs from the old
// one; "" when there is none. For integers that is at least the next one.
func (l *literal) moved(want float64) string {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return ""
	}
	if l.base == float {
		return l.movedFloat(want)
	}
	v := math.Round(want)
	if v == l.value {
		v += math.Copysign(1, want-l.value)
	}
	if v < 0 && !l.signed && !l.free {
		if v = -v; v == l.value {
			v++
		}
	}
	if math.Abs(v) >= exact {
		return ""
	}
	return l.integer(int64(v))
}

func (l *literal) integer(v int64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	prefix := ""
	switch {
	case l.base == oct && len(l.digits) > 1 && isDigit(l.digits[1]):
		prefix = "0"
	case l.base == hex || l.base == bin || l.base == oct:
		prefix = l.digits[:2]
	}
	d := strconv.FormatInt(v, int(l.base))
	old := l.digits[len(prefix):]
	if l.base == hex && strings.ContainsAny(old, "ABCDEF") {
		d = strings.ToUpper(d)
	}
	if l.base == hex || l.base == bin {
		d = strings.Repeat("0", max(0, len(old)-len(d))) + d
	}
	return sign + prefix + d + l.suffix
}

func (l *literal) movedFloat(v float64) string {
	if v < 0 && !l.signed && !l.free {
		v = -v
	}
	delta := math.Abs(v - l.value)
	if delta == 0 {
		return ""
	}
	// One digit below the first one that changes: the step keeps its meaning.
	d := int(1 - math.Floor(math.Log10(delta)))
	for ; d <= 340; d++ {
		s := l.decimal(v, d)
		if got, err := strconv.ParseFloat(s, 64); err == nil && got != l.value {
			return s + l.suffix
		}
		if float64(d) > 18-math.Log10(math.Max(math.Abs(v), 1e-300)) {
			return ""
		}
	}
	return ""
}

// decimal writes v with d digits behind the point, in the literal's notation.
func (l *literal) decimal(v float64, d int) string {
	at := strings.IndexAny(l.digits, "eE")
	if at < 0 {
		s := strconv.FormatFloat(v, 'f', max(0, d), 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(s, "0")
		}
		switch {
		case strings.HasSuffix(s, "."):
			s += "0"
		case !strings.Contains(s, "."):
			s += ".0"
		}
		return s
	}
	first := 0
	if v != 0 {
		first = int(math.Floor(math.Log10(math.Abs(v))))
	}
	s := strconv.FormatFloat(v, 'e', max(0, min(17, first+d)), 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
	}
	n, _ := strconv.Atoi(exp)
	plus := ""
	if n >= 0 && strings.Contains(l.digits, "+") {
		plus = "+"
	}
	return mantissa + l.digits[at:at+1] + plus + strconv.Itoa(n)
}
