package command

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade/internal/sandbox"
)

const (
	maxDetail = 2 << 10  // bytes of output kept with a sample
	maxLog    = 64 << 10 // bytes of output given to the log
)

// excerpt is the end of what a command wrote, standard output before standard
// error, each at most half of most bytes: text that a terminal and JSON can
// bear.
func excerpt(r sandbox.Result, most int, hide secrets) string {
	out, err := ending(r.Stdout, most/2, hide), ending(r.Stderr, most/2, hide)
	if out != "" && err != "" {
		return out + "\n" + err
	}
	return out + err
}

// ending is the last most bytes of a stream, cleaned. More is looked at than is
// kept, since cleaning makes text shorter.
func ending(s sandbox.Stream, most int, hide secrets) string {
	raw := s.Tail
	if !s.Truncated() {
		raw = s.Bytes()
	}
	cut := s.Truncated()
	if len(raw) > 8*most {
		raw, cut = raw[len(raw)-8*most:], true
	}
	text := strings.TrimSpace(clean(hide.hide(string(raw))))
	if len(text) > most {
		text, cut = text[len(text)-most:], true
		for text != "" && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	if cut {
		return "…" + text
	}
	return text
}

// clean makes text fit to show: terminal sequences and control characters are
// gone, of a line that was overwritten (a progress bar) its last state stays,
// and bytes that are not UTF-8 are marked.
func clean(text string) string {
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
