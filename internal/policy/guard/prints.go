package guard

import (
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// leastLiteral is how long the fixed text of a pattern must be to be looked for.
const leastLiteral = 4

// escapes are how source code writes what a program prints.
var escapes = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r", `\"`, `"`, `\'`, `'`, `\\`, `\`)

// Prints finds added lines of code that print what a measure's pattern reads:
// they match it, or spell out its longest fixed text. A file that did so before
// may go on: printing is its business. patterns are regular expressions, by the
// measure that reads them; one that does not compile finds nothing.
func Prints(e Edit, patterns map[string]string) (out []Finding) {
	ext := path.Ext(e.Path)
	if !slices.Contains(code, ext) {
		return nil
	}
	for id, text := range patterns {
		re, err := regexp.Compile("(?m)" + text)
		if err != nil {
			continue
		}
		fixed := literal(text)
		says := func(s string) bool {
			s = escapes.Replace(s)
			return re.MatchString(s) || len(fixed) >= leastLiteral && strings.Contains(s, fixed)
		}
		if says(string(e.Old)) {
			continue
		}
		for _, l := range added(e) {
			if says(l.text) && !comment(ext, l.text) && strings.ContainsAny(l.text, "\"'`") {
				out = append(out, Finding{"prints-a-result", e.Path, l.n, "it says what measure " + id + " reads: " + excerpt(l.text)})
			}
			if len(out) == most {
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b Finding) int { return strings.Compare(a.Text, b.Text) })
	return out
}

// literal is the longest fixed text of a pattern, without the blanks around it.
func literal(pattern string) (longest string) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var walk func(*syntax.Regexp)
	walk = func(r *syntax.Regexp) {
		if r.Op == syntax.OpLiteral && r.Flags&syntax.FoldCase == 0 {
			if s := strings.TrimSpace(string(r.Rune)); len(s) > len(longest) {
				longest = s
			}
		}
		if r.Op == syntax.OpConcat || r.Op == syntax.OpCapture || r.Op == syntax.OpPlus {
			for _, sub := range r.Sub {
				walk(sub)
			}
		}
	}
	walk(re.Simplify())
	return longest
}
