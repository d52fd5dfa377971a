package bare

import (
	"context"
	"fmt"
)

// Patch implements ledger.Ledger.
func (l *Ledger) Patch(ctx context.Context, from, to string) ([]byte, error) {
	a, err := l.treeOfCommit(from)
	if err != nil {
		return nil, fmt.Errorf("making a patch: %w", err)
	}
	b, err := l.treeOfCommit(to)
	if err != nil {
		return nil, fmt.Errorf("making a patch: %w", err)
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	out, err := l.repo.Run(ctx, "diff-tree", "-p", "-r", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--no-color", "--src-prefix=a/", "--dst-prefix=b/", a.String(), b.String())
	if err != nil {
		return nil, fmt.Errorf("making a patch from %s to %s: %w", from, to, err)
	}
	return out, nil
}
