package sandbox

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cladehq/clade"
)

// Failure says in a few words how a command that had these limits and did not
// succeed ended, "" if it did succeed.
func (r *Result) Failure(l Limits) string {
	switch {
	case r.OK():
		return ""
	case r.Cancelled:
		return "cancelled"
	case r.TimedOut:
		return clade.OutOfTime + l.Wall.String()
	case r.OutOfMemory:
		return fmt.Sprintf("needed more than %v of memory", clade.Bytes(l.Memory))
	case r.OutOfDisk:
		return fmt.Sprintf("wrote more than %v to disk", clade.Bytes(l.Disk))
	case r.Signal != "":
		return "ended by a signal: " + r.Signal
	}
	return fmt.Sprintf("exit status %d", r.Exit)
}

// Excerpt is the end of what a command wrote, standard output before standard
// error, each at most half of most bytes, fit to show (see clade.Clean).
func (r *Result) Excerpt(most int, hide Secrets) string {
	out, err := ending(r.Stdout, most/2, hide), ending(r.Stderr, most/2, hide)
	if out != "" && err != "" {
		return out + "\n" + err
	}
	return out + err
}

// ending is the last most bytes of a stream, cleaned. More is looked at than is
// kept, since cleaning makes text shorter.
func ending(s Stream, most int, hide Secrets) string {
	raw, cut := s.End(), s.Truncated()
	if len(raw) > 8*most {
		raw, cut = raw[len(raw)-8*most:], true
	}
	text := strings.TrimSpace(clade.Clean(hide.Hide(string(raw))))
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
