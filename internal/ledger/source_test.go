package ledger_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/ledger"
)

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry    string
		yes, no  []string
		leads    []string // folders that are entered, beside those above what is covered
		leadsNot []string
	}{
		{entry: "src/", yes: []string{"src", "src/a", "src/d/a"}, no: []string{"srcs", "a/src", "s", "src.go"}, leadsNot: []string{"s", "srcs", "a"}},
		{entry: "src", yes: []string{"src/a"}, no: []string{"src2/a"}, leadsNot: []string{"src2"}},
		{entry: "./src/d", yes: []string{"src/d/a"}, no: []string{"src/a", "d"}, leads: []string{"src"}, leadsNot: []string{"d", "src/e"}},
		{entry: "a/b/c.txt", yes: []string{"a/b/c.txt"}, no: []string{"a/b/d.txt", "a/b"}, leads: []string{"a", "a/b"}, leadsNot: []string{"a/c", "b"}},
		{entry: ".", yes: []string{"a", "a/b"}, leads: []string{"a"}},
		{entry: "*.go", yes: []string{"a.go", "a.go/b"}, no: []string{"d/a.go", "go"}, leadsNot: []string{"d/e"}},
		{entry: "src/*.go", yes: []string{"src/a.go"}, no: []string{"src/d/a.go", "a.go"}, leads: []string{"src"}, leadsNot: []string{"d", "src/d/e"}},
		{entry: "src/**/*.go", yes: []string{"src/a.go", "src/d/e/a.go"}, no: []string{"a.go"}, leads: []string{"src/d/e/f"}, leadsNot: []string{"lib"}},
		{entry: "**/x", yes: []string{"x", "a/x", "a/x/y"}, no: []string{"a/y"}, leads: []string{"a/b/c"}},
		{entry: "pkg/*/", yes: []string{"pkg/a", "pkg/a/b/c"}, no: []string{"pkg"}, leads: []string{"pkg"}, leadsNot: []string{"src"}},
		{entry: "./l?b", yes: []string{"lib", "lib/a"}, no: []string{"lb"}, leadsNot: []string{"lb", "src"}},
		{entry: "[ab]/c", yes: []string{"a/c", "b/c/d"}, no: []string{"c/c"}, leads: []string{"a", "b"}, leadsNot: []string{"c"}},
		{entry: "{a/b,c}/*", yes: []string{"a/b/x", "c/x"}, no: []string{"a/x"}, leads: []string{"a", "c", "z"}},
		{entry: "{a}", yes: []string{"{a}"}, no: []string{"a"}, leadsNot: []string{"a"}},
		{entry: "[", no: []string{"[", "a"}},
		{entry: "*", yes: []string{"a", "a/b", ".hidden"}},
	} {
		t.Run(strings.ReplaceAll(c.entry, "/", "|"), func(t *testing.T) {
			t.Parallel()
			s := ledger.Source{Dir: "/d", Only: []string{"beside", c.entry}}
			for _, p := range c.yes {
				if !s.Covers(p) {
					t.Errorf("%q is not covered", p)
				}
				c.leads = append(c.leads, path.Dir(p))
			}
			for _, p := range c.no {
				if s.Covers(p) {
					t.Errorf("%q is covered", p)
				}
			}
			for _, p := range c.leads {
				if !s.Leads(p) {
					t.Errorf("%q is not entered", p)
				}
			}
			for _, p := range c.leadsNot {
				if s.Leads(p) {
					t.Errorf("%q is entered", p)
				}
			}
		})
	}
}

func TestCoversWithoutASelection(t *testing.T) {
	t.Parallel()
	git, all := ledger.Source{Git: "/d"}, ledger.Source{Dir: "/d", Skip: []string{".git", ".agents/evolutions"}}
	some := all
	some.Only = []string{".agents/", "src"}
	for _, c := range []struct {
		path           string
		all, some      bool
		allIn, someIn  bool // whether it is entered, where it is a folder
		isOfRepository bool
	}{
		{"src/a", true, true, true, true, true},
		{"a", true, false, true, false, true},
		{".git/config", false, false, false, false, true},
		{".git", false, false, false, false, true},
		{".gitignore", true, false, true, false, true},
		{".agents", true, true, true, true, true},
		{".agents/skills/a", true, true, true, true, true},
		{".agents/evolutions", false, false, false, false, true},
		{".agents/evolutions/001-a/evolution.yaml", false, false, false, false, true},
		{".agents/evolutions2/a", true, true, true, true, true},
		{"sub/.git", true, false, true, false, true},
	} {
		got := []bool{all.Covers(c.path), some.Covers(c.path), all.Leads(c.path), some.Leads(c.path), git.Covers(c.path) && git.Leads(c.path)}
		for i, want := range []bool{c.all, c.some, c.allIn, c.someIn, c.isOfRepository} {
			if got[i] != want {
				t.Errorf("%q: question %d gives %v", c.path, i, got[i])
			}
		}
	}
}

// FuzzCovers: what an entry of a selection stands for is what the same entry of
// an evolution's scope stands for, and a walk enters every folder on the way.
func FuzzCovers(f *testing.F) {
	for _, entry := range []string{"src/", "**/*.go", "{a/b,c}/*", "a[b-d]/**", "./x/?", `a\*b`, "a//b", "x/../y*", "[", ".", "*/", "**"} {
		for _, p := range []string{"src/a.go", "a/b/c", "ab/c/d", "x/y", "a*b", "[", "a\xff/b"} {
			f.Add(entry, p)
		}
	}
	f.Fuzz(func(t *testing.T, entry, p string) {
		if entry == "" || p == "" || p == "." || path.Clean(p) != p || path.IsAbs(p) || strings.HasPrefix(p, "..") {
			return
		}
		s := ledger.Source{Dir: "/d", Only: []string{entry}}
		scope := &evolution.Scope{Include: []string{entry}}
		if s.Covers(p) != scope.Includes(p) {
			t.Fatalf("%q covers %q: %v, and in a scope %v", entry, p, s.Covers(p), scope.Includes(p))
		}
		for dir := path.Dir(p); s.Covers(p) && dir != "."; dir = path.Dir(dir) {
			if !s.Leads(dir) {
				t.Fatalf("%q covers %q, and %q is not entered", entry, p, dir)
			}
		}
		one := ledger.Source{Dir: "/d", Only: []string{ledger.Literal(p)}}
		if !one.Covers(p) || !one.Covers(p+"/x") || one.Covers(p+"x") {
			t.Fatalf("%q does not stand for %q alone", ledger.Literal(p), p)
		}
	})
}

func TestUnfit(t *testing.T) {
	t.Parallel()
	s := ledger.Source{Dir: "/d", Skip: []string{".git"}, Only: []string{"src/", "../x", "/etc", "a[", ".git/config", "", "b*"}}
	err := s.Unfit()
	const want = `/d: what is to be taken of the folder: "../x" lies outside; "/etc" lies outside; "a[" is no pattern; ".git/config" is never taken; "" is empty: ` +
		"path or mode that a tree cannot hold"
	if err == nil || err.Error() != want || clade.FaultOf(err) != clade.FaultSpec || !errors.Is(err, ledger.ErrPath) {
		t.Errorf("%v\nwant %s", err, want)
	}
	if err := (ledger.Source{Dir: "/d", Only: []string{"src/", "b*", ".", ".github"}, Skip: []string{".git"}}).Unfit(); err != nil {
		t.Error(err)
	}
}

func TestUnmet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "src"), 0o755), os.Mkdir(filepath.Join(dir, "empty"), 0o755),
		os.WriteFile(filepath.Join(dir, "src", "a"), nil, 0o644), os.Symlink("src", filepath.Join(dir, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	found := []string{"src/a"}
	s := ledger.Source{Dir: dir, Only: []string{"src/", "s*", "empty/", "./gone", "*.md", "link/a", "src/a/b"}}
	err := s.Unmet(found)
	want := dir + `: what is to be taken of the folder: "./gone" is not there; "*.md" matches no file; "link/a" lies behind a symbolic link; "src/a/b" is not there`
	if err == nil || err.Error() != want || clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("%v\nwant %s", err, want)
	}
	s.Gone = true
	if err := s.Unmet(nil); err != nil {
		t.Errorf("of one that may be gone: %v", err)
	}
	if err := (ledger.Source{Dir: dir, Only: []string{"src/", "s*", "empty/"}}).Unmet(found); err != nil {
		t.Error(err)
	}
}
