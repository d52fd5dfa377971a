package bare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/git"
)

// Pack implements ledger.Ledger. The folder at dir, which must not exist or be
// empty, becomes a bare repository whose branch main is the one commit. It has
// no parents, the message "base", and is not the lineage commit.
func (l *Ledger) Pack(ctx context.Context, commit, dir string) error {
	tree, err := l.treeOfCommit(commit)
	if err == nil {
		err = l.Sync(ctx)
	}
	if err == nil {
		err = l.pack(ctx, tree, dir)
	}
	if err != nil {
		return fmt.Errorf("packing commit %s: %w", commit, err)
	}
	return nil
}

func (l *Ledger) pack(ctx context.Context, tree oid, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := initialise(ctx, l.repo.Git(), dir); err != nil {
		return err
	}
	one := plan{message: "base\n", tree: tree}
	id := hashOf("commit", one.object())
	to := l.repo.Git().At(git.Place{Dir: dir})
	// Told a file, pack-objects would write it beside the ledger's own packs and
	// rename it, which between two mounts it cannot.
	if _, err := l.repo.Pipe(ctx, git.Call{
		Args:  []string{"pack-objects", "-q", "--revs", "--stdout", "--window=0", "--delta-base-offset"},
		Stdin: strings.NewReader(tree.String() + "\n"),
	}, to, git.Call{Args: []string{"index-pack", "--stdin"}}); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := to.Do(ctx, git.Call{Args: []string{"hash-object", "-w", "-t", "commit", "--stdin"},
		Stdin: bytes.NewReader(one.object()), Stdout: &out}); err != nil {
		return err
	}
	if got := strings.TrimSpace(out.String()); got != id.String() {
		return fmt.Errorf("git made commit %s and not %s", got, id)
	}
	_, err = to.Run(ctx, "update-ref", "refs/heads/main", id.String())
	return errors.Join(err, atomicfile.SyncDir(filepath.Join(dir, "objects", "pack")))
}
