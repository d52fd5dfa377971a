package mutate

import (
	"bytes"
	"strings"
)

type class byte

const (
	space   class = iota // blanks within a line
	newline              // \n or \r\n
	word                 // identifiers, keywords, and what only looks like a number
	number
	text  // quoted, with its quotes, on one line
	punct // one operator, bracket or other byte
)

// A token is a span of a file. Tokens cover it without gaps.
type token struct {
	start, end int
	class      class
}

// operators of more than one byte, longest first.
var operators = []string{
	"<<=", ">>=", "===", "!==", "...", "&&=", "||=",
	"==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"<<", ">>", "->", "=>", ":=", "::", "**", "//", "/*", "*/",
}

// scan splits data into tokens.
func scan(data []byte) []token {
	ts := make([]token, 0, len(data)/3+1)
	for i := 0; i < len(data); {
		end, c := next(data, i, ts)
		ts = append(ts, token{i, end, c})
		i = end
	}
	return ts
}

func next(data []byte, i int, before []token) (end int, c class) {
	b := data[i]
	switch {
	case b == '\n':
		return i + 1, newline
	case b == '\r' && i+1 < len(data) && data[i+1] == '\n':
		return i + 2, newline
	case isSpace(b):
		return blanks(data, i), space
	case isDigit(b) || b == '.' && i+1 < len(data) && isDigit(data[i+1]) && !joined(data, i):
		end = numeric(data, i)
		if joined(data, i) || !literalShape(string(data[i:end])) {
			return end, word
		}
		return end, number
	case isWord(b):
		for end = i; end < len(data) && isWord(data[end]); end++ {
		}
		return end, word
	case b == '"' || b == '`' || b == '\'' && !joined(data, i):
		if end = closing(data, i); end > 0 {
			return end, text
		}
	}
	for _, op := range operators {
		if bytes.HasPrefix(data[i:], []byte(op)) {
			return i + len(op), punct
		}
	}
	return i + 1, punct
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == '\v' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }
func isWord(b byte) bool {
	return isDigit(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' || b >= 0x80
}

func blanks(data []byte, i int) int {
	for i < len(data) && isSpace(data[i]) && !(data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n') {
		i++
	}
	return i
}

// joined reports whether what begins at i belongs to what stands before it: a
// word, a field, a version, a sigil.
func joined(data []byte, i int) bool {
	return i > 0 && (isWord(data[i-1]) || strings.IndexByte(".$@#", data[i-1]) >= 0)
}

// numeric ends the run of bytes that begins like a number at i.
func numeric(data []byte, i int) int {
	hex := i+1 < len(data) && data[i] == '0' && (data[i+1] == 'x' || data[i+1] == 'X')
	start := i
	for i < len(data) {
		b := data[i]
		exponent := i > start && (data[i-1]|0x20 == 'e' && !hex || data[i-1]|0x20 == 'p' && hex)
		if !isWord(b) && b != '.' && !((b == '+' || b == '-') && exponent && i+1 < len(data) && isDigit(data[i+1])) {
			break
		}
		i++
	}
	for i > start+1 && data[i-1] == '.' && (i == len(data) || isSpace(data[i]) || data[i] == '\n' || data[i] == '\r') {
		i-- // the end of a sentence
	}
	return i
}

// closing returns the end of the quoted text that begins at i, 0 when it does
// not end on its line.
func closing(data []byte, i int) int {
	quote := data[i]
	for j := i + 1; j < len(data) && data[j] != '\n'; j++ {
		switch {
		case data[j] == '\\' && quote != '`' && j+1 < len(data) && data[j+1] != '\n':
			j++
		case data[j] == quote:
			return j + 1
		}
	}
	return 0
}
