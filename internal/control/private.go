package control

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
)

// private are the folders of this machine that no command of a run may see:
// clade's own, the target, and everything that the target's content, or its
// history, can also be read from. A command that could would find held-out
// cases there.
func (c *Control) private(state, where string, kind clade.TargetKind) []string {
	out := []string{state, c.State, c.Cache, where}
	dir := where
	if kind == clade.TargetFile {
		dir = filepath.Dir(where)
	}
	s := git.Around(dir)
	out = append(out, s.Stores...)
	for _, top := range append([]string{s.Top}, s.Others...) {
		if top == "" {
			continue
		}
		out = append(out, filepath.Join(top, stateName), copyIn(top, s.Prefix, where, kind))
		if kind == clade.TargetGit && !everybodys(top) {
			out = append(out, top)
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}

// copyIn is where a work tree has the target.
func copyIn(top, prefix, where string, kind clade.TargetKind) string {
	p := filepath.Join(top, filepath.FromSlash(prefix))
	if kind == clade.TargetFile {
		return filepath.Join(p, filepath.Base(where))
	}
	if everybodys(p) {
		return ""
	}
	return p
}

// everybodys reports whether a folder holds what programs need: the user's home
// folder or the system. A repository may be kept there, and hiding it whole
// would leave nothing to run.
func everybodys(dir string) bool {
	home, _ := os.UserHomeDir()
	for _, needed := range []string{home, "/usr", "/etc", "/var", "/opt"} {
		if needed != "" && (needed == dir || strings.HasPrefix(needed, strings.TrimSuffix(dir, "/")+"/")) {
			return true
		}
	}
	return false
}
