package control

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
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
	r := &Resolved{Source: ledger.Source{Dir: t.TempDir()}, Spec: clade.Spec{
		Setup:    &clade.Command{Run: "no-such-setup"},
		Gates:    []clade.Gate{{ID: "g", Command: clade.Command{Run: "git status"}}, {ID: "own", Command: clade.Command{Run: "./check"}}},
		Measures: []clade.Measure{{ID: "m", Command: clade.Command{Argv: []string{"/no/such/measure"}}}, {ID: "from", From: "g"}},
		Dataset:  &clade.Dataset{Command: clade.Command{Run: "cd x"}, Scorer: clade.Scorer{Command: &scorer}},
		Operators: []clade.Operator{{Use: "mutate"}, {Use: "command", Name: "c", Command: clade.Command{Run: "git diff"}},
			{Use: "none-such"}},
	}}
	all, err := programs(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		got = append(got, p.For+": "+p.Name+" "+stateOf(p))
	}
	want := []string{
		"setup: no-such-setup missing", "gate g: git found", "gate own: ./check untold", "measure m: /no/such/measure missing",
		"the scorer: no-such-scorer missing", "operator c: git found", "operator none-such: clade-operator-none-such missing",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if err := (&Forecast{Programs: all}).Problem(); clade.FaultOf(err) != clade.FaultEnvironment {
		t.Errorf("programs are missing: %v", err)
	}
	if err := (&Forecast{Programs: all[1:3]}).Problem(); err != nil {
		t.Errorf("nothing is missing: %v", err)
	}
}

func stateOf(p Program) string {
	switch {
	case p.Missing:
		return "missing"
	case p.Unseen:
		return "unseen"
	case p.Unfit:
		return "unfit"
	case p.Path == "":
		return "untold"
	}
	return "found"
}

// F47: a program is looked for as commands will: not where they cannot see, and
// on their own PATH.
func TestF47ProgramsAsCommandsSeeThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, p := range []string{"venv/tool", "bin/tool", "venv/only"} {
		gittest.Put(t, filepath.Join(dir, p), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(dir, p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	venv, bin := filepath.Join(dir, "venv"), filepath.Join(dir, "bin")
	files := &sandbox.Sight{Hidden: []string{venv}, Shown: []string{dir}}
	for _, tt := range []struct {
		name, tool, path, state, found string
		files                          *sandbox.Sight
	}{
		{"the first is hidden", "tool", venv + ":" + bin, "found", bin, files},
		{"all are hidden", "only", venv + ":" + bin, "unseen", venv, files},
		{"nothing is hidden", "tool", venv + ":" + bin, "found", venv, nil},
		{"none", "other", venv + ":" + bin, "missing", "", files},
		{"a relative folder is none", "tool", "bin", "missing", "", nil},
		{"an absolute path", filepath.Join(venv, "only"), "", "unseen", venv, files},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := clade.Command{Argv: []string{tt.tool}, Env: map[string]string{"PATH": tt.path}}
			r := &Resolved{Spec: clade.Spec{Operators: []clade.Operator{{Use: "command", Name: "o", Command: c}}}}
			got, err := programs(t.Context(), r, tt.files)
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			if stateOf(got[0]) != tt.state || got[0].Path != "" && filepath.Dir(got[0].Path) != tt.found {
				t.Errorf("%+v", got[0])
			}
			if err := got[0].problem(); (err != nil) != (tt.state != "found") {
				t.Errorf("problem %v", err)
			}
		})
	}
}

// F47: a program of the tree must be in the base, and executable there, unless
// setup or carry may bring it.
func TestF47ProgramsOfTheTree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(p string, mode os.FileMode) {
		t.Helper()
		gittest.Put(t, filepath.Join(dir, p), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(dir, p), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("part/run.sh", 0o755)
	put("part/sub/run.sh", 0o755)
	put("part/plain.sh", 0o644)
	put("top.sh", 0o755)
	if err := os.Symlink("sub", filepath.Join(dir, "part", "link")); err != nil {
		t.Fatal(err)
	}
	gittest.Person(t, dir, "init", "-q")
	gittest.Person(t, dir, "add", "-A")
	gittest.Person(t, dir, "commit", "-qm", "first")
	put("part/new.sh", 0o755) // not committed
	rev := gittest.Person(t, dir, "rev-parse", "HEAD")
	inGit := Resolved{Target: filepath.Join(dir, "part"), Source: ledger.Source{Git: dir, Rev: rev}, Spec: clade.Spec{Target: clade.Target{Kind: clade.TargetGit, Prefix: "part"}}}
	plain := Resolved{Target: filepath.Join(dir, "part"), Source: ledger.Source{Dir: filepath.Join(dir, "part"), Skip: []string{stateName}}, Spec: clade.Spec{Target: clade.Target{Kind: clade.TargetDir}}}
	single := Resolved{Target: filepath.Join(dir, "part/plain.sh"), Source: ledger.Source{Dir: filepath.Join(dir, "part"), Only: []string{"plain.sh"}}, Spec: clade.Spec{Target: clade.Target{Kind: clade.TargetFile}}}
	for _, tt := range []struct {
		name, program, in string
		from              Resolved
		setup, carry      bool
		want              string // "" : nothing speaks against it
	}{
		{"committed", "./run.sh", "", inGit, false, false, ""},
		{"below", "./sub/run.sh", "", inGit, false, false, ""},
		{"in the command's folder", "./run.sh", "sub", inGit, false, false, ""},
		{"above the target", "../top.sh", "", inGit, false, false, ""},
		{"above the tree", "../../any.sh", "", inGit, false, false, ""},
		{"through a link", "./link/any.sh", "", inGit, false, false, ""},
		{"not committed", "./new.sh", "", inGit, false, false, "the base has no part/new.sh"},
		{"carried", "./new.sh", "", inGit, false, true, ""},
		{"nowhere, though something is carried", "./none.sh", "", inGit, false, true, "the base has no part/none.sh"},
		{"made by setup", "./new.sh", "", inGit, true, false, ""},
		{"not executable", "./plain.sh", "", inGit, false, false, "not executable"},
		{"a plain folder", "./new.sh", "", plain, false, false, ""},
		{"not in a plain folder", "./none.sh", "", plain, false, false, "the base has no none.sh"},
		{"not executable in a plain folder", "./plain.sh", "", plain, false, false, "not executable"},
		{"beside a single file", "./run.sh", "", single, false, false, "the base has no run.sh"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := tt.from
			r.Spec.Measures = []clade.Measure{{ID: "m", Command: clade.Command{Run: tt.program + " x", Dir: tt.in}}}
			if tt.setup {
				r.Spec.Setup = &clade.Command{Run: "cd ."}
			}
			if tt.carry {
				r.Spec.Carry = []string{"*.sh"}
			}
			got, err := programs(t.Context(), &r, nil)
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			err = got[0].problem()
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v: %v", got[0], err)
			}
		})
	}
}
