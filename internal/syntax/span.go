package syntax

import "bytes"

// A Span is a range of bytes of a file, the end not included. The zero Span is
// unknown: nothing that is written ends at 0.
type Span struct{ Start, End int }

// Known reports whether it was found where the bytes are.
func (s Span) Known() bool { return s.End > 0 }

// Of is the bytes of the file that the span covers.
func (s Span) Of(data []byte) []byte { return data[s.Start:s.End] }

// A Style is how a value is written.
type Style int

const (
	Unknown Style = iota
	Block         // a list or mapping by indentation
	Flow          // a list or mapping in brackets or braces
	Plain         // a scalar without quotes, or nothing at all
	Single        // a scalar in '
	Double        // a scalar in "
	Literal       // a scalar behind |; its span ends before its last line end
	Folded        // a scalar behind >; likewise
	Alias         // *name
)

// plain is data without byte order mark and carriage returns before line ends,
// which is what the parsers see; back turns an offset in it into one in data.
func plain(data []byte) (out []byte, back func(int) int) {
	out = bytes.TrimPrefix(data, []byte("\ufeff"))
	mark := len(data) - len(out)
	if !bytes.Contains(out, []byte("\r\n")) {
		return out, func(at int) int { return at + mark }
	}
	whole := out
	out = bytes.ReplaceAll(whole, []byte("\r\n"), []byte("\n"))
	moved := make([]int, len(out)+1) // where each byte was
	for from, to := 0, 0; to <= len(out); from, to = from+1, to+1 {
		moved[to] = from + mark
		if from+1 < len(whole) && whole[from] == '\r' && whole[from+1] == '\n' {
			from++
		}
	}
	return out, func(at int) int { return moved[at] }
}

// moveSpans turns every known offset of the tree into one of the file.
func (n *Node) moveSpans(back func(int) int) {
	n.Span.move(back)
	for _, item := range n.Items {
		item.moveSpans(back)
	}
	for i, p := range n.Pairs {
		n.Pairs[i].Span.move(back)
		if !p.Merged {
			p.Value.moveSpans(back)
		}
	}
}

func (s *Span) move(back func(int) int) {
	if s.Known() {
		s.Start, s.End = back(s.Start), back(s.End)
	}
}

// forget takes away the spans of n and of all below it.
func (n *Node) forget() {
	n.Span, n.Style, n.Anchor = Span{}, Unknown, ""
	for _, item := range n.Items {
		item.forget()
	}
	for i := range n.Pairs {
		n.Pairs[i].Span = Span{}
		n.Pairs[i].Value.forget()
	}
}
