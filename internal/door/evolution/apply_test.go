package evolution

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

func TestApplyAndUndo(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{})
	before, page := s.yaml(), s.page()
	var shown control.Preview
	s.now = s.now.Add(time.Hour)
	a, err := s.apply(func(o *ApplyOptions) { o.Show = func(p *control.Preview) { shown = *p } })
	must(t, err)
	if a.Evolution != "1-larger" || a.Variant != "v2" || !slices.Equal(a.Files, []string{"src/n"}) || !slices.Equal(a.Paths, clade.Paths{"src/n"}) {
		t.Errorf("%+v", a)
	}
	if !strings.Contains(string(shown.Patch), "\n-1\n+9\n") {
		t.Errorf("shown: %s", shown.Patch)
	}
	s.holds(files{"src/n": "9\n"})
	e := s.evolution()
	if e.Applied == nil || !slices.Equal(e.Applied.FilesChanged, []string{"src/n"}) || !e.UpdatedAt.Equal(s.now) || !e.Applied.At.Equal(*a.AppliedAt) {
		t.Errorf("recorded: %+v, updated %s", e.Applied, e.UpdatedAt)
	}
	if !strings.Contains(s.page(), "- **Applied**: ") {
		t.Errorf("the page says\n%s", s.page())
	}
	if got := s.git("status", "--porcelain", "src"); got != " M src/n\n" {
		t.Errorf("status %q", got)
	}

	// It is done: terminal, until it is undone.
	_, err = s.apply()
	refused(t, err, clade.FaultConflict, "is done: v2 was applied on 20", `changed "src/n"`, "clade evolution undo 1")
	s.now = s.now.Add(time.Hour)
	u, err := s.undo()
	must(t, err)
	if u.Variant != "v2" || u.Completed || !slices.Equal(u.Paths, clade.Paths{"src/n"}) {
		t.Errorf("%+v", u)
	}
	s.holds(files{"src/n": "1\n"})
	if got := strings.Replace(s.yaml(), "2026-05-08T18:30:00Z", "2026-05-08T14:30:00Z", 1); got != before {
		t.Errorf("after an undo the file is\n%s", s.yaml())
	}
	if strings.Contains(s.page(), "Applied") || !strings.HasPrefix(s.page(), strings.SplitAfter(page, "## Brief")[0][:20]) {
		t.Errorf("the page says\n%s", s.page())
	}
	_, err = s.undo()
	refused(t, err, clade.FaultUsage, "nothing applied to undo")
	s.mustApply() // and it can be applied again
}

// Every kind of change lands, and nothing of it is left by an undo.
func TestApplyEveryKind(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{
		before: files{"src/n": "1\n", "src/gone": "x\n", "src/tool": "#!\n", "src/link": "-> n", "src/was": "text\n", "logo.bin": "\x00\xff\x01"},
		after: files{"src/n": "9\n", "src/gone": "", "src/tool": "x #!\n", "src/link": "-> tool", "src/was": "-> n", "logo.bin": "\xff\x00",
			"src/new/deep": "y\n"},
	})
	before := tree(t, s.dir+"/src")
	a := s.mustApply()
	want := []string{"logo.bin", "src/gone", "src/link", "src/n", "src/new/deep", "src/tool", "src/was"}
	if !slices.Equal(a.Files, want) {
		t.Errorf("changed %q", a.Files)
	}
	s.holds(files{"src/n": "9\n", "src/gone": "", "src/tool": "x #!\n", "src/link": "-> tool", "src/was": "-> n", "logo.bin": "\xff\x00", "src/new/deep": "y\n"})
	_, err := s.undo()
	must(t, err)
	if got := tree(t, s.dir+"/src"); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("after an undo: %q", got)
	}
	s.holds(files{"src/tool": "#!\n", "logo.bin": "\x00\xff\x01"})
	if got := s.git("status", "--porcelain", "src", "logo.bin"); got != "" {
		t.Errorf("status %q", got)
	}
}

// What is excluded is never touched, and what is not included stays as it is.
func TestApplyScope(t *testing.T) {
	t.Parallel()
	t.Run("excluded", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{after: files{"src/n": "9\n", "src/tests/a": "true\n", "src/tests/b/c": "true\n"}})
		before := tree(t, s.dir)
		_, err := s.apply(func(o *ApplyOptions) { o.Anyway = true })
		refused(t, err, clade.FaultConflict, "v2 changes what must never be touched: ", "src/tests/a", "src/tests/b/c")
		unchanged(t, s, before)
	})
	t.Run("left out", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{after: files{"src/n": "9\n", "docs/new": "x\n", "README": "y\n"}})
		a := s.mustApply()
		if !slices.Equal(a.Left, clade.Paths{"README", "docs/new"}) || !slices.Equal(a.Files, []string{"src/n"}) {
			t.Errorf("left %q, changed %q", a.Left, a.Files)
		}
		s.holds(files{"src/n": "9\n", "docs/new": "", "README": ""})
	})
	t.Run("in a folder of the repository", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{place: "pkg", after: files{"src/n": "9\n", "docs/new": "x\n"}})
		s.put(files{"../other": "of nobody's concern\n"})
		a := s.mustApply()
		if !slices.Equal(a.Left, clade.Paths{"pkg/docs/new"}) || !slices.Equal(a.Files, []string{"src/n"}) {
			t.Errorf("left %q, changed %q", a.Left, a.Files)
		}
		s.holds(files{"src/n": "9\n"})
		_, err := s.undo()
		must(t, err)
		s.holds(files{"src/n": "1\n"})
	})
}

func unchanged(t *testing.T, s *site, before map[string]string) {
	t.Helper()
	for p, text := range tree(t, s.dir) {
		if was, ok := before[p]; (!ok || was != text) && !strings.HasPrefix(p, ".clade/") && !strings.Contains(p, "/variants/") {
			t.Errorf("%s has changed", p)
		}
	}
}

// Nobody's work is in the way without being named.
func TestApplyDirtyScopeE53(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{})
	s.put(files{"README": "not included\n", "src/tests/x": "excluded\n", evolutionDir + "/notes.md": "of the evolution\n", ".clade.yaml": "seed: 1\n"})
	s.put(files{"src/a": "mine\n", "src/n": "mine\n", "src/staged": "mine\n"})
	s.git("add", "src/staged")
	before := tree(t, s.dir)
	_, err := s.apply()
	refused(t, err, clade.FaultConflict, `not committed in src/, logo.bin: "src/a", "src/n", "src/staged"`, "commit, stash or ignore")
	unchanged(t, s, before)
	s.git("rm", "-q", "--cached", "src/staged")
	s.put(files{"src/a": "", "src/n": "1\n", "src/staged": ""})
	s.mustApply()
}

// Without include all of the work tree must be clean.
func TestApplyDirtyTreeE53(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{yaml: replacing(`scope: {kind: worktree, include: [src/, "logo.bin"], exclude: [src/tests/]}`+"\n", "")})
	for i := range 13 {
		s.put(files{fmt.Sprintf("new/%02d", i): "x\n"})
	}
	_, err := s.apply()
	refused(t, err, clade.FaultConflict, "not committed: \"new/00\"", `"new/09" and 3 more`)
}

func replacing(old, with string) func(string) string {
	return func(s string) string {
		if !strings.Contains(s, old) {
			panic("nothing to replace: " + old)
		}
		return strings.Replace(s, old, with, 1)
	}
}

func TestApplyMovedBase(t *testing.T) {
	t.Parallel()
	t.Run("merges", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{before: files{"src/n": "a\nb\nc\nd\ne\n"}, after: files{"src/n": "a\nb\nc\nd\n9\n"}})
		s.put(files{"src/n": "1\nb\nc\nd\ne\n", "src/more": "x\n"})
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "moved")
		a := s.mustApply()
		if !a.Moved || !slices.Equal(a.Files, []string{"src/n"}) {
			t.Errorf("%+v", a)
		}
		s.holds(files{"src/n": "1\nb\nc\nd\n9\n", "src/more": "x\n"})
		_, err := s.undo()
		must(t, err)
		s.holds(files{"src/n": "1\nb\nc\nd\ne\n"})
	})
	t.Run("conflicts", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		s.put(files{"src/n": "3\n"})
		s.git("commit", "-q", "-a", "-m", "moved")
		before := tree(t, s.dir)
		_, err := s.apply()
		refused(t, err, clade.FaultConflict, "cannot be merged", "src/n", "winner.patch")
		unchanged(t, s, before)
	})
	t.Run("fails its gates", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		s.put(files{"boom": ""})
		must(t, os.WriteFile(s.at("boom"), nil, 0o644))
		s.git("add", "boom")
		s.git("commit", "-q", "-m", "moved")
		before := tree(t, s.dir)
		_, err := s.apply()
		refused(t, err, clade.FaultConflict, "fails its gates", "G1")
		unchanged(t, s, before)
	})
	t.Run("has it already", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		s.put(files{"src/n": "9\n"})
		s.git("commit", "-q", "-a", "-m", "moved")
		asked := 0
		agree := func(yes bool) func(*ApplyOptions) {
			return func(o *ApplyOptions) {
				o.Agree = func(p *control.Preview) (bool, error) { asked++; return yes, nil }
			}
		}
		a, err := s.apply(agree(false))
		must(t, err)
		if !a.Declined || !a.Already || s.evolution().Applied != nil {
			t.Errorf("%+v, %+v", a, s.evolution().Applied)
		}
		a, err = s.apply(agree(true))
		must(t, err)
		if e := s.evolution(); !a.Already || asked != 2 || e.Applied == nil || len(e.Applied.FilesChanged) != 0 {
			t.Errorf("%+v, asked %d, %+v", a, asked, e.Applied)
		}
		_, err = s.undo()
		refused(t, err, clade.FaultConflict, "something other than clade", "git shows and reverts")
	})
}

func TestApplyRefusalsE52(t *testing.T) {
	t.Parallel()
	winner := "winner:\n  variant_id: v2\n  rationale: It is larger. # and that is all\n"
	for _, c := range []struct {
		name  string
		set   setting
		do    func(s *site)
		fault clade.Fault
		words []string
	}{
		{"no winner yet", setting{yaml: replacing(winner, "")}, nil, clade.FaultNoWinner, []string{"no winner yet", "clade evolution run 1 goes on"}},
		{"nothing is eligible", setting{yaml: func(s string) string {
			s = replacing(winner, "")(s)
			s = strings.ReplaceAll(s, "    rubric: [{id: R1, value: 1}]\n", "")
			s = strings.ReplaceAll(s, "    rubric: [{id: R1, value: 9}]\n", "")
			return strings.ReplaceAll(s, "passes: true", "passes: false")
		}}, nil, clade.FaultNoWinner, []string{"nothing passes every gate: G1 fails 2 of 2", "revise the gates"}},
		{"a winner without its gates", setting{yaml: replacing("gates: [{id: G1, passes: true}]\n    rubric: [{id: R1, value: 9}]\nwinner", "gates: [{id: G1, passes: false}]\nwinner")},
			nil, clade.FaultNoWinner, []string{"v2 is not evaluated with every gate passing", "G1 ✗"}},
		{"no link", setting{}, func(s *site) { must(t, os.Remove(s.f.variants(fileLink))) }, clade.FaultNotFound, []string{"no run of clade is behind evolution 1-larger", "clade evolution import 1"}},
		{"the run is gone", setting{}, func(s *site) { must(t, s.f.setLink(link{Run: "gone-aaaaa"})) }, clade.FaultNotFound, []string{"no run of clade", "clade evolution import 1"}},
		{"forged", setting{failed: true}, nil, clade.FaultNoWinner, []string{"clade did not see v2 pass every gate: so"}},
		{"not of the run", setting{yaml: func(s string) string {
			return strings.NewReplacer("id: v2", "id: v3", "variant_id: v2", "variant_id: v3").Replace(s)
		}}, nil, clade.FaultNotFound, []string{"has no variant v3", "clade evolution import 1"}},
		{"interrupted", setting{ended: "open"}, nil, clade.FaultNoWinner, []string{"was interrupted", "clade evolution run 1", "--anyway"}},
		{"unproven", setting{winner: clade.StatusFinalist}, nil, clade.FaultNoWinner,
			[]string{"v2 did not beat the measured baseline: R1 (maximize) is 9 against 1 of the base", "--anyway"}},
		{"another one is proven", setting{yaml: func(s string) string { return strings.Replace(s, "variant_id: v2", "variant_id: v1", 1) }}, nil, clade.FaultNoWinner,
			[]string{"v1 did not beat the measured baseline: R1 (maximize) is 1 against 1 of the base. v2 did: so."}},
		{"a gate was changed", setting{}, func(s *site) {
			s.put(files{evolutionDir + "/evolution.yaml": strings.Replace(s.yaml(), "! test -e boom", "test ! -e boom", 1)})
		}, clade.FaultNoWinner, []string{"other commands have become of G1", "clade evolution run 1"}},
		{"in the middle of something", setting{}, func(s *site) { s.git("bisect", "start") }, clade.FaultConflict, []string{"in the middle of a bisect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.set)
			if c.do != nil {
				c.do(s)
			}
			before := tree(t, s.dir)
			_, err := s.apply()
			refused(t, err, c.fault, c.words...)
			unchanged(t, s, before)
		})
	}
}

func TestApplyAnyway(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]setting{
		"unproven": {winner: clade.StatusFinalist}, "interrupted": {ended: "open"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, set)
			_, err := s.apply(func(o *ApplyOptions) { o.Anyway = true })
			must(t, err)
			s.holds(files{"src/n": "9\n"})
		})
	}
}

// A variant whose tree another one has is measured by that one.
func TestApplyTwin(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{yaml: func(s string) string {
		return replacing("variant_id: v2", "variant_id: v3")(replacing("winner:\n", `  - id: v3
    generation: 2
    hypothesis: It could be nine, too.
    status: evaluated
    gates: [{id: G1, passes: true}]
    rubric: [{id: R1, value: 9}]
winner:
`)(s))
	}})
	s.variant(4, "v3", files{"src/n": "9\n"}, nil, clade.Verdict{Status: clade.StatusStable, Why: "the same tree"}, 3)
	a := s.mustApply()
	if a.Variant != "v3" || a.Applied.Winner != 4 {
		t.Errorf("%+v", a)
	}
	_, err := s.undo()
	must(t, err)
	s.holds(files{"src/n": "1\n"})
}

// A run that is of another folder is never behind an evolution, whatever the link
// says: a repository may come from anybody.
func TestApplyAnotherFoldersRunE51(t *testing.T) {
	t.Parallel()
	a, b := newSite(t, setting{}), newSite(t, setting{})
	b.door.c.Index = a.door.c.Index
	must(t, b.f.setLink(link{Run: a.run.Name}))
	_, err := b.apply()
	refused(t, err, clade.FaultNotFound, "no run of clade")
	a.holds(files{"src/n": "1\n"})
}

func TestApplyAgreementE54(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{})
	before := tree(t, s.dir)
	a, err := s.apply(func(o *ApplyOptions) { o.Agree = func(*control.Preview) (bool, error) { return false, nil } })
	must(t, err)
	if !a.Declined || a.AppliedAt != nil {
		t.Errorf("%+v", a)
	}
	unchanged(t, s, before)
	a, err = s.apply(func(o *ApplyOptions) { o.DryRun = true })
	must(t, err)
	if !a.DryRun || !slices.Equal(a.Paths, clade.Paths{"src/n"}) {
		t.Errorf("%+v", a)
	}
	unchanged(t, s, before)

	// The diff that was shown is the one that lands: whatever changes while a
	// person looks at it ends the apply.
	for name, change := range map[string]func(){
		"the winner": func() {
			s.put(files{evolutionDir + "/evolution.yaml": strings.Replace(s.yaml(), "variant_id: v2", "variant_id: v1", 1)})
		},
		"HEAD":         func() { s.git("commit", "-q", "--allow-empty", "-m", "moved") },
		"a file of it": func() { s.put(files{"src/n": "4\n"}) },
	} {
		was := s.yaml()
		_, err := s.apply(func(o *ApplyOptions) {
			o.Agree = func(*control.Preview) (bool, error) { change(); return true, nil }
		})
		if clade.FaultOf(err) != clade.FaultConflict || s.get("src/n") == "9\n" || s.evolution().Applied != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.put(files{evolutionDir + "/evolution.yaml": was, "src/n": "1\n"})
	}
}

// A file that could not say that it was applied is found out before anything is
// written.
func TestApplyUnwritableE55(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{})
	text := s.yaml()
	s.put(files{"elsewhere.yaml": text})
	must(t, os.Remove(s.at(evolutionDir+"/evolution.yaml")))
	must(t, os.Symlink("../../../elsewhere.yaml", s.at(evolutionDir+"/evolution.yaml")))
	_, err := s.apply()
	refused(t, err, clade.FaultSpec, "symbolic link")
	s.holds(files{"src/n": "1\n", "elsewhere.yaml": text})
}

func TestApplyCommits(t *testing.T) {
	t.Parallel()
	s := newSite(t, setting{})
	s.git("config", "user.name", "a")
	s.git("config", "user.email", "a@localhost")
	_, err := s.apply(func(o *ApplyOptions) { o.Message = "x" })
	refused(t, err, clade.FaultUsage, "a message is for a commit")
	a, err := s.apply(func(o *ApplyOptions) { o.Commit, o.Message = true, "Nine" })
	must(t, err)
	if got := s.git("log", "-1", "--format=%H %s", "--name-only"); got != a.Commit+" Nine\n\nsrc/n\n" {
		t.Errorf("the commit is %q", got)
	}
	if e := s.evolution(); e.Applied == nil || !slices.Equal(e.Applied.FilesChanged, []string{"src/n"}) {
		t.Errorf("recorded %+v", e.Applied)
	}
}

// An interrupted landing is completed by the next command, and evolution.yaml
// says what the log knows: E50.
func TestApplyCompletesE50(t *testing.T) {
	t.Parallel()
	unrecorded := func(s *site) { // killed after the files, before evolution.yaml
		was, page := s.yaml(), s.page()
		s.mustApply()
		s.put(files{evolutionDir + "/evolution.yaml": was, evolutionDir + "/EVOLUTION.md": page})
	}
	t.Run("an apply by an apply", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		unrecorded(s)
		a := s.mustApply()
		if !a.Completed || !slices.Equal(a.Files, []string{"src/n"}) {
			t.Errorf("%+v", a)
		}
		if e := s.evolution(); e.Applied == nil || !slices.Equal(e.Applied.FilesChanged, []string{"src/n"}) {
			t.Errorf("recorded %+v", e.Applied)
		}
		_, err := s.undo()
		must(t, err)
		s.holds(files{"src/n": "1\n"})
	})
	t.Run("an apply by an undo", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		before := s.yaml()
		unrecorded(s)
		a, err := s.undo()
		must(t, err)
		if a.Variant != "v2" || s.yaml() != before {
			t.Errorf("%+v\n%s", a, s.yaml())
		}
		s.holds(files{"src/n": "1\n"})
	})
	t.Run("an undo by an undo, and by an apply", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		s.mustApply()
		applied := s.yaml()
		_, err := s.undo()
		must(t, err)
		s.put(files{evolutionDir + "/evolution.yaml": applied})
		a, err := s.undo()
		must(t, err)
		if !a.Completed || s.evolution().Applied != nil {
			t.Errorf("%+v, %+v", a, s.evolution().Applied)
		}
		s.holds(files{"src/n": "1\n"})
		s.put(files{evolutionDir + "/evolution.yaml": applied})
		a, err = s.apply(func(o *ApplyOptions) { o.DryRun = true })
		must(t, err)
		if !a.DryRun || a.Already || s.yaml() != applied {
			t.Errorf("a dry run: %+v", a)
		}
		a = s.mustApply()
		if a.Completed || !slices.ContainsFunc(s.told, func(text string) bool { return strings.Contains(text, "has been undone, which") }) {
			t.Errorf("%+v, told %q", a, s.told)
		}
		s.holds(files{"src/n": "9\n"})
	})
	t.Run("an undo of what was never recorded", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		before := s.yaml()
		unrecorded(s)
		if !s.cut(1, func() { _, err := s.undo(); must(t, err) }) {
			t.Fatal("it was not cut")
		}
		a, err := s.undo()
		must(t, err)
		if !a.Recovered || a.Variant != "v2" || s.yaml() != before {
			t.Errorf("%+v\n%s", a, s.yaml())
		}
		s.holds(files{"src/n": "1\n"})
	})
	t.Run("at every step", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{before: files{"src/n": "1\n", "src/o": "1\n"}, after: files{"src/n": "9\n", "src/o": "", "src/p": "9\n"}})
		for n := 0; ; n++ {
			more := s.cut(n, func() { s.mustApply() })
			if !more {
				break
			}
			if s.evolution().Applied != nil {
				t.Fatalf("cut at %d: recorded before all was written", n)
			}
			a := s.mustApply()
			s.holds(files{"src/n": "9\n", "src/o": "", "src/p": "9\n"})
			if e := s.evolution(); e.Applied == nil || !slices.Equal(e.Applied.FilesChanged, []string{"src/n", "src/o", "src/p"}) {
				t.Fatalf("cut at %d: %+v, recorded %+v", n, a, e.Applied)
			}
			cut := s.cut(n, func() { _, err := s.undo(); must(t, err) })
			if cut {
				_, err := s.undo()
				must(t, err)
			}
			if s.evolution().Applied != nil {
				t.Fatalf("cut at %d: not forgotten", n)
			}
			s.holds(files{"src/n": "1\n", "src/o": "1\n", "src/p": ""})
		}
	})
}

var errCut = errors.New("cut")

// cut ends what do does at the n-th side of a step of a landing, and reports
// whether there was one.
func (s *site) cut(n int, do func()) (happened bool) {
	defer func() {
		s.door.c.LandStep = nil
		if r := recover(); r != nil {
			if r != errCut { //nolint:errorlint // a panic's value
				panic(r)
			}
			happened = true
		}
	}()
	s.door.c.LandStep = func(string, string) {
		if n--; n < 0 {
			panic(errCut)
		}
	}
	do()
	return false
}

func TestUndoRefusalsE56(t *testing.T) {
	t.Parallel()
	t.Run("applied by hand", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{yaml: func(s string) string {
			return s + "applied: {at: 2026-05-08T15:00:00Z, files_changed: [src/n]}\n"
		}})
		_, err := s.undo()
		refused(t, err, clade.FaultConflict, "by something other than clade", "git shows and reverts")
		must(t, os.Remove(s.f.variants(fileLink)))
		_, err = s.undo()
		refused(t, err, clade.FaultConflict, "by something other than clade")
	})
	t.Run("applied by hand after an undo", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		s.mustApply()
		_, err := s.undo()
		must(t, err)
		s.put(files{evolutionDir + "/evolution.yaml": s.yaml() + "applied: {at: 2026-05-08T15:00:00Z, files_changed: [src/n]}\n"})
		_, err = s.undo()
		refused(t, err, clade.FaultConflict, "by something other than clade")
	})
	t.Run("something else was applied over it", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{v1: files{"src/other": "2\n"}})
		s.mustApply()
		must(t, s.run.Landing(t.Context(), control.Landing{}, func(l *control.Lander, _ *clade.Applying) error {
			_, err := s.run.Apply(t.Context(), l, nil, 2, control.Apply{})
			return err
		}))
		_, err := s.undo()
		refused(t, err, clade.FaultConflict, "candidate 2 of run "+s.run.Name+" was applied over v2 since", "clade undo "+s.run.Name)
		s.holds(files{"src/n": "9\n", "src/other": "2\n"})
	})
	t.Run("changed since", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		s.mustApply()
		s.put(files{"src/n": "10\n"})
		_, err := s.undo()
		refused(t, err, clade.FaultConflict, `changed since it was applied: "src/n"`)
		if s.evolution().Applied == nil {
			t.Error("it is forgotten")
		}
		s.holds(files{"src/n": "10\n"})
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, setting{})
		_, err := s.undo()
		refused(t, err, clade.FaultUsage, "evolution 1-larger has nothing applied")
	})
}

// Where variants are copies of files each path is landed as it is on disk.
func TestApplyFiles(t *testing.T) {
	t.Parallel()
	scope := replacing("kind: worktree", "kind: files")
	s := newSite(t, setting{yaml: scope, before: files{"src/n": "1\n", "src/o": "x\n", "logo.bin": "\x00"}, after: files{"src/n": "9\n", "src/o": "", "src/p": "y\n"}})
	s.put(files{"src/mine": "not committed\n", "logo.bin": "\x01"})
	a := s.mustApply()
	if !slices.Equal(a.Files, []string{"src/n", "src/o", "src/p"}) || !a.Moved {
		t.Errorf("%+v", a)
	}
	s.holds(files{"src/n": "9\n", "src/o": "", "src/p": "y\n", "src/mine": "not committed\n", "logo.bin": "\x01"})
	_, err := s.undo()
	must(t, err)
	s.holds(files{"src/n": "1\n", "src/o": "x\n", "src/p": "", "src/mine": "not committed\n"})
}

func TestInFile(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"src/größer": "src/größer", "a\nb": `"a\nb"`, "\xff": `"\xff"`, `a "b"`: `a "b"`} {
		if got := inFile(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
