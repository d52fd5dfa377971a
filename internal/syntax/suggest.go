package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Suggest returns a hint for a name that is not among known: the nearest one,
// or all of them when none is near.
func Suggest(name string, known []string) string {
	best, least := "", min(3, max(1, len(name)/2))
	for _, k := range known {
		d := distance(strings.ToLower(name), k)
		if strings.HasPrefix(k, name) && len(name) > 2 {
			d = 1
		}
		if d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?" + foreign(name)
	}
	known = slices.Clone(known)
	slices.Sort(known)
	return "known here: " + strings.Join(known, ", ")
}

// foreign names the first character that is not of ASCII, as known names are: it
// may look like one that is.
func foreign(name string) string {
	at := 0
	for _, r := range name {
		at++
		if r >= utf8.RuneSelf {
			return fmt.Sprintf(" character %d is %U, no letter of ASCII", at, r)
		}
	}
	return ""
}

// Means reports whether one of names is meant by a key of a mapping that is none
// of them, by its nearness.
func Means(n *Node, known []string, names ...string) bool {
	return slices.ContainsFunc(n.Pairs, func(p Pair) bool {
		if slices.Contains(known, p.Key) {
			return false
		}
		hint := Suggest(p.Key, known)
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(hint, "did you mean "+name+"?") })
	})
}

// distance is the least number of insertions, deletions, substitutions and
// swaps of neighbours that turn a into b (optimal string alignment).
func distance(a, b string) int {
	if len(a) > 2*longest { // no known name is that long, and the table would be
		return len(a)
	}
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			change := 1
			if x[i] == y[j] {
				change = 0
			}
			d := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+change)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}

// Near is the suggestion for a word that is not among words, "" if none is near.
func Near(n *Node, words []string) string {
	if hint := Suggest(n.Text, words); n.Kind == Text && strings.HasPrefix(hint, "did") {
		return hint
	}
	return ""
}
