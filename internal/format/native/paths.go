package native

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cladehq/clade/internal/syntax"
)

// glob checks a pattern of files below the target.
func (d *decoder) glob(n *syntax.Node) {
	p := n.Text
	switch {
	case strings.HasPrefix(p, "!"):
		d.Add(n.At, "list what may be edited in allow and what may not in frozen; frozen wins", "%s: patterns are not negated", n.Path)
	case strings.Contains(p, `\`):
		d.Add(n.At, "separate folders with /; write [*] for a literal *", `%s: \ is not read in patterns`, n.Path)
	case !d.below(n):
	case strings.HasSuffix(p, "/"):
		d.Add(n.At, "write "+p+"** for everything in it", "%s: %s matches no file", n.Path, syntax.Quote(p))
	case !doublestar.ValidatePattern(p):
		d.Add(n.At, "close every [ and {", "%s: %s is no valid pattern", n.Path, syntax.Quote(p))
	}
}

// file checks a path of something below the target.
func (d *decoder) file(n *syntax.Node) string {
	p := d.Text(n, "name a file")
	if p != "" {
		d.below(n)
	}
	return p
}

// below checks that a path or pattern is relative, slash separated, in its
// shortest form and does not climb.
func (d *decoder) below(n *syntax.Node) bool {
	p := n.Text
	switch {
	case path.IsAbs(p) || drive().MatchString(p):
		d.Add(n.At, "write it relative to the target", "%s: %s is absolute", n.Path, syntax.Quote(p))
	case p == ".." || strings.HasPrefix(p, "../") || strings.HasSuffix(p, "/..") || strings.Contains(p, "/../"):
		d.Add(n.At, "write it relative to the target, without ..", "%s: %s leaves the target", n.Path, syntax.Quote(p))
	case path.Clean(p) != strings.TrimSuffix(p, "/"):
		d.Add(n.At, "write "+path.Clean(p), "%s: %s is not in its shortest form", n.Path, syntax.Quote(p))
	default:
		return true
	}
	return false
}

var drive = pattern(`^[A-Za-z]:`)
