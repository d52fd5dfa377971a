package syntax

import "strings"

// flow reads a list in brackets or a mapping in braces.
func (l *layout) flow(depth int) *shape {
	out := &shape{Span: Span{Start: l.at}, text: l.text, style: Flow, pairs: l.peek() == '{'}
	if depth > 2*MaxDepth {
		return l.lose()
	}
	for l.at++; !l.lost; {
		switch l.blanks(); l.peek() {
		case 0:
			return l.lose()
		case ']', '}':
			l.at++
			out.End = l.at
			return out
		case ',':
			l.at++
		default:
			l.flowEntry(out, depth)
		}
	}
	return out
}

// flowEntry reads one entry of a list or mapping.
func (l *layout) flowEntry(out *shape, depth int) {
	if l.is('?') {
		l.at++
		l.blanks()
	}
	key := l.flowValue(depth)
	end := l.at
	l.blanks()
	if l.peek() != ':' {
		l.at = end
		if out.pairs {
			out.keys, key = append(out.keys, key), l.absent(end)
		}
		out.items = append(out.items, key)
		return
	}
	l.at++
	end = l.at
	l.blanks()
	value := l.flowValue(depth)
	if value.Start == value.End {
		value = l.absent(end)
	}
	if !out.pairs {
		out.items = append(out.items, &shape{Span: Span{key.Start, value.End}, text: l.text, style: Flow, pairs: true,
			keys: []*shape{key}, items: []*shape{value}})
		return
	}
	out.keys, out.items = append(out.keys, key), append(out.items, value)
}

// flowValue reads a value up to a comma, a colon or what closes the brackets.
func (l *layout) flowValue(depth int) *shape {
	if l.properties() {
		l.blanks()
	}
	switch l.peek() {
	case '{', '[':
		return l.flow(depth + 1)
	case '"', '\'':
		return l.quoted()
	case '*':
		return l.alias()
	}
	out := &shape{Span: Span{l.at, l.at}, text: l.text, style: Plain}
	for ; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case strings.IndexByte(",[]{}", c) >= 0,
			c == ':' && (l.gap(l.at+1) || strings.IndexByte(",[]{}", l.text[l.at+1]) >= 0),
			c == '#' && l.at > 0 && l.gap(l.at-1):
			l.at = out.End
			return out
		case !l.gap(l.at):
			out.End = l.at + 1
		}
	}
	return l.lose()
}
