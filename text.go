package clade

import (
	"fmt"
	"strings"
	"unicode"
)

// Clean makes text that others wrote fit for a terminal, a log and JSON:
// terminal sequences and control characters are gone, of a line that was
// overwritten (a progress bar) its last state stays, and bytes that are not
// UTF-8 are marked. Tabs and line ends stay.
func Clean(text string) string {
	text = strings.ToValidUTF8(stripEscapes(text), "\uFFFD")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		if at := strings.LastIndexByte(line, '\r'); at >= 0 {
			line = line[at+1:]
		}
		lines[i] = strings.Map(func(r rune) rune {
			if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				return -1
			}
			return r
		}, line)
	}
	return strings.Join(lines, "\n")
}

// Clip is text of at most n bytes, with an ellipsis where more was cut off
// behind them. No character is cut in half.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// Counted writes a number of things whose plural ends in s: "1 file", "2 files".
func Counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Line is cleaned text on one line, with every run of blanks as one space, of at
// most n > 0 characters.
func Line(text string, n int) string {
	r := []rune(strings.Join(strings.Fields(Clean(text)), " "))
	if len(r) > n {
		r = append(r[:n-1], '…')
	}
	return string(r)
}

// stripEscapes removes the sequences of ECMA-48: CSI up to its final byte, OSC
// and the other strings up to their terminator, others up to their final byte.
func stripEscapes(text string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(text, 0x1b)
		if at < 0 || at+1 >= len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		text = text[at+1:]
		switch text[0] {
		case '[':
			text = text[afterCSI(text):]
		case ']', 'P', '_', '^', 'X':
			text = text[afterString(text):]
		default:
			text = text[afterEscape(text):]
		}
	}
}

// afterEscape ends after intermediate bytes and one final byte.
func afterEscape(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0x30 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x2f:
			return i
		}
	}
	return len(text)
}

func afterCSI(text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return i
		}
	}
	return len(text)
}

// afterString ends at BEL, at ESC \ or, for one that was never ended, at the
// end of its line.
func afterString(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case 0x07:
			return i + 1
		case '\n', 0x1b:
			return i
		}
	}
	return len(text)
}
