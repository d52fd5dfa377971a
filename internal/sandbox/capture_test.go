package sandbox_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

func TestCapture(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit      int64
		writes     []string
		head, tail string
		truncated  bool
	}{
		"nothing":          {limit: 4},
		"fits the head":    {limit: 4, writes: []string{"ab"}, head: "ab"},
		"fits exactly":     {limit: 4, writes: []string{"abc", "d"}, head: "ab", tail: "cd"},
		"one too many":     {limit: 4, writes: []string{"abcde"}, head: "ab", tail: "de", truncated: true},
		"byte by byte":     {limit: 4, writes: []string{"a", "b", "c", "d", "e", "f", "g"}, head: "ab", tail: "fg", truncated: true},
		"more than a ring": {limit: 6, writes: []string{"0123456789", "abcdefg", "h"}, head: "012", tail: "fgh", truncated: true},
		"odd limit":        {limit: 5, writes: []string{"abcdef"}, head: "ab", tail: "ef", truncated: true},
		"tiny limit":       {limit: 1, writes: []string{"abc"}, head: "a", tail: "c", truncated: true},
	} {
		c := sandbox.NewCapture(test.limit)
		var size int64
		for _, w := range test.writes {
			n, err := c.Write([]byte(w))
			if n != len(w) || err != nil {
				t.Errorf("%s: Write(%q) = %d, %v", name, w, n, err)
			}
			size += int64(n)
		}
		s := c.Stream()
		if string(s.Head) != test.head || string(s.Tail) != test.tail || s.Size != size || s.Truncated() != test.truncated {
			t.Errorf("%s: head %q, tail %q, size %d, truncated %v", name, s.Head, s.Tail, s.Size, s.Truncated())
		}
	}
}

// Whatever the pieces, the ends kept are the ends written.
func TestCaptureKeepsEnds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		limit := 2 * (1 + r.IntN(50))
		c := sandbox.NewCapture(int64(limit))
		var all []byte
		for range r.IntN(20) {
			p := make([]byte, r.IntN(40))
			for i := range p {
				p[i] = byte(r.Uint32())
			}
			all = append(all, p...)
			_, _ = c.Write(p)
		}
		s := c.Stream()
		if s.Size != int64(len(all)) || !bytes.HasPrefix(all, s.Head) || !bytes.HasSuffix(all, s.Tail) ||
			len(s.Head)+len(s.Tail) != min(len(all), limit) {
			t.Fatalf("limit %d, %d written: head %d, tail %d, size %d", limit, len(all), len(s.Head), len(s.Tail), s.Size)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A log that cannot be written loses no output.
func TestTeeSurvivesItsLog(t *testing.T) {
	t.Parallel()
	out, errs := sandbox.NewCapture(10), sandbox.NewCapture(10)
	w, _ := sandbox.Tee(out, errs, failing{})
	if n, err := w.Write([]byte("kept")); n != 4 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	if s := out.Stream(); string(s.Bytes()) != "kept" {
		t.Errorf("kept %q", s.Bytes())
	}
}
