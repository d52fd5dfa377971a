package evolution

import (
	"bytes"
	"strings"

	"github.com/cladehq/clade/internal/syntax"
)

// appendItems adds entries to the list of variants.
func (w *writer) appendItems(root, list *syntax.Node, items []value) {
	pair := own(root, "variants")
	if pair == nil || !list.Span.Known() {
		w.lose(list)
		return
	}
	switch {
	case list.Style == syntax.Block:
		w.appendBlock(list, items)
	case list.Style != syntax.Flow:
		w.lose(list)
	case len(list.Items) > 0:
		w.appendFlow(list, items, w.isJSON(pair))
	case root.Style == syntax.Flow:
		w.edit(list.Span.Start, list.Span.End, w.style.flow(value{kind: listValue, list: items}, w.isJSON(pair)))
	default:
		from := len(bytes.TrimRight(w.src[:list.Span.Start], " \t"))
		w.edit(from, list.Span.End, "")
		at := w.lineEnd(list.Span.End)
		indent := w.column(root.Span.Start) + w.style.dash
		w.edit(at, at, w.style.items(value{kind: listValue, list: items}, indent, "variants"))
	}
}

func (w *writer) appendBlock(list *syntax.Node, items []value) {
	last := list.Items[len(list.Items)-1]
	if !last.Span.Known() {
		w.lose(last)
		return
	}
	indent, s := w.column(list.Span.Start), w.style
	if gap := w.column(last.Span.Start) - indent - 1; gap > 0 && gap < 8 && w.lineStart(last.Span.Start) <= last.Span.Start-gap-1 &&
		len(bytes.Trim(w.src[last.Span.Start-gap:last.Span.Start], " ")) == 0 {
		s.gap = gap
	}
	at := w.lineEnd(last.Span.End)
	for _, item := range items {
		line := s.eol + strings.Repeat(" ", indent) + "-"
		if last.Style == syntax.Flow {
			line += " " + s.flow(item, len(last.Pairs) > 0 && w.isJSON(&last.Pairs[0]))
		} else {
			line += s.inItem(item, indent)
		}
		w.edit(at, at, line)
	}
}

func (w *writer) appendFlow(list *syntax.Node, items []value, quotes bool) {
	last := list.Items[len(list.Items)-1]
	if !last.Span.Known() {
		w.lose(last)
		return
	}
	gap := w.flowGap(list.Span.Start, list.Items[0].Span.Start)
	for _, item := range items {
		w.edit(last.Span.End, last.Span.End, ","+gap+w.style.flow(item, quotes || len(last.Pairs) > 0 && w.isJSON(&last.Pairs[0])))
	}
}
