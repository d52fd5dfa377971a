package evolution

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/format/evolution"
)

// A purpose is what a command of a project is for.
type purpose int

const (
	builds purpose = iota
	tests
	lints
)

var purposes = [...]string{builds: "it builds", tests: "the tests pass", lints: "the linter finds nothing"}

// mostFound bounds the commands that are offered as gates.
const mostFound = 6

// A finder collects the commands by which a project is checked.
type finder struct {
	dir   string
	found [len(purposes)][]string
}

// gatesOf finds commands of a project that may be its gates, in the order in
// which they fail fastest. Files are only read. What a Makefile has a target for
// is asked of nothing else.
func gatesOf(dir string) (all []evolution.Gate) {
	f := &finder{dir: dir}
	f.makefile()
	made := f.found
	f.found = [len(purposes)][]string{}
	f.golang()
	f.rust()
	f.node()
	f.python()
	for p, cmds := range f.found {
		if len(made[p]) > 0 {
			cmds = made[p]
		}
		for _, cmd := range cmds {
			all = append(all, evolution.Gate{Description: purposes[p], Cmd: cmd})
		}
	}
	return all[:min(len(all), mostFound)]
}

func (f *finder) add(p purpose, cmd string) { f.found[p] = append(f.found[p], cmd) }

// mostRead bounds what is read of a project's file, bytes.
const mostRead = 1 << 20

// read is the beginning of a file of the project, "" where there is none.
func (f *finder) read(name string) string {
	name = filepath.Join(f.dir, name)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	data, _ := io.ReadAll(io.LimitReader(file, mostRead)) // what cannot be read offers nothing
	return string(data)
}

func (f *finder) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(filepath.Join(f.dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

func (f *finder) makefile() {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if text := f.read(name); text != "" {
			have := targets(text)
			for _, t := range []struct {
				purpose
				names []string
			}{{builds, []string{"build"}}, {tests, []string{"test", "tests", "check"}}, {lints, []string{"lint"}}} {
				if i := slices.IndexFunc(t.names, func(n string) bool { return have[n] }); i >= 0 {
					f.add(t.purpose, "make "+t.names[i])
				}
			}
			return
		}
	}
}

// targets are the names that a Makefile has rules for.
func targets(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		names, rest, ok := strings.Cut(line, ":")
		if !ok || line[0] == '\t' || strings.HasPrefix(strings.TrimLeft(rest, ":"), "=") || strings.ContainsAny(names, "#=$") {
			continue
		}
		for _, name := range strings.Fields(names) {
			all[name] = true
		}
	}
	return all
}

func (f *finder) golang() {
	if f.has("go.mod") {
		f.add(builds, "go build ./...")
		f.add(tests, "go test ./...")
	}
}

func (f *finder) rust() {
	if f.has("Cargo.toml") {
		f.add(builds, "cargo build")
		f.add(tests, "cargo test")
	}
}

// noTest is what npm init writes where there are no tests.
const noTest = "no test specified"

func (f *finder) node() {
	var pkg struct{ Scripts map[string]any }
	if json.Unmarshal([]byte(f.read("package.json")), &pkg) != nil {
		return
	}
	tool := "npm"
	for _, t := range []struct{ file, name string }{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if f.has(t.file) {
			tool = t.name
			break
		}
	}
	for p, name := range map[purpose]string{builds: "build", tests: "test", lints: "lint"} {
		if script, _ := pkg.Scripts[name].(string); script != "" && !strings.Contains(script, noTest) {
			f.add(p, tool+" run "+name)
		}
	}
}

func (f *finder) python() {
	uses := f.has("pytest.ini", "conftest.py", "tests/conftest.py")
	for _, name := range []string{"pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt"} {
		uses = uses || strings.Contains(f.read(name), "pytest")
	}
	if uses {
		f.add(tests, "python3 -m pytest -q")
	}
}
