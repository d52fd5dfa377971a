package evolution

import (
	"slices"
	"strings"
	"testing"
)

func TestGatesOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing":     {nil, nil},
		"Go":          {map[string]string{"go.mod": "module x\n"}, []string{"go build ./...", "go test ./..."}},
		"Rust":        {map[string]string{"Cargo.toml": ""}, []string{"cargo build", "cargo test"}},
		"Node":        {map[string]string{"package.json": `{"scripts": {"test": "jest", "build": "tsc", "lint": "eslint .", "start": "node ."}}`}, []string{"npm run build", "npm run test", "npm run lint"}},
		"no tests":    {map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, nil},
		"pnpm":        {map[string]string{"package.json": `{"scripts": {"test": "jest", "x": 1}}`, "pnpm-lock.yaml": ""}, []string{"pnpm run test"}},
		"broken JSON": {map[string]string{"package.json": `{"scripts": [`}, nil},
		"pytest":      {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n"}, []string{"python3 -m pytest -q"}},
		"Python":      {map[string]string{"pyproject.toml": "[project]\n"}, nil},
		"a Makefile":  {map[string]string{"Makefile": ".PHONY: build\nbuild lint: x\n\tgo build: y\nlint = 1\ncheck::\n"}, []string{"make build", "make check", "make lint"}},
		"a Makefile beside Go": {map[string]string{"Makefile": "test:\n\tgo test -race ./...\nbuild := 1\n", "go.mod": ""},
			[]string{"go build ./...", "make test"}},
		"two languages": {map[string]string{"go.mod": "", "Cargo.toml": "", "package.json": `{"scripts": {"build": "b", "test": "t", "lint": "l"}}`},
			[]string{"go build ./...", "cargo build", "npm run build", "go test ./...", "cargo test", "npm run test"}},
		"a folder in its place": {map[string]string{"go.mod/x": "", "Makefile/x": ""}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			lay(t, dir, c.files)
			var got []string
			for _, g := range gatesOf(dir) {
				got = append(got, g.Cmd)
				if g.Description == "" || g.ID != "" {
					t.Errorf("%+v", g)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// FuzzTargets: a target is a word of the file.
func FuzzTargets(f *testing.F) {
	for _, seed := range []string{"", ":", "a b: c\n", "\ta:\n", "a ::= b", "x\n\n:\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name := range targets(text) {
			if name == "" || !strings.Contains(text, name) || strings.ContainsAny(name, " \t\n:=#$") {
				t.Errorf("%q of %q", name, text)
			}
		}
	})
}
