package bare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cladehq/clade/internal/git"
)

// marker is the file that says a folder is a ledger, and that is locked.
const marker = "clade-ledger"

// lock is a lock on the marker, held until released or the process ends.
type lock struct{ f *os.File }

// enter takes a shared lock on the repository. Who finds nobody else there
// cleans up first.
func enter(ctx context.Context, repo *git.Repo) (*lock, error) {
	f, err := os.OpenFile(filepath.Join(repo.Dir(), marker), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("opening ledger: %w", err)
	}
	alone, err := lockAlone(f)
	if err == nil && alone {
		err = heal(ctx, repo)
	}
	if err == nil {
		err = lockShared(f)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening ledger %s: %w", repo.Dir(), err), f.Close())
	}
	return &lock{f}, nil
}

// ifAlone runs f while no other process has the ledger open, or not at all.
func (l *lock) ifAlone(f func() error) error {
	alone, err := lockAlone(l.f)
	if err == nil && alone {
		err = f()
	}
	return errors.Join(err, lockShared(l.f)) // a refused exchange may have cost the lock
}

func (l *lock) release() error { return l.f.Close() }
