package land_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/land"
	"github.com/cladehq/clade/internal/ledger"
)

// selection makes a repository's folder whose evolution is of files: what only
// names, as it is on disk.
func selection(t *testing.T, before, change files, only ...string) *world {
	w := empty(t, clade.TargetDir)
	w.init()
	w.put(before)
	w.person("add", "-A")
	w.person("commit", "-q", "-m", "base")
	w.put(files{".clade/state": "s\n", ".agents/evolutions/001-a/evolution.yaml": "winner:\n"})
	w.run(selected(w, only), change)
	return w
}

// selected is how such a target is imported now.
func selected(w *world, only []string) ledger.Source {
	return ledger.Source{Dir: w.root, Only: only, Gone: true, Skip: []string{".clade", ".git", ".agents/evolutions"}}
}

// worktree is a repository that is evolved whole.
func worktree(t *testing.T, before, change files) *world { return repository(t, before, change) }

// scoped are the two kinds of target whose landing has a scope.
var scoped = []struct {
	name string
	make func(t *testing.T, before, change files) *world
}{
	{"worktree", worktree},
	{"files", func(t *testing.T, before, change files) *world {
		return selection(t, before, change, "src/", "docs/**/*.md", "go.mod", "secret/")
	}},
}

func below(dirs ...string) func(string) bool {
	return func(p string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return strings.HasPrefix(p, d) })
	}
}

var scope = files{"src/a": "1\n2\n3\n4\n5\n6\n7\n", "src/b": "2\n", "src/run": "#!\n", "src/link": "-> a", "src/pic": "\x00\x01", "go.mod": "m\n", "secret/key": "k\n"}

// E12: a winner that changes what is excluded is refused, whatever else it
// changes, and everything of it that is excluded is said.
func TestE12ExcludedIsNeverTouched(t *testing.T) {
	t.Parallel()
	for _, kind := range scoped {
		for _, c := range []struct {
			name   string
			change files
			says   []string
		}{
			{"edited", files{"src/a": "9\n", "secret/key": "9\n"}, []string{`"secret/key"`}},
			{"added", files{"secret/new": "9\n"}, []string{`"secret/new"`}},
			{"deleted", files{"secret/key": ""}, []string{`"secret/key"`}},
			{"made executable", files{"secret/key": "x k\n"}, []string{`"secret/key"`}},
			{"a folder in its place", files{"secret/key": "", "secret/key/a": "9\n"}, []string{`"secret/key"`, `"secret/key/a"`}},
			{"many", files{"secret/1": "1", "secret/2": "2", "secret/3": "3", "secret/4": "4", "secret/5": "5", "secret/6": "6", "secret/é\n": "7"},
				[]string{`"secret/1"`, `"secret/2"`, `"secret/3"`, `"secret/4"`, `"secret/5"`, `"secret/6"`, `"secret/é\n"`}},
		} {
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				w := kind.make(t, scope, c.change)
				w.Never, w.Only = below("secret/"), below("src/", "secret/")
				before := w.image()
				p, err := w.Preview(t.Context(), candidate)
				must(t, err)
				refused(t, p.Problem(), clade.FaultConflict, append(c.says, "candidate 1", "must never be touched")...)
				if len(p.Barred) != len(c.says) || strings.Contains(p.Problem().Error(), "src/a") || len(p.Paths) > 0 {
					t.Errorf("%+v", p)
				}
				must(t, w.Check(t.Context(), p))
				refused(t, w.apply(), clade.FaultConflict, c.says...)
				w.same(before, "a refused apply")
				w.neverBegun()
			})
		}
	}
}

// neverBegun checks that no intent was recorded.
func (w *world) neverBegun() {
	w.t.Helper()
	must(w.t, w.Log.Read(w.t.Context(), 0, func(r clade.Record) error {
		if _, ok := r.Event.(clade.Applying); ok {
			w.t.Error("an apply was begun")
		}
		return nil
	}))
}

// E13: of a winner that goes beyond what is included that part stays out, of
// whatever kind the changes are; and undo takes back what was landed.
func TestE13OnlyWhatIsIncluded(t *testing.T) {
	t.Parallel()
	out := files{"go.mod": "m2\n", "docs/new.md": "n\n"}
	for _, kind := range scoped {
		for _, c := range []struct {
			name string
			in   files
			both bool // of worktrees, too
		}{
			{"edited", files{"src/a": "9\n"}, false},
			{"added", files{"src/d/new": "9\n"}, false},
			{"deleted", files{"src/b": ""}, true},
			{"made executable", files{"src/run": "x #!\n"}, false},
			{"binary", files{"src/pic": "\xff\x00\r\n"}, false},
			{"a link", files{"src/link": "-> b", "src/l2": "-> nowhere"}, false},
			{"a file becomes a folder", files{"src/b": "", "src/b/c": "9\n"}, true},
			{"many", files{"src/a": "9\n", "src/n": "-> a", "src/run": "x #!!\n", "src/pic": "\x00"}, true},
		} {
			if kind.name == "worktree" && !c.both {
				continue
			}
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				change := files{}
				for _, all := range []files{c.in, out} {
					for p, text := range all {
						change[p] = text
					}
				}
				w := kind.make(t, scope, change)
				w.Only = below("src/")
				before := w.image()
				p, err := w.Preview(t.Context(), candidate)
				must(t, err)
				must(t, p.Problem())
				if !slices.Equal(p.Left, []string{"docs/new.md", "go.mod"}) || len(p.Paths) != len(c.in) || strings.Contains(string(p.Patch), "go.mod") {
					t.Errorf("left out %q, lands %q, as\n%s", p.Left, p.Paths, p.Patch)
				}
				w.same(before, "a preview")
				_, err = w.Apply(t.Context(), p)
				must(t, err)
				w.holds(c.in)
				w.only(before, c.in)
				in := w.landing()
				if in.Winner != candidate || !slices.Equal([]string(in.Paths), p.Paths) {
					t.Errorf("recorded %+v", in)
				}
				w.part(in.Landed, c.in)
				again, err := w.Preview(t.Context(), candidate)
				must(t, err)
				if !again.Done || again.Problem() != nil {
					t.Errorf("once more: %+v", again)
				}
				w.mustUndo()
				w.same(before, "apply and undo")
			})
		}
	}
}

// landing is the last intent that was recorded.
func (w *world) landing() (in clade.Applying) {
	w.t.Helper()
	must(w.t, w.Log.Read(w.t.Context(), 0, func(r clade.Record) error {
		if a, ok := r.Event.(clade.Applying); ok {
			in = a
		}
		return nil
	}))
	return in
}

// part checks that a commit is the base with some changes, made of the winner.
func (w *world) part(commit string, change files) {
	w.t.Helper()
	ctx := w.t.Context()
	var base, won string
	must(w.t, w.Log.View(ctx, func(v clade.View) error {
		base, won = v.Life(clade.Base).Commit, v.Life(candidate).Commit
		return nil
	}))
	deltas, err := w.Ledger.Diff(ctx, base, commit)
	must(w.t, err)
	for _, d := range deltas {
		if _, ok := change[d.Path]; !ok {
			w.t.Errorf("what was landed changes %q", d.Path)
		}
	}
	if len(deltas) != len(change) || commit == won {
		w.t.Errorf("what was landed has %d changes, not %d", len(deltas), len(change))
	}
	out, err := exec.CommandContext(ctx, "git", "-C", filepath.Join(filepath.Dir(w.Patch), "ledger.git"), "log", "-1", "--format=%P", commit).Output()
	must(w.t, err)
	if got := strings.TrimSpace(string(out)); got != won {
		w.t.Errorf("its parent is %q and not the winner %s", got, won)
	}
}

// A winner that keeps to its scope is landed as itself.
func TestNothingLeftOut(t *testing.T) {
	t.Parallel()
	for _, kind := range scoped {
		w := kind.make(t, scope, files{"src/a": "9\n"})
		w.Only, w.Never = below("src/"), below("secret/")
		w.mustApply()
		w.holds(files{"src/a": "9\n"})
		if in := w.landing(); in.Landed != "" {
			t.Errorf("%s: recorded %+v", kind.name, in)
		}
	}
}

func TestAllLeftOut(t *testing.T) {
	t.Parallel()
	for _, kind := range scoped {
		w := kind.make(t, scope, files{"go.mod": "m2\n"})
		w.Only = below("src/")
		before := w.image()
		refused(t, w.apply(), clade.FaultConflict, "nothing that is to be landed", `"go.mod"`)
		w.same(before, "a refused apply")
	}
}

// A file that is left out cannot make room for what is landed, nor a folder.
func TestLeftOutInTheWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change files
		only   func(string) bool
		way    string
	}{
		{"a file where a folder comes", files{"src/b": "", "src/b/c": "9\n"}, below("src/b/"), `"src/b"`},
		{"a folder where a file comes", files{"src": "9\n", "src/a": "", "src/b": "", "src/run": "", "src/link": "", "src/pic": ""},
			func(p string) bool { return p != "src/run" }, `"src/run"`},
	} {
		for _, kind := range scoped {
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				w := kind.make(t, scope, c.change)
				w.Only = c.only
				before := w.image()
				refused(t, w.apply(), clade.FaultConflict, c.way+" was left out")
				w.same(before, "a refused apply")
			})
		}
	}
}

// build is a gate as people write them: a line for a shell, run on the tree that
// would result.
func (w *world) build(line string) {
	w.Gate = func(ctx context.Context, commit string) ([]string, error) {
		dir := w.t.TempDir()
		entries, err := w.Ledger.List(ctx, commit)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			data, err := w.Ledger.Read(ctx, e.Blob)
			if err != nil {
				return nil, err
			}
			at := filepath.Join(dir, e.Path)
			err = errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o755))
			if e.Mode == ledger.ModeSymlink {
				err = errors.Join(err, os.Symlink(string(data), at))
			} else {
				err = errors.Join(err, os.WriteFile(at, data, 0o644))
			}
			if err != nil {
				return nil, err
			}
		}
		cmd := exec.CommandContext(ctx, "sh", "-c", line)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return []string{"G1: " + err.Error() + " " + string(out)}, nil
		}
		return nil, nil
	}
}

// checked previews, runs the gates and applies, as a door does.
func (w *world) checked() (*land.Preview, error) {
	p, err := w.Preview(w.t.Context(), candidate)
	if err != nil {
		return nil, err
	}
	if err := w.Check(w.t.Context(), p); err != nil {
		return nil, err
	}
	_, err = w.Apply(w.t.Context(), p)
	return p, err
}

// E13: gates are run on what would result, so that a part which does not stand
// alone is not landed.
func TestE13GatesOfAPart(t *testing.T) {
	t.Parallel()
	for _, kind := range scoped {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			// The winner renames what src/a names, in two files; one is left out.
			w := kind.make(t, files{"src/a": "uses m\n", "src/b": "1\n", "go.mod": "m\n"}, files{"src/a": "uses n\n", "go.mod": "n\n"})
			w.build(`grep -q "uses $(cat go.mod)" src/a || { echo src/a is of another module; exit 3; }`)
			before := w.image()
			w.Only = below("src/")
			_, err := w.checked()
			refused(t, err, clade.FaultConflict, "fails its gates", "exit status 3", "another module")
			w.same(before, "an apply whose gate fails")
			w.neverBegun()
			w.Only = nil // all of it stands
			_, err = w.checked()
			must(t, err)
			w.holds(files{"src/a": "uses n\n", "go.mod": "n\n"})
			w.mustUndo()
			w.same(before, "apply and undo")
		})
	}
}

// E13: gates see the part merged with what the person has now.
func TestE13GatesOfAMergedPart(t *testing.T) {
	t.Parallel()
	w := selection(t, files{"src/a": "uses m\n", "go.mod": "m\n"}, files{"src/a": "uses n\n", "go.mod": "k\n"}, "src/", "go.mod")
	w.build(`grep -q "uses $(cat go.mod)" src/a`)
	w.Only = below("src/")
	_, err := w.checked()
	refused(t, err, clade.FaultConflict, "fails its gates")
	w.put(files{"go.mod": "n\n"}) // not committed: the files count
	p, err := w.checked()
	must(t, err)
	if !p.Moved {
		t.Error("nobody noticed that the target has moved")
	}
	w.holds(files{"src/a": "uses n\n", "go.mod": "n\n"})
}

// E14: what has happened to the target since, within the scope and beside it.
func TestE14ScopeAfterAMove(t *testing.T) {
	t.Parallel()
	const text = "1\n2\n3\n4\n5\n6\n7\n"
	first, last := strings.Replace(text, "1", "one", 1), strings.Replace(text, "7", "seven", 1)
	both := strings.Replace(first, "7", "seven", 1)
	commit := func(mine files) func(w *world) {
		return func(w *world) {
			for p, text := range mine {
				if text == "" {
					must(w.t, os.RemoveAll(w.at(p)))
					continue
				}
				w.put(files{p: text})
			}
			w.person("add", "-A", "--", ".", ":!.clade", ":!.agents")
			w.person("commit", "-q", "-m", "mine")
		}
	}
	dirty := func(mine files) func(w *world) { return func(w *world) { w.put(mine) } }
	gone := func(p string) func(w *world) { return func(w *world) { must(w.t, os.Remove(w.at(p))) } }
	for _, c := range []struct {
		name   string
		change files
		mine   func(w *world)
		// what the files hold afterwards, or what is said of a refusal
		tree, disk files
		refusal    []string
		onlyTree   bool // the refusal is of repositories
	}{
		{name: "other lines, committed", change: files{"src/a": first}, mine: commit(files{"src/a": last}), tree: files{"src/a": both}, disk: files{"src/a": both}},
		{name: "other lines, not committed", change: files{"src/a": first}, mine: dirty(files{"src/a": last}),
			refusal: []string{`"src/a" has changes of yours`}, onlyTree: true, disk: files{"src/a": both}},
		{name: "the same lines, committed", change: files{"src/a": first, "src/b": "9\n"}, mine: commit(files{"src/a": "mine\n" + text[2:]}), refusal: []string{`cannot be merged into "src/a"`}},
		{name: "the same lines, not committed", change: files{"src/a": first, "src/b": "9\n"}, mine: dirty(files{"src/a": "mine\n" + text[2:]}),
			refusal: []string{`"src/a"`}},
		{name: "another file in scope", change: files{"src/a": first}, mine: dirty(files{"src/b": "mine\n", "src/new": "mine\n"}),
			tree: files{"src/a": first, "src/b": "mine\n", "src/new": "mine\n"}, disk: files{"src/a": first, "src/b": "mine\n", "src/new": "mine\n"}},
		{name: "a file beside the scope", change: files{"src/a": first}, mine: dirty(files{"go.mod": "mine\n", "beside": "mine\n"}),
			tree: files{"src/a": first, "go.mod": "mine\n"}, disk: files{"src/a": first, "go.mod": "mine\n"}},
		{name: "the file that is left out", change: files{"src/a": first, "go.mod": "9\n"}, mine: dirty(files{"go.mod": "mine\n"}),
			tree: files{"src/a": first, "go.mod": "mine\n"}, disk: files{"src/a": first, "go.mod": "mine\n"}},
		{name: "deleted by both", change: files{"src/b": "", "src/a": first}, mine: commit(files{"src/b": ""}), tree: files{"src/a": first, "src/b": ""}, disk: files{"src/a": first, "src/b": ""}},
		{name: "deleted by you, committed", change: files{"src/b": "9\n"}, mine: commit(files{"src/b": ""}), refusal: []string{`cannot be merged into "src/b"`}},
		{name: "deleted by you, not committed", change: files{"src/b": "9\n"}, mine: gone("src/b"), refusal: []string{`"src/b"`}},
		{name: "another is deleted", change: files{"src/a": first}, mine: gone("src/b"), tree: files{"src/a": first, "src/b": ""}, disk: files{"src/a": first, "src/b": ""}},
		{name: "deleted by the winner, edited by you", change: files{"src/b": ""}, mine: commit(files{"src/b": "mine\n"}), refusal: []string{`cannot be merged into "src/b"`}},
		{name: "mode against content", change: files{"src/run": "x #!\n"}, mine: commit(files{"src/run": "#!!\n"}), tree: files{"src/run": "x #!!\n"}, disk: files{"src/run": "x #!!\n"}},
		{name: "binary on both sides", change: files{"src/pic": "\x00\x02"}, mine: commit(files{"src/pic": "\x00\x03"}), refusal: []string{`cannot be merged into "src/pic"`}},
		{name: "links on both sides", change: files{"src/link": "-> b"}, mine: commit(files{"src/link": "-> run"}), refusal: []string{`cannot be merged into "src/link"`}},
		{name: "the same new file, not committed", change: files{"src/new": "9\n"}, mine: dirty(files{"src/new": "mine\n"}), refusal: []string{`"src/new"`}},
		{name: "in the middle of a merge", change: files{"src/a": first}, mine: func(w *world) {
			w.person("checkout", "-q", "-b", "side")
			commit(files{"go.mod": "side\n"})(w)
			w.person("checkout", "-q", "main")
			commit(files{"go.mod": "main\n"})(w)
			w.tries("merge", "-q", "side")
		}, refusal: []string{"in the middle of a merge"}, onlyTree: true, disk: files{"src/a": first}},
		{name: "a folder became a link", change: files{"src/a": first}, mine: func(w *world) {
			must(w.t, os.Rename(w.at("src"), w.at("moved")))
			must(w.t, os.Symlink("moved", w.at("src")))
		}, refusal: []string{`"src/a"`}},
	} {
		for _, kind := range scoped {
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				w := kind.make(t, scope, c.change)
				w.Only, w.Never = below("src/"), below("secret/")
				c.mine(w)
				before := w.image()
				wants := c.tree
				if kind.name == "files" {
					wants = c.disk
				}
				if len(c.refusal) > 0 && (kind.name == "worktree" || !c.onlyTree) {
					refused(t, w.apply(), clade.FaultConflict, c.refusal...)
					w.same(before, "a refused apply")
					w.neverBegun()
					return
				}
				w.mustApply()
				w.holds(wants)
				w.only(before, c.change)
				w.mustUndo()
				w.same(before, "apply and undo")
			})
		}
	}
}

// E11: what a winner adds where the target has nothing of its own is refused,
// since it would be written over what nobody looked at.
func TestE11OutsideOfASelection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change files
		says   []string
	}{
		"beside":                {files{"src/a.go": "9\n", "lib/a.go": "9\n", "README": "9\n"}, []string{`"README"`, `"lib/a.go"`}},
		"no match of a pattern": {files{"src/a.txt": "9\n"}, []string{`"src/a.txt"`}},
		"state":                 {files{".clade/x.go": "9\n", "src/a.go": "9\n"}, []string{`".clade/x.go"`}},
		"an evolution":          {files{".agents/evolutions/001-a/evolution.yaml": "winner: v1\n"}, []string{`".agents/evolutions/001-a/evolution.yaml"`}},
		"an evolution, hidden":  {files{".agents/evolutions/x.go": "9\n"}, []string{`".agents/evolutions/x.go"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := selection(t, files{"src/a.go": "1\n", "README": "mine\n", "src/a.txt": "mine\n"}, c.change, "src/**/*.go", ".agents/", "**/x.go")
			w.Only = func(string) bool { return true }
			before := w.image()
			err := w.apply()
			refused(t, err, clade.FaultConflict, append(c.says, "no part of the target")...)
			if strings.Contains(err.Error(), "src/a.go") {
				t.Errorf("it also names what is part of it: %v", err)
			}
			w.same(before, "a refused apply")
		})
	}
}

// A single file may have signs of patterns in its name.
func TestE11NameOfASingleFile(t *testing.T) {
	t.Parallel()
	w := empty(t, clade.TargetFile)
	w.put(files{"p[1].txt": "old\n", "p1.txt": "mine\n"})
	w.run(ledger.Source{Dir: w.root, Only: []string{ledger.Literal("p[1].txt")}}, files{"p[1].txt": "new\n"})
	before := w.image()
	w.put(files{"p1.txt": "mine, too\n"})
	p, err := w.Preview(t.Context(), candidate)
	must(t, err)
	if p.Moved {
		t.Error("another file was taken for the target")
	}
	w.mustApply()
	w.holds(files{"p[1].txt": "new\n", "p1.txt": "mine, too\n"})
	w.mustUndo()
	w.put(files{"p1.txt": "mine\n"})
	w.same(before, "apply and undo")
}

// A part can be committed, too.
func TestCommitOfAPart(t *testing.T) {
	t.Parallel()
	w := worktree(t, scope, files{"src/a": "9\n", "go.mod": "m2\n"})
	w.Only, w.Commit = below("src/"), true
	w.mustApply()
	if got := w.person("show", "--format=%s", "--name-only", "HEAD"); got != "Apply candidate 1 of clade\n\nsrc/a\n" {
		t.Errorf("committed %q", got)
	}
	if got := w.person("status", "--porcelain"); got != "" {
		t.Errorf("git status says %q", got)
	}
}
