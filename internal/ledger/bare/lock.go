package bare

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/proc"
)

// marker is the file that says a folder is a ledger, and that is locked.
const marker = "clade-ledger"

// enter takes a shared lock on the repository. Who finds nobody else there
// cleans up first.
func enter(ctx context.Context, repo *git.Repo) (*proc.Lock, error) {
	path := filepath.Join(repo.Dir(), marker)
	lock, err := proc.TryLock(path, false)
	switch {
	case err != nil:
	case lock == nil:
		lock, err = proc.WaitLock(ctx, path, true)
	default:
		if err = errors.Join(heal(ctx, repo), lock.Share()); err != nil {
			err = errors.Join(err, lock.Unlock())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("opening ledger %s: %w", repo.Dir(), err)
	}
	return lock, nil
}
