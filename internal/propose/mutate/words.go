package mutate

import (
	"fmt"
	"math/rand/v2"

	"github.com/cladehq/clade/internal/policy/edit"
)

// flips are tokens and what they may be flipped to.
var flips = map[string][]string{
	"<": {"<=", ">"}, "<=": {"<", ">="}, ">": {">=", "<"}, ">=": {">", "<="},
	"==": {"!="}, "!=": {"=="}, "===": {"!=="}, "!==": {"==="},
	"+": {"-"}, "-": {"+"}, "*": {"/"}, "/": {"*"}, "+=": {"-="}, "-=": {"+="}, "*=": {"/="}, "/=": {"*="},
	"++": {"--"}, "--": {"++"}, "&&": {"||"}, "||": {"&&"}, "&": {"|"}, "|": {"&"}, "<<": {">>"}, ">>": {"<<"},
	"true": {"false"}, "false": {"true"}, "True": {"False"}, "False": {"True"}, "and": {"or"}, "or": {"and"},
	"yes": {"no"}, "no": {"yes"}, "on": {"off"}, "off": {"on"}, "min": {"max"}, "max": {"min"},
	"break": {"continue"}, "continue": {"break"}, "always": {"never"}, "never": {"always"},
	"first": {"last"}, "last": {"first"}, "all": {"any"}, "any": {"all"},
}

// editToken makes one token edit, nothing when there is no room for it.
func (s *source) editToken(k edit.Kind, g *rand.Rand) change {
	i, ok := s.pickToken(g, func(i int) bool { return k != edit.TokenFlip || len(flips[s.str(i)]) > 0 })
	if !ok {
		return change{}
	}
	t, old := s.tokens[i], s.str(i)
	var now string
	switch k {
	case edit.TokenDelete:
		return s.say(change{splices: []splice{{t.start, t.end, ""}}}, t, fmt.Sprintf("deleted %s", quoted(old)))
	case edit.TokenFlip:
		now = flips[old][g.IntN(len(flips[old]))]
	case edit.TokenReplace:
		j, ok := s.pickToken(g, func(j int) bool { return s.tokens[j].class == t.class && s.str(j) != old })
		if !ok {
			return change{}
		}
		now = s.str(j)
	}
	return s.say(change{splices: []splice{{t.start, t.end, now}}}, t, fmt.Sprintf("%s → %s", quoted(old), quoted(now)))
}

func (s *source) say(c change, t token, what string) change {
	c.summary = fmt.Sprintf("%s in line %d of %s", what, s.lineAt(t.start)+1, s.path)
	return c
}

func (s *source) str(i int) string { return string(s.data[s.tokens[i].start:s.tokens[i].end]) }

// mutable reports whether a token may be edited by itself: no blank, bracket,
// number (those are nudged) or part of a marked line or of a comment.
func (s *source) mutable(i int) bool {
	t := s.tokens[i]
	switch t.class {
	case word, text:
	case punct:
		if b := s.data[t.start]; b == '(' || b == ')' || b == '[' || b == ']' || b == '{' || b == '}' {
			return false
		}
	default:
		return false
	}
	l := s.lines[s.lineAt(t.start)]
	return !l.marked && (s.prose || !s.comment(l))
}

// mutableTokens counts what token edits can choose from.
func (s *source) mutableTokens() (count int) {
	for n := range s.lines {
		l := s.lines[n]
		if l.marked || !s.prose && s.comment(l) {
			continue
		}
		for i := l.first; i < l.last; i++ {
			if s.mutable(i) {
				count++
			}
		}
	}
	return count
}

func (s *source) pickToken(g *rand.Rand, will func(i int) bool) (int, bool) {
	if len(s.tokens) == 0 {
		return 0, false
	}
	for range 32 {
		if i := g.IntN(len(s.tokens)); will(i) && s.mutable(i) {
			return i, true
		}
	}
	var all []int
	for i := range s.tokens {
		if will(i) && s.mutable(i) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	return all[g.IntN(len(all))], true
}
