package workspace

import (
	"fmt"
	"path/filepath"
	"strings"
)

// gitDir is the name that no path of a tree may have as a component.
const gitDir = ".git"

// CheckPath refuses a tree's path that would be written outside of its folder
// or into a repository's own files.
func CheckPath(p string) error {
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, gitDir) || strings.ContainsRune(part, 0) {
			return fmt.Errorf("%q is no path of a tree", p)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return fmt.Errorf("%q cannot be a file of this system", p)
	}
	return nil
}

// parent is the folder of p, "" at the root.
func parent(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// below reports whether p is dir or lies in it; everything lies in "".
func below(p, dir string) bool {
	return dir == "" || p == dir || len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir
}

// join is dir/name, where dir may be "".
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
