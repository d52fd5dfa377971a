package namespace

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/sandbox"
)

// A sight is how one path looks to commands, unlike on the machine.
type sight struct {
	Path string // leads through no link
	Kind sightKind
	To   string // of a link
}

type sightKind int

const (
	asItIs sightKind = iota // no sight says otherwise
	inOwn                   // in a folder that each command has for itself
	hidden
	shown
	linked
)

// A view is sights, outer before inner.
type view []sight

// newView resolves what is hidden and shown on the machine, where the caller
// named it. A path that is both is shown.
func newView(hide, show []string) view {
	machine, all := os.DirFS("/"), map[string]sight{}
	for _, p := range hide {
		if p = filepath.Clean(p); !filepath.IsAbs(p) {
			continue
		}
		if _, end, err := sandbox.Trail(machine, p); err == nil {
			p = end
		}
		all[p] = sight{Path: p, Kind: hidden}
	}
	for _, s := range seen(machine, show) {
		all[s.Path] = s
	}
	return slices.Collect(maps.Values(all))
}

// seen are the sights that make paths visible. What does not exist, or cannot
// be reached, is left out.
func seen(machine fs.FS, paths []string) (out []sight) {
	for _, p := range paths {
		links, end, err := sandbox.Trail(machine, filepath.Clean(p))
		if err != nil {
			continue
		}
		for _, l := range links {
			out = append(out, sight{l.Path, linked, l.To})
		}
		out = append(out, sight{Path: end, Kind: shown})
	}
	return out
}

// reduced is the view sorted, without sights that change nothing.
func (v view) reduced() view {
	sorted := slices.SortedFunc(slices.Values(v), func(a, b sight) int {
		return cmp.Or(cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	var out view
	for _, s := range slices.Compact(sorted) {
		around, _ := out.around(s.Path)
		visible := around == asItIs || around == shown
		if own(s.Path) || (s.Kind == hidden) != visible {
			continue
		}
		out = append(out, s)
	}
	return out
}

// around says how a path of a reduced view looks by the innermost sight that it
// lies in, and where that is.
func (v view) around(p string) (sightKind, string) {
	for _, s := range slices.Backward(v) {
		if s.Kind != linked && within(p, s.Path) {
			return s.Kind, s.Path
		}
	}
	if belowFresh(p) {
		return inOwn, ""
	}
	return asItIs, ""
}

// with is the view with more paths shown.
func (v view) with(paths []string) view {
	return append(slices.Clone(v), seen(os.DirFS("/"), paths)...)
}

// still are the sights that are the same for every command.
func (v view) still() (out []sight) {
	for _, s := range v {
		if !belowFresh(s.Path) {
			out = append(out, s)
		}
	}
	return out
}

// Mounts that only this package makes.
const (
	mountLink sandbox.MountKind = "link" // a symlink to Source at Target
	mountOpen sandbox.MountKind = "open" // Target, a mask, may be written
	mountSeal sandbox.MountKind = "seal" // and no longer
)

// inFresh are the mounts of sights where each command has folders of its own.
func (v view) inFresh() (out []sandbox.Mount) {
	for i, s := range v {
		if belowFresh(s.Path) {
			out = append(out, v.mount(s, v[i+1:]))
		}
	}
	return out
}

// mount makes a sight. inner are the sights after it.
func (v view) mount(s sight, inner view) sandbox.Mount {
	switch {
	case s.Kind == linked:
		return sandbox.Mount{Kind: mountLink, Target: s.Path, Source: s.To}
	case s.Kind == shown:
		return sandbox.Mount{Kind: sandbox.MountBind, Target: s.Path, Source: s.Path, ReadOnly: true}
	case slices.ContainsFunc(inner, func(i sight) bool { return within(i.Path, s.Path) }):
		return sandbox.Mount{Kind: sandbox.MountTmpfs, Target: s.Path, Size: 64 << 10}
	}
	return sandbox.Mount{Kind: sandbox.MountHide, Target: s.Path}
}

// beyond are the mounts of one command's view where it differs from what all
// commands see. What is made in a mask to mount on stays there, empty.
func (v view) beyond(all view) (out []sandbox.Mount) {
	var masks []string
	for i, s := range v {
		if belowFresh(s.Path) || slices.Contains(all, s) {
			continue
		}
		if kind, mask := all.around(s.Path); kind == hidden && !slices.Contains(masks, mask) {
			masks = append(masks, mask)
			out = append(out, sandbox.Mount{Kind: mountOpen, Target: mask})
		}
		out = append(out, v.mount(s, v[i+1:]))
	}
	for _, m := range masks {
		out = append(out, sandbox.Mount{Kind: mountSeal, Target: m})
	}
	return out
}

// within reports whether p is dir or lies below it.
func within(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/' || dir == "/")
}

// own reports whether a path is every command's own, whatever the machine has.
func own(p string) bool {
	return p == "/" || slices.Contains(fresh, p) || within(p, ownDir) || within(p, "/proc") || within(p, "/dev") && !belowFresh(p)
}

func belowFresh(p string) bool {
	return slices.ContainsFunc(fresh, func(dir string) bool { return strings.HasPrefix(p, dir+"/") })
}
