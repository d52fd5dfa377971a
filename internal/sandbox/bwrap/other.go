//go:build !linux

package bwrap

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

// Probe says why bubblewrap cannot be used here.
func Probe(context.Context) error {
	return fmt.Errorf("%w: %s has no bubblewrap", ErrUnavailable, runtime.GOOS)
}
