package bare_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
)

// twoRuns makes a ledger in which two runs share a base: each has candidates of
// its own, in several packs, each candidate made from the last. It is closed.
func twoRuns(t *testing.T) (dir string, base string, one, two []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "ledger.git")
	l := open(t, dir)
	rng := rand.NewChaCha8([32]byte{1})
	random := func() []byte {
		b := make([]byte, 8<<10) // that no pack makes smaller
		_, _ = rng.Read(b)
		return b
	}
	commit := func(d ledger.Draft) string {
		m, err := l.Commit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return m.Commit
	}
	base = commit(ledger.Draft{Changes: []ledger.Change{{Path: "shared", Mode: ledger.ModeFile, Data: random()}}})
	for _, run := range []*[]string{&one, &two} {
		parent := base
		for i := range 6 {
			parent = commit(ledger.Draft{Parents: []string{parent}, From: parent, Changes: []ledger.Change{
				{Path: fmt.Sprint("f", i), Mode: ledger.ModeFile, Data: random()}}})
			*run = append(*run, parent)
			if i%2 == 1 {
				if err := l.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := l.Name(t.Context(), map[string]string{"refs/clade/one/1": one[5], "refs/clade/two/1": two[5]}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, base, one, two
}

func keeping(refs map[string]string) func() (map[string]string, error) {
	return func() (map[string]string, error) { return refs, nil }
}

// lacks lists which commits a ledger does not hold whole.
func lacks(t *testing.T, dir string, commits ...string) []string {
	t.Helper()
	l := open(t, dir)
	bad, err := l.Check(t.Context(), commits)
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	return bad
}

// What only a removed run needs goes; what another shares with it stays.
func TestPrune(t *testing.T) {
	t.Parallel()
	dir, base, one, two := twoRuns(t)
	refs := map[string]string{"refs/clade/two/1": two[5], "refs/clade/two/2": two[2]}
	would, err := bare.Prunable(t.Context(), dir, refs)
	if err != nil {
		t.Fatal(err)
	}
	if bad := lacks(t, dir, append(one, two...)...); len(bad) > 0 {
		t.Fatalf("a look removed %d commits", len(bad))
	}
	freed, err := bare.Prune(t.Context(), dir, keeping(refs))
	if err != nil {
		t.Fatal(err)
	}
	const data = 6 * 8 << 10 // of the six files of run one
	if freed < data || freed > data+data/4 || would < data || would > data+data/4 {
		t.Errorf("freed %d bytes, said %d: want a little over %d", freed, would, data)
	}
	if bad := lacks(t, dir, append(two, base)...); len(bad) > 0 {
		t.Errorf("%d commits that are needed are gone", len(bad))
	}
	if bad := lacks(t, dir, one...); len(bad) != len(one) {
		t.Errorf("%d of %d commits that nobody needs are gone", len(bad), len(one))
	}
	if freed, err := bare.Prune(t.Context(), dir, keeping(nil)); err != nil || freed < 7*8<<10 {
		t.Errorf("the rest: %d bytes, %v", freed, err)
	}
	if bad := lacks(t, dir, base); len(bad) != 1 {
		t.Error("the base is left although nobody keeps it")
	}
}

// Nothing goes while somebody has the ledger open: what they work on is in no
// log yet. The open one stays usable.
func TestPruneMindsWhoIsThere(t *testing.T) {
	t.Parallel()
	dir, base, one, _ := twoRuns(t)
	l := open(t, dir)
	m, err := l.Commit(t.Context(), ledger.Draft{Parents: []string{base}, From: base, Changes: []ledger.Change{{Path: "new", Mode: ledger.ModeFile}}})
	if err != nil {
		t.Fatal(err)
	}
	asked := func() (map[string]string, error) { t.Error("it was asked what to keep"); return nil, nil }
	if freed, err := bare.Prune(t.Context(), dir, asked); !errors.Is(err, ledger.ErrBusy) || freed != 0 {
		t.Errorf("freed %d, %v", freed, err)
	}
	if bad, err := l.Check(t.Context(), append(one, m.Commit)); err != nil || len(bad) > 0 {
		t.Errorf("%d are gone, %v", len(bad), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Nothing goes either when it is not known what is needed.
func TestPruneRefuses(t *testing.T) {
	t.Parallel()
	dir, _, one, two := twoRuns(t)
	unreadable := errors.New("a log that cannot be read")
	for name, c := range map[string]struct {
		refs func() (map[string]string, error)
		want error
	}{
		"a run that cannot be read": {func() (map[string]string, error) { return nil, unreadable }, unreadable},
		"a commit that is missing":  {keeping(map[string]string{"refs/clade/r/1": "0123456789012345678901234567890123456789"}), ledger.ErrNoObject},
	} {
		if freed, err := bare.Prune(t.Context(), dir, c.refs); !errors.Is(err, c.want) || freed != 0 {
			t.Errorf("%s: freed %d, %v", name, freed, err)
		}
	}
	if bad := lacks(t, dir, append(one, two...)...); len(bad) > 0 {
		t.Errorf("%d commits are gone", len(bad))
	}
	missing := filepath.Join(t.TempDir(), "no", "ledger.git")
	if freed, err := bare.Prune(t.Context(), missing, keeping(nil)); err != nil || freed != 0 {
		t.Errorf("no ledger: freed %d, %v", freed, err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a ledger was made")
	}
}
