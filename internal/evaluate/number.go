package evaluate

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// longest is how many bytes a number may have: far more than any float64 needs.
const longest = 1024

// Number reads text that, trimmed of white space, is wholly one JSON number. It
// refuses what strconv would take and JSON does not (hexadecimal, underscores,
// a plus sign, inf, nan), numbers too large for a float64, and numbers other
// than zero that it would round to zero. −0 is 0. The error quotes the line.
func Number(text []byte) (float64, error) {
	s := string(bytes.Trim(text, " \t\r\n"))
	switch {
	case s == "":
		return 0, fmt.Errorf("nothing where a number should be")
	case len(s) > longest || !isJSONNumber(s):
		return 0, fmt.Errorf("%s is not one number%s", quote(s), advice(s))
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is too large a number", quote(s))
	case v == 0 && strings.ContainsAny(mantissa(s), "123456789"):
		return 0, fmt.Errorf("%s is too small a number: it would be read as 0", quote(s))
	}
	return v + 0, nil // −0 + 0 is 0
}

func mantissa(s string) string {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		return s[:i]
	}
	return s
}

// isJSONNumber reports whether s is a number by the grammar of RFC 8259 §6.
func isJSONNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if rest, ok := strings.CutPrefix(s, "."); ok {
		n := digits(rest)
		if n == 0 {
			return false
		}
		s = rest[n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		n := digits(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

// digits counts the leading decimal digits.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// quote shows the first line of s, at most 80 bytes of it, with everything that
// is not printable escaped.
func quote(s string) string {
	const most = 80
	line, _, more := strings.Cut(s, "\n")
	if len(line) > most {
		line, more = line[:most], true
	}
	if more {
		return strconv.QuoteToASCII(line) + "…"
	}
	return strconv.QuoteToASCII(line)
}

// advice names the usual reason why a text is no number.
func advice(s string) string {
	switch lower := strings.ToLower(strings.TrimLeft(s, "+-")); {
	case strings.ContainsRune(s, '\x1b'):
		return " (it has terminal colours; turn them off or give a pattern)"
	case strings.ContainsRune(s, '\n'), strings.ContainsRune(s, '\r'):
		return " (it has several lines; print the number alone or give a pattern)"
	case strings.HasPrefix(lower, "nan"), strings.HasPrefix(lower, "inf"):
		return " (only finite numbers are scores)"
	case strings.HasPrefix(s, "+"):
		return " (write it without the plus sign)"
	case strings.ContainsAny(s, ",_"):
		return " (write it without thousands separators)"
	case digits(lower) > 0:
		return " (print the number alone or give a pattern)"
	}
	return ""
}
