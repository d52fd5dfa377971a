package pool_test

import (
	"path/filepath"
	"testing"

	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/pool"
	"github.com/cladehq/clade/internal/workspace/workspacetest"
)

func parts(t testing.TB) workspacetest.Parts {
	dir := t.TempDir()
	led, err := bare.Open(t.Context(), filepath.Join(dir, "ledger.git"))
	if err != nil {
		t.Fatal(err)
	}
	box, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { led.Close(); box.Close() })
	cache := filepath.Join(dir, "cache")
	return workspacetest.Parts{
		Dir: cache, Ledger: led, Sandbox: box,
		Open: func() (workspace.Provider, error) {
			return pool.New(pool.Options{Dir: cache, Ledger: led, Sandbox: box, Env: workspacetest.Env()})
		},
	}
}

func TestPool(t *testing.T) {
	t.Parallel()
	workspacetest.Run(t, parts)
}

// BenchmarkPool shows the price of a scan of every file.
func BenchmarkPool(b *testing.B) { workspacetest.Bench(b, parts, 2_000, 5_000, 50_000) }
