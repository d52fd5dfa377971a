package land

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
)

// commit makes, in the person's repository, the commit that HEAD shall move to.
// Until then nothing there names it or its objects.
func (l *Lander) commit(ctx context.Context, p *Preview) (string, error) {
	who, err := p.repo.Identity(ctx)
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp("", "clade-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	repo := p.repo.With(nil, append(who, "GIT_INDEX_FILE="+filepath.Join(scratch, "index")))
	if _, err := repo.Run(ctx, "read-tree", p.repo.facts.Head); err != nil {
		return "", err
	}
	info, err := l.indexInfo(ctx, repo, p)
	if err != nil {
		return "", err
	}
	if err := repo.Do(ctx, git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: strings.NewReader(info)}); err != nil {
		return "", err
	}
	tree, err := repo.Line(ctx, "write-tree")
	if err == nil && tree != p.merged.Tree {
		err = fmt.Errorf("git made tree %s and not %s", tree, p.merged.Tree)
	}
	if err != nil {
		return "", err
	}
	var id strings.Builder
	err = repo.Do(ctx, git.Call{Args: []string{"commit-tree", tree, "-p", p.repo.facts.Head}, Stdin: strings.NewReader(l.message(p)), Stdout: &id})
	return strings.TrimSpace(id.String()), err
}

func (l *Lander) message(p *Preview) string {
	m := strings.TrimSpace(l.Message)
	if m == "" {
		m = fmt.Sprintf("Apply %s of clade", p.Name)
	}
	return m + "\n"
}

// indexInfo writes the changed files' blobs and returns what update-index takes:
// removals first, so that a file may become a folder.
func (l *Lander) indexInfo(ctx context.Context, repo *git.Repo, p *Preview) (string, error) {
	var gone, there strings.Builder
	for _, path := range p.Paths {
		e := p.entries[path]
		if e.Mode == "" {
			fmt.Fprintf(&gone, "0 %040d\t%s\x00", 0, path)
			continue
		}
		data, err := l.Ledger.Read(ctx, e.Blob)
		if err != nil {
			return "", err
		}
		id, err := hash(ctx, repo, data)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&there, "%s %s\t%s\x00", e.Mode, id, path)
	}
	return gone.String() + there.String(), nil
}

// moveHead makes HEAD the intent's commit if it is still that one's parent. The
// index entries of the touched paths come first: should HEAD not move, they are
// put back, and a crash between leaves them staged, never reverted.
func (l *Lander) moveHead(ctx context.Context, in clade.Applying) error {
	repo, parent, head, err := l.where(ctx, in)
	if err != nil || head == in.Commit {
		return err
	}
	if head != parent {
		return conflict("HEAD has moved since the preview", "your files are as they were before")
	}
	if err := repo.index(ctx, in.Commit, in.Paths); err != nil {
		return err
	}
	who, err := repo.Identity(ctx) // for the reflog
	if err != nil {
		return err
	}
	_, err = repo.With(nil, who).Run(ctx, "update-ref", "-m", fmt.Sprintf("clade apply: candidate %d", in.Winner), "HEAD", in.Commit, parent)
	if err != nil {
		return fmt.Errorf("move HEAD: %w", err)
	}
	return nil
}

// where finds the repository of an intent with a commit, that one's parent, and
// HEAD as it is.
func (l *Lander) where(ctx context.Context, in clade.Applying) (r *repo, parent, head string, err error) {
	if r, err = l.open(ctx); err != nil {
		return nil, "", "", err
	}
	parent, err = r.Line(ctx, "rev-parse", "--verify", in.Commit+"^1")
	if err == nil {
		head, err = r.head(ctx)
	}
	return r, parent, head, err
}

// moved reports whether HEAD has the intent's commit, perhaps with others on top.
func (l *Lander) moved(ctx context.Context, in clade.Applying) (bool, error) {
	repo, err := l.open(ctx)
	if err != nil {
		return false, err
	}
	_, err = repo.Run(ctx, "merge-base", "--is-ancestor", in.Commit, "HEAD")
	if git.Exited(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// index makes the index entries of paths what a commit has.
func (r *repo) index(ctx context.Context, commit string, paths []string) error {
	err := r.Do(ctx, git.Call{
		Args:  []string{"reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul", commit},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"),
	})
	var e *git.Error
	if errors.As(err, &e) && strings.Contains(e.Stderr, ".lock") {
		return conflict("git's index is locked: "+e.Stderr, "your files are as they were before")
	}
	if err != nil {
		return fmt.Errorf("write git's index: %w", err)
	}
	return nil
}

// restoreIndex gives the touched paths the index entries of HEAD again if they
// have those of the intent's commit.
func (l *Lander) restoreIndex(ctx context.Context, in clade.Applying) error {
	repo, _, head, err := l.where(ctx, in)
	if err != nil {
		return err
	}
	_, err = repo.Run(ctx, append([]string{"diff-index", "--cached", "--quiet", in.Commit, "--"}, in.Paths...)...)
	if git.Exited(err, 1) {
		return nil // somebody's, or never changed
	}
	if err != nil {
		return err
	}
	return repo.index(ctx, head, in.Paths)
}
