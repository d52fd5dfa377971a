package namespace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cladehq/clade/internal/sandbox"
)

// Probe runs a command over an overlay once and says, in the chain of
// ErrUnavailable, why that does not work here.
func Probe(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "clade-probe-")
	if err != nil {
		return fmt.Errorf("making a folder to probe namespaces: %w", err)
	}
	defer func() {
		sandbox.Unseal(filepath.Join(dir, "work"))
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	return probeIn(ctx, dir)
}

// probeIn is Probe with the layers of the overlay in dir, a folder of the file
// system that workspaces will lie on: not every one can be an upper layer.
func probeIn(ctx context.Context, dir string) (err error) {
	for _, sub := range []string{"lower", "upper", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return fmt.Errorf("making a folder to probe namespaces: %w", err)
		}
	}
	s, err := New(Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r, err := s.Run(ctx, sandbox.Command{
		Args: []string{"true"}, Env: []string{"PATH=" + os.Getenv("PATH") + ":/bin:/usr/bin"}, Dir: s.Work(),
		Mounts: []sandbox.Mount{{
			Kind: sandbox.MountOverlay, Target: s.Work(), Lower: []string{filepath.Join(dir, "lower")},
			Upper: filepath.Join(dir, "upper"), Work: filepath.Join(dir, "work"),
		}},
	})
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case !r.OK():
		return fmt.Errorf("%w: true ended with %d %s: %s", ErrUnavailable, r.Exit, r.Signal, r.Stderr.Head)
	}
	return nil
}
