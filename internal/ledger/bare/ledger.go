package bare

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
)

const (
	blobCacheBytes = 16 << 20
	listCacheBytes = 32 << 20
	sizeCacheBlobs = 200_000
	commitCache    = 200_000

	// largeCommit is the size in bytes from which on a commit is put on disk
	// at once, and its stream is nobody's to keep.
	largeCommit = 1 << 20
	// pendingBytes bounds what is held in memory of commits not yet on disk.
	pendingBytes = 32 << 20
)

// Ledger is a ledger.Ledger in one bare repository.
type Ledger struct {
	dir      string
	repo     *git.Repo
	lock     *proc.Lock // shared, on the marker
	contents *git.CatFile
	infos    *git.CatFile

	trees    *trees
	blobs    *lru[oid, []byte]
	sizes    *lru[oid, int64]
	lists    *lru[oid, []ledger.Entry] // by tree
	ancestor *lru[oid, oid]            // the tree that a tree was made from
	commits  *lru[oid, oid]            // tree of a commit

	// beside is held, shared, by whatever writes to the repository beside the
	// writer: nothing is swept meanwhile.
	beside sync.RWMutex

	mu      sync.Mutex
	writer  *git.FastImport // nil until needed
	marks   map[oid]int     // commits in the writer's unfinished pack
	next    int             // last mark used
	pending []*plan         // commits not on disk, oldest first
	weight  int             // of pending, bytes
	closed  bool

	flightMu sync.Mutex
	flight   map[oid]flight // what pending holds
}

// flight is an object that is not on disk yet: a commit, which has a tree, or a
// blob, which has data.
type flight struct {
	commit bool
	tree   oid
	data   []byte
}

var errClosed = errors.New("ledger is closed")

// Open opens the ledger at dir and makes it if there is none. Anything else at
// dir is a *clade.Problem. Several processes may have it open at once; the
// first to come removes what dead processes left behind.
func Open(ctx context.Context, dir string) (*Ledger, error) {
	g, err := git.Find(ctx)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("opening ledger: %w", err)
	}
	if err := create(ctx, g, dir); err != nil {
		return nil, err
	}
	repo := g.At(git.Place{Dir: dir})
	held, err := enter(ctx, repo)
	if err != nil {
		return nil, err
	}
	contents := repo.Contents()
	return &Ledger{
		dir: dir, repo: repo, lock: held, contents: contents, infos: repo.Infos(),
		trees:    newTrees(contents),
		blobs:    newLRU[oid, []byte](blobCacheBytes),
		sizes:    newLRU[oid, int64](sizeCacheBlobs),
		lists:    newLRU[oid, []ledger.Entry](listCacheBytes),
		ancestor: newLRU[oid, oid](commitCache),
		commits:  newLRU[oid, oid](commitCache),
		marks:    map[oid]int{}, flight: map[oid]flight{},
	}, nil
}

// Commit implements ledger.Ledger. Paths and modes that a tree cannot hold are
// ledger.ErrPath, objects it does not hold ledger.ErrNoObject.
func (l *Ledger) Commit(ctx context.Context, d ledger.Draft) (ledger.Made, error) {
	if err := ctx.Err(); err != nil {
		return ledger.Made{}, err
	}
	p, err := l.draft(d)
	if err != nil {
		return ledger.Made{}, fmt.Errorf("committing: %w", err)
	}
	return l.commit(p)
}

func (l *Ledger) commit(p *plan) (ledger.Made, error) {
	made, err := l.resolve(p)
	if err != nil {
		return ledger.Made{}, fmt.Errorf("committing: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.record(p); err != nil {
		return ledger.Made{}, fmt.Errorf("committing: %w", err)
	}
	l.remember(p, made)
	m := ledger.Made{Commit: p.commit.String(), Tree: p.tree.String()}
	if p.size() <= largeCommit {
		m.Stream = p.stream()
	}
	if m.Stream == nil || l.heavy() {
		err = l.flush()
	}
	return m, err
}

// Restore implements ledger.Ledger.
func (l *Ledger) Restore(ctx context.Context, m ledger.Made) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if tree, err := l.treeOfCommit(m.Commit); err == nil {
		if m.Tree != "" && m.Tree != tree.String() {
			return fmt.Errorf("restoring commit %s: its tree is %s and not %s", m.Commit, tree, m.Tree)
		}
		return nil
	}
	p, err := readStream(m.Stream)
	if err != nil {
		return fmt.Errorf("restoring commit %s: %w", m.Commit, err)
	}
	made, err := l.resolve(p)
	if err != nil {
		return fmt.Errorf("restoring commit %s: %w", m.Commit, err)
	}
	if got := p.commit.String(); got != m.Commit {
		return fmt.Errorf("restoring commit %s: its stream makes %s", m.Commit, got)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.record(p); err != nil {
		return fmt.Errorf("restoring commit %s: %w", m.Commit, err)
	}
	l.remember(p, made)
	if l.heavy() {
		return l.flush()
	}
	return nil
}

// Sync implements ledger.Ledger. It costs nothing when nothing is pending, and
// otherwise makes one pack; call it for many commits at once.
func (l *Ledger) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

// Close syncs and ends the processes. The ledger can be opened again.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	err := l.flush()
	l.closed = true
	if l.writer != nil {
		err = errors.Join(err, l.writer.Close())
	}
	return errors.Join(err, l.contents.Close(), l.infos.Close(), l.lock.Unlock())
}

// Dir is the repository.
func (l *Ledger) Dir() string { return l.dir }

// packs is where git keeps what a checkpoint finished.
func (l *Ledger) packs() string { return filepath.Join(l.dir, "objects", "pack") }
