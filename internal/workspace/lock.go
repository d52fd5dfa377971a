package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// errLocked reports that another process, or another part of this one, holds a
// lock.
var errLocked = errors.New("locked")

// A Lock is an operating system lock on a file: it ends with the process,
// however that ends.
type Lock struct{ f *os.File }

// TryLock takes the lock named by a file, which it makes, or returns nil when
// somebody holds it.
func TryLock(path string) (*Lock, error) { return tryLock(path, false) }

func tryLock(path string, shared bool) (*Lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f, shared); err != nil {
			f.Close()
			if errors.Is(err, errLocked) {
				return nil, nil
			}
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		// The file may have been removed by its last holder between opening and
		// locking; a lock on a removed file excludes nobody.
		held, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if named, err := os.Stat(path); err == nil && os.SameFile(held, named) {
			return &Lock{f}, nil
		}
		f.Close()
	}
}

// lockPoll is how often a lock that another process holds is tried.
const lockPoll = 20 * time.Millisecond

// lock waits for the lock; waiting is called once if it must.
func lock(ctx context.Context, path string, shared bool, waiting func()) (*Lock, error) {
	for first := true; ; first = false {
		l, err := tryLock(path, shared)
		if l != nil || err != nil {
			return l, err
		}
		if first && waiting != nil {
			waiting()
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// pause waits before a lock is tried again.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(lockPoll):
		return nil
	}
}

// Unlock gives the lock up.
func (l *Lock) Unlock() error { return l.f.Close() }

// Remove gives the lock up and removes its file.
func (l *Lock) Remove() error { return errors.Join(os.Remove(l.f.Name()), l.f.Close()) }
