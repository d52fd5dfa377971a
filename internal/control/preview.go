package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
)

// A preview reads a base that is not imported yet, as an import would take it.
// Of a folder, a blob is the file's path.
type preview struct {
	source  ledger.Source
	objects *git.CatFile // nil for a folder
	entries []ledger.Entry
}

var _ propose.Reader = (*preview)(nil)

// newPreview lists a source. Close it.
func newPreview(ctx context.Context, s ledger.Source) (*preview, error) {
	p := &preview{source: s}
	if s.Git == "" {
		return p, p.walk()
	}
	g, err := git.Find(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := g.Discover(ctx, s.Git)
	if err != nil {
		return nil, err
	}
	repo := facts.Repo(g)
	if p.entries, err = listed(ctx, repo, s.Rev); err != nil {
		return nil, fmt.Errorf("list the base: %w", err)
	}
	p.objects = repo.Contents()
	return p, nil
}

func (p *preview) Close() error {
	if p.objects == nil {
		return nil
	}
	return p.objects.Close()
}

// List implements propose.Reader; there is only one commit.
func (p *preview) List(context.Context, string) ([]ledger.Entry, error) { return p.entries, nil }

// Read implements propose.Reader.
func (p *preview) Read(_ context.Context, blob string) ([]byte, error) {
	if p.objects == nil {
		return os.ReadFile(filepath.Join(p.source.Dir, filepath.FromSlash(blob)))
	}
	o, err := p.objects.Get(blob)
	return o.Data, err
}

// listed are the files of a revision.
func listed(ctx context.Context, repo *git.Repo, rev string) (all []ledger.Entry, err error) {
	out, err := repo.Run(ctx, "ls-tree", "-r", "-l", "-z", "--full-tree", rev)
	if err != nil {
		return nil, err
	}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		head, path, ok := bytes.Cut(line, []byte{'\t'})
		field := strings.Fields(string(head)) // mode, type, id, size
		if !ok || len(field) != 4 {
			continue
		}
		size, err := strconv.ParseInt(field[3], 10, 64)
		if err != nil {
			size = -1 // a submodule has none
		}
		all = append(all, ledger.Entry{Path: string(path), Mode: ledger.Mode(field[0]), Blob: field[2], Size: size})
	}
	return all, nil
}

// walk lists a folder. What of its content an import refuses is left out: it will
// say so.
func (p *preview) walk() error {
	if err := p.source.Unfit(); err != nil {
		return err
	}
	err := filepath.WalkDir(p.source.Dir, func(at string, d fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(p.source.Dir, at)
		if err = errors.Join(err, rerr); err != nil {
			return fmt.Errorf("list the base: %w", err)
		}
		path := filepath.ToSlash(rel)
		switch {
		case d.IsDir() && !p.source.Leads(path):
			return fs.SkipDir
		case d.IsDir(), !p.source.Covers(path):
			return nil
		}
		info, err := d.Info()
		if err == nil {
			p.add(path, info)
		}
		return nil //nolint:nilerr // it has gone meanwhile
	})
	if err != nil {
		return err
	}
	taken := make([]string, len(p.entries))
	for i, e := range p.entries {
		taken[i] = e.Path
	}
	return p.source.Unmet(taken)
}

func (p *preview) add(path string, info fs.FileInfo) {
	if mode, ok := ledger.ModeOf(info.Mode()); ok {
		p.entries = append(p.entries, ledger.Entry{Path: path, Mode: mode, Blob: path, Size: info.Size()})
	}
}
