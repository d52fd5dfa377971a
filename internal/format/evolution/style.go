package evolution

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/syntax"
)

// A style is how the file is written, so that what is added looks like the rest.
type style struct {
	eol     string
	step    int             // by how much a mapping is indented in a mapping
	oneLine bool            // text of several lines is written in quotes, on one
	dash    int             // by how much a list is indented below its key
	dashes  map[string]int  // the same of lists of variants, where it is known
	gap     int             // blanks behind a dash
	pad     string          // behind { and before }
	lists   map[string]bool // lists of variants that are written over lines; the others are in brackets
	lined   map[string]bool // lists whose entries are written over lines rather than in braces
}

// styleOf looks at what there is.
func styleOf(d *Document) style {
	s := style{eol: eolOf(d.Data), step: 2, dash: 2, gap: 1, dashes: map[string]int{},
		lists: map[string]bool{"gates": true, "rubric": true, "variants": true, "files_changed": true}, lined: map[string]bool{"variants": true}}
	w := &writer{src: d.Data}
	for _, key := range []string{"budget", "scope", "winner"} {
		if n := d.root.Get(key); n != nil && n.Style == syntax.Block && d.root.Span.Known() {
			s.step = w.column(n.Span.Start) - w.column(d.root.Span.Start)
			break
		}
	}
	for _, key := range []string{"variants", "rubric", "gates"} { // the last one counts
		s.list(w, d.root, d.root.Get(key))
	}
	for _, v := range d.root.Get("variants").Items {
		for _, key := range []string{"parents", "gates", "rubric"} {
			s.variantList(w, key, v, v.Get(key))
		}
	}
	return s
}

// list learns how lists are indented.
func (s *style) list(w *writer, parent, n *syntax.Node) {
	if n == nil || n.Style != syntax.Block || !parent.Span.Known() {
		return
	}
	s.dash = w.column(n.Span.Start) - w.column(parent.Span.Start)
	item := n.Items[0]
	if item.Style == syntax.Flow && item.Span.Known() && bytes.HasPrefix(item.Span.Of(w.src), []byte("{ ")) {
		s.pad = " "
	}
	if gap := w.column(item.Span.Start) - w.column(n.Span.Start) - 1; item.Span.Known() && gap > 0 && gap < 8 &&
		w.lineStart(item.Span.Start) == w.lineStart(n.Span.Start) {
		s.gap = gap
	}
}

// variantList learns how a list of a variant is written.
func (s *style) variantList(w *writer, key string, variant, n *syntax.Node) {
	if n == nil || len(n.Items) == 0 || !n.Span.Known() {
		return
	}
	s.lists[key] = n.Style == syntax.Block
	s.lined[key] = n.Items[0].Style == syntax.Block
	if n.Style == syntax.Block && variant.Span.Known() {
		s.dashes[key] = w.column(n.Span.Start) - w.column(variant.Span.Start)
	}
}

// flow writes a value in brackets and braces, on one line.
func (s style) flow(v value, quotes bool) string {
	var parts []string
	switch v.kind {
	case scalarValue:
		return v.scalar(true, quotes)
	case listValue:
		for _, item := range v.list {
			parts = append(parts, s.flow(item, quotes))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, p := range v.pairs {
		key := p.key
		if quotes {
			key = quoted(key)
		}
		parts = append(parts, key+": "+s.flow(p.value, quotes))
	}
	return "{" + s.pad + strings.Join(parts, ", ") + s.pad + "}"
}

// block writes what follows the colon of a key that is indented by so much.
func (s style) block(v value, indent int, key string) string {
	switch v.kind {
	case scalarValue:
		if lines, many := v.lines(); many && !s.oneLine {
			return " " + literal(lines, indent+s.step, s.eol)
		}
		return " " + v.scalar(false, false)
	case listValue:
		if len(v.list) == 0 || !s.lists[key] {
			return " " + s.flow(v, false)
		}
		dash, ok := s.dashes[key]
		if !ok {
			dash = s.dash
		}
		return s.items(v, indent+dash, key)
	}
	var b strings.Builder
	for _, p := range v.pairs {
		b.WriteString(s.eol + strings.Repeat(" ", indent+s.step) + p.key + ":" + s.block(p.value, indent+s.step, p.key))
	}
	return b.String()
}

// items writes the entries of a list, each beginning with a line end.
func (s style) items(v value, indent int, key string) string {
	var b strings.Builder
	for _, item := range v.list {
		b.WriteString(s.eol + strings.Repeat(" ", indent) + "-")
		if item.kind == mappingValue && s.lined[key] {
			b.WriteString(s.inItem(item, indent))
			continue
		}
		b.WriteString(strings.Repeat(" ", s.gap) + s.flow(item, false))
	}
	return b.String()
}

// inItem writes a mapping behind a dash, a key to a line.
func (s style) inItem(v value, indent int) string {
	indent += 1 + s.gap
	var lines []string
	for _, p := range v.pairs {
		lines = append(lines, p.key+":"+s.block(p.value, indent, p.key))
	}
	return strings.Repeat(" ", s.gap) + strings.Join(lines, s.eol+strings.Repeat(" ", indent))
}

func literal(lines []string, indent int, eol string) string {
	out := []string{"|"}
	for _, l := range lines {
		if l != "" {
			l = strings.Repeat(" ", indent) + l
		}
		out = append(out, l)
	}
	return strings.Join(slices.Clip(out), eol)
}

// eolOf is the line end that most lines of a file have.
func eolOf(data []byte) string {
	if crlf := bytes.Count(data, []byte("\r\n")); crlf > 0 && 2*crlf >= bytes.Count(data, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}
