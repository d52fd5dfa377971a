package control

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// Create imports the base and opens a new run. Nothing of the target changes.
func (c *Control) Create(ctx context.Context, r *Resolved) (*Run, error) {
	st, err := c.Store(r.State, true)
	if err != nil {
		return nil, err
	}
	led, err := c.Ledger(ctx, filepath.Join(r.State, ledgerName))
	if err != nil {
		return nil, err
	}
	made, err := led.Import(ctx, r.Source)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("import base: %w", err), led.Close())
	}
	file, err := filepath.Abs(r.File)
	if err != nil {
		return nil, errors.Join(err, led.Close())
	}
	name := newName(r.Target)
	log, err := st.Create(ctx, clade.Opened{
		Run: name, Spec: r.Spec, Digest: r.Digest, Base: made.Commit, Tree: made.Tree, From: r.From, Where: r.Target,
		File: file, Said: r.Said,
	})
	if err != nil {
		return nil, errors.Join(err, led.Close())
	}
	run := &Run{Name: name, State: r.State, c: c, store: st, log: log, led: led}
	if err := run.register(ctx, r.Target); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

func (r *Run) register(ctx context.Context, where string) error {
	ix, err := r.c.Index()
	if err != nil {
		return err
	}
	return errors.Join(ix.Add(ctx, store.Located{Run: r.Name, State: r.State, Where: where, At: time.Now().UTC()}), ix.Close())
}

// newName is the target's name with five random letters: unique without a
// counter that two processes would fight over.
func newName(target string) string {
	var slug strings.Builder
	for _, r := range strings.ToLower(strings.TrimSuffix(filepath.Base(target), filepath.Ext(target))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			slug.WriteRune(r)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	name := strings.Trim(slug.String(), "-")
	if name == "" {
		name = "run"
	}
	if len(name) > 24 {
		name = strings.TrimRight(name[:24], "-")
	}
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return name + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(b))[:5]
}
