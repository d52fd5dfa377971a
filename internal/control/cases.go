package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// loadCases reads the dataset from the base tree, so that it is pinned with it.
func loadCases(ctx context.Context, spec *clade.Spec, led ledger.Ledger, base string) ([]evaluate.Case, error) {
	if spec.Dataset == nil {
		return nil, nil
	}
	p := path.Join(spec.Target.Prefix, spec.Dataset.File)
	entries, err := led.List(ctx, base)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Path == p {
			data, err := led.Read(ctx, e.Blob)
			if err != nil {
				return nil, err
			}
			return evaluate.Load(spec, data)
		}
	}
	return nil, noDataset(p)
}

func noDataset(p string) error {
	return &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("the base has no dataset %s", p),
		Hint: "dataset.file is relative to the target; in a repository it must be committed"}
}

// previewCases reads what loadCases would of a base that is not imported yet,
// and nothing else of it.
func previewCases(ctx context.Context, r *Resolved) ([]evaluate.Case, error) {
	if r.Spec.Dataset == nil {
		return nil, nil
	}
	p := path.Join(r.Spec.Target.Prefix, r.Spec.Dataset.File)
	data, err := peek(ctx, r.Source, p)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, git.ErrMissing):
		return nil, noDataset(p)
	case err != nil:
		return nil, fmt.Errorf("read dataset %s: %w", p, err)
	}
	return evaluate.Load(&r.Spec, data)
}

// peek reads one file of a source as an import would: the bytes in the
// repository, or those on disk, of a link where it leads to.
func peek(ctx context.Context, s ledger.Source, p string) ([]byte, error) {
	if s.Git != "" {
		return peekGit(ctx, s, p)
	}
	if !filepath.IsLocal(filepath.FromSlash(p)) || !s.Covers(path.Clean(p)) {
		return nil, fs.ErrNotExist
	}
	at := filepath.Join(s.Dir, filepath.FromSlash(p))
	info, err := os.Lstat(at)
	if err != nil {
		return nil, err
	}
	switch mode, _ := ledger.ModeOf(info.Mode()); mode {
	case ledger.ModeSymlink:
		to, err := os.Readlink(at)
		return []byte(filepath.ToSlash(to)), err
	case "":
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(at)
}

func peekGit(ctx context.Context, s ledger.Source, p string) (data []byte, err error) {
	g, err := git.Find(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := g.Discover(ctx, s.Git)
	if err != nil {
		return nil, err
	}
	objects := facts.Repo(g).Contents()
	defer func() { err = errors.Join(err, objects.Close()) }()
	o, err := objects.Get(s.Rev + ":" + p)
	if err == nil && o.Type != "blob" {
		return nil, git.ErrMissing
	}
	return o.Data, err
}
