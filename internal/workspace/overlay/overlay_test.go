package overlay_test

import (
	"os"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/overlay"
	"github.com/cladehq/clade/internal/workspace/workspacetest"
)

func parts(box sandbox.Sandbox) func(testing.TB) workspacetest.Parts {
	return workspacetest.Over(box, func(cache string, led ledger.Ledger) (workspace.Provider, error) {
		return overlay.New(overlay.Options{Dir: cache, Ledger: led, Sandbox: box, Env: workspacetest.Env()})
	})
}

// TestOverlayAsRoot mounts without a user namespace: the kernel then keeps its
// notes in other attributes.
func TestOverlayAsRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts without a user namespace")
	}
	t.Parallel()
	workspacetest.Run(t, parts(shellBox{}))
}

// BenchmarkOverlay shows that the time does not depend on
// the number of files.
func BenchmarkOverlay(b *testing.B) { workspacetest.Bench(b, parts(shellBox{}), 2_000, 50_000) }
