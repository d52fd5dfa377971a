package bare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/git"
)

// Name implements ledger.Ledger. It refuses refs that are not below refs/clade/
// and syncs first.
func (l *Ledger) Name(ctx context.Context, refs map[string]string) error {
	if len(refs) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !strings.HasPrefix(ref, "refs/clade/") || strings.ContainsAny(ref, "\x00\n ") {
			return fmt.Errorf("naming commits: %q is not below refs/clade/", ref)
		}
		id, err := parseOID(refs[ref])
		if err != nil {
			return fmt.Errorf("naming commits: %w", err)
		}
		fmt.Fprintf(&in, "update %s\x00%s\x00\x00", ref, id)
	}
	if err := l.Sync(ctx); err != nil {
		return err
	}
	l.beside.RLock()
	defer l.beside.RUnlock()
	if err := l.repo.Do(ctx, git.Call{Args: []string{"update-ref", "--stdin", "-z"}, Stdin: &in}); err != nil {
		return fmt.Errorf("naming commits: %w", err)
	}
	return nil
}

// Check implements ledger.Ledger: of the given commits it returns, in order,
// those that are missing or whose trees, files or ancestors are.
func (l *Ledger) Check(ctx context.Context, commits []string) ([]string, error) {
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	bad := map[string]bool{}
	var present []string
	for _, c := range commits {
		if _, err := parseOID(c); err != nil {
			bad[c] = true
			continue
		}
		present = append(present, c)
	}
	asked := present
	present = nil
	err := l.infos.Each(asked, func(i int, o git.Object, err error) error {
		switch {
		case err != nil && !errors.Is(err, git.ErrMissing):
			return err
		case err != nil || o.Type != "commit":
			bad[asked[i]] = true
		default:
			present = append(present, asked[i])
		}
		return nil
	})
	if err == nil {
		err = l.unconnected(ctx, present, bad)
	}
	if err != nil {
		return nil, fmt.Errorf("checking commits: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !bad[c] }), nil
}

// unconnected adds those commits to bad that lack something, by halves.
func (l *Ledger) unconnected(ctx context.Context, commits []string, bad map[string]bool) error {
	if len(commits) == 0 {
		return nil
	}
	err := l.repo.Do(ctx, git.Call{Args: []string{"rev-list", "--objects", "--quiet", "--stdin"},
		Stdin: strings.NewReader(strings.Join(commits, "\n") + "\n")})
	var failed *git.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed) || failed.Code < 0:
		return err
	case len(commits) == 1:
		bad[commits[0]] = true
		return nil
	}
	half := len(commits) / 2
	if err := l.unconnected(ctx, commits[:half], bad); err != nil {
		return err
	}
	return l.unconnected(ctx, commits[half:], bad)
}
