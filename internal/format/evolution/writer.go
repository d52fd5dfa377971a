package evolution

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/syntax"
)

// The keys of the file that are written, in the order of the schema: a new one
// goes behind those that come before it here.
var (
	topOrder     = []string{"evolution_id", "slug", "created_at", "updated_at", "objective", "scope", "budget", "gates", "rubric", "variants", "winner", "applied"}
	variantOrder = []string{"id", "generation", "parents", "hypothesis", "approach", "status", "workspace", "gates", "rubric"}
	gateOrder    = []string{"id", "passes", "output"}
)

// A writer collects the edits of one update.
type writer struct {
	doc   *Document
	src   []byte
	style style
	edits []edit
	lost  *syntax.Pos // a value that was not found, nil if all were
}

// newWriter writes in the style of the document; with oneLine, text of several
// lines is not written behind |.
func newWriter(d *Document, oneLine bool) *writer {
	w := &writer{doc: d, src: d.Data, style: styleOf(d)}
	w.style.oneLine = oneLine
	return w
}

func (w *writer) edit(from, to int, text string) {
	w.edits = append(w.edits, edit{syntax.Span{Start: from, End: to}, text})
}

// lose remembers the first value that cannot be written.
func (w *writer) lose(n *syntax.Node) {
	if w.lost == nil {
		w.lost = &n.At
	}
}

// first is the place of the first edit.
func (w *writer) first() syntax.Pos {
	at := len(w.src)
	for _, e := range w.edits {
		start := e.Start
		for start < e.End && (w.src[start] == '\r' || w.src[start] == '\n') { // a line that is taken out
			start++
		}
		at = min(at, start)
	}
	return syntax.Pos{Line: bytes.Count(w.src[:at], []byte("\n")) + 1, Col: 1}
}

// evolution makes the edits from have to want.
func (w *writer) evolution(have, want *Evolution) {
	root := w.doc.root
	if !have.UpdatedAt.Equal(want.UpdatedAt) {
		w.scalar(root.Get("updated_at"), moment(want.UpdatedAt), root)
	}
	list := root.Get("variants")
	for i := range have.Variants {
		w.variant(list.Items[i], &have.Variants[i], &want.Variants[i])
	}
	if more := want.Variants[len(have.Variants):]; len(more) > 0 {
		var items []value
		for i := range more {
			items = append(items, variantValue(&more[i]))
		}
		w.appendItems(root, list, items)
	}
	w.winner(root, have.Winner, want.Winner)
	w.applied(root, have.Applied, want.Applied)
}

func (w *writer) winner(root *syntax.Node, have, want *Winner) {
	switch n := root.Get("winner"); {
	case have == nil && want == nil:
	case have == nil:
		w.insert(root, topOrder, "winner", winnerValue(want))
	case want == nil:
		w.remove(root, "winner")
	default:
		if have.Variant != want.Variant {
			w.scalar(n.Get("variant_id"), word(want.Variant), n)
		}
		if have.Rationale != want.Rationale {
			w.scalar(n.Get("rationale"), text(want.Rationale), n)
		}
	}
}

func (w *writer) applied(root *syntax.Node, have, want *Applied) {
	switch n := root.Get("applied"); {
	case have == nil && want == nil:
	case have == nil:
		w.insert(root, topOrder, "applied", appliedValue(want))
	case want == nil:
		w.remove(root, "applied")
	default:
		if !have.At.Equal(want.At) {
			w.scalar(n.Get("at"), moment(want.At), n)
		}
		if !slices.Equal(have.FilesChanged, want.FilesChanged) {
			w.replace(n, "files_changed", textsOf(want.FilesChanged, text))
		}
	}
}

func (w *writer) variant(n *syntax.Node, have, want *Variant) {
	if have.Status != want.Status {
		w.set(n, variantOrder, "status", word(string(want.Status)), true)
	}
	if have.Workspace != want.Workspace {
		w.set(n, variantOrder, "workspace", text(want.Workspace), want.Workspace != "")
	}
	if !slices.Equal(have.Gates, want.Gates) {
		w.gates(n, have.Gates, want.Gates)
	}
	if !slices.Equal(have.Rubric, want.Rubric) {
		w.rubric(n, have.Rubric, want.Rubric)
	}
}

// gates changes results in place where they are of the same gates, so that what
// a person wrote beside them stays.
func (w *writer) gates(n *syntax.Node, have, want []GateResult) {
	list := n.Get("gates")
	if !slices.EqualFunc(have, want, func(a, b GateResult) bool { return a.ID == b.ID }) || list.Style == syntax.Alias {
		w.set(n, variantOrder, "gates", gatesValue(want), len(want) > 0)
		return
	}
	for i, g := range want {
		item := list.Items[i]
		if g.Passes != have[i].Passes {
			w.set(item, gateOrder, "passes", gatesValue(want[i : i+1]).list[0].pairs[1].value, true)
		}
		if g.Output != have[i].Output {
			w.set(item, gateOrder, "output", text(g.Output), g.Output != "")
		}
	}
}

func (w *writer) rubric(n *syntax.Node, have, want []Value) {
	list := n.Get("rubric")
	if !slices.EqualFunc(have, want, func(a, b Value) bool { return a.ID == b.ID }) || list.Style == syntax.Alias {
		w.set(n, variantOrder, "rubric", rubricValue(want), len(want) > 0)
		return
	}
	for i, x := range want {
		if x.Value != have[i].Value {
			w.set(list.Items[i], []string{"id", "value"}, "value", realNumber(x.Value), true)
		}
	}
}

// set gives a key of a mapping a value, or removes it.
func (w *writer) set(n *syntax.Node, order []string, key string, v value, given bool) {
	p := own(n, key)
	switch {
	case !given && p != nil:
		w.remove(n, key)
	case !given && n.Get(key) == nil:
	case !given:
		w.lose(n) // taken in by <<
	case p == nil:
		w.insert(n, order, key, v)
	case v.kind == scalarValue:
		w.scalar(p.Value, v, n)
	default:
		w.replace(n, key, v)
	}
}

// own is a pair that is written in the mapping itself, nil if there is none.
func own(n *syntax.Node, key string) *syntax.Pair {
	for i, p := range n.Pairs {
		if p.Key == key && !p.Merged {
			return &n.Pairs[i]
		}
	}
	return nil
}

// scalar writes a scalar over the value of a key of parent, in its own quotes.
func (w *writer) scalar(n *syntax.Node, v value, parent *syntax.Node) {
	if !n.Span.Known() || n.Kind == syntax.List || n.Kind == syntax.Mapping {
		w.lose(n)
		return
	}
	flow := parent.Style == syntax.Flow
	out := v.scalar(flow, false)
	bareWord := v.text == nil && v.bare
	switch lines, many := v.lines(); {
	case many && !flow && !w.style.oneLine:
		out = w.literal(lines, w.column(parent.Span.Start)+w.style.step)
	case n.Style == syntax.Single && !bareWord && out[0] != '"':
		out = "'" + strings.ReplaceAll(out, "'", "''") + "'"
	case n.Style == syntax.Double && !bareWord && out[0] != '"':
		out = quoted(out)
	}
	w.edit(n.Span.Start, n.Span.End, out)
}

// replace writes a list or mapping over the value of a key.
func (w *writer) replace(n *syntax.Node, key string, v value) {
	p := own(n, key)
	if p == nil || !p.Span.Known() || !p.Value.Span.Known() {
		w.lose(n)
		return
	}
	old := p.Value
	if old.Style == syntax.Block && len(v.list) == 0 { // further in than its key
		w.edit(old.Span.Start, old.Span.End, strings.Repeat(" ", w.style.step)+"[]")
		return
	}
	if n.Style == syntax.Flow || old.Style != syntax.Block {
		w.edit(old.Span.Start, old.Span.End, w.style.flow(v, w.isJSON(p)))
		return
	}
	indent := w.column(old.Span.Start)
	body := w.style.items(v, indent, key)
	w.edit(old.Span.Start, old.Span.End, strings.TrimPrefix(body, w.style.eol+strings.Repeat(" ", indent)))
}

// isJSON reports whether a pair is written as JSON writes it, so that what is
// written beside it must be JSON too.
func (w *writer) isJSON(p *syntax.Pair) bool { return p.Span.Known() && w.src[p.Span.Start] == '"' }

func (w *writer) lineStart(at int) int { return bytes.LastIndexByte(w.src[:at], '\n') + 1 }

// lineEnd is where the line ends that at is in, before its line end.
func (w *writer) lineEnd(at int) int {
	n := bytes.IndexByte(w.src[at:], '\n')
	if n < 0 {
		return len(w.src)
	}
	if end := at + n; end > at && w.src[end-1] == '\r' {
		return end - 1
	}
	return at + n
}

// column is how far an offset is from the start of its line, which a byte order
// mark does not count in.
func (w *writer) column(at int) int {
	return len(bytes.TrimPrefix(w.src[w.lineStart(at):at], []byte("\ufeff")))
}

// insert adds a key behind those that come before it.
func (w *writer) insert(n *syntax.Node, order []string, key string, v value) {
	after := w.before(n, order, key)
	if after == nil || !n.Span.Known() || !after.Span.Known() || !after.Value.Span.Known() {
		w.lose(n)
		return
	}
	if n.Style == syntax.Flow {
		quotes := w.isJSON(after)
		name := key
		if quotes {
			name = quoted(key)
		}
		at := after.Value.Span.End
		w.edit(at, at, ","+w.flowGap(n.Span.Start, after.Span.Start)+name+": "+w.style.flow(v, quotes))
		return
	}
	at := w.lineEnd(after.Value.Span.End)
	w.edit(at, at, w.style.eol+strings.Repeat(" ", w.column(n.Span.Start))+key+":"+w.style.block(v, w.column(n.Span.Start), key))
}

// before is the last of a mapping's own pairs that comes before key, or else its
// last one.
func (w *writer) before(n *syntax.Node, order []string, key string) (found *syntax.Pair) {
	rank := slices.Index(order, key)
	for i, p := range n.Pairs {
		if at := slices.Index(order, p.Key); !p.Merged && at < rank && (found == nil || at > slices.Index(order, found.Key)) && !w.removed(p) {
			found = &n.Pairs[i]
		}
	}
	for i := len(n.Pairs) - 1; found == nil && i >= 0; i-- {
		if !n.Pairs[i].Merged {
			found = &n.Pairs[i]
		}
	}
	return found
}

// removed reports whether a pair is taken out by this update.
func (w *writer) removed(p syntax.Pair) bool {
	return slices.ContainsFunc(w.edits, func(e edit) bool { return e.Start <= p.Span.Start && e.End >= p.Value.Span.End && e.End > e.Start })
}

// flowGap is what stands between the entries of a list or mapping in brackets:
// one that is spread over lines gets a line of its own.
func (w *writer) flowGap(open, entry int) string {
	gap := w.src[open+1 : entry]
	line := bytes.LastIndexByte(gap, '\n')
	if line < 0 || len(bytes.TrimSpace(gap[line:])) > 0 {
		return " "
	}
	return w.style.eol + string(gap[line+1:])
}

// remove takes a key and its value out.
func (w *writer) remove(n *syntax.Node, key string) {
	i := slices.IndexFunc(n.Pairs, func(p syntax.Pair) bool { return p.Key == key && !p.Merged })
	if i < 0 || !n.Pairs[i].Span.Known() || !n.Pairs[i].Value.Span.Known() || len(n.Pairs) < 2 {
		w.lose(n)
		return
	}
	p := n.Pairs[i]
	from, to := p.Span.Start, p.Value.Span.End
	line := w.lineStart(from)
	switch {
	case n.Style == syntax.Flow && i > 0:
		from = n.Pairs[i-1].Value.Span.End
	case n.Style == syntax.Flow, len(bytes.TrimSpace(w.src[line:from])) > 0: // first in its braces, or behind a dash
		to = n.Pairs[i+1].Span.Start
	default: // its line and the line end before it, so that what is added behind it stays
		from = len(bytes.TrimSuffix(bytes.TrimSuffix(w.src[:line], []byte("\n")), []byte("\r")))
		to = w.lineEnd(to)
	}
	w.edit(from, to, "")
}

// literal is text behind |, up to its last line end.
func (w *writer) literal(lines []string, indent int) string {
	return literal(lines, indent, w.style.eol)
}
