package propose_test

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
)

// F34, F36, P6: what an edit may not do.
func TestViolations(t *testing.T) {
	t.Parallel()
	spec := &clade.Spec{
		Target: clade.Target{Prefix: "app"}, Allow: []string{"src", "*.md"}, Frozen: []string{"src/**/*_test.go", "src/conf"},
		Limits: clade.Limits{FileSize: 4},
	}
	file := func(path, data string) ledger.Change {
		return ledger.Change{Path: path, Mode: ledger.ModeFile, Data: []byte(data)}
	}
	link := func(path, to string) ledger.Change {
		return ledger.Change{Path: path, Mode: ledger.ModeSymlink, Data: []byte(to)}
	}
	for name, c := range map[string]struct {
		change ledger.Change
		why    string // part of the violation, "" for none
	}{
		"allowed folder":                        {file("app/src/a.go", "x"), ""},
		"allowed glob":                          {file("app/README.md", "x"), ""},
		"glob does not cross folders":           {file("app/docs/x.md", "x"), "outside"},
		"outside the target":                    {file("src/a.go", "x"), "outside"},
		"frozen pattern":                        {file("app/src/deep/a_test.go", "x"), "frozen"},
		"frozen folder":                         {file("app/src/conf/x", "x"), "frozen"},
		"deleting a frozen file (H10)":          {ledger.Change{Path: "app/src/a_test.go", Delete: true}, "frozen"},
		"deleting an allowed file":              {ledger.Change{Path: "app/src/a.go", Delete: true}, ""},
		"too large":                             {file("app/src/a.go", "12345"), "limits.file_size"},
		"at the limit":                          {file("app/src/a.go", "1234"), ""},
		"link inside":                           {link("app/src/l", "../README.md"), ""},
		"link out of the tree (F36)":            {link("app/src/l", "../../../etc"), "out of the tree"},
		"absolute link (F36)":                   {link("app/src/l", "/etc/passwd"), "out of the tree"},
		"nested repository (F34)":               {ledger.Change{Path: "app/src/n", Mode: ledger.ModeGitlink}, "nested git"},
		"path out of the tree":                  {file("../x", "x"), "not a path"},
		"absolute path":                         {file("/x", "x"), "not a path"},
		"path that is not clean":                {file("app//src/a.go", "x"), "not a path"},
		"name that only begins like the target": {file("app2/src/a.go", "x"), "outside"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(propose.Violations(spec, []ledger.Change{c.change}), "\n")
			if c.why == "" && got != "" || !strings.Contains(got, c.why) {
				t.Errorf("got %q, want %q", got, c.why)
			}
		})
	}
}

func TestNoAllowAllowsEverythingNotFrozen(t *testing.T) {
	t.Parallel()
	spec := &clade.Spec{Frozen: []string{"*_test.go"}}
	if !propose.Editable(spec, "any/where.txt") || propose.Editable(spec, "a_test.go") || !propose.Editable(spec, "deep/a_test.go") {
		t.Error("globs are relative to the target and * does not cross folders")
	}
}

// E11: of a plain folder, and of a selection of its files, an edit touches what
// is read of it, so that nothing is proved that could not be landed.
func TestEditableOfASelection(t *testing.T) {
	t.Parallel()
	some := &clade.Spec{Target: clade.Target{Kind: clade.TargetDir, Only: []string{"src/", "*.md", ".agents"}}}
	allowed := &clade.Spec{Target: some.Target, Allow: []string{"**/*.go"}, Frozen: []string{"src/x.go"}}
	all := &clade.Spec{Target: clade.Target{Kind: clade.TargetDir}}
	git := &clade.Spec{Target: clade.Target{Kind: clade.TargetGit}}
	for path, want := range map[string][4]bool{ // some, allowed, all, git
		"src/a.go":                    {true, true, true, true},
		"src/x.go":                    {true, false, true, true},
		"src/new.txt":                 {true, false, true, true},
		"README.md":                   {true, false, true, true},
		"docs/README.md":              {false, false, true, true},
		"lib/a.go":                    {false, false, true, true},
		".agents/skills/a.go":         {true, true, true, true},
		".agents/evolutions/001/a.go": {false, false, true, true},
		".clade/a.go":                 {false, false, false, true},
	} {
		for i, spec := range []*clade.Spec{some, allowed, all, git} {
			if got := propose.Editable(spec, path); got != want[i] {
				t.Errorf("%q in spec %d: %v", path, i, got)
			}
		}
	}
}
