package land_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/land"
	"github.com/cladehq/clade/internal/ledger"
)

// long is a name of 255 bytes.
var long = strings.Repeat("n", 255)

// changes are what winners do to files. Each is applied and undone again.
var changes = []struct {
	name           string
	before, change files
	index          bool // worth a repository too: git has rules of its own for it
}{
	{"edit", files{"a": "1\n", "b": "2\n"}, files{"a": "9\n"}, true},
	{"create", files{"a": "1\n"}, files{"new": "n\n"}, false},
	{"create in new folders", files{"a": "1\n"}, files{"d/e/new": "n\n"}, true},
	{"delete", files{"a": "1\n", "b": "2\n"}, files{"b": ""}, false},
	{"delete the last of its folders", files{"a": "1\n", "d/e/f": "2\n"}, files{"d/e/f": ""}, true},
	{"rename", files{"a": "1\n", "old": "2\n"}, files{"old": "", "new": "2\n"}, true},
	{"case of the name", files{"a": "1\n", "f": "2\n"}, files{"f": "", "F": "2\n"}, false},
	{"mode only, F39", files{"a": "1\n"}, files{"a": "x 1\n"}, true},
	{"mode away, F39", files{"a": "x 1\n"}, files{"a": "1\n"}, false},
	{"edit of an executable", files{"a": "x 1\n"}, files{"a": "x 2\n"}, false},
	{"empty file, F39", files{"a": "1\n"}, files{"a": "x "}, false},
	{"link made, F36", files{"a": "1\n"}, files{"l": "-> a"}, true},
	{"link changed", files{"a": "1\n", "l": "-> a"}, files{"l": "-> nowhere"}, false},
	{"link becomes a file", files{"a": "1\n", "l": "-> a"}, files{"l": "2\n"}, false},
	{"file becomes a link", files{"a": "1\n", "l": "2\n"}, files{"l": "-> a"}, false},
	{"file becomes a folder, F36", files{"a": "1\n", "s": "2\n"}, files{"s": "", "s/in/side": "3\n"}, true},
	{"folder becomes a file, F36", files{"a": "1\n", "s/in/side": "3\n", "s/b": "4\n"}, files{"s/in/side": "", "s/b": "", "s": "2\n"}, true},
	{"folder becomes a link", files{"a": "1\n", "s/b": "4\n"}, files{"s/b": "", "s": "-> a"}, false},
	{"link becomes a folder", files{"a": "1\n", "s": "-> a"}, files{"s": "", "s/b": "4\n"}, false},
	{"a folder's files all change", files{"d/old": "1\n"}, files{"d/old": "", "d/new": "2\n"}, false},
	{"binary", files{"a": "\x00\x01\xff"}, files{"a": "\xff\x00\r\n"}, false},
	{"odd names, F37", files{"a\nb": "1", `q"uote`: "1", "-dash": "1", "\xff": "1", "tab\t": "1", "HEAD": "1", long: "1", " sp ": "1"},
		files{"a\nb": "2", `q"uote`: "2", "-dash": "2", "\xff": "2", "tab\t": "2", "HEAD": "2", long: "2", " sp ": "", "né": "2", "*": "2", ":(top)": "2", "d\n/\xfe": "2"}, true},
}

func TestApplyAndUndo(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name string
		make func(t *testing.T, before, change files) *world
	}{
		{"plain folder", plain},
		{"repository", func(t *testing.T, before, change files) *world { return repository(t, before, change) }},
	} {
		for _, c := range changes {
			if kind.name == "repository" && !c.index {
				continue
			}
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				w := kind.make(t, c.before, c.change)
				before := w.image()
				p, err := w.Preview(t.Context(), candidate)
				must(t, err)
				must(t, p.Problem())
				w.same(before, "a preview") // I1
				if len(p.Paths) != len(c.change) || p.Moved || p.Done {
					t.Errorf("preview of %q: %+v", p.Paths, p)
				}
				_, err = w.Apply(t.Context(), p)
				must(t, err)
				w.holds(c.change)
				w.only(before, c.change) // I1: .git too
				w.mustUndo()
				w.same(before, "apply and undo")
				refused(t, w.undo(), clade.FaultUsage, "nothing applied")
				if l := w.leftovers(); len(l) > 0 {
					t.Errorf("left behind: %q", l)
				}
			})
		}
	}
}

func TestApplyAgainAfterUndo(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"a": "1\n"}, files{"a": "9\n", "d/new": "n\n"})
	before := w.image()
	for range 2 {
		w.mustApply()
		w.holds(files{"a": "9\n", "d/new": "n\n"})
		w.mustUndo()
		w.same(before, "apply and undo")
	}
}

// only checks that nothing differs from an image but the changed paths and the
// folders on their way.
func (w *world) only(before map[string]string, change files) {
	w.t.Helper()
	allowed := map[string]bool{".": true}
	for p := range change {
		for ; p != "."; p = filepath.ToSlash(filepath.Dir(p)) {
			allowed[p] = true
		}
	}
	for _, p := range differs(before, w.image()) {
		if !allowed[p] {
			w.t.Errorf("changed %q", p)
		}
	}
}

func TestApplyToASingleFile(t *testing.T) {
	t.Parallel()
	w := empty(t, clade.TargetFile)
	w.put(files{"prompt.txt": "old\n", "other": "mine\n"})
	w.run(ledger.Source{Dir: w.root, Only: []string{"prompt.txt"}}, files{"prompt.txt": "new\n"})
	before := w.image()
	w.mustApply()
	w.holds(files{"prompt.txt": "new\n", "other": "mine\n"})
	w.only(before, files{"prompt.txt": ""})
	w.mustUndo()
	w.same(before, "apply and undo")
	must(t, os.Remove(w.at("prompt.txt")))
	if err := w.apply(); clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("without its target: %v", err)
	}
}

func TestNothingToDo(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *world){
		"applied":               func(w *world) { w.mustApply() },
		"applied and committed": func(w *world) { w.mustApply(); w.person("add", "-A"); w.person("commit", "-q", "-m", "m") },
		"made by hand":          func(w *world) { w.put(files{"a": "9\n"}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := repository(t, files{"a": "1\n"}, files{"a": "9\n"})
			prepare(w)
			before := w.image()
			p, err := w.Preview(t.Context(), candidate)
			must(t, err)
			if !p.Done || p.Problem() != nil {
				t.Fatalf("%+v, %v", p, p.Problem())
			}
			w.mustApply()
			w.same(before, "an apply of what is there")
		})
	}
}

// P17: what HEAD has is not said to be in the files.
func TestP17UndoneAfterACommit(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"a": "1\n", "b": "1\n"}, files{"a": "9\n"})
	w.mustApply()
	w.person("add", "-A")
	w.person("commit", "-q", "-m", "m")
	w.put(files{"b": "mine\n"}) // no concern of the winner's
	if p, err := w.Preview(t.Context(), candidate); err != nil || !p.Done {
		t.Fatalf("%+v, %v", p, err)
	}
	w.put(files{"a": "1\n"})
	before := w.image()
	p, err := w.Preview(t.Context(), candidate)
	must(t, err)
	if p.Done || clade.FaultOf(p.Problem()) != clade.FaultConflict || !strings.Contains(p.Problem().Error(), `differ from it in "a"`) {
		t.Errorf("%+v, %v", p, p.Problem())
	}
	if err := w.apply(); clade.FaultOf(err) != clade.FaultConflict {
		t.Error(err)
	}
	w.same(before, "an apply that is refused")
}

// B8, B15, F18: what a person has not committed is theirs, and is never written over.
func TestRefusedForWorkOfThePersons(t *testing.T) {
	t.Parallel()
	type setup func(w *world)
	for _, c := range []struct {
		name   string
		change files
		mine   setup
		words  []string
	}{
		{"unstaged", files{"a": "9\n"}, func(w *world) { w.put(files{"a": "mine\n"}) }, []string{`"a" has changes of yours`}},
		{"staged", files{"a": "9\n"}, func(w *world) { w.put(files{"a": "mine\n"}); w.person("add", "a") }, []string{`"a" has staged changes`}},
		{"staged, then taken back on disk", files{"a": "9\n"}, func(w *world) {
			w.put(files{"a": "mine\n"})
			w.person("add", "a")
			w.put(files{"a": "1\n"})
		}, []string{`"a" has staged changes`}},
		{"deleted", files{"a": "9\n"}, func(w *world) { must(w.t, os.Remove(w.at("a"))) }, []string{`"a"`}},
		{"mode", files{"a": "9\n"}, func(w *world) { must(w.t, os.Chmod(w.at("a"), 0o755)) }, []string{`"a"`}},
		{"edit of what the winner deletes", files{"a": ""}, func(w *world) { w.put(files{"a": "mine\n"}) }, []string{`"a"`}},
		{"untracked", files{"new": "9\n"}, func(w *world) { w.put(files{"new": "mine\n"}) }, []string{`"new"`, "does not track"}},
		{"untracked link", files{"new": "9\n"}, func(w *world) { w.put(files{"new": "-> a"}) }, []string{`"new"`, "does not track"}},
		{"untracked repository", files{"new/f": "9\n"}, func(w *world) { w.person("init", "-q", "new") }, []string{`"new/f"`}},
		{"ignored", files{"x.log": "9\n"}, func(w *world) { w.put(files{"x.log": "mine\n"}) }, []string{`"x.log"`, "ignores"}},
		{"in an ignored folder", files{"logs/y": "9\n"}, func(w *world) { w.put(files{"logs/y": "mine\n"}) }, []string{`"logs/y"`}},
		{"untracked file where a folder comes", files{"new/f": "9\n"}, func(w *world) { w.put(files{"new": "mine\n"}) }, []string{`"new/f"`}},
		{"untracked folder where a file comes", files{"new": "9\n"}, func(w *world) { w.put(files{"new/mine": "mine\n"}) }, []string{`"new"`, "is a folder"}},
		{"folder that becomes a file has more", files{"d/f": "", "d": "9\n"}, func(w *world) { w.put(files{"d/mine": "mine\n"}) }, []string{`"d"`, "is a folder"}},
		{"folder that becomes a file has an ignored one", files{"d/f": "", "d": "9\n"}, func(w *world) { w.put(files{"d/x.log": "mine\n"}) }, []string{`"d"`}},
		{"folder that becomes a file has an empty one", files{"d/f": "", "d": "9\n"}, func(w *world) { must(w.t, os.Mkdir(w.at("d/mine"), 0o755)) }, []string{`"d"`, "is a folder"}},
		{"a folder is a link out of the tree, F36", files{"d/f": "9\n"}, func(w *world) {
			out := filepath.Join(filepath.Dir(w.root), "outside")
			must(w.t, os.Rename(w.at("d"), out))
			must(w.t, os.Symlink(out, w.at("d")))
		}, []string{`"d/f" lies behind the symbolic link "d"`}},
		{"a folder is a link within the tree, F36", files{"new/f": "9\n"}, func(w *world) { w.put(files{"new": "-> d"}) }, []string{`lies behind the symbolic link "new"`}},
		{"marked unchanged", files{"a": "9\n"}, func(w *world) {
			w.person("update-index", "--assume-unchanged", "a")
			w.put(files{"a": "mine\n"})
		}, []string{`"a" is marked as unchanged`}},
		{"sparse checkout", files{"d/f": "9\n"}, func(w *world) { w.person("sparse-checkout", "set", "--no-cone", "/a") }, []string{`"d/f" is left out`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := repository(t, files{"a": "1\n", "d/f": "2\n", ".gitignore": "*.log\nlogs/\n"}, c.change)
			c.mine(w)
			before := w.image()
			refused(t, w.apply(), clade.FaultConflict, c.words...)
			w.same(before, "a refused apply")
		})
	}
}

func TestOtherDirtIsFine(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"a": "1\n", "b": "2\n", "c": "3\n", ".gitignore": "*.log\n"}, files{"a": "9\n"})
	w.put(files{"b": "mine\n", "c": "staged\n", "untracked": "mine\n", "x.log": "mine\n"})
	w.person("add", "c")
	before := w.image()
	w.mustApply()
	w.only(before, files{"a": ""})
	w.holds(files{"a": "9\n", "b": "mine\n"})
	w.mustUndo()
	w.same(before, "apply and undo")
}

func TestRefusedInTheMiddleOfSomethingF18(t *testing.T) {
	t.Parallel()
	branches := func(w *world) {
		w.person("checkout", "-q", "-b", "side")
		w.put(files{"b": "side\n"})
		w.person("commit", "-q", "-a", "-m", "side")
		w.person("checkout", "-q", "main")
		w.put(files{"b": "main\n"})
		w.person("commit", "-q", "-a", "-m", "main")
	}
	for what, begin := range map[string]func(w *world){
		"merge":       func(w *world) { branches(w); w.tries("merge", "-q", "side") },
		"rebase":      func(w *world) { branches(w); w.tries("rebase", "-q", "side") },
		"cherry-pick": func(w *world) { branches(w); w.tries("cherry-pick", "side") },
		"revert":      func(w *world) { branches(w); w.tries("revert", "side") },
		"bisect":      func(w *world) { w.person("bisect", "start") },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := repository(t, files{"a": "1\n", "b": "2\n"}, files{"a": "9\n"})
			begin(w)
			before := w.image()
			refused(t, w.apply(), clade.FaultConflict, "in the middle of a "+what)
			w.same(before, "a refused apply")
		})
	}
}

// F30, B28: locks of the person's repository are named and left alone.
func TestRefusedForALock(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"index.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock"} {
		t.Run(filepath.Base(lock), func(t *testing.T) {
			t.Parallel()
			w := repository(t, files{"a": "1\n"}, files{"a": "9\n"})
			w.put(files{".git/" + lock: "theirs"})
			before := w.image()
			refused(t, w.apply(), clade.FaultConflict, w.at(".git/"+lock))
			w.same(before, "a refused apply")
		})
	}
}

func TestUnbornAndGoneRepositoriesAreRefused(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"a": "1\n"}, files{"a": "9\n"})
	w.person("checkout", "-q", "--orphan", "new")
	refused(t, w.apply(), clade.FaultConflict, "no commit")
	must(t, os.RemoveAll(w.at(".git")))
	if err := w.apply(); clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("without a repository: %v", err)
	}
}

// F19: the target has moved on, by a commit, another branch or a detached HEAD.
func TestMergedWhereTheTargetHasMoved(t *testing.T) {
	t.Parallel()
	text := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for name, move := range map[string]func(w *world){
		"other file": func(w *world) { w.put(files{"b": "theirs\n"}); w.person("commit", "-q", "-am", "m") },
		"other lines": func(w *world) {
			w.put(files{"a": strings.Replace(text, "9", "nine", 1)})
			w.person("commit", "-q", "-am", "m")
		},
		"other branch": func(w *world) {
			w.person("checkout", "-q", "-b", "side")
			w.put(files{"b": "theirs\n"})
			w.person("commit", "-q", "-am", "m")
		},
		"detached": func(w *world) {
			w.person("checkout", "-q", "--detach")
			w.put(files{"b": "theirs\n"})
			w.person("commit", "-q", "-am", "m")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := repository(t, files{"a": text, "b": "1\n"}, files{"a": strings.Replace(text, "1", "one", 1)})
			move(w)
			before := w.image()
			gated := ""
			w.Gate = func(_ context.Context, commit string) ([]string, error) { gated = commit; return nil, nil }
			p, err := w.Preview(t.Context(), candidate)
			must(t, err)
			if !p.Moved {
				t.Error("nobody noticed")
			}
			must(t, w.Check(t.Context(), p))
			entries, err := w.Ledger.List(t.Context(), gated)
			must(t, err)
			for _, e := range entries { // the tree that was gated is the one that results
				data, err := w.Ledger.Read(t.Context(), e.Blob)
				must(t, err)
				if e.Path == "b" {
					w.holds(files{"b": string(data)})
				}
			}
			_, err = w.Apply(t.Context(), p)
			must(t, err)
			w.only(before, files{"a": ""})
			got, err := os.ReadFile(w.at("a"))
			must(t, err)
			if !strings.HasPrefix(string(got), "one\n2\n") || name == "other lines" && !strings.HasSuffix(string(got), "nine\n") {
				t.Errorf("merged into %q", got)
			}
			w.mustUndo()
			w.same(before, "apply and undo")
		})
	}
}

func TestAConflictChangesNothingF19(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T) *world{
		"repository": func(t *testing.T) *world {
			w := repository(t, files{"a": "1\n", "b": "1\n"}, files{"a": "9\n", "b": "9\n"})
			w.put(files{"a": "theirs\n"})
			w.person("commit", "-q", "-am", "m")
			return w
		},
		"plain folder, B15": func(t *testing.T) *world {
			w := plain(t, files{"a": "1\n", "b": "1\n"}, files{"a": "9\n", "b": "9\n"})
			w.put(files{"a": "theirs\n"})
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := make(t)
			before := w.image()
			err := w.apply()
			refused(t, err, clade.FaultConflict, `"a"`)
			var p *clade.Problem
			if !errors.As(err, &p) || !strings.Contains(p.Hint, w.Patch) {
				t.Errorf("the hint %q does not name %s", p.Hint, w.Patch)
			}
			patch, err := os.ReadFile(w.Patch)
			must(t, err)
			if !strings.Contains(string(patch), "+++ b/a\n@@ -1 +1 @@\n-1\n+9\n") {
				t.Errorf("the patch is %q", patch)
			}
			w.same(before, "a conflict")
		})
	}
}

func TestAPlainFolderIsMergedInto(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n", "b": "1\n"}, files{"a": "9\n"})
	w.put(files{"b": "mine\n", "mine": "too\n"})
	before := w.image()
	w.mustApply()
	w.holds(files{"a": "9\n", "b": "mine\n", "mine": "too\n"})
	w.only(before, files{"a": ""})
	w.mustUndo()
	w.same(before, "apply and undo")
}

func TestFailingGatesAreSaid(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"a": "1\n"}, files{"a": "9\n"})
	before := w.image()
	w.Gate = func(context.Context, string) ([]string, error) {
		return []string{"build: exit 1: no such function"}, nil
	}
	p, err := w.Preview(t.Context(), candidate)
	must(t, err)
	must(t, w.Check(t.Context(), p))
	_, err = w.Apply(t.Context(), p)
	refused(t, err, clade.FaultConflict, "no such function")
	w.same(before, "a refused apply")
}

func TestUndoIsRefusedWhereSomethingChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change files
		mine   func(w *world)
		path   string
	}{
		"edited":                     {files{"a": "9\n"}, func(w *world) { w.put(files{"a": "mine\n"}) }, "a"},
		"mode":                       {files{"a": "9\n"}, func(w *world) { must(w.t, os.Chmod(w.at("a"), 0o755)) }, "a"},
		"deleted":                    {files{"a": "9\n"}, func(w *world) { must(w.t, os.Remove(w.at("a"))) }, "a"},
		"made again":                 {files{"a": ""}, func(w *world) { w.put(files{"a": "mine\n"}) }, "a"},
		"made again as a folder":     {files{"a": ""}, func(w *world) { w.put(files{"a/mine": "mine\n"}) }, "a"},
		"put behind a link":          {files{"d/new": "9\n"}, func(w *world) { must(w.t, os.Rename(w.at("d"), w.at("e"))); w.put(files{"d": "-> e"}) }, "d/new"},
		"more in a new folder's way": {files{"a": "", "a/b": "9\n"}, func(w *world) { w.put(files{"a/mine": "mine\n"}) }, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := plain(t, files{"a": "1\n", "b": "2\n"}, c.change)
			w.mustApply()
			c.mine(w)
			before := w.image()
			refused(t, w.undo(), clade.FaultConflict, `"`+c.path+`"`)
			w.same(before, "a refused undo")
		})
	}
}

func TestUndoNeedsNothingUndone(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n"}, files{"a": "9\n"})
	err := w.undo()
	refused(t, err, clade.FaultUsage)
	if !errors.Is(err, land.ErrNothing) {
		t.Errorf("%v", err)
	}
}

// Applies are undone one by one, the last first.
func TestUndoOfTwo(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n2\n3\n4\n5\n"}, files{"a": "one\n2\n3\n4\n5\n"})
	first := w.image()
	w.mustApply()
	w.put(files{"a": "1\n2\n3\n4\nfive\n"}) // by hand, then applied again
	second := w.image()
	w.mustApply()
	w.holds(files{"a": "one\n2\n3\n4\nfive\n"})
	w.mustUndo()
	w.same(second, "the last undone")
	w.put(files{"a": "one\n2\n3\n4\n5\n"})
	w.mustUndo()
	w.same(first, "the first undone")
	refused(t, w.undo(), clade.FaultUsage)
}
