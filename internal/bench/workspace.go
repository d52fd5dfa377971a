package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
)

// workspaces measures whole lives of workspaces by every provider that works
// here, and git's way of doing the same.
func (b *bench) workspaces(ctx context.Context) (rows []Row, err error) {
	for _, n := range b.sizes.files {
		some, err := b.workspacesOf(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("%d files: %w", n, err)
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func (b *bench) workspacesOf(ctx context.Context, n int) ([]Row, error) {
	b.step(fmt.Sprintf("making a repository of %d files", n))
	repo, err := b.repository(ctx, "files-"+strconv.Itoa(n), n)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(repo)
	git, err := b.worktrees(ctx, repo)
	if err != nil {
		return nil, err
	}
	box, err := b.parts.Sandbox(ctx, &clade.Spec{}, nil)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	best, name, err := b.lives(ctx, repo, box)
	if err != nil {
		return nil, err
	}
	label := func(by string) string { return fmt.Sprintf("workspace by %s, %d files", by, n) }
	rows := []Row{Row{Name: label(name), Value: best.median(), Unit: "ms", N: len(best.ms),
		Note: "opened on a candidate, one file edited, changes found, committed, closed; no command is run"}.atMost(10)}
	plain, err := none.New(none.Options{})
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	if box.Mounts() {
		if best, name, err = b.lives(ctx, repo, plain); err != nil {
			return nil, err
		}
		rows = append(rows, Row{Name: label(name), Value: best.median(), Unit: "ms", N: len(best.ms),
			Note: "the fallback, where nothing can be mounted"})
	}
	added := git.median()
	return append(rows,
		Row{Name: fmt.Sprintf("git worktree add, %d files", n), Value: added, Unit: "ms", N: len(git.ms)},
		Row{Name: "fallback ÷ git worktree add", Value: 100 * best.median() / added, Unit: "%", N: len(best.ms)}.atMost(10)), nil
}

// worktrees times git's own way; removing is not counted.
func (b *bench) worktrees(ctx context.Context, repo string) (t timer, err error) {
	for i := range b.sizes.worktrees {
		at := filepath.Join(b.dir, "worktree-"+strconv.Itoa(i))
		err := t.time(func() error { return runGit(ctx, repo, "worktree", "add", "-q", "--detach", at) })
		if err := errors.Join(err, os.RemoveAll(at)); err != nil {
			return t, err
		}
	}
	return t, nil
}

// lives times the lives of workspaces by the provider that fits the sandbox.
func (b *bench) lives(ctx context.Context, repo string, box sandbox.Sandbox) (t timer, name string, err error) {
	led, err := b.parts.Ledger(ctx, filepath.Join(repo, "ledger.git"))
	if err != nil {
		return t, "", err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	base, err := led.Import(ctx, ledger.Source{Git: repo, Rev: "HEAD"})
	if err != nil {
		return t, "", err
	}
	p, err := b.parts.Workspaces(b.parts.Cache, led, box)
	if err != nil {
		return t, "", err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	b.step("making the template by " + p.Name())
	template, err := p.Template(ctx, workspace.TemplateSpec{Commit: base.Commit})
	if err != nil {
		return t, "", err
	}
	at := base.Commit
	for i := range b.sizes.cycles + 1 {
		cycle := func() error { at, err = live(ctx, p, template, led, at, i); return err }
		if i == 0 {
			err = cycle() // pays for what later ones find
		} else {
			err = t.time(cycle)
		}
		if err != nil {
			return t, "", err
		}
	}
	return t, p.Name(), nil
}

// live is one life of a workspace; it returns the commit that was made.
func live(ctx context.Context, p workspace.Provider, t workspace.Template, led ledger.Ledger, at string, i int) (string, error) {
	ws, err := p.Open(ctx, t, workspace.Plan{Commit: at, Git: true})
	if err != nil {
		return "", err
	}
	changes, err := change(ctx, ws, i)
	if err := errors.Join(err, ws.Close()); err != nil {
		return "", err
	}
	made, err := led.Commit(ctx, ledger.Draft{Parents: []string{at}, From: at, Message: "edit", Changes: changes})
	return made.Commit, err
}

// change edits one file in a scope, as a command would, without running one.
func change(ctx context.Context, ws workspace.Workspace, i int) (changes []ledger.Change, err error) {
	s, err := ws.Scope(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := write(filepath.Join(written(s), filepath.FromSlash(edited)), content(i+1_000_000)); err != nil {
		return nil, err
	}
	if changes, err = s.Changes(ctx); err == nil && len(changes) != 1 {
		err = fmt.Errorf("one file was edited, %d were found", len(changes))
	}
	return changes, err
}

// written is the folder of this process's in which a scope's edits lie.
func written(s workspace.Scope) string {
	var c sandbox.Command
	s.Enter(&c, "")
	for _, m := range c.Mounts {
		switch {
		case m.Target != c.Dir:
		case m.Kind == sandbox.MountOverlay:
			return m.Upper
		case m.Kind == sandbox.MountBind:
			return m.Source
		}
	}
	return c.Dir
}
