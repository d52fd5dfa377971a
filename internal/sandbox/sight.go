package sandbox

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// OwnFolders are the machine's temporary folders. Where mounts are made, every
// command has its own instead, so that nothing in them is seen.
var OwnFolders = []string{"/tmp", "/run", "/var/tmp", "/dev/shm"}

// A Machine is what is asked of one to decide what commands see of it.
type Machine struct {
	Home   string // the user's home folder, "" if there is none
	Lookup Lookup // the user's environment
	Files  fs.FS  // all files, from the root
}

// A Sight is what commands see of a machine's files otherwise than the user.
// Paths are absolute and sorted, outer before inner. The innermost that a path
// lies in decides; what lies in none is seen, but for OwnFolders.
type Sight struct {
	Hidden []string `json:"hidden,omitempty"`
	Shown  []string `json:"shown,omitempty"`
}

// Sees reports whether commands see a path.
func (s Sight) Sees(p string) bool {
	hidden, shown := innermost(s.Hidden, p), innermost(s.Shown, p)
	if hidden == "" && shown == "" {
		return innermost(OwnFolders, p) == ""
	}
	return len(shown) >= len(hidden)
}

// innermost is the longest of folders that p lies in, "" if it lies in none.
func innermost(folders []string, p string) (found string) {
	for _, f := range folders {
		if within(p, f) && len(f) > len(found) {
			found = f
		}
	}
	return found
}

// within reports whether p is dir or lies below it.
func within(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/' || dir == "/")
}

// Sight decides what commands see. always are paths that nothing but read makes
// visible: clade's own and the user's target. read are paths to show whatever
// they are. With home the home folders are shown, credentials and all.
func (m Machine) Sight(always, read []string, home bool) Sight {
	c := &chooser{Machine: m, always: m.resolve(always), parents: m.resolve([]string{"/home", "/var/home"})}
	c.hide(c.always...)
	c.hide(m.secrets()...)
	if !home {
		c.hideHomes()
		c.tools()
		c.programs()
		c.hide(c.credentials()...)
	}
	return Sight{Hidden: byLength(c.hidden), Shown: byLength(append(outermost(c.shown), c.resolve(read)...))}
}

// A chooser collects what is hidden and shown.
type chooser struct {
	Machine
	always        []string
	hidden, shown []string
	homes         []string // that are hidden
	parents       []string // of home folders
}

func (c *chooser) hide(paths ...string) { c.hidden = append(c.hidden, paths...) }

// show shows paths that are there, are not seen otherwise, and are nobody's
// secret.
func (c *chooser) show(paths ...string) {
	for _, p := range paths {
		end := c.end(p)
		if end == "" || innermost(c.always, end) != "" || innermost(c.always, p) != "" || c.secret(end) {
			continue
		}
		for _, q := range []string{p, end} {
			if !(Sight{c.hidden, c.shown}).Sees(q) {
				c.shown = append(c.shown, q)
			}
		}
	}
}

// hideHomes hides everyone's home folder. One that holds the system as well, as
// a container's may, is left; its credentials are hidden.
func (c *chooser) hideHomes() {
	for _, p := range append(c.parents, c.resolve([]string{"/root"})...) {
		if c.exists(p) {
			c.homes = append(c.homes, p)
		}
	}
	for _, p := range c.resolve([]string{c.Home}) {
		if !holdsSystem(p) {
			c.homes = append(c.homes, p)
		}
	}
	c.hide(c.homes...)
}

// holdsSystem reports whether a folder is needed by every program.
func holdsSystem(p string) bool {
	return slices.ContainsFunc([]string{"/usr", "/etc", "/var", "/bin", "/lib", "/opt", "/nix", "/proc", "/sys", "/dev", "/tmp", "/run"},
		func(needed string) bool { return within(needed, p) })
}

// homeOf is the home folder that p lies in, "" for none.
func (c *chooser) homeOf(p string) string {
	home := innermost(c.homes, p)
	if slices.Contains(c.parents, home) && p != home {
		name, _, _ := strings.Cut(strings.TrimPrefix(p, home+"/"), "/")
		return path.Join(home, name)
	}
	return home
}

// resolve cleans absolute paths and follows the links of those that are there.
func (m Machine) resolve(paths []string) (out []string) {
	for _, p := range paths {
		if path.IsAbs(p) {
			p = path.Clean(p)
			out = append(out, cmp.Or(m.end(p), p))
		}
	}
	return out
}

// end is where a path leads to, "" if it is not there.
func (m Machine) end(p string) string {
	_, end, err := Trail(m.Files, p)
	if err != nil {
		return ""
	}
	return end
}

func (m Machine) exists(p string) bool { return m.end(p) != "" }

// variable is an absolute path in the user's environment, the first of a list.
func (m Machine) variable(name string) string {
	v, _ := m.Lookup(name)
	v, _, _ = strings.Cut(v, ":")
	if name == "" || !path.IsAbs(v) {
		return ""
	}
	return path.Clean(v)
}

// outermost leaves out paths that lie in others.
func outermost(paths []string) (out []string) {
	for _, p := range byLength(paths) {
		if innermost(out, p) == "" {
			out = append(out, p)
		}
	}
	return out
}

func byLength(paths []string) []string {
	return slices.Compact(slices.SortedFunc(slices.Values(paths), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}))
}
