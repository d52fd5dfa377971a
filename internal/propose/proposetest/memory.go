package proposetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/cladehq/clade/internal/ledger"
)

// A Memory keeps trees in memory; it is a propose.Reader. Names are digests, so
// that equal trees and files have equal names. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	trees map[string]map[string]ledger.Entry
	blobs map[string][]byte
}

// NewMemory makes an empty one.
func NewMemory() *Memory {
	return &Memory{trees: map[string]map[string]ledger.Entry{}, blobs: map[string][]byte{}}
}

// Commit keeps a tree of regular files and returns its name.
func (m *Memory) Commit(files map[string]string) string {
	var changes []ledger.Change
	for _, p := range slices.Sorted(maps.Keys(files)) {
		changes = append(changes, ledger.Change{Path: p, Mode: ledger.ModeFile, Data: []byte(files[p])})
	}
	return m.Change("", changes)
}

// Change keeps the tree of a commit with changes and returns its name.
func (m *Memory) Change(from string, changes []ledger.Change) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	tree := maps.Clone(m.trees[from])
	if tree == nil {
		tree = map[string]ledger.Entry{}
	}
	for _, c := range changes {
		if c.Delete {
			delete(tree, c.Path)
			continue
		}
		blob, data := c.Blob, c.Data
		if blob == "" {
			blob = digest(data)
			m.blobs[blob] = slices.Clone(data)
		}
		tree[c.Path] = ledger.Entry{Path: c.Path, Mode: c.Mode, Blob: blob, Size: int64(len(m.blobs[blob]))}
	}
	name := ""
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		name += fmt.Sprintf("%q %s %s\n", p, tree[p].Mode, tree[p].Blob)
	}
	name = digest([]byte(name))
	m.trees[name] = tree
	return name
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:20])
}

// List implements propose.Reader.
func (m *Memory) List(ctx context.Context, commit string) ([]ledger.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tree, ok := m.trees[commit]
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("commit %q: %w", commit, ledger.ErrNoObject)
	}
	return slices.SortedFunc(maps.Values(tree), func(a, b ledger.Entry) int { return slices.Compare([]byte(a.Path), []byte(b.Path)) }), nil
}

// Read implements propose.Reader.
func (m *Memory) Read(ctx context.Context, blob string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.blobs[blob]
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("blob %q: %w", blob, ledger.ErrNoObject)
	}
	return slices.Clone(data), nil
}

// Files are the bytes of a commit's files by path.
func (m *Memory) Files(commit string) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]string{}
	for p, e := range m.trees[commit] {
		out[p] = string(m.blobs[e.Blob])
	}
	return out
}
