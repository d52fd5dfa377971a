package evolution

import (
	"bytes"
	"strings"
)

// mask is the page without what stands in code and in HTML comments, so that
// nothing in them is taken for a heading, a table or a line of a list. A comment
// may go over lines where it begins one, to the end if it is never closed;
// elsewhere it must be closed on its line.
func mask(page []byte) []byte {
	out := bytes.Clone(page)
	fence, open := "", false // the sign of the code, and whether a comment is open
	for at := 0; at < len(page); {
		end := len(page)
		if n := bytes.IndexByte(page[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := out[at:end]
		sign := fenceSign(line)
		switch {
		case open:
			open = !closeComment(line)
		case fence != "":
			if strings.HasPrefix(sign, fence) && len(bytes.Trim(line, sign[:1]+" \t\r\n")) == 0 {
				fence = ""
			}
			blank(line)
		case sign != "":
			fence = sign
			blank(line)
		default:
			open = maskComments(line)
		}
		at = end
	}
	return out
}

// fenceSign is the run of ``` or ~~~ that begins a line, "" if none does.
func fenceSign(line []byte) string {
	bare := bytes.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if run := len(bare) - len(bytes.TrimLeft(bare, c)); run >= 3 && len(line)-len(bare) <= 3 {
			return string(bare[:run])
		}
	}
	return ""
}

// maskComments masks the comments of a line and reports whether one that began
// it goes on.
func maskComments(line []byte) (open bool) {
	for at := 0; ; {
		n := bytes.Index(line[at:], []byte("<!--"))
		if n < 0 {
			return false
		}
		from := at + n
		first := len(bytes.Trim(line[:from], " ")) == 0
		end := bytes.Index(line[from:], []byte("-->"))
		switch {
		case end >= 0:
			at = from + end + 3
			blank(line[from:at])
		case first:
			blank(line[from:])
			return true
		default:
			return false // nothing behind it is closed either
		}
	}
}

// closeComment masks a line of a comment up to where it is closed, if it is, and
// what begins behind.
func closeComment(line []byte) (closed bool) {
	end := bytes.Index(line, []byte("-->"))
	if end < 0 {
		blank(line)
		return false
	}
	blank(line[:end+3])
	maskComments(line[end+3:])
	return true
}

// masked stands for what is in code and in comments. It is no blank, so that what
// follows it does not seem to begin its line.
const masked = 1

// blank masks everything but line ends.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = masked
		}
	}
}
