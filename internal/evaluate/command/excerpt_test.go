//go:build unix

package command

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade/internal/sandbox"
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
		if got := clean(text); got != want {
			t.Errorf("clean(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("\x1b[31mred\xff\r\n"), []byte("tail\x1b]x"), true)
	f.Add([]byte(strings.Repeat("é", 3000)), []byte(nil), false)
	f.Fuzz(func(t *testing.T, head, tail []byte, cut bool) {
		s := sandbox.Stream{Head: head, Tail: tail, Size: int64(len(head) + len(tail))}
		if cut {
			s.Size++
		}
		got := excerpt(sandbox.Result{Stdout: s, Stderr: s}, maxDetail, secrets{"red-secret", "[KEY]"})
		bad := strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
		if bad || !utf8.ValidString(got) || len(got) > maxDetail+16 {
			t.Errorf("%d bytes %q", len(got), got)
		}
	})
}
