//go:build !linux

package namespace

import (
	"context"
	"fmt"
	"runtime"

	"github.com/cladehq/clade/internal/sandbox"
)

// A Sandbox cannot be had on this system.
type Sandbox struct{ sandbox.Sandbox }

// New always fails with ErrUnavailable.
func New(Options) (*Sandbox, error) { return nil, Probe(context.Background()) }

// Probe says why namespaces cannot be used here.
func Probe(context.Context) error {
	return fmt.Errorf("%w: %s has none", ErrUnavailable, runtime.GOOS)
}

// Main does nothing: there are no supervisors on this system.
func Main() {}
