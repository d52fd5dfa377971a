package picture_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/cladehq/clade/examples/picture"
)

func parse(t *testing.T, text string) picture.Packing {
	t.Helper()
	p, err := picture.ParsePacking(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestShrinksAsScored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		sum  float64
	}{
		"fits":             {"0.25 0.5 0.25\n0.75 0.5 0.25\n", 0.5},
		"sticks out":       {"0.1 0.5 0.3\n", 0.1},
		"outside":          {"1.5 0.5 0.3\n", 0},
		"overlap, halved":  {"0.3 0.5 0.2\n0.5 0.5 0.2\n", 0.2},
		"same place":       {"0.5 0.5 0.2\n0.5 0.5 0.2\n", 0},
		"negative":         {"0.5 0.5 -1\n", 0},
		"overlap, 1 to 3":  {"0.2 0.5 0.1\n0.5 0.5 0.3\n", 0.3},
		"exponents, short": {"5e-1 .5 1e-1", 0.1},
	} {
		if got := parse(t, c.text).Sum(); math.Abs(got-c.sum) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.sum)
		}
	}
	if _, err := picture.ParsePacking("0.5 0.5\n"); err == nil {
		t.Error("two numbers are no disc")
	}
}

// One disc that fills the square: its four corners are empty, the rest is full.
func TestText(t *testing.T) {
	t.Parallel()
	got := picture.Text(2, []string{"a", "b"}, parse(t, "0.5 0.5 0.5"), nil)
	want := "  a       b     \n  ▄██▄          \n  ▀██▀          \n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]picture.Run{
		"nothing": {}, "one score": {Best: []float64{1}},
		"all": {Title: "a <b> & c", Best: []float64{1, 1, 2, 2, 3}, Before: parse(t, "0.5 0.5 0.1"), After: parse(t, "0.5 0.5 0.5")},
	} {
		text := string(picture.SVG(r))
		dec := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
		}
		if n := strings.Count(text, "<circle"); n != len(r.Before)+len(r.After) {
			t.Errorf("%s: %d circles", name, n)
		}
	}
}
