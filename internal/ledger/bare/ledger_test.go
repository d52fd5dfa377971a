package bare_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/ledger/ledgertest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T, dir string) ledger.Ledger { return open(t, dir) })
}

func open(t testing.TB, dir string) *bare.Ledger {
	t.Helper()
	l, err := bare.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Folders without a file, as a git leaves that wrote while its ledger was
// deleted, are in nobody's way; a file is never removed.
func TestOpenWhereOnlyFoldersAre(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ledger.git")
	pack := filepath.Join(dir, "objects", "pack")
	if err := os.MkdirAll(pack, 0o755); err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(pack, "precious")
	if err := os.WriteFile(precious, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := bare.Open(t.Context(), dir); clade.FaultOf(err) != clade.FaultCorrupt {
		t.Errorf("a folder with a file in it: %v", err)
	}
	if err := os.Remove(precious); err != nil {
		t.Fatal("the file is gone: ", err)
	}
	l, err := bare.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
