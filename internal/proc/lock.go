package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// errHeld reports that someone else holds a lock.
var errHeld = errors.New("lock is held")

// A Lock is a held lock file. The death of the process frees it.
type Lock struct{ file *os.File }

// TryLock takes a lock on the file at path, which it makes if it is missing,
// shared or exclusive. It returns nil without an error when someone else holds
// it, also within this process.
func TryLock(path string, shared bool) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("opening lock file: %w", err)
	}
	err = flock(f, shared)
	if err == nil {
		return &Lock{f}, nil
	}
	_ = f.Close()
	if errors.Is(err, errHeld) {
		return nil, nil
	}
	return nil, fmt.Errorf("locking %s: %w", path, err)
}

// WaitLock takes a lock as TryLock does and waits for it until ctx ends.
func WaitLock(ctx context.Context, path string, shared bool) (*Lock, error) {
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		l, err := TryLock(path, shared)
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %s: %w", path, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// Unlock frees the lock. The file stays: removing it would let two hold it. A
// child that is being forked may have the file open for a moment still, so
// closing alone would not do.
func (l *Lock) Unlock() error { return errors.Join(unlock(l.file), l.file.Close()) }
