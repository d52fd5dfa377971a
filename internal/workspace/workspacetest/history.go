package workspacetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

// planted are the ways in which a person's repository may hold an answer that is
// no part of the base. Each leaves the work tree and the branch main as they
// were.
var planted = map[string]string{
	"an older commit":     `echo "$A" >f; git commit -qam x; git rev-parse HEAD; git rev-parse HEAD:f; echo base >f; git commit -qam base`,
	"another branch":      `git checkout -qb later; echo "$A" >f; git commit -qam x; git rev-parse HEAD; git rev-parse HEAD:f; git checkout -q main`,
	"a tag":               `git checkout -q --detach; echo "$A" >f; git commit -qam x; git tag -am "$A" v2; git rev-parse HEAD v2; git rev-parse HEAD:f; git checkout -q main`,
	"the reflog":          `echo "$A" >f; git commit -qam x; git rev-parse HEAD; git rev-parse HEAD:f; git reset -q --hard HEAD~`,
	"a stash":             `echo "$A" >f; git stash -q; git rev-parse stash; git rev-parse stash:f`,
	"a remote's branch":   `git checkout -q --detach; echo "$A" >f; git commit -qam x; git update-ref refs/remotes/origin/fix HEAD; git rev-parse HEAD; git rev-parse HEAD:f; git checkout -q main`,
	"a note":              `git notes add -m "$A"; git rev-parse refs/notes/commits`,
	"a loose object":      `echo "$A" | git hash-object -w --stdin`,
	"a leftover of packs": `git checkout -q --detach; echo "$A" >f; git commit -qam x; git rev-parse HEAD; git rev-parse HEAD:f; git checkout -q main; git repack -qad; git reflog expire --expire=now --all`,
}

// hidesTheRepository looks, as an agent would, for what a person's repository
// holds beside the base: in refs and logs, by the ids of objects, in all objects
// there are, and in those of any store that git is told to borrow from.
func hidesTheRepository(w *world) {
	const answer = "THE-ANSWER-IS-42"
	dir := w.TempDir()
	ids := strings.Fields(w.git(dir, `git init -q -b main . && echo base >f && git add f && git commit -qm base`, answer))
	for _, script := range planted {
		ids = append(ids, strings.Fields(w.git(dir, script, answer))...)
	}
	ids = append(ids, strings.Fields(w.git(dir, `git gc -q; git rev-parse HEAD`, answer))...)
	if len(ids) < 15 {
		w.Fatalf("only %d objects are planted", len(ids))
	}
	made, err := w.Ledger.Import(w.ctx, ledger.Source{Git: dir, Rev: "main"})
	w.must(err)
	w.must(w.Ledger.Sync(w.ctx))
	space := w.space(w.template(workspace.TemplateSpec{Commit: made.Commit, Origin: dir}), workspace.Plan{Commit: made.Commit, Git: true})
	script := `git log --all --format=%s; git reflog; git stash list; git tag; git branch -a | grep -v '^\* main$'; git remote; git notes list 2>/dev/null
		for id in ` + strings.Join(ids, " ") + `; do git cat-file -e $id 2>/dev/null && echo reachable $id; done
		git cat-file --batch-all-objects --batch --buffer --unordered | grep -a THE-ANSWER
		git count-objects -v | grep alternate | while read _ store; do grep -rla THE-ANSWER $store; done
		git log --all -S THE-ANSWER --format=%H; git grep -a THE-ANSWER $(git rev-list --all); git fsck --lost-found 2>/dev/null; ls .git/lost-found 2>/dev/null
		cat .git/packed-refs .git/ORIG_HEAD .git/FETCH_HEAD .git/logs/HEAD 2>/dev/null; find .git/refs -type f; :`
	w.in(space, script, func(_ workspace.Scope, out string) {
		if want := "base\n.git/refs/heads/main\n"; out != want {
			w.Errorf("an agent finds %q, want %q", out, want)
		}
	})
}

// git runs a script in a person's repository.
func (w *world) git(dir, script, answer string) string {
	w.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(dir), "A=" + answer, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost"}
	out, err := c.CombinedOutput()
	if err != nil {
		w.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}
