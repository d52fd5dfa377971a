package workspacetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/workspace"
)

// edits are scripts that edit a tree, and what has changed then.
type edits []struct {
	name, script string
	want         []string
}

// editable is a tree, and edited what can be done to it.
var (
	editable = files{
		".gitignore": "*.o\nbuild/\n", "sub/.gitignore": "!keep.o\n", "a": "a\n", "b": "b\n", "x*": "x", "l@": "a",
		"d/one": "1", "d/two": "2", "d/e/three": "3",
	}
	edited = edits{
		{"nothing F45", "true", nil},
		{"touched F45", "touch a d/one; cat a >b2; rm b2", nil},
		{"rewritten the same", "printf 'a\\n' >a.new; mv a.new a", nil},
		{"edited", "printf 2 >>d/two", []string{"d/two 100644 22"}},
		{"edited at the same size and time", "touch -r a stamp; printf 'A\\n' >a; touch -r stamp a; rm stamp", []string{"a 100644 A\n"}},
		{"binary", `printf '\000\377\n' >a`, []string{"a 100644 \x00\xff\n"}},
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
	}
)

func findsChanges(w *world) {
	space, _ := w.plain(editable)
	for _, c := range edited {
		w.Run(c.name, func(t *testing.T) {
			w := &world{T: t, Parts: w.Parts, provider: w.provider, ctx: w.ctx}
			w.in(space, c.script, func(s workspace.Scope, _ string) { w.expect(s, c.want...) })
		})
	}
}

// editedChild is what can be done to the child of a family.
var editedChild = edits{
	{"back to the base", "printf old >edit", []string{"edit 100644 old"}},
	{"as it is", "printf new >edit; chmod +x mode", nil},
	{"what the child deleted", "printf x >drop; mkdir dir; printf a >dir/a", []string{"dir/a 100644 a", "drop 100644 x"}},
	{"what the child made", "rm -r added swap", []string{"added/deep/f gone", "added/same gone", "swap/in gone"}},
	{"back to a folder", "rm tree; mkdir -p tree; printf 1 >tree/one", []string{"tree gone", "tree/one 100644 1"}},
}

func findsChangesOfAChild(w *world) {
	base, child := w.family()
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}), workspace.Plan{Commit: child})
	for _, c := range editedChild {
		w.Run(c.name, func(t *testing.T) {
			w := &world{T: t, Parts: w.Parts, provider: w.provider, ctx: w.ctx}
			w.in(space, c.script, func(s workspace.Scope, _ string) { w.expect(s, c.want...) })
		})
	}
}

// nesting are scripts that make repositories, and whether they are refused.
var nesting = map[string]bool{
	"git init -q sub && echo 1 >sub/f":                 true,
	"mkdir s && echo 'gitdir: /x' >s/.git":             true,
	"mkdir -p s/.GIT":                                  true,
	"git init -q vendor/dep && echo 1 >vendor/dep/f":   false,
	"git init -q . && git config user.name x":          false,
	"mkdir s; echo 1 >s/.gitx; echo 1 >'s/ .git '":     false,
	"mkdir -p node/.git && rm -r node && echo gone >n": false,
}

func refusesNestedGit(w *world) {
	space, _ := w.plain(files{".gitignore": "vendor/\n", "a": "a"})
	for script, refused := range nesting {
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
