package workspace

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/cladehq/clade/internal/ledger"
)

// Collect finds the changes of Provider.Collect.
func Collect(ctx context.Context, t Template, commit, dir string) ([]ledger.Change, error) {
	dir = filepath.Clean(dir)
	m, err := readMark(dir)
	if err != nil {
		return nil, err
	}
	if m.Part {
		return nil, fmt.Errorf("%w: only a part of a tree was written to %s", ErrUnmarked, dir)
	}
	built, ok := t.(*Built)
	if !ok {
		return nil, fmt.Errorf("a template of another provider: %T", t)
	}
	if built, err = built.store.current(ctx, built); err != nil {
		return nil, fmt.Errorf("making the template anew: %w", err)
	}
	layer, err := built.compared(ctx, commit, m.Apart)
	if err != nil {
		return nil, err
	}
	found := built.furnished(m).Collect(layer, func(p string, mode ledger.Mode, limit int64) ([]byte, error) {
		return ReadFound(dir, p, mode == ledger.ModeSymlink, limit)
	})
	found.modeless = m.Modeless
	err = Scan(dir, layer, found, func(p string, info fs.FileInfo) (bool, error) {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		want, ok := layer.Tree.Lookup(p)
		return ok && found.mode(p, info.Mode()) == want.Mode && hasBlob(dir, p, info, want), nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what changed: %w", err)
	}
	return found.Changes(ctx)
}

// compared is a layer that a plain folder is compared with: nothing of it is
// written, so no file's content is read.
func (t *Built) compared(ctx context.Context, commit string, apart []string) (*Layer, error) {
	l := &Layer{Tree: t.Base, plan: Plan{Commit: commit, Hidden: apart}}
	if commit == t.commit {
		return l, nil
	}
	deltas, err := t.store.Ledger.Diff(ctx, t.commit, commit)
	if err != nil {
		return nil, fmt.Errorf("comparing %s with the template: %w", commit, err)
	}
	over := make(map[string]ledger.Entry, len(deltas))
	for _, c := range deltas {
		over[c.Path] = ledger.Entry{Path: c.Path, Mode: c.NewMode, Blob: c.NewBlob, Size: -1}
	}
	l.Tree = t.Base.With(over)
	return l, nil
}

// furnished is the template with what setup and carry had added when a marker
// was written.
func (t *Built) furnished(m mark) *Built {
	return &Built{
		Base: t.Base, store: t.store, spec: t.spec, key: t.key, commit: t.commit, dir: t.dir, ignore: t.ignore,
		meta: meta{Layout: layout, Commit: t.commit, added: m.added},
	}
}

// hasBlob reports whether a regular file of a folder has the content of an
// entry, however large both are. A file that cannot be read has not; whoever
// looks at it next says why.
func hasBlob(dir, p string, info fs.FileInfo, want ledger.Entry) bool {
	if !info.Mode().IsRegular() || want.Size >= 0 && want.Size != info.Size() {
		return false
	}
	id, err := hashFile(dir, p)
	return err == nil && id == want.Blob
}

// hashFile is the name of the blob that a regular file below dir is, which is
// read piece by piece.
func hashFile(dir, p string) (id string, err error) {
	f, err := openBeneath(dir, p)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errNotRegular
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
