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

// A Lock is a held lock file. The death of the process frees it, however it
// dies.
type Lock struct{ file *os.File }

// TryLock takes a lock on the file at path, which it makes if it is missing,
// shared or exclusive. It returns nil without an error when someone else holds
// it, also within this process.
func TryLock(path string, shared bool) (*Lock, error) {
	for {
		l, err := tryLock(path, shared)
		if l == nil || err != nil {
			return nil, err
		}
		// Its last holder may have removed the file between opening and
		// locking; a lock on a removed file excludes nobody.
		held, err := l.file.Stat()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), l.Unlock())
		}
		if named, err := os.Stat(path); err == nil && os.SameFile(held, named) {
			return l, nil
		}
		if err := l.Unlock(); err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
	}
}

func tryLock(path string, shared bool) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("opening lock file: %w", err)
	}
	err = flock(f, shared, false)
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

// Share makes the lock a shared one. It is not held for a moment on the way,
// and it waits for whoever took it exclusively then.
func (l *Lock) Share() error {
	if err := relock(l.file, true, true); err != nil {
		return fmt.Errorf("sharing %s: %w", l.file.Name(), err)
	}
	return nil
}

// IfAlone runs f under an exclusive lock if nobody else holds one, or else not
// at all. The lock is shared before and after it.
func (l *Lock) IfAlone(f func() error) error {
	err := relock(l.file, false, false)
	switch {
	case err == nil:
		err = f()
	case errors.Is(err, errHeld):
		err = nil
	}
	return errors.Join(err, l.Share()) // a refused exchange may have cost the lock
}

// Unlock frees the lock. The file stays. A child that is being forked may have
// it open for a moment still, so closing alone would not do.
func (l *Lock) Unlock() error { return errors.Join(unlock(l.file), l.file.Close()) }
