package guard

import (
	"path"
	"slices"
	"strings"
)

// loaded are names of files that some tool reads without being told to, by what
// reads them.
var loaded = []struct {
	by    string
	names []string
}{
	{"Python and pytest load it by themselves", []string{"conftest.py", "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "noxfile.py", ".coveragerc",
		"sitecustomize.py", "usercustomize.py", "*.pth", "pyvenv.cfg", ".python-version"}},
	{"Python runs it instead of a source", []string{"*.pyc", "*.pyo"}},
	{"npm, Node and their test runners load it by themselves", []string{".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".noderc", "jest.config.*", "jest.setup.*",
		"vitest.config.*", "vitest.workspace.*", "vite.config.*", "babel.config.*", ".babelrc*", ".mocharc*", "karma.conf*", ".swcrc", ".nycrc*", "ava.config.*",
		"bunfig.toml", "deno.json", "deno.jsonc", "tsconfig.json", ".node-version", ".nvmrc"}},
	{"cargo loads it by itself", []string{"build.rs", ".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml", "clippy.toml"}},
	{"the go command loads it by itself", []string{"go.work", "go.work.sum", "modules.txt"}},
	{"make and its like look for it", []string{"GNUmakefile", "makefile", "Makefile", "Justfile", "justfile", "Rakefile", "Taskfile.yml"}},
	{"build tools load it by themselves", []string{".bazelrc", "CMakeUserPresets.json", "CMakePresets.json", "gradle.properties", "init.gradle", "jvm.config",
		"maven.config", "Directory.Build.props", "Directory.Build.targets", "NuGet.Config"}},
	{"shells and editors load it by themselves", []string{".envrc", ".tool-versions", "mise.toml", ".mise.toml", ".env", ".env.*", ".bashrc", ".profile", ".bash_profile"}},
	{"Ruby's and PHP's test runners load it by themselves", []string{".rspec", ".simplecov", ".ruby-version", ".rubocop.yml", "phpunit.xml", "phpunit.xml.dist", ".user.ini"}},
	{"git acts on it", []string{".gitattributes", ".gitmodules", ".gitconfig"}},
	{"a test runner runs it as a test", []string{"*_test.go", "test_*.py", "*_test.py", "*.test.js", "*.test.ts", "*.test.jsx", "*.test.tsx", "*.test.mjs", "*.test.cjs",
		"*.spec.js", "*.spec.ts", "*.spec.jsx", "*.spec.tsx", "*_spec.rb", "*_test.rb", "*Test.java", "*Tests.java"}},
}

// manifests say what else is loaded: a changed one can swap a dependency.
var manifests = []string{"go.mod", "go.sum", "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
	"requirements.txt", "requirements-*.txt", "constraints.txt", "pyproject.toml", "setup.py", "Pipfile", "Pipfile.lock", "poetry.lock", "uv.lock",
	"Cargo.toml", "Cargo.lock", "Gemfile", "Gemfile.lock", "composer.json", "composer.lock", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"}

// Autoload finds a new file that tools load by themselves, and a changed manifest,
// unless one of the spec's allow globs names it: its last part spelt out. Patterns
// do not name it, since they were not written with it in mind.
func Autoload(e Edit, allow []string) []Finding {
	base := path.Base(e.Path)
	if slices.ContainsFunc(allow, func(g string) bool { return path.Base(g) == base }) {
		return nil
	}
	if fits(manifests, e.Path) {
		return []Finding{{Rule: "manifest", Path: e.Path, Text: "it decides which dependencies are used; name it in allow if edits may change it"}}
	}
	if !e.IsNew {
		return nil
	}
	for _, kind := range loaded {
		if fits(kind.names, e.Path) {
			return []Finding{{Rule: "autoload", Path: e.Path, Text: "it is new, and " + kind.by + "; name it in allow if edits may add it"}}
		}
	}
	if shadows(e) {
		return []Finding{{Rule: "shadow", Path: e.Path, Text: "it is new, and would be imported instead of the module of that name"}}
	}
	return nil
}

func fits(names []string, p string) bool {
	for _, n := range names {
		what := path.Base(p)
		if strings.Contains(n, "/") {
			what = path.Join(path.Base(path.Dir(p)), what)
		}
		if ok, _ := path.Match(n, what); ok {
			return true
		}
	}
	return false
}
