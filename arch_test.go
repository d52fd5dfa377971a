package clade_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/cladehq/clade"

// The whole architecture. Contracts and core are ordered: a package may import
// only those listed before it.
var (
	toolbox   = []string{"git", "proc", "atomicfile", "crash", "syntax"}
	contracts = []string{"policy", "strategy", "format", "ledger", "sandbox", "workspace",
		"llm", "agent", "evaluate", "propose", "dispatch", "store", "host"}
	core     = []string{"worker", "engine", "land", "control"}
	surfaces = []string{"cli", "mcp", "web"}
	top      = []string{"bench", "app"}

	// What the domain may take from the standard library: nothing that reads
	// a clock, draws a random number or touches the outside world.
	domainStd = []string{"cmp", "encoding/json", "errors", "fmt", "iter", "maps",
		"math", "slices", "sort", "strconv", "strings", "time", "unicode"}
)

type pkg struct {
	ImportPath, Dir, Name, Doc string
	GoFiles, Imports           []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var ps []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return ps
		} else if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
}

// place splits an import path into its kind, its family and, for a contract,
// its rank in the declared order.
func place(importPath string) (kind, family string, rank int) {
	rel := strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	switch {
	case rel == "":
		return "domain", "", 0
	case strings.HasPrefix(rel, "cmd/"):
		return "cmd", "", 0
	case rel == "examples" || strings.HasPrefix(rel, "examples/"):
		return "example", "", 0
	}
	name, rest, nested := strings.Cut(strings.TrimPrefix(rel, "internal/"), "/")
	switch {
	case nested && name == "door":
		return "door", rest, 0
	case nested && strings.HasSuffix(rest, "test"):
		return "suite", name, 0
	case nested && slices.Contains(contracts, name):
		return "impl", name, slices.Index(contracts, name)
	case slices.Contains(toolbox, name):
		return "toolbox", name, 0
	case slices.Contains(contracts, name):
		return "contract", name, slices.Index(contracts, name)
	case slices.Contains(core, name):
		return "core", name, slices.Index(core, name)
	case slices.Contains(surfaces, name):
		return "surface", name, 0
	case slices.Contains(top, name):
		return "top", name, 0
	}
	return "unplaced", name, 0
}

// refusal says why from may not import to, or "" if it may.
func refusal(from, to string) string {
	fk, ff, fr := place(from)
	tk, tf, tr := place(to)
	switch {
	case fk == "unplaced" || tk == "unplaced":
		return "a package is not placed in the architecture; add it to arch_test.go"
	case fk == "suite":
		return ""
	case tk == "suite":
		return "test suites are for tests"
	case fk == "domain":
		return "the domain imports nothing of ours"
	case fk == "example":
		return "an example can be copied anywhere; it imports nothing of ours"
	case tk == "example":
		if fk == "surface" || fk == "top" {
			return ""
		}
		return "examples are shown by surfaces; nothing works differently for them"
	case fk == "toolbox":
		if tk == "domain" {
			return "" // a tool that meets a person's problem says so in the domain's words
		}
		return "a tool stands alone but for the domain"
	case fk == "cmd":
		if tf != "app" {
			return "main imports app and nothing else"
		}
		return ""
	case fk == "top":
		if tf == "app" {
			return "only main imports app"
		}
		return ""
	case tk == "domain":
		return ""
	case tk == "toolbox":
		return ""
	case tk == "impl" && tf == "policy" && (fk == "impl" || fk == "contract" || fk == "core") && ff != "policy":
		return "" // a policy is a pure function of its arguments: anything after it may ask it
	case fk == "door" && to == module+"/internal/format/"+ff:
		return "" // the files that a door is for have no other reader
	case tk == "impl":
		return "implementations are chosen in app; import the contract"
	case tk == "top" || tk == "cmd":
		return "nothing below app imports it"
	}
	switch fk {
	case "contract":
		if tk == "contract" && tr < fr {
			return ""
		}
		return "a contract imports only contracts listed before it"
	case "impl":
		if tk == "contract" && (tf == ff || tr < fr) {
			return ""
		}
		return "an implementation imports its own contract and those listed before it"
	case "core":
		if tk == "contract" || tk == "core" && tr < fr {
			return ""
		}
		return "core imports contracts and earlier core"
	case "door":
		if tf == "control" && tk == "core" {
			return ""
		}
		return "a door imports control, never the engine or another door"
	case "surface":
		if tk == "door" || tk == "core" && tf == "control" || tk == "contract" && tf == "host" {
			return ""
		}
		return "surfaces reach the system only through doors, control and host"
	}
	return "no rule allows it"
}

func TestImportsPointInward(t *testing.T) {
	for _, p := range packages(t) {
		for _, to := range p.Imports {
			if to == module || strings.HasPrefix(to, module+"/") {
				if why := refusal(p.ImportPath, to); why != "" {
					t.Errorf("%s imports %s: %s", p.ImportPath, to, why)
				}
			} else if p.ImportPath == module && !slices.Contains(domainStd, to) {
				t.Errorf("the domain imports %q; its standard-library list is closed", to)
			}
		}
	}
}

func TestEveryPackageIsOnTheMap(t *testing.T) {
	arch, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages(t) {
		rel := strings.TrimPrefix(p.ImportPath, module+"/")
		kind, _, _ := place(p.ImportPath)
		if kind == "suite" {
			rel = strings.TrimSuffix(rel, "/"+path.Base(rel)) // the contract's row stands for its suite
		}
		if p.ImportPath != module && !bytes.Contains(arch, []byte("`"+rel+"`")) {
			t.Errorf("ARCHITECTURE.md does not mention %s", rel)
		}
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + path.Base(p.ImportPath) + " "
		}
		if !strings.HasPrefix(p.Doc, want) {
			t.Errorf("%s: package doc must begin %q, is %q", p.ImportPath, want, p.Doc)
		}
	}
}

// pure lists the packages whose answers may depend only on their arguments.
var pure = []string{"", "internal/policy", "internal/strategy", "internal/format/evo"}

// impure lists calls that make an answer depend on something else.
var impure = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"},
	"rand": {"Int", "IntN", "Intn", "Float64", "Perm", "Shuffle", "N", "Uint64"}, // use a *rand.Rand argument
	"os":   {"Getenv", "Open", "ReadFile", "WriteFile", "Stat"},
}

func TestPureCode(t *testing.T) {
	for _, p := range packages(t) {
		rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if !slices.ContainsFunc(pure, func(q string) bool {
			return rel == q || q != "" && strings.HasPrefix(rel, q+"/")
		}) {
			continue
		}
		for _, name := range p.GoFiles {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s: pure code starts no goroutines", fset.Position(n.Pos()))
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && slices.Contains(impure[x.Name], n.Sel.Name) {
						t.Errorf("%s: pure code does not call %s.%s", fset.Position(n.Pos()), x.Name, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
