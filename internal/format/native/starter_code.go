package native

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

var (
	goTest  = pattern(`_test\.go$`)
	goBench = pattern(`(?m)^func (Benchmark[A-Z0-9_]\w*)\(`)
)

func goModule(f *folder, d *draft) {
	d.allow = []string{"**/*.go"}
	d.frozen = append([]string{"**/*_test.go", "**/testdata/**", "**/go.mod", "**/go.sum"}, f.present("go.work", "go.work.sum", "vendor")...)
	freezeFolder(d, "vendor")
	warm := "go test -count=1 -run '^$' ./..."
	d.setup = &step{run: warm, timeout: "10m"}
	if f.has("go.sum") && !f.has("vendor") {
		d.setup = &step{run: "go mod download && " + warm, network: true, timeout: "10m"}
	}
	tests := f.matching(goTest())
	if len(tests) == 0 {
		d.gates = []step{{id: "build", run: "go build ./...", timeout: "5m"}}
		d.note("no tests were found: the gate only builds")
		d.timeOf("build")
		return
	}
	d.gates = []step{{id: "tests", run: "go test -count=1 ./...", timeout: "5m"}}
	d.note("go test is the gate")
	name, dir, many := benchmarkOf(f, tests)
	if name == "" {
		d.timeOf("tests")
		return
	}
	d.objective = "Make " + name + " faster without changing what the code does."
	read := `read: {regex: '\s([0-9.]+) ns/op'}`
	if many {
		read = `read: {regex: '\s([0-9.]+) ns/op', match: last}`
	}
	d.measures = []step{{id: "speed", run: fmt.Sprintf("go test -run '^$' -bench '^%s$' %s", name, dir), timeout: "5m",
		lines: []string{read, "goal: min", "unit: ns", "noise: timing"}}}
	d.note("%s in %s is the measure", name, dir)
}

// benchmarkOf is the first benchmark that prints one line, or else the first
// one, which has benchmarks inside.
func benchmarkOf(f *folder, tests []string) (name, dir string, many bool) {
	for _, file := range tests {
		text := f.read(file)
		for _, m := range goBench().FindAllStringSubmatchIndex(text, -1) {
			body, _, _ := strings.Cut(text[m[1]:], "\n}")
			inside := strings.Contains(body, ".Run(")
			if name == "" || many && !inside {
				name, dir, many = text[m[2]:m[3]], packageOf(file), inside
			}
		}
	}
	return name, dir, many
}

func packageOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return "./" + dir
	}
	return "."
}

// freezeFolder turns a folder among the frozen names into a pattern.
func freezeFolder(d *draft, name string) {
	if i := slices.Index(d.frozen, name); i >= 0 {
		d.frozen[i] = name + "/**"
	}
}

func rustPackage(f *folder, d *draft) {
	d.allow = []string{"**/*.rs"}
	d.frozen = append([]string{"**/Cargo.toml", "**/build.rs", "**/tests/**", "**/benches/**"},
		f.present("Cargo.lock", "rust-toolchain", "rust-toolchain.toml", "rustfmt.toml", "clippy.toml")...)
	if f.has(".cargo") {
		d.frozen = append(d.frozen, ".cargo/**")
	}
	d.setup = &step{run: "cargo fetch && cargo test --offline --no-run", network: true, timeout: "20m"}
	d.gates = []step{{id: "tests", run: "cargo test --offline", timeout: "10m"}}
	d.note("cargo test is the gate")
	for _, file := range f.files {
		dir, base := path.Split(file)
		name, ok := strings.CutSuffix(base, ".rs")
		if dir != "benches/" || !ok || !wordForm().MatchString(name) {
			continue
		}
		run := "cargo bench --offline --bench " + name
		d.clocked(run, "How long the benchmark takes, building included. If it prints a number, read that instead: read: {regex: …}.")
		if strings.Contains(f.read("Cargo.toml"), "criterion") {
			d.measures = []step{{id: "speed", run: run + " -- --output-format bencher", timeout: "10m",
				lines: []string{`read: {regex: 'bench:\s+([0-9]+) ns/iter', match: last}`, "goal: min", "unit: ns", "noise: timing"}}}
		}
		d.note("the benchmark %s is the measure", name)
		return
	}
	d.timeOf("tests")
}

// wordForm is a name that needs no quotes for a shell.
var wordForm = pattern(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// noTest is what npm init writes where there are no tests.
const noTest = "no test specified"

func nodePackage(f *folder, d *draft) {
	var pkg struct {
		Scripts         map[string]string
		Dependencies    map[string]string
		DevDependencies map[string]string
	}
	if json.Unmarshal([]byte(f.read("package.json")), &pkg) != nil {
		d.note("package.json cannot be read")
	}
	d.allow = []string{"**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}"}
	d.frozen = append([]string{"**/package.json", "**/*.{test,spec,bench}.*", "**/{test,tests,__tests__,__mocks__}/**", "**/*.config.*"},
		f.present("package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "tsconfig.json", ".npmrc", ".babelrc", ".mocharc.json")...)
	tool, install := manager(f)
	if len(pkg.Dependencies)+len(pkg.DevDependencies) > 0 && !f.has("node_modules") {
		d.setup = &step{run: install, network: true, timeout: "10m"}
	}
	gate := ""
	if s := pkg.Scripts["test"]; s != "" && !strings.Contains(s, noTest) {
		gate = "tests"
		d.gates = []step{{id: gate, run: tool + " test", timeout: "5m"}}
		d.note("%s test is the gate", tool)
	} else {
		d.note("package.json has no test script: add a gate")
	}
	for _, name := range []string{"bench", "benchmark", "perf"} {
		if pkg.Scripts[name] != "" {
			d.clocked(tool+" run "+name, "How long the benchmark takes. If it prints a number, read that instead: read: {regex: …}.")
			d.note("%s run %s is the measure", tool, name)
			return
		}
	}
	if gate != "" {
		d.timeOf(gate)
		return
	}
	plain(f, d)
}

// manager is the package manager whose lock file is there, and how it installs
// exactly what that says.
func manager(f *folder) (tool, install string) {
	switch {
	case f.has("pnpm-lock.yaml"):
		return "pnpm", "pnpm install --frozen-lockfile"
	case f.has("yarn.lock"):
		return "yarn", "yarn install --frozen-lockfile"
	case f.has("bun.lock"):
		return "bun", "bun install --frozen-lockfile"
	case f.has("package-lock.json"):
		return "npm", "npm ci"
	}
	return "npm", "npm install"
}

var (
	pyFile  = pattern(`\.py$`)
	pyTest  = pattern(`^test_.*\.py$|_test\.py$`)
	pyBench = pattern(`^(bench|benchmark)([_-].*)?\.py$`)
	pyRoot  = []string{"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "conftest.py"}
)

func isPython(f *folder) bool {
	return f.has(pyRoot...) || slices.ContainsFunc(f.top, pyFile().MatchString)
}

func pythonProject(f *folder, d *draft) {
	d.allow = []string{"**/*.py"}
	d.frozen = append([]string{"**/test_*.py", "**/*_test.py", "**/tests/**", "**/conftest.py", "**/sitecustomize.py", "**/usercustomize.py", "**/*.pth"},
		f.present("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "requirements-dev.txt",
			"poetry.lock", "uv.lock", "Pipfile", "Pipfile.lock")...)
	python := "python3"
	if f.has(".venv") {
		python = ".venv/bin/python"
	} else if f.has("venv") {
		python = "venv/bin/python"
	}
	gate := pythonGate(f, d, python)
	benches := f.matching(pyBench())
	if len(benches) == 0 || !shellSafe(benches[0]) {
		d.timeOf(gate)
		return
	}
	d.frozen = append(d.frozen, benches[0])
	d.clocked(python+" "+benches[0], "How long the benchmark takes. If it prints a number, read that instead: read: {regex: …}.")
	d.note("%s is the measure", benches[0])
}

// pythonGate adds the gate and returns its id: pytest where anything mentions
// it, unittest where only that is used, else a check of the syntax.
func pythonGate(f *folder, d *draft, python string) string {
	tests := f.matching(pyTest())
	pytest := f.has("pytest.ini", "conftest.py")
	for _, file := range append(f.present(pyRoot...), tests...) {
		pytest = pytest || strings.Contains(f.read(file), "pytest")
	}
	switch {
	case len(tests) == 0 && !pytest:
		d.gates = []step{{id: "syntax", run: python + " -m compileall -q -f .", timeout: "2m"}}
		d.note("no tests were found: the gate only checks the syntax")
		return "syntax"
	case !pytest && slices.ContainsFunc(tests, func(t string) bool { return strings.Contains(f.read(t), "unittest") }):
		d.gates = []step{{id: "tests", run: python + " -m unittest discover", timeout: "5m"}}
		d.note("unittest is the gate")
	default:
		d.gates = []step{{id: "tests", run: python + " -m pytest -q", timeout: "5m"}}
		d.note("pytest is the gate")
	}
	return "tests"
}

// shellSafe reports whether a path means itself in a shell.
func shellSafe(file string) bool {
	return !slices.ContainsFunc(strings.Split(file, "/"), func(s string) bool { return !wordForm().MatchString(s) })
}
