package evo

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Marshal writes a file as the program does: keys in order, two spaces, ASCII
// only, a line end at its end.
func Marshal(v Value) []byte { return []byte(Indented(v.Sorted()) + "\n") }

// Indented writes a value as commands print it: keys in the order given, two
// spaces, ASCII only.
func Indented(v Value) string {
	var p printer
	p.value(v, 0)
	return p.String()
}

type printer struct{ strings.Builder }

func (p *printer) line(depth int) {
	p.WriteByte('\n')
	for range depth {
		p.WriteString("  ")
	}
}

func (p *printer) value(v Value, depth int) {
	switch {
	case v.kind == list && len(v.items) == 0:
		p.WriteString("[]")
	case v.kind == list:
		p.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				p.WriteByte(',')
			}
			p.line(depth + 1)
			p.value(item, depth+1)
		}
		p.line(depth)
		p.WriteByte(']')
	case v.kind == mapping && len(v.pairs) == 0:
		p.WriteString("{}")
	case v.kind == mapping:
		p.WriteByte('{')
		for i, pair := range v.pairs {
			if i > 0 {
				p.WriteByte(',')
			}
			p.line(depth + 1)
			p.WriteString(quote(pair.Key))
			p.WriteString(": ")
			p.value(pair.Value, depth+1)
		}
		p.line(depth)
		p.WriteByte('}')
	case v.kind == text:
		p.WriteString(ascii(v.raw))
	case v.kind == none:
		p.WriteString("null")
	default:
		p.WriteString(v.raw)
	}
}

// ascii escapes what is not ASCII in text that is quoted already.
func ascii(raw string) string {
	if !strings.ContainsFunc(raw, func(r rune) bool { return r >= 0x7f }) {
		return raw
	}
	var b strings.Builder
	for _, r := range raw {
		if r < 0x7f {
			b.WriteRune(r)
		} else {
			escapeRune(&b, r)
		}
	}
	return b.String()
}

// plain reports whether text needs no escapes.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// quote writes text in quotes, as Python does.
func quote(s string) string {
	const short = "\b\f\n\r\t"
	if plain(s) {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune(short, r):
			b.WriteByte('\\')
			b.WriteByte("bfnrt"[strings.IndexRune(short, r)])
		case r == utf8.RuneError && half(s[i:]) >= 0:
			escapeUnit(&b, uint16(half(s[i:])))
		case r == utf8.RuneError && i > 0 && within(s, i):
			// the rest of a half that was written already
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			escapeRune(&b, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func escapeRune(b *strings.Builder, r rune) {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		escapeUnit(b, uint16(high))
		escapeUnit(b, uint16(low))
		return
	}
	escapeUnit(b, uint16(r))
}

func escapeUnit(b *strings.Builder, u uint16) {
	const hex = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(hex[u>>shift&15])
	}
}

// unquote resolves the escapes of text that was read. Half of a surrogate pair,
// which Python writes for bytes that are no text, becomes the three bytes that
// UTF-8 would have for it, so that it is written again as it was.
func unquote(raw string) string {
	if len(raw) < 2 {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	if !strings.Contains(raw, `\`) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			b.WriteByte(raw[i])
			i++
			continue
		}
		c := raw[i+1]
		i += 2
		switch at := strings.IndexByte("bfnrt", c); {
		case c == 'u':
			u := rune(hex4(raw[i:]))
			i += 4
			if utf16.IsSurrogate(u) && strings.HasPrefix(raw[min(i, len(raw)):], `\u`) {
				if r := utf16.DecodeRune(u, rune(hex4(raw[i+2:]))); r != utf8.RuneError {
					u = r
					i += 6
				}
			}
			if utf16.IsSurrogate(u) {
				b.Write([]byte{0xe0 | byte(u>>12), 0x80 | byte(u>>6)&0x3f, 0x80 | byte(u)&0x3f})
			} else {
				b.WriteRune(u)
			}
		case at >= 0:
			b.WriteByte("\b\f\n\r\t"[at])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// half is the half of a surrogate pair that s begins with, below 0 if it does not.
func half(s string) int {
	if len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
		return int(s[0]&0x0f)<<12 | int(s[1]&0x3f)<<6 | int(s[2]&0x3f)
	}
	return -1
}

// within reports whether the byte at i belongs to a half that begins before it.
func within(s string, i int) bool {
	return half(s[i-1:]) >= 0 || i > 1 && half(s[i-2:]) >= 0
}

// hex4 is the number that the first four characters are in hexadecimal, below 0
// if they are none.
func hex4(s string) int {
	if len(s) < 4 {
		return -1
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}
