package agent_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

func TestLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		s    sandbox.Stream
		want string
	}{
		"nothing":           {sandbox.Stream{}, ""},
		"whole":             {sandbox.Stream{Head: []byte("a\nb\r\nc"), Size: 6}, "a|b|c"},
		"in two pieces":     {sandbox.Stream{Head: []byte("a\nb"), Tail: []byte("b\nc"), Size: 6}, "a|bb|c"},
		"a gap":             {sandbox.Stream{Head: []byte("a\nb"), Tail: []byte("x\nc\n"), Size: 60}, "a|c"},
		"a gap at an end":   {sandbox.Stream{Head: []byte("a\n"), Tail: []byte("\nc\n"), Size: 60}, "a|c"},
		"one line and gaps": {sandbox.Stream{Head: []byte("abc"), Tail: []byte("xyz"), Size: 60}, "xyz"},
	} {
		var got []string
		for line := range agent.Lines(c.s) {
			got = append(got, string(line))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	type event struct {
		A string
		N int
	}
	out := "warning\n{\"a\":\"x\",\"n\":1}\n[1]\n{\"a\":\n\n {\"a\":\"y\",\"n\":\"no number\",\"other\":{}} \nnull\n"
	var got []event
	for e := range agent.Events[event](sandbox.Stream{Head: []byte(out), Size: int64(len(out))}) {
		got = append(got, e)
	}
	if want := []event{{"x", 1}, {"y", 0}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for range agent.Events[event](sandbox.Stream{Head: []byte(out), Size: int64(len(out))}) {
		break
	}
}

// I3a: figures that cannot be are none.
func TestCountAndDollars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		printed []float64
		want    int64
	}{
		{nil, 0}, {[]float64{1, 2.9, 0}, 3}, {[]float64{1e11, 0}, 1e11}, {[]float64{1e11, 1}, agent.Absurd}, {[]float64{1, -5}, agent.Absurd},
		{[]float64{agent.Absurd, 7}, agent.Absurd}, {[]float64{math.NaN()}, agent.Absurd}, {[]float64{math.Inf(1)}, agent.Absurd}, {[]float64{1e300}, agent.Absurd},
	} {
		if got := agent.Count(c.printed...); got != c.want {
			t.Errorf("Count(%v) = %d, want %d", c.printed, got, c.want)
		}
	}
	for printed, want := range map[float64]clade.Microdollars{
		0.008480000000000001: 8480, // a sum that means 0.00848
		0.0000001:            1,
		0:                    0,
		1e6:                  1e12,
		-1:                   agent.Absurd,
		1e300:                agent.Absurd,
		math.Inf(-1):         agent.Absurd,
		math.NaN():           agent.Absurd,
	} {
		if got := agent.Dollars(printed); got != want {
			t.Errorf("Dollars(%g) = %d, want %d", printed, got, want)
		}
	}
}
