package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/store"
)

// A lease is an OS lock on the file lease.lock, which ends with the process
// however that ends. The file lease beside it says who has the lock; without
// the lock it means nothing.
type lease struct {
	lock *proc.Lock
	sign string
}

// Release implements store.Lease.
func (l *lease) Release() error {
	// Unsigned first, so that the next reader is not told of a holder that left.
	err := os.Remove(l.sign)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.lock.Unlock())
}

func (s *Store) lockFile(run string) string { return filepath.Join(s.Dir(run), "lease.lock") }
func (s *Store) signFile(run string) string { return filepath.Join(s.Dir(run), "lease") }

// Lease implements store.Store. A held lease gives a busy *clade.Problem that
// is store.ErrHeld, and its holder.
func (s *Store) Lease(_ context.Context, run string) (store.Lease, store.Holder, error) {
	if !s.has(run) {
		return nil, store.Holder{}, s.noRun(run)
	}
	path := s.signFile(run)
	lock, err := acquire(s.lockFile(run))
	if err != nil {
		return nil, store.Holder{}, problem(path, fmt.Errorf("take the lease: %w", err))
	}
	if lock == nil {
		h := readHolder(path)
		return nil, h, held(run, path, h)
	}
	h, err := s.self()
	if err == nil {
		err = sign(path, h)
	}
	if err != nil {
		return nil, store.Holder{}, problem(path, errors.Join(err, lock.Unlock()))
	}
	return &lease{lock, path}, h, nil
}

func held(run, path string, h store.Holder) error {
	return &clade.Problem{
		Fault: clade.FaultBusy, Where: path, Err: store.ErrHeld,
		Text: fmt.Sprintf("run %s is searched by process %d on %s, started %s", run, h.PID, h.Host, h.Started.Format(time.RFC3339)),
		Hint: "wait for it, follow it with: clade watch, or end it with: clade cancel",
	}
}

// acquire takes the lock exclusively; nil without an error means it is held. A
// process that only asks who holds the lease has a shared lock for a moment:
// that is no holder, so it is tried again.
func acquire(path string) (*proc.Lock, error) {
	const asks = 1000
	for range asks {
		if lock, err := proc.TryLock(path, false); lock != nil || err != nil {
			return lock, err
		}
		shared, err := proc.TryLock(path, true)
		if shared == nil {
			return nil, err
		}
		if err := shared.Unlock(); err != nil {
			return nil, err
		}
		runtime.Gosched()
	}
	return nil, nil
}

func sign(path string, h store.Holder) error {
	body, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(body, '\n'), 0o644)
}

// Holder implements store.Store.
func (s *Store) Holder(_ context.Context, run string) (h store.Holder, ok bool, err error) {
	if !s.has(run) {
		return h, false, s.noRun(run)
	}
	path := s.lockFile(run)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return h, false, nil // nobody ever held it
	}
	free, err := proc.TryLock(path, true)
	if err != nil {
		return h, false, problem(path, err)
	}
	if free != nil {
		return h, false, problem(path, free.Unlock())
	}
	return readHolder(s.signFile(run)), true, nil
}

// readHolder is zero in the moment between taking the lock and signing.
func readHolder(path string) (h store.Holder) {
	body, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(body, &h) != nil {
		return store.Holder{}
	}
	return h
}

// self is this process as a holder.
func (s *Store) self() (store.Holder, error) {
	id, err := proc.Self()
	return store.Holder{
		PID: id.PID, Host: host(), Started: s.started, Since: now(), Start: id.Start, Boot: id.Boot,
	}, err
}

func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}
