package clade_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ntext\twith tab":             "plain\ntext\twith tab",
		"\x1b[1;31mred\x1b[0m":              "red",
		"\x1b]0;title\x07x\x1b]8;;u\x1b\\y": "xy",
		"\x1b]never ended\nnext":            "\nnext",
		"\x1b(Bx\x1b=y":                     "xy",
		"1%\r2%\r3%\n":                      "3%\n",
		"dos\r\nlines\r\n":                  "dos\nlines\n",
		"bell\x07 nul\x00 del\x7f c1\u009b": "bell nul del c1",
		"bad \xff\xfe bytes":                "bad \uFFFD bytes",
		"turn\u202e around":                 "turn around",
		"\x1b":                              "",
		"\x1b[":                             "",
	} {
		if got := clade.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestClipAndLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want string }{
		"shorter":              {clade.Clip("abc", 4), "abc"},
		"just fits":            {clade.Clip("abcd", 4), "abcd"},
		"cut":                  {clade.Clip("abcde", 4), "abcd…"},
		"no half characters":   {clade.Clip("abcé", 4), "abc…"},
		"line":                 {clade.Line(" a\n\tb  c\x1b[0m ", 9), "a b c"},
		"line, just fits":      {clade.Line("äbc", 3), "äbc"},
		"line, cut":            {clade.Line("äbcd", 3), "äb…"},
		"line, its separators": {clade.Line("a\u2028b\u0085c", 9), "a bc"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("\x1b[31mred\xff\r\nnext")
	f.Add(strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, text string) {
		bad := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
		if got := clade.Clean(text); !utf8.ValidString(got) || strings.ContainsFunc(got, bad) {
			t.Errorf("Clean: %q", got)
		}
		if got := clade.Line(text, 48); utf8.RuneCountInString(got) > 48 || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("Line: %q", got)
		}
	})
}

func TestCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		if got := clade.Counted(n, "file"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
