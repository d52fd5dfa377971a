package command

import (
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// environment is all that a command sees, but for what its scope and its result
// file add. It is the same in a search and in a final.
func (s *stage) environment(c clade.Command) []string {
	env := map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
	pass := []string{"PATH"}
	if runtime.GOOS == "windows" {
		pass = append(pass, "SystemRoot", "ComSpec", "PATHEXT")
	}
	for _, name := range append(pass, c.Pass...) {
		if v, ok := s.Lookup(name); ok {
			env[name] = v
		}
	}
	maps.Copy(env, c.Env)
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// secrets replaces the values of variables that were passed through, which may
// be keys, by their names.
type secrets []string // old, new, old, new, …

func (s *stage) secrets(c clade.Command) (out secrets) {
	const shortest = 8 // shorter values are no keys, and occur in any text
	for _, name := range c.Pass {
		if v, ok := s.Lookup(name); ok && len(v) >= shortest {
			out = append(out, v, "["+name+"]")
		}
	}
	return out
}

func (s secrets) hide(text string) string {
	if len(s) == 0 {
		return text
	}
	return strings.NewReplacer(s...).Replace(text)
}
