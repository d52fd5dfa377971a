package bare

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cladehq/clade/internal/ledger"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	c, beats, said := &counter{}, make(chan time.Time), []string(nil)
	stop := c.report(func(s string) { said = append(said, s) }, beats)
	beats <- time.Time{}
	beats <- time.Time{} // the report of the first is over
	c.of.Store(40)
	c.files.Store(30)
	_, _ = c.Write(make([]byte, 2_500_000))
	for range rest {
		beats <- time.Time{}
	}
	stop()
	want := []string{"importing the base, 0 MB so far", "importing the base, 30 of 40 files, 2 MB so far"}
	if !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	(&counter{}).report(nil, nil)()
}

// Both ways to import count what they copy.
func TestImportCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("12345"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, c := fresh(t), &counter{}
	made, err := l.importTree(t.Context(), ledger.Source{Dir: dir}, c)
	if err != nil || c.files.Load() != 2 || c.of.Load() != 2 || c.bytes.Load() != 10 {
		t.Errorf("a folder: %d of %d files, %d bytes, %v", c.files.Load(), c.of.Load(), c.bytes.Load(), err)
	}
	m, err := l.commit(&plan{from: made, tree: made, message: baseMessage})
	if err == nil {
		err = l.Name(t.Context(), map[string]string{"refs/clade/base": m.Commit})
	}
	if err != nil {
		t.Fatal(err)
	}
	other, c := fresh(t), &counter{}
	if _, err := other.importTree(t.Context(), ledger.Source{Git: l.Dir(), Rev: m.Commit}, c); err != nil || c.bytes.Load() == 0 {
		t.Errorf("a repository: %d bytes, %v", c.bytes.Load(), err)
	}
}
