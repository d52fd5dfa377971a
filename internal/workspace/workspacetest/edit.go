package workspacetest

import (
	"os"
	"path/filepath"

	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// edit writes a new file into a scope as a command would, without running one.
func edit(s workspace.Scope, name string) error {
	var c sandbox.Command
	s.Enter(&c, "")
	dir := c.Dir
	for _, m := range c.Mounts {
		switch {
		case m.Target != c.Dir:
		case m.Kind == sandbox.MountOverlay:
			dir = m.Upper
		case m.Kind == sandbox.MountBind:
			dir = m.Source
		}
	}
	return os.WriteFile(filepath.Join(dir, name), []byte("edited"), 0o644)
}
