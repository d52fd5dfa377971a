package evaluate

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

func TestReadNumber(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rule clade.Read
		out  string
		want float64
		bad  bool
	}{
		"whole":                    {clade.Read{Kind: clade.ReadWhole}, "0.5\n", 0.5, false},
		"kind left out":            {clade.Read{}, "0.5\n", 0.5, false},
		"whole with words":         {clade.Read{Kind: clade.ReadWhole}, "score 0.5\n", 0, true},
		"pointer":                  {clade.Read{Kind: clade.ReadPointer, Pointer: "/a/0"}, `{"a":[3]}`, 3, false},
		"pointer to a string":      {clade.Read{Kind: clade.ReadPointer, Pointer: "/a"}, `{"a":"3"}`, 0, true},
		"PEERS 4.6.1 boolean":      {clade.Read{Kind: clade.ReadPointer, Pointer: "/timeout"}, `{"error":0,"timeout":true}`, 0, true},
		"pattern":                  {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "log\nscore: 4\n", 4, false},
		"B6 direction is not read": {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "higher is better\nscore: 4\n", 4, false},
		"pattern twice (F41)":      {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "score: 4\nscore: 5\n", 0, true},
		"the same twice":           {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "score: 4\nscore: 4\n", 0, true},
		"pattern, last":            {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`, Match: "last"}, "score: 4\nscore: 5\n", 5, false},
		"pattern, never":           {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "points: 4\n", 0, true},
		"captures no number":       {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "score: n/a", 0, true},
		"captures NaN":             {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "score: NaN", 0, true},
		"captures a unit":          {clade.Read{Kind: clade.ReadRegex, Regex: `took (.+)`}, "took 12 ms", 0, true},
		"pattern names the unit":   {clade.Read{Kind: clade.ReadRegex, Regex: `took (\S+) ms`}, "took 12 ms", 12, false},
		"captures thousands":       {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "score: 1,234", 0, true},
		"captures colours":         {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`}, "score: \x1b[1m5\x1b[0m", 0, true},
		"group takes no part":      {clade.Read{Kind: clade.ReadRegex, Regex: `score(?:: (\d+))?`}, "score", 0, true},
		"no group":                 {clade.Read{Kind: clade.ReadRegex, Regex: `score`}, "score", 0, true},
		"two groups":               {clade.Read{Kind: clade.ReadRegex, Regex: `(s)core: (\S+)`}, "score: 4", 0, true},
		"broken pattern":           {clade.Read{Kind: clade.ReadRegex, Regex: `(`}, "4", 0, true},
		"too many matches":         {clade.Read{Kind: clade.ReadRegex, Regex: `(\d)`, Match: "last"}, strings.Repeat("7", maxMatches+1), 0, true},
		"bytes around it (B18)":    {clade.Read{Kind: clade.ReadRegex, Regex: `score: (\d+)`}, "\xff\xfe\x80\x00 score: 4", 4, false},
		"a clock is no text":       {clade.Read{Kind: clade.ReadClock}, "4", 0, true},
	} {
		got, err := ReadNumber(tc.rule, Output{Head: []byte(tc.out)})
		if (err != nil) != tc.bad || got != tc.want {
			t.Errorf("%s: %v, %v; want %v, error %v", name, got, err, tc.want, tc.bad)
		}
	}
}

// F12: what was cut cannot be wrong unseen.
func TestReadNumberOfCutOutput(t *testing.T) {
	t.Parallel()
	out := Output{Head: []byte("score: 1\n"), Tail: []byte("re: 9\nscore: 2\n"), Truncated: true}
	last := clade.Read{Kind: clade.ReadRegex, Regex: `re: (\d+)`, Match: "last"}
	if got, err := ReadNumber(last, out); err != nil || got != 2 {
		t.Errorf("last match = %v, %v; want 2", got, err)
	}
	out.Tail = []byte("re: 9 and no line end")
	if got, err := ReadNumber(last, out); err == nil {
		t.Errorf("a match in half a line gave %v", got)
	}
	for _, rule := range []clade.Read{{Kind: clade.ReadWhole}, {Kind: clade.ReadPointer}, {Kind: clade.ReadRegex, Regex: `(\d)`}} {
		if got, err := ReadNumber(rule, Output{Head: []byte("1"), Tail: []byte("1"), Truncated: true}); err == nil {
			t.Errorf("%s of a cut output = %v, want an error", rule.Kind, got)
		}
	}
	if got, err := ReadNumber(clade.Read{}, Output{Head: []byte("1"), Tail: []byte("2\n")}); err != nil || got != 12 {
		t.Errorf("head and tail without a gap = %v, %v; want 12", got, err)
	}
}

func FuzzReadNumber(f *testing.F) {
	f.Add(`score: (\S+)`, []byte("score: 1\nscore: 2"), true)
	f.Add(`(\d+)|x`, []byte("x"), false)
	f.Fuzz(func(t *testing.T, pattern string, out []byte, last bool) {
		rule := clade.Read{Kind: clade.ReadRegex, Regex: pattern}
		if last {
			rule.Match = "last"
		}
		got, err := ReadNumber(rule, Output{Head: out})
		if err == nil && got != got {
			t.Errorf("%q of %q is NaN", pattern, out)
		}
	})
}
