package bare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/git"
)

// config is what a ledger's git must never do otherwise: objects and refs are
// flushed, nothing is collected or logged behind clade's back.
const config = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	logAllRefUpdates = false
	fsync = committed,reference
	ignoreCase = false
	precomposeUnicode = false
[gc]
	auto = 0
[maintenance]
	auto = false
[receive]
	autogc = false
[pack]
	writeReverseIndex = false
`

// create makes the repository at dir unless there is one. It is made beside it
// and put there by one rename, so that no half of one is ever opened.
func create(ctx context.Context, g *git.Git, dir string) error {
	switch ready, err := isLedger(dir); {
	case err != nil:
		return err
	case ready:
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return fmt.Errorf("making ledger: %w", err)
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), ".ledger-")
	if err != nil {
		return fmt.Errorf("making ledger: %w", err)
	}
	defer os.RemoveAll(scratch)
	if err := initialise(ctx, g, scratch); err != nil {
		return fmt.Errorf("making ledger: %w", err)
	}
	if err := os.WriteFile(filepath.Join(scratch, marker), []byte("1\n"), 0o644); err != nil {
		return fmt.Errorf("making ledger: %w", err)
	}
	_ = os.Remove(dir) // an empty folder may be in the way
	if err := os.Rename(scratch, dir); err != nil {
		if ready, _ := isLedger(dir); ready {
			return nil // another process was faster
		}
		return fmt.Errorf("making ledger: %w", err)
	}
	return atomicfile.SyncDir(filepath.Dir(dir))
}

// initialise makes an empty bare repository in an empty folder.
func initialise(ctx context.Context, g *git.Git, dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	repo := g.At(git.Place{Dir: dir})
	if _, err := repo.Run(ctx, "init", "-q", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o644)
}

// isLedger reports whether dir is a ledger; a folder with anything else in it
// is a problem.
func isLedger(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, marker)); err == nil {
		return true, nil
	}
	removeHollow(dir)
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("opening ledger: %w", err)
	case len(entries) > 0:
		return false, &clade.Problem{Fault: clade.FaultCorrupt, Text: "this folder is not a ledger of clade",
			Where: dir, Hint: "choose an empty folder, or restore the file " + marker + " if this was one"}
	}
	return false, nil
}

// removeHollow removes the folder dir if no file is anywhere below it: a git that
// writes while its ledger is deleted makes such folders anew.
func removeHollow(dir string) {
	var folders []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = fs.ErrExist
		}
		folders = append(folders, path)
		return err
	})
	if err != nil {
		return
	}
	for _, f := range slices.Backward(folders) {
		_ = os.Remove(f) // what is in the way is told by who makes the ledger
	}
}
