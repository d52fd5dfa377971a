package evolution

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// isPattern reports whether an entry of a scope is a pattern rather than a path.
func isPattern(entry string) bool { return strings.ContainsAny(entry, "*?[") }

// covers reports whether an entry of a scope covers a path: the path itself or
// anything below it, for a pattern whatever it matches or anything below that.
func covers(entry, p string) bool {
	if !isPattern(entry) {
		entry = path.Clean(entry)
		return entry == "." || p == entry || strings.HasPrefix(p, entry+"/")
	}
	entry = strings.TrimSuffix(strings.TrimPrefix(entry, "./"), "/")
	for q := p; q != "." && q != "/"; q = path.Dir(q) {
		if ok, err := doublestar.Match(entry, q); ok && err == nil {
			return true
		}
	}
	return false
}

// Excludes reports whether a path, slash separated and relative to the
// repository, must never be touched. A nil scope excludes nothing.
func (s *Scope) Excludes(p string) bool {
	return s != nil && slices.ContainsFunc(s.Exclude, func(e string) bool { return covers(e, p) })
}

// Includes reports whether a path is in scope: nothing excludes it, and an
// entry of include covers it or there are none.
func (s *Scope) Includes(p string) bool {
	switch {
	case s == nil:
		return true
	case s.Excludes(p):
		return false
	}
	return len(s.Include) == 0 || slices.ContainsFunc(s.Include, func(e string) bool { return covers(e, p) })
}

// noPattern writes signs of patterns so that they mean themselves.
var noPattern = strings.NewReplacer("{", "[{]", "}", "[}]")

// globs are an entry as patterns of a spec.
func globs(entry string) []string {
	if isPattern(entry) {
		entry = strings.TrimSuffix(strings.TrimPrefix(entry, "./"), "/")
		if strings.HasSuffix(entry, "**") {
			return []string{entry}
		}
		return []string{entry, entry + "/**"}
	}
	clean := noPattern.Replace(path.Clean(entry))
	switch {
	case clean == ".":
		return []string{"**"}
	case strings.HasSuffix(entry, "/"):
		return []string{clean + "/**"}
	}
	return []string{clean, clean + "/**"}
}
