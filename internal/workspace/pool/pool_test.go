package pool_test

import (
	"os"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/namespace"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/pool"
	"github.com/cladehq/clade/internal/workspace/workspacetest"
)

func TestMain(m *testing.M) {
	namespace.Main() // this binary is the sandbox's supervisor as well
	os.Exit(m.Run())
}

func parts(box sandbox.Sandbox) func(testing.TB) workspacetest.Parts {
	return workspacetest.Over(box, func(cache string, led ledger.Ledger) (workspace.Provider, error) {
		return pool.New(pool.Options{Dir: cache, Ledger: led, Sandbox: box, Env: workspacetest.Env()})
	})
}

func bareHands(t testing.TB) sandbox.Sandbox {
	box, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func TestPool(t *testing.T) {
	t.Parallel()
	workspacetest.Run(t, parts(bareHands(t)))
}

// TestPoolInNamespaceSandbox is for where folders can be bound but no overlay
// mounted: in a container.
func TestPoolInNamespaceSandbox(t *testing.T) {
	t.Parallel()
	box, err := namespace.New(namespace.Options{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { box.Close() })
	workspacetest.Run(t, parts(box))
}

// BenchmarkPool shows the price of a scan of every file.
func BenchmarkPool(b *testing.B) { workspacetest.Bench(b, parts(bareHands(b)), 2_000, 5_000, 50_000) }
