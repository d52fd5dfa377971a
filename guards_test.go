package clade_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Every row of scripts/guards.txtar names a text that its source holds exactly
// once: a change of the source amends the row at once, and not when the rows
// are run, which takes minutes.
func TestGuardsOccurOnce(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("scripts/guards.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		part := strings.Split(f.Name, " | ")
		text, without, ok := strings.Cut(string(f.Data), "\n=>\n")
		if len(part) != 4 || !ok || text == strings.TrimSuffix(without, "\n") {
			t.Errorf("%q is no row", f.Name)
			continue
		}
		source, err := os.ReadFile(part[3])
		if err != nil {
			t.Errorf("row %s: %v", part[0], err)
			continue
		}
		if n := strings.Count(string(source), text); n != 1 {
			t.Errorf("row %s: its text occurs %d times in %s", part[0], n, part[3])
		}
	}
}
