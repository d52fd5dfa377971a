package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path/filepath"
)

// from is the user's folder that carry's globs are relative to.
func (b *building) from() string {
	return filepath.Join(b.spec.Origin, filepath.FromSlash(b.spec.Prefix))
}

// key is the digest of everything that goes into the template.
func (b *building) key(ctx context.Context) (string, error) {
	h, s := sha256.New(), b.spec
	fmt.Fprintf(h, "layout %d commit %q prefix %q mounted %v\n", layout, s.Commit, s.Prefix, b.store.Mounted)
	for _, e := range b.base.base {
		fmt.Fprintf(h, "%q %s %s\n", e.Path, e.Mode, e.Blob)
	}
	if err := b.keyOrigin(ctx, h); err != nil {
		return "", fmt.Errorf("%w: %w", ErrSetup, err)
	}
	if c := s.Setup; c != nil && !c.IsZero() {
		args, err := json.Marshal(c)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "setup %s work %q home %q env %q\n", args, b.store.Sandbox.Work(), b.store.Sandbox.Home(), b.env())
	}
	return hex.EncodeToString(h.Sum(nil))[:32], nil
}

// keyOrigin adds what comes from the user's folder: carried files, and lock
// files that the base does not hold.
func (b *building) keyOrigin(ctx context.Context, h hash.Hash) error {
	if b.spec.Origin == "" {
		return nil
	}
	var err error
	if b.carry, err = findCarried(b.from(), b.spec.Carry); err != nil {
		return err
	}
	if len(b.carry) > 0 {
		b.say(fmt.Sprintf("reading %d carried files", len(b.carry)))
	}
	if err := digestCarried(ctx, h, b.from(), b.carry); err != nil {
		return err
	}
	for _, name := range b.spec.Lock {
		if _, tracked := b.base.Lookup(join(b.spec.Prefix, name)); tracked || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		sum, _, err := digestFile(filepath.Join(b.from(), filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		fmt.Fprintf(h, "lock %q %x\n", name, sum)
	}
	return nil
}
