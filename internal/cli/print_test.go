package cli

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// However far a tree is indented and however long its numbers and words are, a
// line has a bound.
func TestTreeLinesHaveABound(t *testing.T) {
	t.Parallel()
	n := &run.Node{Row: run.Row{ID: 1, Status: "kept", Operator: strings.Repeat("o", 90), Values: map[string]float64{}}}
	var measures []clade.Measure
	for _, id := range []string{"a_long_name_of_a_measure", "another_long_name_of_one", "a_third_long_name_of_a_measure", "fourth_of_measures"} {
		measures = append(measures, clade.Measure{ID: id})
		n.Values[id] = 0.123456789
	}
	var out strings.Builder
	printTree(&out, measures, &run.Node{Children: []*run.Node{n}})
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 150 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(out.String(), "…") {
		t.Errorf("nothing had to be cut: %s", out.String())
	}
}

// A climb of a hundred generations stays within a screen, and each line says
// whose child it is where the indent no longer does.
func TestTreeOfALongClimb(t *testing.T) {
	t.Parallel()
	root := &run.Node{}
	for at, id := root, clade.ID(1); id <= 100; id++ {
		child := &run.Node{Row: run.Row{ID: id, Status: "kept"}}
		at.Children = []*run.Node{child}
		at = child
	}
	var out strings.Builder
	printTree(&out, nil, root)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 101 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		if n := len([]rune(line)); n > deepest+60 {
			t.Errorf("line %d has %d columns", i, n)
		}
	}
	if !strings.Contains(lines[1], "└─ 1 kept  ") || !strings.Contains(lines[100], "└─ 100 kept of 99 ") {
		t.Errorf("%q … %q", lines[1], lines[100])
	}
}
