package sandbox_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade/internal/sandbox"
)

func TestFailure(t *testing.T) {
	t.Parallel()
	limits := sandbox.Limits{Wall: time.Minute, Memory: 1 << 30, Disk: 1 << 20}
	for want, r := range map[string]sandbox.Result{
		"":                                {},
		"exit status 3":                   {Exit: 3},
		"ended by a signal: killed":       {Exit: -1, Signal: "killed"},
		"did not end within 1m0s":         {Exit: -1, Signal: "killed", TimedOut: true},
		"needed more than 1GiB of memory": {Exit: -1, Signal: "killed", OutOfMemory: true},
		"wrote more than 1MiB to disk":    {Exit: -1, Signal: "killed", OutOfDisk: true},
		"cancelled":                       {Exit: -1, Signal: "killed", Cancelled: true},
	} {
		if got := r.Failure(limits); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	stream := func(s string) sandbox.Stream { return sandbox.Stream{Head: []byte(s), Size: int64(len(s))} }
	for name, c := range map[string]struct {
		r    sandbox.Result
		want string
	}{
		"nothing":       {sandbox.Result{}, ""},
		"output":        {sandbox.Result{Stdout: stream(" out\n")}, "out"},
		"errors last":   {sandbox.Result{Stdout: stream("out\n"), Stderr: stream("err\n")}, "out\nerr"},
		"the end of it": {sandbox.Result{Stderr: stream("0123456789")}, "…23456789"},
		"whole letters": {sandbox.Result{Stderr: stream("ééééé")}, "…éééé"},
		"half a letter": {sandbox.Result{Stderr: stream("aéééax")}, "…éééax"},
		"its tail":      {sandbox.Result{Stdout: sandbox.Stream{Head: []byte("a"), Tail: []byte("z"), Size: 9}}, "…z"},
		"a secret":      {sandbox.Result{Stdout: stream("a secret1!")}, "a [KEY]!"},
	} {
		if got := c.r.Excerpt(16, sandbox.Secrets{"secret1", "[KEY]"}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
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
		r := sandbox.Result{Stdout: s, Stderr: s}
		got := r.Excerpt(2<<10, sandbox.Secrets{"red-secret", "[KEY]"})
		bad := strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
		if bad || !utf8.ValidString(got) || len(got) > 2<<10+16 {
			t.Errorf("%d bytes %q", len(got), got)
		}
	})
}
