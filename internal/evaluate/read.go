package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/cladehq/clade"
)

// maxMatches bounds how often a pattern may match an output.
const maxMatches = 100_000

// An Output is what a command wrote. Tail follows a gap when Truncated.
type Output struct {
	Head, Tail []byte
	Truncated  bool
}

// ReadNumber finds the number in an output as rule says; kinds that do not read
// text are an error. An output with a gap is only good for the last match of a
// pattern, looked for in whole lines after the gap: everything else could be
// wrong unseen.
func ReadNumber(rule clade.Read, out Output) (float64, error) {
	text := out.Head
	switch last := rule.Kind == clade.ReadRegex && rule.Match == "last"; {
	case out.Truncated && !last:
		return 0, errors.New("the output is larger than its limit and was cut")
	case out.Truncated:
		_, text, _ = bytes.Cut(out.Tail, []byte{'\n'})
	case len(out.Tail) > 0:
		text = append(append([]byte(nil), out.Head...), out.Tail...)
	}
	switch rule.Kind {
	case clade.ReadWhole, "":
		return Number(text)
	case clade.ReadPointer:
		doc, err := parseDocument(text)
		if err != nil {
			return 0, err
		}
		return doc.Number(rule.Pointer)
	case clade.ReadRegex:
		return readRegex(rule, text)
	}
	return 0, fmt.Errorf("%q is not read from text", rule.Kind)
}

func readRegex(rule clade.Read, text []byte) (float64, error) {
	re, err := regexp.Compile(rule.Regex)
	if err != nil {
		return 0, err
	}
	if re.NumSubexp() != 1 {
		return 0, fmt.Errorf("pattern %s has %d groups, not one", quote(rule.Regex), re.NumSubexp())
	}
	matches := re.FindAllSubmatchIndex(text, maxMatches+1)
	switch n := len(matches); {
	case n == 0:
		return 0, fmt.Errorf("pattern %s matches nothing in %s", quote(rule.Regex), quote(string(text)))
	case n > maxMatches:
		return 0, fmt.Errorf("pattern %s matches more than %d times", quote(rule.Regex), maxMatches)
	case n > 1 && rule.Match != "last":
		return 0, fmt.Errorf("pattern %s matches %d times, first %s and %s; say match: last if the last one counts",
			quote(rule.Regex), n, quote(matched(text, matches[0])), quote(matched(text, matches[1])))
	}
	m := matches[len(matches)-1]
	if m[2] < 0 {
		return 0, fmt.Errorf("the group of %s matches nothing in %s", quote(rule.Regex), quote(matched(text, m)))
	}
	return Number(text[m[2]:m[3]])
}

func matched(text []byte, m []int) string { return string(text[m[0]:m[1]]) }
