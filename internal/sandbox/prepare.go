package sandbox

import (
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
)

// Limits of a command for which neither it nor the spec has one: nothing runs
// without.
const (
	defaultWall = 10 * time.Minute
	defaultDisk = 16 << 30
)

// A Lookup finds a variable of the user's environment, as os.LookupEnv does.
type Lookup func(name string) (value string, ok bool)

// Prepare turns a command of a spec into one to run: with its limits, and with
// what it may see of the user's environment beside base (see Environ). Where it
// runs and what is mounted for it are left to the caller.
func Prepare(c clade.Command, l clade.Limits, base []string, lookup Lookup) Command {
	wall := time.Duration(c.Timeout)
	if wall <= 0 {
		wall = time.Duration(l.Wall)
	}
	if wall <= 0 {
		wall = defaultWall
	}
	disk := int64(l.Disk)
	if disk <= 0 {
		disk = defaultDisk
	}
	return Command{
		Args: c.Args(), Env: Environ(c, base, lookup), Network: c.Network,
		Limits: Limits{Wall: wall, Memory: int64(l.Memory), Processes: l.Processes, Output: int64(l.Output), Disk: disk},
	}
}

// Basics are the variables that every command of a spec sees, the same on every
// machine but for the user's PATH.
func Basics(lookup Lookup) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "LC_ALL=C.UTF-8"}
	pass := []string{"PATH"}
	if runtime.GOOS == "windows" {
		pass = append(pass, "SystemRoot", "ComSpec", "PATHEXT")
	}
	for _, name := range pass {
		if v, ok := lookup(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// Programs lists where a program may be, in order: as execvp looks in the
// command's own PATH, but in absolute folders only. A name with a slash is where
// it says.
func Programs(name string, env []string) []string {
	if strings.Contains(name, "/") {
		return []string{name}
	}
	var list string
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			list = v
		}
	}
	var out []string
	for _, dir := range filepath.SplitList(list) {
		if filepath.IsAbs(dir) {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out
}

// Environ is base, then the variables that the command passes through, then its
// own, the later ones winning: sorted, and each once.
func Environ(c clade.Command, base []string, lookup Lookup) []string {
	vars := map[string]string{}
	for _, e := range base {
		name, value, _ := strings.Cut(e, "=")
		vars[name] = value
	}
	for _, name := range c.Pass {
		if v, ok := lookup(name); ok {
			vars[name] = v
		}
	}
	maps.Copy(vars, c.Env)
	env := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env
}

// Secrets replace the values of variables that a command was given, which may be
// keys, by the variables' names: old, new, old, new, …
type Secrets []string

// SecretsOf are the secrets that a command passes through.
func SecretsOf(c clade.Command, lookup Lookup) (out Secrets) {
	for _, name := range c.Pass {
		if v, ok := lookup(name); ok {
			for _, form := range Forms(v) {
				out = append(out, form, "["+name+"]")
			}
		}
	}
	return out
}

// Hide is text without the secrets.
func (s Secrets) Hide(text string) string {
	if len(s) == 0 {
		return text
	}
	return strings.NewReplacer(s...).Replace(text)
}
