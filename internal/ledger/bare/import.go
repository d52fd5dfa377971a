package bare

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// baseMessage is the message of every commit that Import makes.
const baseMessage = "clade base\n"

// Import implements ledger.Ledger. What a person can mend is a *clade.Problem.
func (l *Ledger) Import(ctx context.Context, s ledger.Source) (ledger.Made, error) {
	if (s.Git == "") == (s.Dir == "") {
		return ledger.Made{}, errors.New("importing: exactly one of a repository and a folder must be given")
	}
	ticker, copied := time.NewTicker(beat), &counter{}
	defer ticker.Stop()
	stop := copied.report(s.Progress, ticker.C)
	tree, err := l.importTree(ctx, s, copied)
	stop()
	if err != nil {
		return ledger.Made{}, err
	}
	base := &plan{from: tree, tree: tree, message: baseMessage}
	id := hashOf("commit", base.object()).String()
	if l.present(id) {
		return ledger.Made{Commit: id, Tree: tree.String()}, nil
	}
	m, err := l.commit(base)
	if err == nil {
		err = l.Sync(ctx)
	}
	m.Stream = nil
	return m, err
}

// present reports whether a commit is on disk.
func (l *Ledger) present(commit string) bool {
	o, err := l.infos.Get(commit)
	return err == nil && o.Type == "commit"
}

func (l *Ledger) importTree(ctx context.Context, s ledger.Source, copied *counter) (oid, error) {
	l.beside.RLock()
	defer l.beside.RUnlock()
	if s.Git != "" {
		return l.importGit(ctx, s.Git, s.Rev, copied)
	}
	return l.importDir(ctx, s, copied)
}

// importGit copies the objects of one revision's tree from a repository into
// which nothing is written. Submodules stay entries of mode ledger.ModeGitlink.
func (l *Ledger) importGit(ctx context.Context, dir, rev string, copied *counter) (oid, error) {
	facts, err := l.repo.Git().Discover(ctx, dir)
	if err != nil {
		return oid{}, err
	}
	if rev == "" {
		rev = "HEAD"
	}
	if facts.ObjectFormat != "sha1" {
		return oid{}, &clade.Problem{Fault: clade.FaultEnvironment, Where: dir,
			Text: "repositories with object format " + facts.ObjectFormat + " are not supported",
			Hint: "clade can evolve a plain copy of the folder"}
	}
	if facts.Unborn && rev == "HEAD" {
		return oid{}, &clade.Problem{Fault: clade.FaultConflict, Where: dir,
			Text: "the repository has no commit yet", Hint: "commit what a run should start from"}
	}
	user := l.repo.Git().At(git.Place{Dir: facts.GitDir})
	found, err := user.Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{tree}")
	if err != nil {
		if git.Exited(err, 1) || git.Exited(err, 128) {
			return oid{}, &clade.Problem{Fault: clade.FaultNotFound, Where: dir, Text: "no such revision: " + rev, Err: err}
		}
		return oid{}, fmt.Errorf("importing %s: %w", dir, err)
	}
	tree, err := parseOID(found)
	if err != nil {
		return oid{}, fmt.Errorf("importing %s: %w", dir, err)
	}
	if l.complete(ctx, tree) {
		return tree, nil
	}
	return tree, l.copyTree(ctx, user, facts, tree, copied)
}

// complete reports whether the ledger holds a tree and all below it, as it does
// when an earlier run began at the same revision.
func (l *Ledger) complete(ctx context.Context, tree oid) bool {
	if _, err := l.infos.Get(tree.String()); err != nil {
		return false
	}
	_, err := l.repo.Run(ctx, "rev-list", "--objects", "--quiet", tree.String())
	return err == nil
}

func (l *Ledger) copyTree(ctx context.Context, user *git.Repo, facts git.Facts, tree oid, copied *counter) error {
	_, err := user.Pipe(ctx, git.Call{
		Args:  []string{"pack-objects", "-q", "--revs", "--stdout", "--window=0", "--delta-base-offset"},
		Stdin: strings.NewReader(tree.String() + "\n"), Stdout: copied,
	}, l.repo, git.Call{Args: []string{"index-pack", "--stdin"}})
	switch {
	case err == nil:
		return atomicfile.SyncDir(l.packs())
	case facts.Partial && ctx.Err() == nil:
		return &clade.Problem{Fault: clade.FaultEnvironment, Where: facts.GitDir,
			Text: "the repository is a partial clone and lacks files of this revision",
			Hint: "fetch them, for instance by checking the revision out", Err: err}
	}
	return fmt.Errorf("copying tree %s from %s: %w", tree, facts.GitDir, err)
}
