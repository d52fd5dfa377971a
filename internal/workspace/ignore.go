package workspace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// maxRules bounds the verdicts an ignorer remembers.
const maxRules = 1 << 16

// An ignorer answers what the .gitignore files of a base ignore. It asks git
// itself, in a folder that holds nothing but those files and with a repository
// of its own, so that no rule a command wrote has a say.
type ignorer struct {
	none bool   // there is no .gitignore
	tree string // holds the .gitignore files
	dir  string // an empty repository

	find func(context.Context) (*git.Git, error)
	mu   sync.Mutex
	seen map[string]bool // the rules never change, nor do the answers
}

const (
	ignoreTree = "ignore"
	ignoreRepo = "ignore.git"
)

// writeIgnore makes the two folders of an ignorer in a template.
func writeIgnore(ctx context.Context, objects reader, template string, base *Tree) error {
	repo := filepath.Join(template, ignoreRepo)
	for _, d := range []string{filepath.Join(repo, "objects"), filepath.Join(repo, "refs"), filepath.Join(template, ignoreTree)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		return err
	}
	return materialise(ctx, objects, filepath.Join(template, ignoreTree), ignoreFiles(base), baseTime)
}

func ignoreFiles(base *Tree) []ledger.Entry {
	var files []ledger.Entry
	for _, e := range base.base {
		if path.Base(e.Path) == ".gitignore" && (e.Mode == ledger.ModeFile || e.Mode == ledger.ModeExec) {
			files = append(files, e)
		}
	}
	return files
}

func newIgnorer(template string, base *Tree, find func(context.Context) (*git.Git, error)) *ignorer {
	return &ignorer{
		none: len(ignoreFiles(base)) == 0, find: find, seen: map[string]bool{},
		tree: filepath.Join(template, ignoreTree), dir: filepath.Join(template, ignoreRepo),
	}
}

// ignored returns the paths among these, none of which the base tracks, that
// are ignored.
func (g *ignorer) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	found := map[string]bool{}
	if g.none || len(paths) == 0 {
		return found, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var ask []string
	for _, p := range paths {
		if yes, known := g.seen[p]; !known {
			ask = append(ask, p)
		} else if yes {
			found[p] = true
		}
	}
	if len(ask) == 0 {
		return found, nil
	}
	yes, err := g.ask(ctx, ask)
	if err != nil {
		return nil, err
	}
	if len(g.seen)+len(ask) > maxRules {
		clear(g.seen)
	}
	for _, p := range ask {
		if yes[p] {
			found[p] = true
		}
		if len(g.seen) < maxRules {
			g.seen[p] = yes[p]
		}
	}
	return found, nil
}

func (g *ignorer) ask(ctx context.Context, paths []string) (map[string]bool, error) {
	program, err := g.find(ctx)
	if err != nil {
		return nil, err
	}
	var in, out bytes.Buffer
	for _, p := range paths {
		in.WriteString("./" + p + "\x00") // a name may begin with ':' or '-'
	}
	repo := program.At(git.Place{Dir: g.dir, WorkTree: g.tree, Config: []string{"core.excludesFile=" + os.DevNull, "core.ignoreCase=false"}})
	// check-ignore refuses literal pathspecs, which the package asks for.
	err = repo.Do(ctx, git.Call{
		Args:  []string{"--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"},
		Stdin: &in, Stdout: &out,
	})
	if err != nil && !git.Exited(err, 1) { // 1: none is ignored
		return nil, fmt.Errorf("asking what .gitignore ignores: %w", err)
	}
	yes := map[string]bool{}
	for p := range strings.SplitSeq(out.String(), "\x00") {
		if p != "" {
			yes[strings.TrimPrefix(p, "./")] = true
		}
	}
	return yes, nil
}
