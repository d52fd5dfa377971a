package syntax

import (
	"testing"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"goal", "goal", 0},
		{"gaol", "goal", 1},  // a swap
		{"gol", "goal", 1},   // an insertion
		{"goaal", "goal", 1}, // a deletion
		{"gowl", "goal", 1},  // a substitution
		{"kitten", "sitting", 3},
		{"ca", "abc", 3}, // optimal string alignment, where Damerau's distance is 2
		{"größe", "große", 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	known := []string{"run", "timeout", "pass_env", "env"}
	for name, want := range map[string]string{
		"timeuot":      "did you mean timeout?",
		"TIMEOUT":      "did you mean timeout?",
		"pass":         "did you mean pass_env?",
		"rnu":          "did you mean run?",
		"tim\u0435out": "did you mean timeout? character 4 is U+0435, no letter of ASCII",
		"command":      "known here: env, pass_env, run, timeout",
		"":             "known here: env, pass_env, run, timeout",
	} {
		if got := Suggest(name, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
}
