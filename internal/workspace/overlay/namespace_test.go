package overlay_test

import (
	"os"
	"testing"

	"github.com/cladehq/clade/internal/sandbox/namespace"
	"github.com/cladehq/clade/internal/workspace/workspacetest"
)

func TestMain(m *testing.M) {
	namespace.Main() // this binary is the sandbox's supervisor as well
	os.Exit(m.Run())
}

func TestOverlayInNamespaceSandbox(t *testing.T) {
	t.Parallel()
	box, err := namespace.New(namespace.Options{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { box.Close() })
	workspacetest.Run(t, parts(box))
}
