package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
)

// A building is a template being keyed and made.
type building struct {
	store *Store
	spec  TemplateSpec
	say   func(string)
	base  *Tree
	carry []carried
}

// build makes the template in a folder of its own and gives it its name last.
// The caller holds the exclusive lock.
func (b *building) build(ctx context.Context, dir string) (err error) {
	tmp := filepath.Join(filepath.Dir(dir), tmpPrefix+filepath.Base(dir))
	if err := errors.Join(Remove(tmp), Remove(dir)); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, Remove(tmp))
		}
	}()
	tree, home := filepath.Join(tmp, treeDir), filepath.Join(tmp, homeDir)
	if err := errors.Join(os.MkdirAll(tree, 0o755), os.MkdirAll(home, 0o755)); err != nil {
		return err
	}
	b.say("writing the base into the template, " + clade.Counted(len(b.base.base), "file"))
	if err := materialise(ctx, b.store.Ledger, tree, b.base.base, baseTime); err != nil {
		return fmt.Errorf("writing the base: %w", err)
	}
	if err := writeIgnore(ctx, b.store.Ledger, tmp, b.base); err != nil {
		return fmt.Errorf("writing the base's ignore rules: %w", err)
	}
	m := meta{Layout: layout, Commit: b.spec.Commit}
	if err := b.furnish(ctx, tmp, &m); err != nil {
		return err
	}
	m.added = m.texts()
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(tmp, metaFile), raw, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, readyFile), nil, 0o600); err != nil {
		return err
	}
	// A name that survives a loss of power must not stand for files that do not.
	if err := syncFiles(tmp); err != nil {
		return fmt.Errorf("flushing the template: %w", err)
	}
	return os.Rename(tmp, dir)
}

// furnish adds what is carried and what setup makes, and notes what they did.
func (b *building) furnish(ctx context.Context, tmp string, m *meta) error {
	tree, home := filepath.Join(tmp, treeDir), filepath.Join(tmp, homeDir)
	setup := b.spec.Setup != nil && !b.spec.Setup.IsZero()
	if len(b.carry) == 0 && !setup {
		return nil
	}
	if len(b.carry) > 0 {
		b.say("copying " + clade.Counted(len(b.carry), "carried file"))
	}
	if err := copyCarried(ctx, b.from(), tree, b.spec.Prefix, b.carry, b.base); err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	if setup {
		b.say("running setup")
		if err := b.setup(ctx, tmp); err != nil {
			return err
		}
		if err := Remove(filepath.Join(tree, gitDir)); err != nil {
			return err
		}
	}
	rest, err := os.ReadDir(home)
	if err != nil {
		return err
	}
	m.Home = len(rest) > 0
	m.Owned, m.Altered, err = compareWithBase(tree, b.base)
	return err
}
