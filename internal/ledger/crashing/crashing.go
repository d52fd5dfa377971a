// Package crashing decorates a ledger so that a crash plan can end the process
// before and after each step that writes.
package crashing

import (
	"context"

	"github.com/cladehq/clade/internal/crash"
	"github.com/cladehq/clade/internal/ledger"
)

// Ledger decorates inner; a nil plan gives inner itself. The labels are
// "import", "commit", "restore", "sync" and "pack".
func Ledger(inner ledger.Ledger, p *crash.Plan) ledger.Ledger {
	if p == nil {
		return inner
	}
	return &crashing{inner, p}
}

type crashing struct {
	ledger.Ledger
	plan *crash.Plan
}

func (c *crashing) Import(ctx context.Context, s ledger.Source) (m ledger.Made, err error) {
	err = c.plan.Around("import", func() error { m, err = c.Ledger.Import(ctx, s); return err })
	return m, err
}

func (c *crashing) Commit(ctx context.Context, d ledger.Draft) (m ledger.Made, err error) {
	err = c.plan.Around("commit", func() error { m, err = c.Ledger.Commit(ctx, d); return err })
	return m, err
}

func (c *crashing) Restore(ctx context.Context, m ledger.Made) error {
	return c.plan.Around("restore", func() error { return c.Ledger.Restore(ctx, m) })
}

func (c *crashing) Sync(ctx context.Context) error {
	return c.plan.Around("sync", func() error { return c.Ledger.Sync(ctx) })
}

func (c *crashing) Pack(ctx context.Context, commit, dir string) error {
	return c.plan.Around("pack", func() error { return c.Ledger.Pack(ctx, commit, dir) })
}
