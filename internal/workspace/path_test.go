package workspace

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for p, ok := range map[string]bool{
		"a": true, "a/b": true, ".gitignore": true, "-x": true, "a\nb": true, "\xff": true, ".git ": true, "...": true,
		"": false, "/": false, "/etc/passwd": false, "a//b": false, "a/": false, ".": false, "..": false, "a/../b": false,
		".git": false, ".git/config": false, "sub/.git/hooks/x": false, ".GIT/config": false, "a\x00": false,
	} {
		if got := CheckPath(p) == nil; got != ok {
			t.Errorf("CheckPath(%q) allows it: %v", p, got)
		}
	}
}

// FuzzCheckPath: what is allowed lies in its folder and keeps its name.
func FuzzCheckPath(f *testing.F) {
	for _, s := range []string{"a", "../a", "a/../../b", "/a", ".git", "a/.gIt/b", "a/./b", "a\x00b", "\xff/\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if CheckPath(p) != nil {
			return
		}
		full := filepath.Join("/root", filepath.FromSlash(p))
		if full != "/root/"+p || strings.Contains("/"+strings.ToLower(p)+"/", "/.git/") {
			t.Errorf("%q is %q", p, full)
		}
	})
}
