package cli

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestTableAlignsWideRunes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	table(&b, func(w io.Writer) { fmt.Fprint(w, "A\tBB\tC\n日本\tx\ty\n\t\thint\n") })
	// 日本 takes four columns; cells are two apart; no line ends in a space.
	want := "A     BB  C\n日本  x   y\n          hint\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"12345678", "12345678"},
		{"123456789", "1234567…"},
		{"日本日本日", "日本日…"}, // ten columns: three wide runes and the mark are seven
		{"one\ntwo", "one…"},
		{"one\n", "one"},
	} {
		if got := clip(c.text, 8); got != c.want {
			t.Errorf("clip(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
