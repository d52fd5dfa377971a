package command

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
)

const (
	summaryMost = 200     // runes
	noteMost    = 4 << 10 // bytes
	excerptMost = 2 << 10 // bytes, of each stream
	namesMost   = 5       // files named in a summary
)

// excerpt is the end of what a program said, errors last.
func excerpt(res sandbox.Result) string {
	return strings.TrimSpace(strings.TrimSpace(tail(res.Stdout)) + "\n" + tail(res.Stderr))
}

func tail(s sandbox.Stream) string {
	b := s.Tail
	if !s.Truncated() {
		b = s.Bytes()
	}
	if len(b) > excerptMost {
		b = append([]byte("…"), b[len(b)-excerptMost:]...)
	}
	return printable(string(b))
}

// printable keeps newlines and tabs and drops every other control character.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

func clip(s string, most int) string {
	if s = printable(s); len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// oneLine is text with every run of blanks as one space, at most most runes.
func oneLine(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(printable(s)), " "))
	if len(r) > most {
		r = append(r[:most-1], '…')
	}
	return string(r)
}

// listed names the first few changed files.
func listed(changes []ledger.Change) string {
	var names []string
	for _, c := range changes {
		if len(names) == namesMost {
			names = append(names, fmt.Sprintf("%d more", len(changes)-namesMost))
			break
		}
		name := c.Path
		if c.Delete {
			name += " (deleted)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// logger passes output on as text.
type logger func(text string)

func (l logger) Write(b []byte) (int, error) {
	l(printable(string(b)))
	return len(b), nil
}
