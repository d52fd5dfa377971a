package workspace

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/cladehq/clade/internal/proc"
)

// Slots hands out folders that belong to this process for as long as it lives.
type Slots struct {
	dir    string
	mu     sync.Mutex
	mine   string     // "": not claimed yet
	lock   *proc.Lock // held until the process ends
	closed bool
	last   int
}

// NewSlots makes folders below a cache folder's "slots".
func NewSlots(cache string) *Slots { return &Slots{dir: filepath.Join(cache, "slots")} }

// LockSuffix ends the name of the lock file beside a folder.
const LockSuffix = ".lock"

// Next makes a folder with a name that nobody has had.
func (s *Slots) Next() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", os.ErrClosed
	}
	if s.mine != "" {
		dir, err := s.make()
		if !errors.Is(err, os.ErrNotExist) {
			return dir, err
		}
		// Somebody emptied the cache, this process's lock included.
		if err := s.release(); err != nil {
			return "", err
		}
	}
	if err := s.claim(); err != nil {
		return "", err
	}
	return s.make()
}

func (s *Slots) make() (string, error) {
	s.last++
	dir := filepath.Join(s.mine, strconv.Itoa(s.last))
	return dir, os.Mkdir(dir, 0o755)
}

// claim makes this process's own folder. The lock comes first: a folder without
// one is anybody's to remove.
func (s *Slots) claim() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	mine := filepath.Join(s.dir, strings.ToLower(rand.Text()[:12]))
	var err error
	if s.lock, err = proc.TryLock(mine+LockSuffix, false); err != nil {
		return err
	}
	if s.lock == nil {
		return errors.New("a new slot is locked already")
	}
	s.mine = mine
	return os.Mkdir(mine, 0o755)
}

// release removes this process's folder and its lock.
func (s *Slots) release() error {
	err := errors.Join(Remove(s.mine), s.lock.Remove())
	s.mine, s.lock = "", nil
	return err
}

// Close removes this process's folder. Every folder handed out must have been
// removed, and no further one is handed out.
func (s *Slots) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.mine == "" {
		return nil
	}
	return s.release()
}

// Sweep removes the folders of processes that are gone and returns the bytes
// freed, or with dry those that would be.
func (s *Slots) Sweep(dry bool) (int64, error) { return SweepLocked(s.dir, dry) }

// SweepLocked removes every folder in dir whose lock, the file beside it with
// the suffix LockSuffix, nobody holds. It returns the bytes freed, or with dry
// those that would be.
func SweepLocked(dir string, dry bool) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, ignoreGone(err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[strings.TrimSuffix(e.Name(), LockSuffix)] = true
	}
	var freed int64
	var errs []error
	for name := range names {
		n, err := removeUnlocked(filepath.Join(dir, name), filepath.Join(dir, name+LockSuffix), dry)
		freed += n
		errs = append(errs, err)
	}
	return freed, errors.Join(errs...)
}

// removeUnlocked removes a folder and the file of its lock unless somebody
// holds the lock.
func removeUnlocked(dir, lockFile string, dry bool) (int64, error) {
	if _, err := os.Lstat(lockFile); dry && err != nil {
		return Size(dir), ignoreGone(err) // nobody can hold it, and it shall not be made
	}
	l, err := proc.TryLock(lockFile, false)
	if l == nil || err != nil {
		return 0, err
	}
	if dry {
		return Size(dir), l.Unlock()
	}
	n, err := removeCounted(dir)
	return n, errors.Join(err, l.Remove())
}
