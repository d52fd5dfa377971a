package gofast

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// text has n words, of which about a third are different.
func text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", (i*i+7*i)%(n/3+1))
	}
	return strings.Join(words, " ")
}

// check wants Count to be right about a text.
func check(t testing.TB, in string) {
	t.Helper()
	want := map[string]int{}
	for _, w := range strings.Fields(in) {
		want[w]++
	}
	if got := Count(in); !maps.Equal(got, want) {
		t.Errorf("Count(%.20q…) = %v, want %v", in, got, want)
	}
}

func TestCount(t *testing.T) {
	for _, in := range []string{"", "a", "a b a", "  x\ty\nx ", text(50), text(500)} {
		check(t, in)
	}
}

func BenchmarkCount(b *testing.B) {
	in := text(600)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Count(in)
	}
	b.StopTimer()
	check(b, in) // what is timed must be right, whatever becomes of the test
}
