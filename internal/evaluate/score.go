package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/cladehq/clade"
)

// Score compares an answer with what was expected, by one of the scorers that
// need no command. Line ends at the end of either are not compared. Where both
// are empty nothing was compared, which is no score; where the answer alone is
// empty or makes no sense it is 0.
//
//   - exact: 1 when equal;
//   - contains: 1 when the answer contains the expected text;
//   - last_number: 1 when the last number of the answer is the last number of
//     the expected text, within Tolerance; thousands may be set off by commas;
//   - numeric_close: 1 when the whole answer is a number within Tolerance.
//
// Tolerance is relative to the expected number; 0 asks for equality. An error
// says that the case cannot be scored: the dataset's fault, not the answer's.
func Score(s clade.Scorer, answer []byte, expected string) (float64, error) {
	answer, expected = bytes.TrimRight(answer, "\r\n"), strings.TrimRight(expected, "\r\n")
	if len(answer) == 0 && expected == "" {
		return 0, errors.New("both the answer and the expected text are empty: nothing was compared")
	}
	switch s.Kind {
	case "exact":
		return verdict(string(answer) == expected), nil
	case "contains":
		if expected == "" {
			return 0, errors.New("the expected text is empty: every answer contains it")
		}
		return verdict(bytes.Contains(answer, []byte(expected))), nil
	case "last_number":
		want, ok := lastNumber([]byte(expected))
		if !ok {
			return 0, fmt.Errorf("the expected text %s has no number", quote(expected))
		}
		got, ok := lastNumber(answer)
		return verdict(ok && within(got, want, s.Tolerance)), nil
	case "numeric_close":
		want, err := Number([]byte(expected))
		if err != nil {
			return 0, fmt.Errorf("the expected text: %w", err)
		}
		got, err := Number(answer)
		return verdict(err == nil && within(got, want, s.Tolerance)), nil
	}
	return 0, fmt.Errorf("%q is no scorer that compares texts", s.Kind)
}

func verdict(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

func within(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// maxProse is how much of the end of an answer is searched for its last number.
const maxProse = 64 << 10

// lastNumber finds the last number in prose: "= $1,234.50." gives 1234.5. A sign
// straight after a letter or digit ("3-5") is a dash.
func lastNumber(text []byte) (float64, bool) {
	if len(text) > maxProse {
		text = text[len(text)-maxProse:]
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	re := regexp.MustCompile(`-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)
	all := re.FindAllIndex(text, -1)
	if len(all) == 0 {
		return 0, false
	}
	at := all[len(all)-1]
	s := strings.ReplaceAll(string(text[at[0]:at[1]]), ",", "")
	if s[0] == '-' && at[0] > 0 && isWordByte(text[at[0]-1]) {
		s = s[1:]
	}
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(strings.TrimPrefix(s, "-"), "0")
	if s == "" || s[0] < '0' || s[0] > '9' {
		s = "0" + s
	}
	v, err := Number([]byte(s))
	if negative {
		v = -v
	}
	return v, err == nil
}

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
