package landlock

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/sandbox"
)

// An opening is what may be read of a machine: paths with all below them.
type opening struct {
	files  fs.FS
	hidden []string // lead through no link
	shown  []string
	paths  []string
}

// opened lists what may be read where some is hidden and some of that shown.
// Devices and the machine's temporary folders are hidden throughout.
func opened(files fs.FS, hide, show []string) []string {
	o := &opening{files: files, hidden: append([]string{"/dev"}, sandbox.OwnFolders...)}
	for _, p := range hide {
		if path.IsAbs(p) {
			o.hidden = append(o.hidden, ends(files, p))
		}
	}
	for _, p := range show {
		if path.IsAbs(p) {
			o.shown = append(o.shown, ends(files, p))
		}
	}
	// A path that is both is shown.
	o.hidden = slices.DeleteFunc(o.hidden, func(p string) bool { return slices.Contains(o.shown, p) })
	o.visit("/")
	for _, p := range o.shown {
		o.visit(p)
	}
	slices.Sort(o.paths)
	return slices.Compact(o.paths)
}

// ends is where a path leads to, or itself where that cannot be told.
func ends(files fs.FS, p string) string {
	if _, end, err := sandbox.Trail(files, p); err == nil {
		return end
	}
	return path.Clean(p)
}

// visit opens a path that is not hidden, but for what is hidden below it. A link
// is nothing: where it leads to counts.
func (o *opening) visit(p string) {
	if !slices.ContainsFunc(o.hidden, func(h string) bool { return within(h, p) }) {
		o.paths = append(o.paths, p)
		return
	}
	entries, err := fs.ReadDir(o.files, inside(p))
	if err != nil {
		return // what cannot be listed stays closed
	}
	for _, e := range entries {
		if q := path.Join(p, e.Name()); e.Type()&fs.ModeSymlink == 0 && !slices.Contains(o.hidden, q) {
			o.visit(q)
		}
	}
}

// within reports whether p is dir or lies below it.
func within(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/' || dir == "/")
}

// inside is an absolute path as an fs.FS names it.
func inside(p string) string {
	if p == "/" {
		return "."
	}
	return strings.TrimPrefix(p, "/")
}
