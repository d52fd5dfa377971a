package propose

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

// within reports whether a path of the tree lies in the target's folder and
// what it is called there.
func within(prefix, p string) (rel string, ok bool) {
	if prefix == "" {
		return p, true
	}
	return strings.CutPrefix(p, strings.TrimSuffix(prefix, "/")+"/")
}

// matches reports whether any of the globs matches a path relative to the
// target. A glob that names a folder matches everything below it.
func matches(globs []string, rel string) bool {
	for _, g := range globs {
		g = strings.TrimSuffix(strings.TrimPrefix(g, "./"), "/")
		if ok, _ := doublestar.Match(g, rel); ok {
			return true
		}
		if ok, _ := doublestar.Match(g+"/**", rel); ok {
			return true
		}
	}
	return false
}

// Editable reports whether an edit may touch a path of the tree: inside the
// target, of a plain folder what is read of it, matched by allow (when there is
// one) and not by frozen.
func Editable(spec *clade.Spec, p string) bool {
	rel, ok := within(spec.Target.Prefix, p)
	if t := spec.Target; t.Kind == clade.TargetDir {
		ok = ok && ledger.Folder(".", t.Only).Covers(rel)
	}
	return ok && (len(spec.Allow) == 0 || matches(spec.Allow, rel)) && !Frozen(spec, p)
}

// Frozen reports whether a path of the tree matches a frozen glob.
func Frozen(spec *clade.Spec, p string) bool {
	rel, ok := within(spec.Target.Prefix, p)
	return ok && matches(spec.Frozen, rel)
}

// Violations lists what in changes breaks the spec's rules, in words for
// people; none means the proposal may be committed.
func Violations(spec *clade.Spec, changes []ledger.Change) (out []string) {
	for _, c := range changes {
		if why := violation(spec, c); why != "" {
			out = append(out, fmt.Sprintf("%q %s", c.Path, why))
		}
	}
	return out
}

// Scoped leaves out of changes the new files that are neither allowed nor
// frozen: what a tool or a build drops beside the edit. It names what it left
// out. Changes of files that were there, and files where nothing new may be, are
// kept: Violations refuses them. had tells whether the parent has a path; it is
// asked only of what is not allowed.
func Scoped(spec *clade.Spec, changes []ledger.Change, had func(path string) (bool, error)) (kept []ledger.Change, left []string, err error) {
	for _, c := range changes {
		if !c.Delete && !Frozen(spec, c.Path) && !Editable(spec, c.Path) {
			there, err := had(c.Path)
			if err != nil {
				return nil, nil, err
			}
			if !there {
				left = append(left, fmt.Sprintf("%q", c.Path))
				continue
			}
		}
		kept = append(kept, c)
	}
	return kept, left, nil
}

// Had tells whether a commit has a path, reading the commit when first asked.
func Had(ctx context.Context, r Reader, commit string) func(string) (bool, error) {
	var known map[string]bool
	return func(p string) (bool, error) {
		if known == nil {
			entries, err := r.List(ctx, commit)
			if err != nil {
				return false, fmt.Errorf("reading commit %s: %w", commit, err)
			}
			known = map[string]bool{}
			for _, e := range entries {
				known[e.Path] = true
			}
		}
		return known[p], nil
	}
}

func violation(spec *clade.Spec, c ledger.Change) string {
	switch {
	case c.Path == "" || path.IsAbs(c.Path) || path.Clean(c.Path) != c.Path || strings.HasPrefix(c.Path, "../"):
		return "is not a path inside the tree"
	case Frozen(spec, c.Path):
		return "is frozen"
	case !Editable(spec, c.Path):
		return "is outside what the spec allows"
	case c.Delete:
		return ""
	case c.Mode == ledger.ModeGitlink:
		return "is a nested git repository"
	case c.Mode == ledger.ModeSymlink && escapes(c.Path, string(c.Data)):
		return fmt.Sprintf("is a symbolic link out of the tree (to %q)", c.Data)
	case c.Mode != ledger.ModeSymlink && spec.Limits.FileSize > 0 && int64(len(c.Data)) > int64(spec.Limits.FileSize):
		return fmt.Sprintf("has %d bytes, more than limits.file_size %s", len(c.Data), spec.Limits.FileSize)
	}
	return ""
}

// escapes reports whether a link at p leads out of the tree. Links through
// other links are judged by their text alone: what they lead to is mounted
// read-only or not at all.
func escapes(p, target string) bool {
	if path.IsAbs(target) {
		return true
	}
	full := path.Join(path.Dir(p), target)
	return full == ".." || strings.HasPrefix(full, "../")
}

// AllFrozen reports whether a pattern freezes every path of the target, those
// included that are not there yet.
func AllFrozen(spec *clade.Spec) bool {
	// No pattern that means something names these.
	return matches(spec.Frozen, "\x01") && matches(spec.Frozen, "\x01/\x01.\x01")
}

// Unmatched are the patterns of allow that match none of the entries.
func Unmatched(spec *clade.Spec, entries []ledger.Entry) (out []string) {
	for _, glob := range spec.Allow {
		if !slices.ContainsFunc(entries, func(e ledger.Entry) bool {
			rel, ok := within(spec.Target.Prefix, e.Path)
			return ok && matches([]string{glob}, rel)
		}) {
			out = append(out, glob)
		}
	}
	return out
}
