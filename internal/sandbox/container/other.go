//go:build !linux

package container

import (
	"context"
	"fmt"
	"runtime"

	"github.com/cladehq/clade/internal/sandbox"
)

// A Sandbox cannot be had on this system.
type Sandbox struct{ sandbox.Sandbox }

// New always fails with ErrUnavailable.
func New(ctx context.Context, _ Options) (*Sandbox, error) {
	_, err := Engine(ctx)
	return nil, err
}

// Engine says why containers cannot be used here.
func Engine(context.Context) (string, error) {
	return "", fmt.Errorf("%w: on %s they run in a virtual machine", ErrUnavailable, runtime.GOOS)
}
