package bare

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// remember makes a commit that the writer has taken readable. l.mu is held.
func (l *Ledger) remember(p *plan, made map[oid]*node) {
	l.trees.pin(made)
	l.flightMu.Lock()
	l.flight[p.commit] = flight{commit: true, tree: p.tree}
	for _, f := range p.puts {
		if !f.held {
			l.flight[f.id] = flight{data: f.data}
		}
	}
	l.flightMu.Unlock()
	for _, f := range p.puts {
		if !f.held {
			l.blobs.put(f.id, f.data, int64(len(f.data)))
			l.sizes.put(f.id, int64(len(f.data)), 1)
		}
	}
	l.commits.put(p.commit, p.tree, 1)
	if p.from != p.tree && p.from != emptyTree {
		l.ancestor.put(p.tree, p.from, 1)
	}
	l.pending = append(l.pending, p)
	l.weight += p.size()
}

func (l *Ledger) inFlight(id oid) (flight, bool) {
	l.flightMu.Lock()
	defer l.flightMu.Unlock()
	f, ok := l.flight[id]
	return f, ok
}

// treeOfCommit returns a commit's tree. It reports ledger.ErrNoObject.
func (l *Ledger) treeOfCommit(commit string) (oid, error) {
	id, err := parseOID(commit)
	if err != nil {
		return oid{}, fmt.Errorf("commit %w", err)
	}
	if f, ok := l.inFlight(id); ok && f.commit {
		return f.tree, nil
	}
	if tree, ok := l.commits.get(id); ok {
		return tree, nil
	}
	o, err := l.contents.Get(commit)
	if err == nil && o.Type != "commit" {
		err = fmt.Errorf("it is a %s: %w", o.Type, git.ErrMissing)
	}
	if err != nil {
		return oid{}, fmt.Errorf("commit %s: %w", commit, noObject(err))
	}
	tree, err := readCommit(o.Data)
	if err != nil {
		return oid{}, fmt.Errorf("commit %s: %w", commit, err)
	}
	l.commits.put(id, tree, 1)
	return tree, nil
}

// noObject tells what git misses in the ledger's words.
func noObject(err error) error {
	if errors.Is(err, git.ErrMissing) {
		return fmt.Errorf("%w: %w", ledger.ErrNoObject, err)
	}
	return err
}

// readCommit returns the tree that a commit object names.
func readCommit(data []byte) (oid, error) {
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	id, ok := bytes.CutPrefix(line, []byte("tree "))
	if !ok {
		return oid{}, fmt.Errorf("commit object begins with %.60q", line)
	}
	return parseOID(string(id))
}

// sizeOf returns the size of a blob in bytes. It reports ledger.ErrNoObject.
func (l *Ledger) sizeOf(id oid) (int64, error) {
	sizes, err := l.sizesOf([]oid{id})
	if err != nil {
		return 0, err
	}
	return sizes[0], nil
}

func (l *Ledger) sizesOf(ids []oid) ([]int64, error) {
	out := make([]int64, len(ids))
	var ask []string
	var at []int
	for i, id := range ids {
		if f, ok := l.inFlight(id); ok && !f.commit {
			out[i] = int64(len(f.data))
		} else if size, ok := l.sizes.get(id); ok {
			out[i] = size
		} else {
			ask, at = append(ask, id.String()), append(at, i)
		}
	}
	err := l.infos.Each(ask, func(i int, o git.Object, err error) error {
		if err == nil && o.Type != "blob" {
			err = fmt.Errorf("%s is a %s: %w", o.ID, o.Type, git.ErrMissing)
		}
		if err != nil {
			return noObject(err)
		}
		out[at[i]] = o.Size
		l.sizes.put(ids[at[i]], o.Size, 1)
		return nil
	})
	return out, err
}

// Read implements ledger.Ledger. The caller may change what it gets.
func (l *Ledger) Read(ctx context.Context, blob string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id, err := parseOID(blob)
	if err != nil {
		return nil, fmt.Errorf("reading blob %w", err)
	}
	data, ok := l.blobs.get(id)
	if !ok {
		if data, err = l.load(id); err != nil {
			return nil, fmt.Errorf("reading blob %s: %w", blob, noObject(err))
		}
		l.blobs.put(id, data, int64(len(data)))
	}
	return append(make([]byte, 0, len(data)), data...), nil
}

// load reads a blob that is not cached.
func (l *Ledger) load(id oid) ([]byte, error) {
	if f, ok := l.inFlight(id); ok && !f.commit {
		return f.data, nil
	}
	o, err := l.contents.Get(id.String())
	if err == nil && o.Type != "blob" {
		err = fmt.Errorf("it is a %s: %w", o.Type, git.ErrMissing)
	}
	return o.Data, err
}
