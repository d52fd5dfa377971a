package workspacetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

// Run holds a provider to the contract. parts makes fresh parts for one test.
func Run(t *testing.T, parts func(testing.TB) Parts) {
	for _, c := range []struct {
		name string
		test func(*world)
	}{
		{"ShowsTheTree", showsTheTree},
		{"ShowsAChild", showsAChild},
		{"FindsChanges", findsChanges},
		{"FindsChangesOfAChild", findsChangesOfAChild},
		{"ScopesAreFresh", scopesAreFresh},
		{"GuardsFrozenFiles", guardsFrozenFiles},
		{"MasksHiddenFiles", masksHiddenFiles},
		{"PutsFixtures", putsFixtures},
		{"CarriesAndSetsUp", carriesAndSetsUp},
		{"ReportsSetupFailure", reportsSetupFailure},
		{"KeysTemplates", keysTemplates},
		{"BuildsOnce", buildsOnce},
		{"IsARepository", isARepository},
		{"HidesHistoryB19", hidesHistory},
		{"StaysInsideB14", staysInside},
		{"NeedsTheMarkerF32", needsTheMarker},
		{"RefusesNestedGitF34", refusesNestedGit},
		{"NamesSpecialFiles", namesSpecialFiles},
		{"ReadsFilesF36F43", readsFiles},
		{"InParallelF31B13", inParallel},
		{"ClosesOnlyItsOwnB10", closesOnlyItsOwn},
		{"Sweeps", sweeps},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(newWorld(t, parts))
		})
	}
}

// odd are names that break what does not treat names as bytes (F37).
var odd = files{
	"new\nline": "1", "quo\"te's": "2", "-dash": "3", "tab\t": "4", "\xff\xfe": "5", " lead and trail ": "6",
	"Case": "7", "case": "8", ":(glob)x": "9", "back\\slash": "10", "HEAD": "11", strings.Repeat("n", 255): "12",
	"u\u0308": "13", "\u00fc": "14", "d,e:f=g/x": "15", "*": "star",
}

func showsTheTree(w *world) {
	base := files{"run.sh*": "#!/bin/sh\necho hi\n", "link@": "run.sh", "dangling@": "/no/such/file", "empty": "", "a/b/c/deep": "x"}
	for p, data := range odd {
		if p != "*" {
			base[p] = data
		}
	}
	space, commit := w.plain(base)
	entries, err := w.Ledger.List(w.ctx, commit)
	w.must(err)
	w.in(space, "./run.sh && ./link", func(s workspace.Scope, out string) {
		if out != "hi\nhi\n" {
			w.Errorf("running a file and a link: %q", out)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Path)
			if e.Mode == ledger.ModeSymlink {
				continue
			}
			want, err := w.Ledger.Read(w.ctx, e.Blob)
			w.must(err)
			if got, err := s.ReadFile(e.Path, 1<<20); err != nil || !bytes.Equal(got, want) {
				w.Errorf("%q: %q, %v", e.Path, got, err)
			}
		}
		w.tree(s, names...)
		w.expect(s)
	})
	empty, _ := w.plain(files{})
	w.in(empty, "echo 1 >first", func(s workspace.Scope, _ string) { w.expect(s, "first 100644 1\n") })
}

// family is a base and a child that differs in every way a file can.
func (w *world) family() (base, child string) {
	base = w.commit("", files{
		"keep": "keep", "edit": "old", "drop": "x", "mode": "m", "dir/a": "a", "dir/b": "b", "part/x": "x", "part/y": "y",
		"swap": "file", "tree/one": "1", "tree/two/three": "3", "tolink": "t",
	})
	child = w.commit(base, files{
		"edit": "new", "mode*": "m", "swap/in": "folder now", "tree": "file now", "added/deep/f": "f", "tolink@": "keep",
	}, "drop", "dir/a", "dir/b", "part/x", "swap", "tree/one", "tree/two/three")
	return base, child
}

var childTree = []string{"keep", "edit", "mode", "part/y", "swap/in", "tree", "added/deep/f", "tolink"}

func showsAChild(w *world) {
	base, child := w.family()
	t := w.template(workspace.TemplateSpec{Commit: base})
	for name, commit := range map[string]string{"base": base, "child": child} {
		space := w.space(t, workspace.Plan{Commit: commit})
		w.in(space, `cat edit; test ! -e dir || echo dir; test -x mode && echo exec; readlink tolink || :`, func(s workspace.Scope, out string) {
			want := "olddir\n"
			if name == "child" {
				want = "newexec\nkeep\n"
				w.tree(s, childTree...)
			}
			if out != want {
				w.Errorf("%s: %q, want %q", name, out, want)
			}
			w.expect(s)
		})
	}
}

func findsChanges(w *world) {
	space, _ := w.plain(files{
		".gitignore": "*.o\nbuild/\n", "sub/.gitignore": "!keep.o\n", "a": "a\n", "b": "b\n", "x*": "x", "l@": "a",
		"d/one": "1", "d/two": "2", "d/e/three": "3",
	})
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"nothing F45", "true", nil},
		{"touched F45", "touch a d/one; cat a >b2; rm b2", nil},
		{"rewritten the same", "printf 'a\\n' >a.new; mv a.new a", nil},
		{"edited", "printf 2 >>d/two", []string{"d/two 100644 22"}},
		{"edited at the same size and time", "touch -r a stamp; printf 'A\\n' >a; touch -r stamp a; rm stamp", []string{"a 100644 A\n"}},
		{"new", "mkdir -p n/m; echo hi >n/m/f; chmod +x n/m/f", []string{"n/m/f 100755 hi\n"}},
		{"deleted", "rm a", []string{"a gone"}},
		{"folder deleted", "rm -r d", []string{"d/e/three gone", "d/one gone", "d/two gone"}},
		{"folder made anew", "rm -r d; mkdir d; echo n >d/new; printf 1 >d/one", []string{"d/e/three gone", "d/two gone", "d/new 100644 n\n"}},
		{"file to folder F36", "rm a; mkdir a; echo 1 >a/f", []string{"a gone", "a/f 100644 1\n"}},
		{"folder to file F36", "rm -r d; printf f >d", []string{"d/e/three gone", "d/one gone", "d/two gone", "d 100644 f"}},
		{"folder to link F36", "rm -r d; ln -s / d", []string{"d/e/three gone", "d/one gone", "d/two gone", "d 120000 /"}},
		{"renamed", "mv a z", []string{"a gone", "z 100644 a\n"}},
		{"folder renamed", "mv d q", []string{"d/e/three gone", "d/one gone", "d/two gone", "q/e/three 100644 3", "q/one 100644 1", "q/two 100644 2"}},
		{"mode", "chmod +x a; chmod -x x", []string{"a 100755 a\n", "x 100644 x"}},
		{"link", "ln -s ../../../etc/passwd out; ln -sf b l", []string{"l 120000 b", "out 120000 ../../../etc/passwd"}},
		{"link to file", "rm l; cp a l", []string{"l 100644 a\n"}},
		{"file to link", "rm a; ln -s a a", []string{"a 120000 a"}},
		{"ignored", "echo 1 >m.o; mkdir -p build sub; echo 1 >build/x; echo 1 >sub/keep.o; echo 1 >sub/m.o", []string{"sub/keep.o 100644 1\n"}},
		{"own rules do not count", "echo '*' >.gitignore; echo 1 >m; echo 1 >m.o", []string{".gitignore 100644 *\n", "m 100644 1\n"}},
		{"empty folders", "mkdir -p e/m/p; mkdir d/n", nil},
		{"hard link", "ln a a2; echo more >>a2", []string{"a 100644 a\nmore\n", "a2 100644 a\nmore\n"}},
		{"made unreadable", "chmod 000 a; mkdir u; chmod 500 u", nil},
		{"odd names F37", `printf 1 >'-d'; printf 2 >"$(printf 'n\nl')"; printf 3 >"$(printf '\377')"; printf 4 >':(x)'`,
			[]string{"-d 100644 1", ":(x) 100644 4", "n\nl 100644 2", "\xff 100644 3"}},
	} {
		w.Run(c.name, func(t *testing.T) {
			w := &world{T: t, Parts: w.Parts, provider: w.provider, ctx: w.ctx}
			w.in(space, c.script, func(s workspace.Scope, _ string) { w.expect(s, c.want...) })
		})
	}
}

func findsChangesOfAChild(w *world) {
	base, child := w.family()
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}), workspace.Plan{Commit: child})
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"back to the base", "printf old >edit", []string{"edit 100644 old"}},
		{"as it is", "printf new >edit; chmod +x mode", nil},
		{"what the child deleted", "printf x >drop; mkdir dir; printf a >dir/a", []string{"dir/a 100644 a", "drop 100644 x"}},
		{"what the child made", "rm -r added swap", []string{"added/deep/f gone", "swap/in gone"}},
		{"back to a folder", "rm tree; mkdir -p tree; printf 1 >tree/one", []string{"tree gone", "tree/one 100644 1"}},
	} {
		w.Run(c.name, func(t *testing.T) {
			w := &world{T: t, Parts: w.Parts, provider: w.provider, ctx: w.ctx}
			w.in(space, c.script, func(s workspace.Scope, _ string) { w.expect(s, c.want...) })
		})
	}
}

func scopesAreFresh(w *world) {
	space, _ := w.plain(files{"a": "a", "d/b": "b"})
	spoil := `echo x >>a; rm -r d; echo n >new; mkdir ro; echo 1 >ro/f; chmod 500 ro
		echo h >"$HOME/h"; echo t >"$TMPDIR/t"; echo .git >.x; mkdir .git; echo evil >.git/config`
	w.in(space, spoil, nil)
	w.in(space, `test ! -e "$HOME/h" && test ! -e "$TMPDIR/t" && test ! -e .git && cat a d/b`, func(s workspace.Scope, out string) {
		if out != "ab" {
			w.Errorf("the second scope reads %q", out)
		}
		w.tree(s, "a", "d/b")
		w.expect(s)
		// Commands of one scope do see each other.
		w.run(s, "d", "echo 1 >c")
		w.run(s, "", "test -e d/c")
		w.expect(s, "d/c 100644 1\n")
	})
}

func guardsFrozenFiles(w *world) {
	base := w.commit("", files{"code": "1", "tests/t": "honest", "tests/u": "u", "conf": "c", "data/d": "d"})
	evil := w.commit(base, files{"code": "2", "tests/t": "always passes", "conf/in": "a folder", "data": "a file", "tests/conftest.py": "evil"},
		"tests/u", "conf", "data/d")
	entries, err := w.Ledger.List(w.ctx, base)
	w.must(err)
	frozen := slices.DeleteFunc(slices.Clone(entries), func(e ledger.Entry) bool { return e.Path == "code" })
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}),
		workspace.Plan{Commit: evil, Frozen: frozen, Removed: []string{"tests/conftest.py", "never/was"}})
	w.in(space, "cat code tests/t tests/u conf data/d", func(s workspace.Scope, out string) {
		if out != "2honestucd" {
			w.Errorf("read %q", out)
		}
		w.tree(s, "code", "tests/t", "tests/u", "conf", "data/d")
		w.expect(s)
	})
}

func masksHiddenFiles(w *world) {
	base := w.commit("", files{"code": "1", "data/held.jsonl": "SECRET-HELD-OUT", "data/seen": "s", "more/held": "SECRET-HELD-OUT"})
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}),
		workspace.Plan{Commit: base, Git: true, Hidden: []string{"data/held.jsonl", "more", "absent"}})
	w.in(space, `cat data/seen; cat data/held.jsonl more/held 2>/dev/null; ls more 2>/dev/null; git log -p --all | cat; git status --short
		git cat-file --batch-check --batch-all-objects --unordered | while read id type rest; do git cat-file "$type" "$id"; done`,
		func(s workspace.Scope, out string) {
			if strings.Contains(out, "SECRET") {
				w.Errorf("a hidden file can be read: %q", out)
			}
			if !strings.HasPrefix(out, "s") {
				w.Errorf("the rest cannot: %q", out)
			}
			if _, err := s.ReadFile("data/held.jsonl", 100); !errors.Is(err, fs.ErrNotExist) {
				w.Errorf("ReadFile of a hidden file: %v", err)
			}
			w.expect(s)
		})
}

func putsFixtures(w *world) {
	base := w.commit("", files{"code": "1", "in": "i"})
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}),
		workspace.Plan{Commit: base, Fixtures: map[string][]byte{"case/input": []byte("in"), "in": []byte("other"), "none": nil}})
	w.in(space, "cat case/input in none; echo more >>case/input; echo more >>in", func(s workspace.Scope, out string) {
		if out != "inother" {
			w.Errorf("read %q", out)
		}
		w.expect(s)
	})
}

func carriesAndSetsUp(w *world) {
	origin := w.TempDir()
	for p, data := range (files{"app/.env": "KEY=1", "app/mods/m/i.js": "mod", "app/mods/.git/config": "no", "app/.clade/x": "no",
		"app/secret": "not asked", "app/code": "changed by the user"}) {
		w.must(os.MkdirAll(filepath.Dir(filepath.Join(origin, p)), 0o755))
		w.must(os.WriteFile(filepath.Join(origin, p), []byte(data), 0o640))
	}
	w.must(os.Symlink("/etc/passwd", filepath.Join(origin, "app/mods/link")))
	base := w.commit("", files{"app/code": "1", "app/gen": "g", "app/gone": "x", "other": "o"})
	spec := workspace.TemplateSpec{
		Commit: base, Prefix: "app", Origin: origin, Carry: []string{"**/.env", "mods", "code", ".clade/*", "absent/**"},
		Setup: &clade.Command{Run: `test "$FROM" = spec && cat .env && echo built >gen && rm gone && echo 1 >out.txt && mkdir cache &&
			echo c >cache/c && mkdir -p "$GOCACHE" && echo warm >"$GOCACHE/w" && pwd >where`, Env: map[string]string{"FROM": "spec"}},
	}
	t := w.template(spec)
	space := w.space(t, workspace.Plan{Commit: base, Git: true})
	script := `test "$(cat app/where)" = "$PWD/app" && echo same; cat "$HOME/.cache/go-build/w" app/.env app/mods/m/i.js app/gen app/out.txt; ls -A app app/mods; readlink app/mods/link`
	w.in(space, script, func(s workspace.Scope, out string) {
		out = strings.TrimPrefix(out, "same\n") // promised only where folders are mounted
		want := "warm\nKEY=1modbuilt\n1\napp:\n.env\ncache\ncode\ngen\nmods\nout.txt\nwhere\n\napp/mods:\nlink\nm\n/etc/passwd\n"
		if out != want {
			w.Errorf("read %q\nwant %q", out, want)
		}
		w.expect(s)
	})
	w.in(space, `cd app; echo x >>out.txt; echo 1 >cache/new; rm -r mods; printf 1 >code; echo built >gen; echo x >"$HOME/.cache/go-build/w"`,
		func(s workspace.Scope, _ string) { w.expect(s) })
	w.in(space, `cd app; echo agent >gen; printf x >gone; echo n >new`, func(s workspace.Scope, _ string) {
		w.expect(s, "app/gen 100644 agent\n", "app/new 100644 n\n")
	})
	w.in(space, `rm app/gen`, func(s workspace.Scope, _ string) { w.expect(s, "app/gen gone") })

	child := w.commit(base, files{"app/gen": "child's", "app/cache/mine": "m"}, "other")
	space = w.space(t, workspace.Plan{Commit: child})
	w.in(space, "cat app/gen app/cache/c app/cache/mine; test ! -e other", func(s workspace.Scope, out string) {
		if out != "child'sc\nm" {
			w.Errorf("read %q", out)
		}
		w.expect(s)
	})
	w.in(space, "echo built >app/gen; rm app/cache/mine", func(s workspace.Scope, _ string) {
		w.expect(s, "app/cache/mine gone", "app/gen 100644 built\n")
	})
}

func reportsSetupFailure(w *world) {
	base := w.commit("", files{"a": "a"})
	spec := workspace.TemplateSpec{Commit: base, Setup: &clade.Command{Run: "echo no such package >&2; exit 7"}}
	_, err := w.provider.Template(w.ctx, spec)
	if !errors.Is(err, workspace.ErrSetup) || !strings.Contains(err.Error(), "exit 7") || !strings.Contains(err.Error(), "no such package") {
		w.Errorf("failing setup: %v", err)
	}
	spec.Setup = &clade.Command{Run: "echo ok >built"}
	w.template(spec)
	for _, glob := range []string{"../up", "/etc/*", "[", "a/../../b"} {
		_, err := w.provider.Template(w.ctx, workspace.TemplateSpec{Commit: base, Origin: w.TempDir(), Carry: []string{glob}})
		if !errors.Is(err, workspace.ErrSetup) {
			w.Errorf("carry %q: %v", glob, err)
		}
	}
}

func keysTemplates(w *world) {
	origin := w.TempDir()
	put := func(p, data string) { w.must(os.WriteFile(filepath.Join(origin, p), []byte(data), 0o644)) }
	put("c", "one")
	put("lock", "1")
	spec := workspace.TemplateSpec{Commit: w.commit("", files{"a": "a"}), Origin: origin, Carry: []string{"c"}, Lock: []string{"lock"}}
	seen := map[string]string{}
	add := func(what string) {
		w.Helper()
		key := w.template(spec).Key()
		if was, ok := seen[key]; ok {
			w.Errorf("%s: the key is that of %s", what, was)
		}
		seen[key] = what
	}
	add("first")
	if _, ok := seen[w.template(spec).Key()]; !ok {
		w.Error("the same again has another key")
	}
	put("c", "two") // same size
	add("carried content")
	put("lock", "2")
	add("lock")
	spec.Commit = w.commit("", files{"a": "b"})
	add("base")
	spec.Setup = &clade.Command{Run: "true"}
	add("setup")
	spec.Setup = &clade.Command{Run: "true", Env: map[string]string{"A": "1"}}
	add("setup's environment")
	w.must(os.Chmod(filepath.Join(origin, "c"), 0o755))
	add("carried mode")
}

func buildsOnce(w *world) {
	spec := workspace.TemplateSpec{Commit: w.commit("", files{"a": "a"}), Setup: &clade.Command{Run: "echo 1 >s"}}
	var mu sync.Mutex
	built := 0
	spec.Progress = func(what string) {
		mu.Lock()
		defer mu.Unlock()
		if what == "running setup" {
			built++
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		p := w.open()
		for range 2 {
			wg.Go(func() {
				if _, err := p.Template(w.ctx, spec); err != nil {
					w.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if built != 1 {
		w.Errorf("setup ran %d times", built)
	}
}

func isARepository(w *world) {
	base, child := w.family()
	t := w.template(workspace.TemplateSpec{Commit: base})
	script := `git status --porcelain; git rev-list --all --count; git branch --show-current; git ls-files | wc -l
		git fsck --full --strict --no-dangling 2>&1; git diff HEAD --stat; git ls-tree -r HEAD`
	for name, commit := range map[string]string{"base": base, "child": child} {
		space := w.space(t, workspace.Plan{Commit: commit, Git: true})
		entries, err := w.Ledger.List(w.ctx, commit)
		w.must(err)
		want := fmt.Sprintf("1\nmain\n%d\n", len(entries))
		for _, e := range entries {
			want += fmt.Sprintf("%s blob %s\t%s\n", e.Mode, e.Blob, e.Path)
		}
		w.in(space, script, func(s workspace.Scope, out string) {
			if out != want {
				w.Errorf("%s:\n%s\nwant\n%s", name, out, want)
			}
			w.expect(s)
		})
		w.in(space, `echo agent >>keep; git add -A; git commit -qm mine; git checkout -q -b other; echo more >n; git gc -q; git stash -qu; git stash pop -q`,
			func(s workspace.Scope, _ string) { w.expect(s, "keep 100644 keepagent\n", "n 100644 more\n") })
		w.in(space, "git status --porcelain; git rev-list --all --count", func(_ workspace.Scope, out string) {
			if out != "1\n" {
				w.Errorf("%s: the next scope's repository: %q", name, out)
			}
		})
	}
}

func hidesHistory(w *world) {
	base := w.commit("", files{"f": "start"})
	answer := w.commit(base, files{"f": "THE-ANSWER"})
	sibling := w.commit(answer, files{"g": "THE-ANSWER"})
	mine := w.commit(base, files{"f": "mine"})
	w.must(w.Ledger.Sync(w.ctx))
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}), workspace.Plan{Commit: mine, Git: true})
	script := fmt.Sprintf(`for c in %s %s %s %s; do git cat-file -e $c 2>/dev/null && echo reachable $c; done
		git log --all -S THE-ANSWER --oneline; git reflog; git stash list; git tag; git remote; git config --get-regexp remote; :`,
		base, answer, sibling, mine)
	w.in(space, script, func(_ workspace.Scope, out string) {
		if out != "" {
			w.Errorf("history can be seen: %q", out)
		}
	})
}

func staysInside(w *world) {
	base := w.commit("", files{"f": "f"})
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}), workspace.Plan{Commit: base, Git: true})
	w.in(space, `rm -rf .git; git rev-parse --git-dir 2>/dev/null && echo found; echo 1 >n`, func(s workspace.Scope, out string) {
		if out != "" {
			w.Errorf("without .git, git finds %q", out)
		}
		w.expect(s, "n 100644 1\n")
	})
}

func needsTheMarker(w *world) {
	space, _ := w.plain(files{"a": "a"})
	w.in(space, "rm a", func(s workspace.Scope, _ string) {
		removed := 0
		w.must(filepath.WalkDir(w.Dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "materialised" {
				removed++
				return os.Remove(p)
			}
			return nil
		}))
		if removed == 0 {
			w.Fatal("there is no marker")
		}
		if c, err := s.Changes(w.ctx); !errors.Is(err, workspace.ErrUnmarked) || c != nil {
			w.Errorf("%v, %v", c, err)
		}
	})
}

func refusesNestedGit(w *world) {
	space, _ := w.plain(files{".gitignore": "vendor/\n", "a": "a"})
	for script, refused := range map[string]bool{
		"git init -q sub && echo 1 >sub/f":                 true,
		"mkdir s && echo 'gitdir: /x' >s/.git":             true,
		"mkdir -p s/.GIT":                                  true,
		"git init -q vendor/dep && echo 1 >vendor/dep/f":   false,
		"git init -q . && git config user.name x":          false,
		"mkdir s; echo 1 >s/.gitx; echo 1 >'s/ .git '":     false,
		"mkdir -p node/.git && rm -r node && echo gone >n": false,
	} {
		w.in(space, script, func(s workspace.Scope, _ string) {
			_, err := s.Changes(w.ctx)
			if errors.Is(err, workspace.ErrNestedGit) != refused || !refused && err != nil {
				w.Errorf("%s: %v", script, err)
			}
		})
	}
}

func namesSpecialFiles(w *world) {
	space, _ := w.plain(files{".gitignore": "*.sock\n", "a": "a"})
	w.in(space, "mkfifo p; mkfifo i.sock; echo b >b; rm a; mkfifo a", func(s workspace.Scope, _ string) {
		got, err := s.Changes(w.ctx)
		if !errors.Is(err, workspace.ErrSpecial) || !strings.Contains(err.Error(), `"p"`) || strings.Contains(err.Error(), "i.sock") {
			w.Errorf("%v", err)
		}
		if want := []string{"a gone", "b 100644 b\n"}; !slices.Equal(show(got), want) {
			w.Errorf("changes %q, want %q", show(got), want)
		}
	})
}

func readsFiles(w *world) {
	outside := filepath.Join(w.TempDir(), "secret")
	w.must(os.WriteFile(outside, []byte("secret"), 0o644))
	space, _ := w.plain(files{"a": "base", "d/f": "f", "gone": "x", "ld@": "d", "e/deep": "x"})
	script := fmt.Sprintf(`echo new >n; rm gone; rm -r e; mkdir e; ln -s n ln; ln -s %s abs; ln -s %s up; mkfifo p; mkdir dir; truncate -s 1T huge; printf 12345 >five; ln -s loop loop`,
		outside, filepath.Dir(outside))
	w.in(space, script, func(s workspace.Scope, _ string) {
		for p, want := range map[string]string{"a": "base", "d/f": "f", "n": "new\n", "five": "12345"} {
			if got, err := s.ReadFile(p, 5); err != nil || string(got) != want {
				w.Errorf("%q: %q, %v", p, got, err)
			}
		}
		for _, p := range []string{"gone", "absent", "e/deep", "a/under"} {
			if _, err := s.ReadFile(p, 5); !errors.Is(err, fs.ErrNotExist) {
				w.Errorf("%q: %v", p, err)
			}
		}
		for _, p := range []string{"ln", "abs", "up/secret", "p", "dir", "huge", "loop", "ld/f", "../a", "/etc/passwd", "", "d/../a"} {
			if got, err := s.ReadFile(p, 100); err == nil {
				w.Errorf("%q was read: %q", p, got)
			}
		}
		if _, err := s.ReadFile("five", 4); !errors.Is(err, workspace.ErrTooLarge) {
			w.Errorf("five bytes of at most four: %v", err)
		}
	})
}

func inParallel(w *world) {
	base, child := w.family()
	t := w.template(workspace.TemplateSpec{Commit: base})
	for round := range 12 {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if err := w.cycle(t, workspace.Plan{Commit: []string{base, child}[i%2], Git: i%3 == 0}, i); err != nil {
					w.Errorf("round %d, workspace %d: %v", round, i, err)
				}
			})
		}
		wg.Wait()
	}
}

// cycle makes an edit in a workspace of its own without running a command: what
// this costs is the provider's own.
func (w *world) cycle(t workspace.Template, p workspace.Plan, i int) error {
	space, err := w.provider.Open(w.ctx, t, p)
	if err != nil {
		return err
	}
	s, err := space.Scope(w.ctx)
	if err != nil {
		return errors.Join(err, space.Close())
	}
	err = edit(s, fmt.Sprintf("mine-%d", i))
	got, cerr := s.Changes(w.ctx)
	if want := []string{fmt.Sprintf("mine-%d 100644 edited", i)}; cerr == nil && !slices.Equal(show(got), want) {
		cerr = fmt.Errorf("changes %q, want %q", show(got), want)
	}
	return errors.Join(err, cerr, s.Close(), space.Close())
}

func closesOnlyItsOwn(w *world) {
	base, child := w.family()
	t := w.template(workspace.TemplateSpec{Commit: base})
	one := w.space(t, workspace.Plan{Commit: child, Git: true})
	template := fingerprint(w, filepath.Join(w.Dir, "templates"))
	two, err := w.provider.Open(w.ctx, t, workspace.Plan{Commit: child, Git: true})
	w.must(err)
	w.in(one, "echo 1 >one", func(s workspace.Scope, _ string) {
		w.in(two, "echo 2 >two; rm -rf .git/* * 2>/dev/null; :", nil)
		w.must(two.Close())
		_, err := w.provider.Sweep(w.ctx, true)
		w.must(err)
		w.run(s, "", "git fsck --full && git status --porcelain")
		w.expect(s, "one 100644 1\n")
	})
	if now := fingerprint(w, filepath.Join(w.Dir, "templates")); !maps.Equal(template, now) {
		w.Error("the template has changed")
	}
}

func sweeps(w *world) {
	space, base := w.plain(files{"a": "a"})
	other := w.open()
	for _, d := range []string{"slots/dead/1/1/upper", "templates/.tmp-0123/tree"} {
		w.must(os.MkdirAll(filepath.Join(w.Dir, d), 0o755))
		w.must(os.WriteFile(filepath.Join(w.Dir, d, "f"), []byte("12345"), 0o644))
	}
	unused := filepath.Join(w.Dir, "templates", "abcd")
	w.must(os.MkdirAll(unused, 0o755))
	w.must(os.WriteFile(filepath.Join(unused, "f"), []byte("123"), 0o644))
	exists := func(p string) bool { _, err := os.Stat(filepath.Join(w.Dir, p)); return err == nil }
	freed, err := other.Sweep(w.ctx, false)
	if err != nil || freed < 5 || exists("slots/dead") && w.provider.Name() == "overlay" || exists("templates/.tmp-0123") || !exists("templates/abcd") {
		w.Errorf("Sweep: %d bytes, %v", freed, err)
	}
	if freed, err = other.Sweep(w.ctx, true); err != nil || freed < 3 || exists("templates/abcd") {
		w.Errorf("Sweep of all: %d bytes, %v", freed, err)
	}
	w.in(space, "cat a", func(s workspace.Scope, out string) {
		if out != "a" {
			w.Errorf("after a sweep %s reads %q", base, out)
		}
	})
}
