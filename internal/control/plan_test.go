package control

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cladehq/clade"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		command clade.Command
		want    string // "": not to be told
	}{
		{"an argument list", clade.Command{Argv: []string{"my tool", "x"}}, "my tool"},
		{"a line", clade.Command{Run: "  go test ./..."}, "go"},
		{"one word", clade.Command{Run: "make"}, "make"},
		{"a path", clade.Command{Run: "./check x"}, "./check"},
		{"nothing", clade.Command{}, ""},
		{"a word of the shell", clade.Command{Run: "cd x && make"}, ""},
		{"a quoted word", clade.Command{Run: `"my tool" x`}, ""},
		{"a variable", clade.Command{Run: "A=1 tool"}, ""},
		{"a pipe without blanks", clade.Command{Run: "a|b"}, ""},
		{"a comment", clade.Command{Run: "#x"}, ""},
		{"two lines", clade.Command{Run: "a\nb"}, ""},
	} {
		got, ok := program(c.command)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	scorer := clade.Command{Run: "no-such-scorer"}
	spec := &clade.Spec{
		Setup:    &clade.Command{Run: "no-such-setup"},
		Gates:    []clade.Gate{{ID: "g", Command: clade.Command{Run: "git status"}}, {ID: "own", Command: clade.Command{Run: "./check"}}},
		Measures: []clade.Measure{{ID: "m", Command: clade.Command{Argv: []string{"/no/such/measure"}}}, {ID: "from", From: "g"}},
		Dataset:  &clade.Dataset{Command: clade.Command{Run: "cd x"}, Scorer: clade.Scorer{Command: &scorer}},
		Operators: []clade.Operator{{Use: "mutate"}, {Use: "command", Name: "c", Command: clade.Command{Run: "git diff"}},
			{Use: "none-such"}},
	}
	var got []string
	f := &Forecast{Programs: programs(spec, t.TempDir())}
	for _, p := range f.Programs {
		state := "found"
		switch {
		case p.Missing:
			state = "missing"
		case p.Path == "":
			state = "untold"
		}
		got = append(got, p.For+": "+p.Name+" "+state)
	}
	want := []string{
		"setup: no-such-setup missing", "gate g: git found", "gate own: ./check untold", "measure m: /no/such/measure missing",
		"the scorer: no-such-scorer missing", "operator c: git found", "operator none-such: clade-operator-none-such missing",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if err := f.Problem(); clade.FaultOf(err) != clade.FaultEnvironment {
		t.Errorf("programs are missing: %v", err)
	}
	f.Programs = f.Programs[1:3]
	if err := f.Problem(); err != nil {
		t.Errorf("nothing is missing: %v", err)
	}
}

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
