package cli

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

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
