package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

// The files of a template's folder. ready is written last, before the folder
// gets its name.
const (
	treeDir   = "tree"
	homeDir   = "home"
	metaFile  = "meta.json"
	readyFile = "ready"
	tmpPrefix = ".tmp-"
)

// layout is raised when the content of a template's folder changes.
const layout = 1

// A Store makes templates and keeps them in a cache folder that several
// processes may share. It is safe for concurrent use.
type Store struct {
	Dir     string // the cache folder
	Ledger  ledger.Ledger
	Sandbox sandbox.Sandbox
	Env     []string // what setup's environment begins with
	// Mounted says that commands see a template's workspaces at
	// Sandbox.Work() and Home(), so that what setup cached by path is found.
	Mounted bool

	git  gitFinder
	mu   sync.Mutex
	held map[string]*Built // by key: templates this process has in use, as last made
}

// gitFinder looks git up once.
type gitFinder struct {
	once sync.Once
	git  *git.Git
	err  error
}

func (f *gitFinder) find(ctx context.Context) (*git.Git, error) {
	f.once.Do(func() { f.git, f.err = git.Find(context.WithoutCancel(ctx)) })
	return f.git, f.err
}

// A Built is a template on disk. This process holds a shared lock on it, so
// nobody removes it.
type Built struct {
	// Base is the base commit's tree.
	Base *Tree

	store  *Store
	spec   TemplateSpec
	key    string
	commit string
	dir    string
	making int // how often this process has found it ready
	meta   meta
	ignore *ignorer
	lock   *proc.Lock // shared

	mu    sync.Mutex
	repos map[string]*Repository // by what they leave out
}

// meta is what a template's folder says about itself.
type meta struct {
	Layout int    `json:"layout"`
	Commit string `json:"commit"`
	Home   bool   `json:"home"` // setup left something in HOME
	added
}

// Key implements Template.
func (t *Built) Key() string { return t.key }

// Commit implements Template.
func (t *Built) Commit() string { return t.commit }

// Tree is the folder that holds the base tree with what setup and carry added.
func (t *Built) Tree() string { return filepath.Join(t.dir, treeDir) }

// Home is the folder that setup had as its HOME, and whether it left anything.
func (t *Built) Home() (dir string, used bool) { return filepath.Join(t.dir, homeDir), t.meta.Home }

func (s *Store) templates() string { return filepath.Join(s.Dir, "templates") }

// Template returns the template of a spec, a *Built, making it if no process has
// yet.
func (s *Store) Template(ctx context.Context, spec TemplateSpec) (Template, error) {
	say := spec.Progress
	if say == nil {
		say = func(string) {}
	}
	entries, err := s.Ledger.List(ctx, spec.Commit)
	if err != nil {
		return nil, fmt.Errorf("listing the base: %w", err)
	}
	spec.Progress = say
	b := &building{store: s, spec: spec, say: say, base: newTree(entries)}
	key, err := b.key(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.held[key]; t != nil {
		return t, nil
	}
	if err := os.MkdirAll(s.templates(), 0o700); err != nil {
		return nil, err
	}
	t, err := s.hold(ctx, b, key)
	if err != nil {
		return nil, err
	}
	if s.held == nil {
		s.held = map[string]*Built{}
	}
	t.making = 1
	s.held[key] = t
	return t, nil
}

// hold takes the shared lock of a template that is ready, building it first
// where nobody has. The lock is held until the process ends.
func (s *Store) hold(ctx context.Context, b *building, key string) (*Built, error) {
	dir, lockFile := filepath.Join(s.templates(), key), s.lockFile(key)
	waiting := func() { b.say("waiting for another process to make the template") }
	for {
		shared, err := lockShared(ctx, lockFile, waiting)
		if err != nil {
			return nil, fmt.Errorf("locking the template: %w", err)
		}
		t, err := s.load(b, key, dir)
		if err == nil {
			t.lock = shared
			return t, nil
		}
		if err := errors.Join(ignoreGone(err), shared.Unlock()); err != nil {
			return nil, err
		}
		alone, err := proc.TryLock(lockFile, false)
		if err != nil {
			return nil, err
		}
		if alone == nil { // somebody else builds it, or has
			if err := pause(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if !whole(dir) {
			err = b.build(ctx, dir)
			if err != nil {
				return nil, errors.Join(err, alone.Unlock())
			}
		}
		if err := alone.Unlock(); err != nil {
			return nil, err
		}
	}
}

func (s *Store) lockFile(key string) string { return filepath.Join(s.templates(), key+LockSuffix) }

// lockShared waits for the lock; waiting is called if it must.
func lockShared(ctx context.Context, path string, waiting func()) (*proc.Lock, error) {
	if l, err := proc.TryLock(path, true); l != nil || err != nil {
		return l, err
	}
	waiting()
	return proc.WaitLock(ctx, path, true)
}

// pause waits before a lock is tried again.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

// load opens a template that is ready; fs.ErrNotExist says that it is not.
func (s *Store) load(b *building, key, dir string) (*Built, error) {
	if !whole(dir) {
		return nil, fs.ErrNotExist
	}
	raw, err := os.ReadFile(filepath.Join(dir, metaFile))
	if err != nil {
		return nil, err
	}
	t := &Built{Base: b.base, store: s, spec: b.spec, key: key, commit: b.spec.Commit, dir: dir, repos: map[string]*Repository{}}
	if err := json.Unmarshal(raw, &t.meta); err != nil {
		return nil, fmt.Errorf("reading template %s: %w", key, err)
	}
	if t.meta.added, err = t.meta.paths(); err != nil {
		return nil, fmt.Errorf("reading template %s: %w", key, err)
	}
	t.ignore = newIgnorer(dir, b.base, s.git.find)
	return t, nil
}

// owned reports whether setup or carry made a path, or a folder it lies in.
func (t *Built) owned(path string) bool {
	if _, ok := slices.BinarySearch(t.meta.Owned, path); ok {
		return true
	}
	for dir := path; dir != ""; dir = parent(dir) {
		if _, ok := slices.BinarySearch(t.meta.Owned, dir+"/"); ok {
			return true
		}
	}
	return false
}

// ownedBelow reports whether setup or carry made something in dir.
func (t *Built) ownedBelow(dir string) bool {
	i, _ := slices.BinarySearch(t.meta.Owned, dir+"/")
	return i < len(t.meta.Owned) && strings.HasPrefix(t.meta.Owned[i], dir+"/")
}
