package workspacetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

// Bench measures a whole life of a workspace, without what a command in it
// costs: opened on a child that edits one file, one file written, its changes
// found, closed. Beside it stands what git needs to make and remove a worktree
// of the same repository.
func Bench(b *testing.B, parts func(testing.TB) Parts, sizes ...int) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) { benchSize(b, parts(b), n) })
	}
}

func benchSize(b *testing.B, p Parts, n int) {
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	ctx := b.Context()
	repo := makeRepository(b, n)
	base, err := p.Ledger.Import(ctx, ledger.Source{Git: repo, Rev: "HEAD"})
	must(err)
	child, err := p.Ledger.Commit(ctx, ledger.Draft{Parents: []string{base.Commit}, From: base.Commit, Message: "child",
		Changes: []ledger.Change{{Path: name(0), Mode: ledger.ModeFile, Data: []byte("child")}}})
	must(err)
	provider, err := p.Open()
	must(err)
	t, err := provider.Template(ctx, workspace.TemplateSpec{Commit: base.Commit})
	must(err)
	w := &world{Parts: p, provider: provider, ctx: ctx}
	for _, c := range []struct {
		name string
		plan workspace.Plan
	}{
		{"base", workspace.Plan{Commit: base.Commit}},
		{"child", workspace.Plan{Commit: child.Commit}},
		{"base with git", workspace.Plan{Commit: base.Commit, Git: true}},
		{"child with git", workspace.Plan{Commit: child.Commit, Git: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			must(w.cycle(t, c.plan, 0)) // the repository is made by the first
			for i := 0; b.Loop(); i++ {
				must(w.cycle(t, c.plan, i))
			}
		})
	}
	b.Run("template", func(b *testing.B) {
		for b.Loop() {
			other, err := p.Open()
			must(err)
			_, err = other.Template(ctx, workspace.TemplateSpec{Commit: base.Commit})
			must(err)
		}
	})
	kept := filepath.Join(b.TempDir(), "workspace")
	b.Run("keep", func(b *testing.B) {
		for b.Loop() {
			must(workspace.Remove(kept))
			must(provider.Keep(ctx, t, workspace.Plan{Commit: child.Commit}, kept))
		}
	})
	b.Run("collect", func(b *testing.B) {
		for b.Loop() {
			_, err := provider.Collect(ctx, t, child.Commit, kept)
			must(err)
		}
	})
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			must(workspace.Remove(kept))
			must(workspace.Export(ctx, p.Ledger, child.Commit, kept, nil))
		}
	})
	b.Run("git worktree add and remove", func(b *testing.B) {
		dir := b.TempDir()
		for i := 0; b.Loop(); i++ {
			at := filepath.Join(dir, strconv.Itoa(i))
			command(b, repo, "worktree", "add", "-q", "--detach", at)
			command(b, repo, "worktree", "remove", "--force", at)
		}
	})
}

func name(i int) string { return fmt.Sprintf("m%02d/p%d/f%d.txt", i/1000, i/50, i) }

// makeRepository makes a repository of n files of about 1 KiB.
func makeRepository(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	for i := range n {
		p := filepath.Join(dir, filepath.FromSlash(name(i)))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			b.Fatal(err)
		}
		data := make([]byte, 0, 1100)
		for len(data) < 1000 {
			data = fmt.Appendf(data, "line %d of file %d\n", len(data), i)
		}
		if err := os.WriteFile(p, data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	command(b, dir, "init", "-q")
	command(b, dir, "add", "-A")
	command(b, dir, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "base")
	return dir
}

func command(b testing.TB, dir string, args ...string) {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(git.Scrub(os.Environ()), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v: %s", args, err, out)
	}
}
