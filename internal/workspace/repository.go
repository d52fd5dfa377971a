package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// repositoryConfig makes git trust the times and sizes it was given, and keeps
// it from tidying up behind a command's back.
const repositoryConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = false
	checkStat = minimal
	trustctime = false
[user]
	name = clade
	email = clade@localhost
[commit]
	gpgsign = false
[gc]
	auto = 0
`

const branch = "refs/heads/main"

// A Repository is a one-commit repository of a template's base, without what a
// plan hides: nobody can read a held-out file from its objects. It is made once
// and only ever borrowed from.
type Repository struct {
	dir  string // holds .git
	tree *Tree
	lack []string // hidden paths

	mu    sync.Mutex
	ids   map[string]string // tree objects of the base, by folder
	index *index            // nil until asked for
}

// Dir holds the repository's .git folder and nothing else.
func (r *Repository) Dir() string { return r.dir }

// Objects is the folder of its objects.
func (r *Repository) Objects() string { return filepath.Join(r.dir, gitDir, "objects") }

// Repository returns the repository of a plan's hidden paths.
func (t *Built) Repository(ctx context.Context, hidden []string) (*Repository, error) {
	hidden = slices.Compact(slices.Sorted(slices.Values(hidden)))
	sum := sha256.Sum256([]byte(strings.Join(hidden, "\x00")))
	name := "git-" + hex.EncodeToString(sum[:8])
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.repos[name]; r != nil {
		return r, nil
	}
	r := &Repository{dir: filepath.Join(t.dir, name), ids: map[string]string{}, lack: hidden}
	over := map[string]ledger.Entry{}
	for _, h := range hidden {
		if _, ok := t.Base.Lookup(h); ok {
			over[h] = ledger.Entry{Path: h}
		}
		for _, e := range t.Base.Below(h) {
			over[e.Path] = ledger.Entry{Path: e.Path}
		}
	}
	r.tree = t.Base.With(over)
	if _, err := os.Stat(r.dir); err != nil {
		if err := ignoreGone(err); err != nil {
			return nil, err
		}
		if err := t.pack(ctx, r, over); err != nil {
			return nil, fmt.Errorf("making the workspaces' repository: %w", err)
		}
	}
	t.repos[name] = r
	return r, nil
}

// pack makes the repository's folder. Should another process be as far, its
// folder is as good.
func (t *Built) pack(ctx context.Context, r *Repository, without map[string]ledger.Entry) (err error) {
	tmp, err := os.MkdirTemp(t.store.templates(), tmpPrefix+t.key+"-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, Remove(tmp)) }()
	commit, err := t.visible(ctx, without)
	if err != nil {
		return err
	}
	dir := filepath.Join(tmp, "layer")
	repo := filepath.Join(dir, gitDir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := t.store.Ledger.Pack(ctx, commit, repo); err != nil {
		return err
	}
	if err := t.finish(ctx, r, repo); err != nil {
		return err
	}
	if err := syncFiles(dir); err != nil {
		return err
	}
	if err := os.Rename(dir, r.dir); err != nil {
		if _, serr := os.Stat(r.dir); serr != nil {
			return err
		}
	}
	return nil
}

// visible is the commit whose tree a command may read whole.
func (t *Built) visible(ctx context.Context, without map[string]ledger.Entry) (string, error) {
	if len(without) == 0 {
		return t.commit, nil
	}
	d := ledger.Draft{From: t.commit, Message: "base"}
	for path := range without {
		d.Changes = append(d.Changes, ledger.Change{Path: path, Delete: true})
	}
	slices.SortFunc(d.Changes, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	made, err := t.store.Ledger.Commit(ctx, d)
	return made.Commit, err
}

// finish turns what the ledger packed into a working repository: a branch, our
// settings, and an index that agrees with the template's files.
func (t *Built) finish(ctx context.Context, r *Repository, repo string) error {
	program, err := t.store.git.find(ctx)
	if err != nil {
		return err
	}
	head, err := program.At(git.Place{Dir: repo}).Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return err
	}
	for _, name := range []string{"hooks", "logs", "refs", "packed-refs", "description", "branches"} {
		if err := os.RemoveAll(filepath.Join(repo, name)); err != nil {
			return err
		}
	}
	index, err := newIndex(t.indexed(r))
	if err != nil {
		return err
	}
	return writeRepository(repo, head, index.raw, r.lack)
}

// writeRepository writes everything but objects.
func writeRepository(repo, head string, index []byte, exclude []string) error {
	for _, d := range []string{"refs/heads", "refs/tags", "info", "objects/info", "objects/pack"} {
		if err := os.MkdirAll(filepath.Join(repo, filepath.FromSlash(d)), 0o755); err != nil {
			return err
		}
	}
	var patterns strings.Builder
	for _, p := range exclude {
		fmt.Fprintf(&patterns, "/%s\n", escapePattern(p))
	}
	for name, data := range map[string]string{
		"HEAD": "ref: " + branch + "\n", "config": repositoryConfig, branch: head + "\n",
		"info/exclude": patterns.String(), "index": string(index),
	} {
		if err := os.WriteFile(filepath.Join(repo, filepath.FromSlash(name)), []byte(data), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// escapePattern makes a path a pattern of gitignore(5) that matches only it.
func escapePattern(p string) string {
	var b strings.Builder
	for i := range len(p) {
		if strings.IndexByte(`\*?[ `, p[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// indexed lists the repository's files as an index has them.
func (t *Built) indexed(r *Repository) []indexed {
	list := make([]indexed, 0, len(r.tree.base))
	for _, e := range r.tree.Below("") {
		if e.Size < 0 && e.Mode != ledger.ModeGitlink {
			if info, err := os.Lstat(filepath.Join(t.Tree(), filepath.FromSlash(e.Path))); err == nil {
				e.Size = info.Size()
			}
		}
		list = append(list, indexed{Entry: e, at: baseTime})
	}
	return list
}
