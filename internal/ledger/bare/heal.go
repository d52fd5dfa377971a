package bare

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade/internal/git"
)

// manyPacks is how many packs make looking an object up slow.
const manyPacks = 40

// heal removes what dead processes left in the repository and puts small packs
// together. Nobody else may have the ledger open.
func heal(ctx context.Context, repo *git.Repo) error {
	packs, err := sweep(repo.Dir())
	if err != nil {
		return fmt.Errorf("cleaning up: %w", err)
	}
	if packs < manyPacks {
		return nil
	}
	if _, err := repo.Run(ctx, "repack", "-q", "-d", "--geometric=2", "--no-write-bitmap-index"); err != nil {
		return fmt.Errorf("putting %d packs together: %w", packs, err)
	}
	return nil
}

// sweep removes stale files and counts packs. Nobody may be writing.
func sweep(dir string) (packs int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case stale(d.Name()):
			return os.Remove(path)
		case strings.HasSuffix(path, ".pack"):
			packs++
		}
		return nil
	})
	return packs, err
}

// stale reports whether a file of a git repository belongs to a process that
// was still working on it.
func stale(name string) bool {
	return strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".keep") || strings.HasPrefix(name, "fast_import_crash_") ||
		strings.HasPrefix(name, "tmp_pack_") || strings.HasPrefix(name, "tmp_idx_") ||
		strings.HasPrefix(name, "tmp_obj_") || strings.HasPrefix(name, ".tmp-")
}
