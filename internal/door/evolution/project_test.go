package evolution

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cladehq/clade/internal/format/evolution"
)

var then = time.Date(2026, 5, 8, 19, 42, 0, 0, time.UTC)

// Each archive has an evolution.yaml, a run as a script tells it, and what
// evolution.yaml says then from its variants on, with the remarks behind it.
// With a file sweep it is a launch.
func TestProject(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/project/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range ar.Files {
				files[f.Name] = string(f.Data)
			}
			if got := projected(t, files); got != files["want"] {
				t.Errorf("got\n%s\nwant\n%s", got, files["want"])
			}
		})
	}
}

// projected is what the file says of a run, in its own words.
func projected(t *testing.T, files map[string]string) string {
	t.Helper()
	doc, err := evolution.Open("evolution.yaml", []byte(files["evolution.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	_, sweep := files["sweep"]
	v := runOf(t, doc.Evolution, files["run"])
	want, remarks := project(doc.Evolution, v, sweep)
	out, err := updated(doc, want, then)
	if err != nil {
		t.Fatal(err)
	}
	again, same := project(out.Evolution, v, sweep)
	twice, err := updated(out, again, then.Add(time.Hour))
	if err != nil || string(twice.Data) != string(out.Data) || !maps.Equal(same, remarks) {
		t.Errorf("once more: %v, %v\n%s", err, same, twice.Data)
	}
	data := string(out.Data)
	var b strings.Builder
	b.WriteString(data[strings.Index(data, "\nvariants:")+1:])
	for _, id := range slices.SortedFunc(maps.Keys(remarks), func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) {
		fmt.Fprintf(&b, "# %s: %s\n", id, remarks[id])
	}
	return b.String()
}
