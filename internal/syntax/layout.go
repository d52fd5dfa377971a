package syntax

import "strings"

// A layout finds where the values of a YAML text lie. It is a second, much
// smaller reader: it knows indentation, brackets and quotes, and nothing of
// what a scalar means. It is asked only about text that the parser took, and
// believed only where both found the same structure, because the parser's own
// places are those of its tokens and not always those of the text.
type layout struct {
	text string
	at   int
	lost bool // the text is not what was expected; nothing is known of it
}

// layoutOf returns the shape of the first document of a text that has one, nil
// if it cannot be told.
func layoutOf(text string) *shape {
	l := &layout{text: text}
	l.head()
	s := l.block(-1, false, 0)
	if l.lost {
		return nil
	}
	return s
}

// head goes behind directives and the lines that begin or end documents.
func (l *layout) head() {
	for {
		l.blanks()
		switch {
		case l.column(l.at) != 0:
			return
		case l.marker():
			l.at += 3
		case l.peek() == '%':
			l.at = l.lineEnd(l.at)
		default:
			return
		}
	}
}

func (l *layout) peek() byte {
	if l.at >= len(l.text) {
		return 0
	}
	return l.text[l.at]
}

// is reports whether c stands here and is a sign of its own: what follows is
// blank.
func (l *layout) is(c byte) bool { return l.peek() == c && l.gap(l.at+1) }

// gap reports whether a blank or the end is at an offset.
func (l *layout) gap(at int) bool {
	return at >= len(l.text) || strings.IndexByte(" \t\r\n", l.text[at]) >= 0
}

// marker reports whether --- or ... stands here, which ends a document at the
// start of a line.
func (l *layout) marker() bool {
	rest := l.text[l.at:]
	return (strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "...")) && l.gap(l.at+3)
}

func (l *layout) lineStart(at int) int { return strings.LastIndexByte(l.text[:at], '\n') + 1 }

func (l *layout) lineEnd(at int) int {
	if n := strings.IndexByte(l.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(l.text)
}

func (l *layout) column(at int) int { return at - l.lineStart(at) }

// first reports whether nothing but indentation stands before an offset.
func (l *layout) first(at int) bool {
	return strings.TrimLeft(l.text[l.lineStart(at):at], " ") == ""
}

// spaces goes past blanks of this line.
func (l *layout) spaces() {
	for l.peek() == ' ' || l.peek() == '\t' {
		l.at++
	}
}

// blanks goes to the next word: past blanks, line ends and comments.
func (l *layout) blanks() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '#' && (l.at == 0 || l.gap(l.at-1)):
			l.at = l.lineEnd(l.at)
		case l.gap(l.at):
			l.at++
		default:
			return
		}
	}
}

// outside reports whether the word here no longer belongs to what is indented
// by more than n.
func (l *layout) outside(n int) bool {
	if l.at >= len(l.text) {
		return true
	}
	column := l.column(l.at)
	return l.first(l.at) && (column <= n || column == 0 && l.marker())
}

// absent is a value that is not written.
func (l *layout) absent(at int) *shape {
	l.at = at
	return &shape{Span: Span{at, at}, text: l.text, style: Plain}
}

func (l *layout) lose() *shape {
	l.lost, l.at = true, len(l.text)
	return l.absent(l.at)
}

// block reads the value that follows, indented by more than n. With dash it may
// also be a list that is indented by n: the value of a key in a mapping.
func (l *layout) block(n int, dash bool, depth int) *shape {
	if depth > 2*MaxDepth {
		return l.lose()
	}
	from := l.at
	l.blanks()
	if l.outsideOf(n, dash) {
		return l.absent(from)
	}
	head := l.at
	if l.properties() {
		if end := l.at; l.lineEnds() { // they are those of all that is below
			l.blanks()
			if l.outsideOf(n, dash) {
				return l.absent(end)
			}
			head = l.at
		}
	}
	switch {
	case l.is('-'):
		return l.list(l.column(l.at), depth)
	case l.is('?'):
		return l.mapping(head, nil, depth)
	case l.peek() == '|' || l.peek() == '>':
		return l.scalar(n)
	}
	value := l.inline(n, depth)
	if l.isKey(value) {
		return l.mapping(head, value, depth)
	}
	return value
}

func (l *layout) outsideOf(n int, dash bool) bool {
	return l.outside(n) && !(dash && l.at < len(l.text) && l.column(l.at) == n && l.is('-'))
}

// properties goes past the anchor and the tag of a value and the blanks behind.
func (l *layout) properties() (any bool) {
	for l.peek() == '&' || l.peek() == '!' {
		for !l.gap(l.at) {
			l.at++
		}
		if any = true; l.lineEnds() {
			break
		}
		l.spaces()
	}
	return any
}

// lineEnds reports whether nothing follows on this line but a comment.
func (l *layout) lineEnds() bool {
	at := l.at
	defer func() { l.at = at }()
	l.spaces()
	return l.at >= len(l.text) || l.peek() == '\n' || l.peek() == '#' && l.at > at
}

// isKey reports whether what was read is the key of a mapping, and goes to its
// colon.
func (l *layout) isKey(s *shape) bool {
	at := l.at
	l.spaces()
	if l.is(':') && !strings.Contains(l.text[s.Start:s.End], "\n") {
		return true
	}
	l.at = at
	return false
}

// list reads the entries of a list whose dashes stand in a column.
func (l *layout) list(column, depth int) *shape {
	out := &shape{Span: Span{Start: l.at}, text: l.text, style: Block}
	for {
		l.at++
		item := l.block(column, false, depth+1)
		out.items = append(out.items, item)
		out.End = item.End
		end := l.at
		l.blanks()
		if !l.next(column) || !l.is('-') {
			l.at = end
			return out
		}
	}
}

// next reports whether a further entry begins here.
func (l *layout) next(column int) bool {
	return l.at < len(l.text) && l.first(l.at) && l.column(l.at) == column && !(column == 0 && l.marker()) && !l.lost
}

// mapping reads the entries of a mapping from its first key on, which was read
// already unless it is behind a question mark.
func (l *layout) mapping(head int, key *shape, depth int) *shape {
	out := &shape{Span: Span{Start: head}, text: l.text, style: Block, pairs: true}
	column := l.column(head)
	for {
		value := l.pair(&key, column, depth)
		if l.lost {
			return out
		}
		out.keys, out.items = append(out.keys, key), append(out.items, value)
		out.End = value.End
		end := l.at
		l.blanks()
		if !l.next(column) || l.is('-') {
			l.at = end
			return out
		}
		if key = nil; !l.is('?') {
			l.properties()
			if key = l.inline(column, depth); !l.isKey(key) {
				l.lose()
				return out
			}
		}
	}
}

// pair reads a value and, behind a question mark, its key.
func (l *layout) pair(key **shape, column, depth int) *shape {
	if *key == nil {
		l.at++
		*key = l.block(column, true, depth+1)
		end := l.at
		l.blanks()
		if !l.next(column) || !l.is(':') {
			return l.absent(end)
		}
	}
	l.at++
	return l.block(column, true, depth+1)
}

// scalar reads what stands behind | or >, indented by more than n.
func (l *layout) scalar(n int) *shape {
	out := &shape{Span: Span{Start: l.at}, text: l.text, style: Literal}
	if l.peek() == '>' {
		out.style = Folded
	}
	indent, keep := -1, false
	for l.at++; !l.gap(l.at); l.at++ {
		switch c := l.text[l.at]; {
		case c == '+':
			keep = true
		case c >= '1' && c <= '9':
			indent = max(n, 0) + int(c-'0')
		}
	}
	out.End = strings.LastIndexFunc(l.text[:l.lineEnd(l.at)], func(r rune) bool { return r != ' ' && r != '\t' }) + 1
	for at := l.lineEnd(l.at) + 1; at <= len(l.text); at = l.lineEnd(at) + 1 {
		line := l.text[at:l.lineEnd(at)]
		blank := strings.TrimSpace(line) == ""
		here := len(line) - len(strings.TrimLeft(line, " "))
		if l.at = at; !blank && (here < indent || here <= n || here == 0 && l.marker()) {
			break
		}
		if !blank && indent < 0 {
			indent = here
		}
		if !blank || indent >= 0 && here > indent || keep && at < len(l.text) {
			out.End = at + len(line)
		}
	}
	l.at = out.End
	return out
}

// inline reads a value that is no block: in brackets, in quotes, an alias or
// plain.
func (l *layout) inline(n, depth int) *shape {
	switch l.peek() {
	case '{', '[':
		return l.flow(depth)
	case '"', '\'':
		return l.quoted()
	case '*':
		return l.alias()
	}
	return l.plain(n)
}

func (l *layout) alias() *shape {
	out := &shape{Span: Span{Start: l.at}, text: l.text, style: Alias}
	for !l.gap(l.at) && strings.IndexByte(",[]{}", l.text[l.at]) < 0 {
		l.at++
	}
	out.End = l.at
	return out
}

func (l *layout) quoted() *shape {
	out := &shape{Span: Span{Start: l.at}, text: l.text, style: Single}
	quote := l.peek()
	if quote == '"' {
		out.style = Double
	}
	for l.at++; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\\' && quote == '"':
			l.at++
		case c == quote && quote == '\'' && strings.HasPrefix(l.text[l.at:], "''"):
			l.at++
		case c == quote:
			l.at++
			out.End = l.at
			return out
		}
	}
	return l.lose()
}

// plain reads a scalar without quotes outside of brackets, which goes on in
// lines that are indented by more than n.
func (l *layout) plain(n int) *shape {
	out := &shape{Span: Span{Start: l.at}, text: l.text, style: Plain}
	for {
		end := l.lineEnd(l.at)
		stopped := false
		for at := l.at; at < end; at++ {
			c := l.text[at]
			if c == ':' && l.gap(at+1) || c == '#' && l.gap(at-1) {
				end, stopped = at, true
			}
		}
		out.End = l.at + len(strings.TrimRight(l.text[l.at:end], " \t\r"))
		if l.at = end; !stopped {
			for l.gap(l.at) && l.at < len(l.text) {
				l.at++
			}
		}
		if stopped || l.outside(n) || l.peek() == '#' {
			l.at = out.End
			return out
		}
	}
}
