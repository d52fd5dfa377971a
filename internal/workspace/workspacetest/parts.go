package workspacetest

import (
	"path/filepath"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// Over makes parts in folders of the test: providers that open makes over a
// cache folder and a bare repository.
func Over(box sandbox.Sandbox, open func(cache string, led ledger.Ledger) (workspace.Provider, error)) func(testing.TB) Parts {
	return func(t testing.TB) Parts {
		dir := t.TempDir()
		led, err := bare.Open(t.Context(), filepath.Join(dir, "ledger.git"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = led.Close() })
		cache := filepath.Join(dir, "cache")
		return Parts{Dir: cache, Ledger: led, Sandbox: box, Open: func() (workspace.Provider, error) { return open(cache, led) }}
	}
}
