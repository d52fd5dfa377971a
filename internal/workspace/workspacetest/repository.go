package workspacetest

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/cladehq/clade/internal/workspace"
)

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

// staysInside has a repository around the workspace's own, as a cache folder
// below a person's repository would.
func staysInside(w *world) {
	if out, err := exec.Command("git", "init", "-q", filepath.Dir(w.Dir)).CombinedOutput(); err != nil {
		w.Fatalf("git init: %v\n%s", err, out)
	}
	base := w.commit("", files{"f": "f"})
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}), workspace.Plan{Commit: base, Git: true})
	w.in(space, `rm -rf .git; git rev-parse --git-dir 2>/dev/null && echo found; echo 1 >n`, func(s workspace.Scope, out string) {
		if out != "" {
			w.Errorf("without .git, git finds %q", out)
		}
		w.expect(s, "n 100644 1\n")
	})
}
