package bwrap

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/sandbox"
)

// wardenPath is where PID 1's program is in the sandbox: in the one folder that is
// every sandbox's own.
const wardenPath = "/dev/.clade-warden"

// A layer is what is mounted at a path. Outer paths come before inner ones, and
// at one path the later kind wins.
type layer struct {
	at   string
	kind kind
	to   string // of a link
}

type kind int

const (
	masked kind = iota
	fresh
	linked
	shown
	writable
)

// A plan is what becomes of a machine's files.
type plan struct {
	files  fs.FS
	layers []layer
}

func (p *plan) add(k kind, paths ...string) {
	for _, f := range paths {
		if !path.IsAbs(f) {
			continue
		}
		links, end, err := sandbox.Trail(p.files, f)
		if err != nil || end == "/" {
			continue
		}
		for _, l := range links {
			if k > linked {
				p.layers = append(p.layers, layer{l.Path, linked, l.To})
			}
		}
		p.layers = append(p.layers, layer{at: end, kind: k})
	}
}

// sorted is the plan in the order of mounting, each path once.
func (p *plan) sorted() []layer {
	slices.SortStableFunc(p.layers, func(a, b layer) int {
		return cmp.Or(cmp.Compare(len(a.at), len(b.at)), cmp.Compare(a.at, b.at), cmp.Compare(b.kind, a.kind))
	})
	return slices.CompactFunc(p.layers, func(a, b layer) bool { return a.at == b.at })
}

// arguments are bubblewrap's for a command: what it mounts, and no environment.
// locks are entries of /proc that no command may write.
func arguments(files fs.FS, o Options, c sandbox.Command, exe string, locks []string) []string {
	args := []string{"--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"}
	p := &plan{files: files}
	p.add(masked, o.Hide...)
	for _, dir := range sandbox.OwnFolders {
		if info, err := fs.Lstat(files, strings.TrimPrefix(dir, "/")); err == nil && info.IsDir() && dir != "/dev/shm" {
			p.add(fresh, dir)
		}
	}
	p.add(shown, o.Show...)
	p.add(shown, c.Readable...)
	if c.Network {
		args = append(args, "--share-net")
		if _, end, err := sandbox.Trail(files, "/etc/resolv.conf"); err == nil {
			p.add(shown, end)
		}
	}
	p.add(writable, c.Writable...)
	// One mount for the whole machine: bubblewrap reads all mounts anew for each.
	args = append(args, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--ro-bind", exe, wardenPath)
	for _, name := range locks {
		args = append(args, "--ro-bind", "/proc/"+name, "/proc/"+name)
	}
	var masks, hidden []string
	for _, l := range p.sorted() {
		inside := slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(l.at, h+"/") })
		info, err := fs.Lstat(files, strings.TrimPrefix(l.at, "/"))
		switch {
		case own(l.at) || err != nil:
		case l.kind == masked && info.IsDir():
			args, masks, hidden = append(args, "--tmpfs", l.at), append(masks, l.at), append(hidden, l.at)
		case l.kind == masked:
			args = append(args, "--ro-bind", "/dev/null", l.at)
		case l.kind == fresh:
			args, hidden = append(args, "--perms", "1777", "--tmpfs", l.at), append(hidden, l.at)
		case l.kind == linked && inside:
			args = append(args, "--symlink", l.to, l.at)
		case l.kind == shown:
			args = append(args, "--ro-bind", l.at, l.at)
		case l.kind == writable:
			args = append(args, "--bind", l.at, l.at)
		}
	}
	for _, m := range masks {
		args = append(args, "--remount-ro", m)
	}
	return append(args, "--chdir", "/")
}

// own reports whether a path is every command's own, whatever the machine has.
func own(p string) bool {
	return slices.ContainsFunc([]string{"/proc", "/dev"}, func(dir string) bool {
		return p == dir || strings.HasPrefix(p, dir+"/")
	})
}

// machine is all files of this one.
func machine() fs.FS { return os.DirFS("/") }
