package native

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob checks a pattern of files below the target.
func (d *decoder) glob(n *node) {
	p := n.text
	switch {
	case strings.HasPrefix(p, "!"):
		d.add(n.at, "list what may be edited in allow and what may not in frozen; frozen wins", "%s: patterns are not negated", n.path)
	case strings.Contains(p, `\`):
		d.add(n.at, "separate folders with /; write [*] for a literal *", `%s: \ is not read in patterns`, n.path)
	case !d.below(n):
	case strings.HasSuffix(p, "/"):
		d.add(n.at, "write "+p+"** for everything in it", "%s: %s matches no file", n.path, quote(p))
	case !doublestar.ValidatePattern(p):
		d.add(n.at, "close every [ and {", "%s: %s is no valid pattern", n.path, quote(p))
	}
}

// file checks a path of something below the target.
func (d *decoder) file(n *node) string {
	p := d.text(n, "name a file")
	if p != "" {
		d.below(n)
	}
	return p
}

// below checks that a path or pattern is relative, slash separated, in its
// shortest form and does not climb.
func (d *decoder) below(n *node) bool {
	p := n.text
	switch {
	case path.IsAbs(p) || drive().MatchString(p):
		d.add(n.at, "write it relative to the target", "%s: %s is absolute", n.path, quote(p))
	case p == ".." || strings.HasPrefix(p, "../") || strings.HasSuffix(p, "/..") || strings.Contains(p, "/../"):
		d.add(n.at, "write it relative to the target, without ..", "%s: %s leaves the target", n.path, quote(p))
	case path.Clean(p) != strings.TrimSuffix(p, "/"):
		d.add(n.at, "write "+path.Clean(p), "%s: %s is not in its shortest form", n.path, quote(p))
	default:
		return true
	}
	return false
}

var drive = pattern(`^[A-Za-z]:`)
