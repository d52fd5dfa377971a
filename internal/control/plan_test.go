package control

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cladehq/clade"
)

// The worst case of one exact measure behind one gate, counted by hand: the
// base three times, a candidate once, the final of base and finalist twice each.
func TestWorst(t *testing.T) {
	t.Parallel()
	usd, calls := clade.Microdollars(5), int64(7)
	s := &clade.Spec{
		Gates:    []clade.Gate{{ID: "g", Command: clade.Command{Run: "x"}}},
		Measures: []clade.Measure{{ID: "m", Command: clade.Command{Run: "y"}, Noise: clade.NoiseNone}},
		Budget:   clade.Budget{Candidates: 10, USD: &usd, Calls: &calls, Wall: clade.Duration(90 * time.Second)},
	}
	got := worst(s, nil)
	want := Worst{Candidates: 10, PerCase: 2, Commands: 3*2 + 10*2 + 2*2*2, USD: &usd, Calls: &calls, WallSeconds: 90}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Budget.Candidates, s.Budget.Wall = 0, 0
	if got := worst(s, nil); got.Commands != 3*2 || got.WallSeconds != 0 {
		t.Errorf("without candidates: %+v", got)
	}
}

func TestSpecIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name string, size int) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	put("both/clade.json", 1)
	first := put("both/clade.yaml", 2)
	put("none/other.yaml", 1)
	put("folder/clade.yaml/x", 1)
	large := put("large.yaml", maxSpec+1)
	for _, c := range []struct {
		name, path, want string
		fault            clade.Fault
	}{
		{"a folder with two", filepath.Join(dir, "both"), first, ""},
		{"a file", first, first, ""},
		{"a folder without", filepath.Join(dir, "none"), "", clade.FaultNotFound},
		{"a folder called like one", filepath.Join(dir, "folder"), "", clade.FaultNotFound},
		{"nothing", filepath.Join(dir, "absent"), "", clade.FaultNotFound},
		{"too large", large, "", clade.FaultSpec},
	} {
		file, _, err := readSpec(c.path)
		if file != c.want || clade.FaultOf(err) != c.fault {
			t.Errorf("%s: %q, %v", c.name, file, err)
		}
	}
}
