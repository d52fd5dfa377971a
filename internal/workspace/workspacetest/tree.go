package workspacetest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

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
		"edit": "new", "mode*": "m", "swap/in": "folder now", "tree": "file now", "added/deep/f": "f", "added/same": "f", "tolink@": "keep",
	}, "drop", "dir/a", "dir/b", "part/x", "swap", "tree/one", "tree/two/three")
	return base, child
}

var childTree = []string{"keep", "edit", "mode", "part/y", "swap/in", "tree", "added/deep/f", "added/same", "tolink"}

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
				// B3: what setup built from the base must look older than a changed
				// source, to make as to whatever compares times.
				w.run(s, "", "test edit -nt keep")
			}
			if out != want {
				w.Errorf("%s: %q, want %q", name, out, want)
			}
			w.expect(s)
		})
	}
}

// keepsSubmodules: a submodule is an empty folder that stays one.
func keepsSubmodules(w *world) {
	repo := w.TempDir()
	run := func(args ...string) {
		w.Helper()
		command(w, repo, args...)
	}
	run("init", "-q")
	w.must(os.WriteFile(filepath.Join(repo, "f"), []byte("f"), 0o644))
	run("add", "f")
	run("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",lib/sub")
	run("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "base")
	made, err := w.Ledger.Import(w.ctx, ledger.Source{Git: repo, Rev: "HEAD"})
	w.must(err)
	t := w.template(workspace.TemplateSpec{Commit: made.Commit})
	for _, withGit := range []bool{false, true} {
		space := w.space(t, workspace.Plan{Commit: made.Commit, Git: withGit})
		w.in(space, "test -d lib/sub && ls -A lib/sub && echo 1 >new; touch lib/sub", func(s workspace.Scope, out string) {
			if out != "" {
				w.Errorf("the submodule holds %q", out)
			}
			w.expect(s, "new 100644 1\n")
		})
		w.in(space, "echo 1 >lib/sub/f", func(s workspace.Scope, _ string) {
			if _, err := s.Changes(w.ctx); !errors.Is(err, workspace.ErrNestedGit) || !strings.Contains(err.Error(), "lib/sub/f") {
				w.Errorf("a file in a submodule: %v", err)
			}
		})
		w.in(space, "rm -r lib", func(s workspace.Scope, _ string) { w.expect(s, "lib/sub gone") })
	}
}

// writesPointers: no filter runs, so that files of Git LFS are their pointers
// whether git-lfs is installed or not.
func writesPointers(w *world) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"
	space, _ := w.plain(files{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt text eol=crlf\n", "a.bin": pointer, "a.txt": "1\n2\n"})
	w.in(space, "cat a.bin a.txt", func(s workspace.Scope, out string) {
		if out != pointer+"1\n2\n" {
			w.Errorf("read %q", out)
		}
		w.expect(s)
	})
}
