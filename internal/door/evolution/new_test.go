package evolution

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// repository is a door for somebody at the root of a repository with these files.
func repository(t *testing.T, files map[string]string) *Door {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lay(t, dir, files)
	return &Door{here: dir, clock: func() time.Time { return time.Date(2026, 5, 8, 16, 30, 0, 0, time.FixedZone("", 7200)) }}
}

// lay writes files; a text "-> NAME" is a link.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if to, ok := strings.CutPrefix(text, "-> "); ok && err == nil {
			err = os.Symlink(to, name)
		} else if err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tree is every path below the repository but its .git, with what files hold.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		switch rel = filepath.ToSlash(rel); {
		case err != nil:
			return err
		case rel == ".git":
			return fs.SkipDir
		case rel == ".":
		case e.IsDir():
			all[rel+"/"] = ""
		case e.Type().IsRegular():
			data, err := os.ReadFile(name)
			all[rel] = string(data)
			return err
		default:
			to, err := os.Readlink(name)
			all[rel] = "-> " + to
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same holds a repository to what it was.
func same(t *testing.T, d *Door, before map[string]string) {
	t.Helper()
	after := tree(t, d.here)
	for name, text := range after {
		if was, ok := before[name]; !ok || was != text {
			t.Errorf("%s: is %q, was %q", name, text, was)
		}
	}
	if len(after) < len(before) {
		t.Errorf("%d of %d paths are left", len(after), len(before))
	}
}

func aDraft() Draft {
	return Draft{Objective: "Shorten the cold  start\nof mycli.", Gates: []evolution.Gate{{Cmd: "go test ./...\n"}},
		Rubric: []evolution.Axis{{Direction: "minimize", Cmd: "./mycli --version", Extract: evolution.WallClock}},
		Scope:  DraftScope{Include: []string{"src/"}}, Budget: evolution.Budget{MaxVariants: 11}, HeldFixed: []string{"the flags"}}
}

// written is what a draft becomes, by the ways of the command line.
func written(t *testing.T, d *Door, title string, draft Draft, writing func() func()) (*Made, error) {
	t.Helper()
	s, err := d.Seed(t.Context(), title)
	if err != nil {
		return nil, err
	}
	return s.Write(t.Context(), draft, writing)
}

func refused(t *testing.T, err error, fault clade.Fault, parts ...string) {
	t.Helper()
	var p *clade.Problem
	if !errors.As(err, &p) || p.Fault != fault {
		t.Fatalf("%v, fault %q; want one of %q", err, clade.FaultOf(err), fault)
	}
	for _, part := range parts {
		if !strings.Contains(p.Error()+"\n"+p.Hint, part) {
			t.Errorf("%q is not in %q → %q", part, p, p.Hint)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	d := repository(t, map[string]string{".gitignore": "bin\n", "sub/x": ""})
	before := tree(t, d.here)
	s, err := d.Seed(t.Context(), "  Optimize CLI\tstartup ")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := s.Preview(t.Context(), aDraft())
	if err != nil {
		t.Fatal(err)
	}
	same(t, d, before)
	m, err := s.Write(t.Context(), aDraft(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(d.here, ".agents", "evolutions", "1-optimize_cli_startup")
	if want := []string{filepath.Join(dir, "evolution.yaml"), filepath.Join(dir, "EVOLUTION.md"), filepath.Join(d.here, ".gitignore")}; m.ID != 1 ||
		m.Slug != "optimize_cli_startup" || m.Dir != dir || !slices.Equal(m.Files, want) || !slices.Equal(shown.Files, want) {
		t.Errorf("made %+v", m)
	}
	before[".agents/"], before[".agents/evolutions/"] = "", ""
	before[".agents/evolutions/1-optimize_cli_startup/"], before[".agents/evolutions/1-optimize_cli_startup/variants/"] = "", ""
	before[".agents/evolutions/1-optimize_cli_startup/evolution.yaml"] = shown.YAML
	before[".agents/evolutions/1-optimize_cli_startup/EVOLUTION.md"] = shown.Page
	before[".gitignore"] = "bin\n.agents/evolutions/*/variants/\n"
	same(t, d, before)
	for _, want := range []string{"evolution_id: 1\n", "created_at: 2026-05-08T14:30:00Z\nupdated_at: 2026-05-08T14:30:00Z\n",
		"objective: Shorten the cold start of mycli.\n", "max_variants: 11\n  parallel: 3\n",
		"- id: G1\n    description: go test ./...\n    cmd: go test ./...\n", "description: seconds of ./mycli --version\n"} {
		if !strings.Contains(shown.YAML, want) {
			t.Errorf("%q is not in\n%s", want, shown.YAML)
		}
	}
	if !strings.Contains(shown.Page, "### Held fixed\n\n- the flags\n") || shown.Lands != "apply would show what the winner changed of src/, ask, and write it into your files" {
		t.Errorf("%s\n%s", shown.Page, shown.Lands)
	}
	// The next one, from a folder below.
	d.here = filepath.Join(d.here, "sub")
	if m, err = written(t, d, "Smaller bundle", aDraft(), nil); err != nil || m.ID != 2 || len(m.Files) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

const ready = `evolution_id: 3
slug: faster_tests
created_at: 2026-05-08T14:30:00Z
updated_at: 2026-05-08T14:30:00Z
objective: Make the tests faster.
budget: {max_variants: 3, parallel: 1}
gates: [{id: G1, description: d, cmd: "true"}]
rubric: [{id: R1, description: d, direction: minimize, cmd: echo 1}]
variants: `
const variant = `[{id: v1, generation: 1, hypothesis: h, status: evaluated, gates: [{id: G1, passes: true}], rubric: [{id: R1, value: 1}]}]
winner: {variant_id: v1, rationale: r}
`

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	const at = ".agents/evolutions/3-faster_tests/evolution.yaml"
	for name, c := range map[string]struct {
		files map[string]string
		title string
		fault clade.Fault
		parts []string
	}{
		"an id":              {map[string]string{at: ready + "[]\n"}, "3", clade.FaultUsage, []string{`"3" names 3-faster_tests`, "clade evolution run 3 goes on"}},
		"a fragment":         {map[string]string{at: ready + "[]\n"}, "tests", clade.FaultUsage, []string{"names 3-faster_tests", "clade evolution run 3"}},
		"a slug in words":    {map[string]string{at: ready + "[]\n"}, "Faster Tests!", clade.FaultUsage, []string{"names 3-faster_tests"}},
		"one with a winner":  {map[string]string{at: ready + variant}, "faster", clade.FaultUsage, []string{"clade evolution apply 3 lands its winner"}},
		"one that is done":   {map[string]string{at: ready + variant + "applied: {at: 2026-05-08T14:30:00Z, files_changed: [a]}\n"}, "faster", clade.FaultUsage, []string{"it is done: clade evolution show 3"}},
		"one that is broken": {map[string]string{at: "evolution_id: x\n"}, "faster", clade.FaultUsage, []string{"clade evolution show 3 says what is wrong"}},
		"no such id":         {map[string]string{at: ready + "[]\n"}, "4", clade.FaultUsage, []string{"4 is an id"}},
		"no title":           {nil, " ", clade.FaultUsage, []string{"needs a title"}},
		"a linked gitignore": {map[string]string{"ignore": "", ".gitignore": "-> ignore"}, "t", clade.FaultConflict, []string{".gitignore: is a symbolic link", "with the line .agents/evolutions/*/variants/"}},
		"a folder gitignore": {map[string]string{".gitignore/x": ""}, "t", clade.FaultConflict, []string{"is no regular file"}},
		"a large gitignore":  {map[string]string{".gitignore": strings.Repeat("# x\n", 1<<20+1)}, "t", clade.FaultConflict, []string{"is larger than"}},
		"linked agents":      {map[string]string{"else/x": "", ".agents": "-> else"}, "t", clade.FaultConflict, []string{".agents: is no folder"}},
		"a file in its way":  {map[string]string{".agents/evolutions": ""}, "t", clade.FaultConflict, []string{"is no folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := repository(t, c.files)
			before := tree(t, d.here)
			_, err := written(t, d, c.title, aDraft(), nil)
			refused(t, err, c.fault, c.parts...)
			same(t, d, before)
		})
	}
	t.Run("no repository", func(t *testing.T) {
		t.Parallel()
		_, err := (&Door{here: t.TempDir(), clock: time.Now}).Seed(t.Context(), "t")
		refused(t, err, clade.FaultNotFound, "not a git repository")
	})
	t.Run("no work tree", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, err := (&Door{here: dir, clock: time.Now}).Seed(t.Context(), "t")
		refused(t, err, clade.FaultNotFound, "not in a work tree")
	})
}

// A title whose letters make no slug names nothing by the slug that it gets.
func TestNewInOtherScripts(t *testing.T) {
	t.Parallel()
	d := repository(t, nil)
	for want := range 2 {
		if m, err := written(t, d, "起動を速く", aDraft(), nil); err != nil || m.ID != want+1 || m.Slug != "evolution" {
			t.Fatalf("%+v, %v", m, err)
		}
	}
}

func TestNewRefusesDrafts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*Draft)
		part  string
	}{
		"a vague objective": {func(d *Draft) { d.Objective = "Make it better." }, "does not say what is to be better"},
		"no gate":           {func(d *Draft) { d.Gates = nil }, "gates"},
		"no axis":           {func(d *Draft) { d.Rubric = nil }, "rubric"},
		"no budget":         {func(d *Draft) { d.Budget.MaxVariants = 0 }, "budget.max_variants"},
		"an id given twice": {func(d *Draft) { d.Gates = append(d.Gates, evolution.Gate{ID: "G1", Cmd: "x"}) }, "G1"},
		"a path outside":    {func(d *Draft) { d.Scope.Exclude = []string{"../x"} }, "leaves the repository"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, draft := repository(t, nil), aDraft()
			c.spoil(&draft)
			_, err := written(t, d, "t", draft, nil)
			if err == nil || clade.FaultOf(err) == "" || !strings.Contains(err.Error(), c.part) || strings.Contains(err.Error(), "yaml") {
				t.Errorf("%v", err)
			}
			same(t, d, map[string]string{})
		})
	}
}

// E40: as many as are written at once, each has an id of its own and is whole.
func TestNewAtOnceE40(t *testing.T) {
	t.Parallel()
	d := repository(t, nil)
	const n = 12
	ids, errs := make([]int, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			var m *Made
			if m, errs[i] = written(t, d, fmt.Sprintf("the %c title", 'a'+i), aDraft(), nil); m != nil {
				ids[i] = m.ID
			}
		})
	}
	all.Wait()
	slices.Sort(ids)
	for i, id := range ids {
		if id != i+1 {
			t.Fatalf("ids %v, errors %v", ids, errors.Join(errs...))
		}
	}
	list, err := d.List()
	if err != nil || len(list) != n {
		t.Errorf("%d, %v", len(list), err)
	}
	got := tree(t, d.here)
	if got[".gitignore"] != variantsIgnored+"\n" || len(got) != 3+4*n { // two folders and .gitignore
		t.Errorf("%q, %d paths", got[".gitignore"], len(got))
	}
}

// What another process writes between the agreement and the lock is seen.
func TestNewSeesTheOther(t *testing.T) {
	t.Parallel()
	d := repository(t, nil)
	other := func(name string) func() func() {
		return func() func() {
			lay(t, d.here, map[string]string{".agents/evolutions/" + name + "/evolution.yaml": ""})
			return func() {}
		}
	}
	if m, err := written(t, d, "Mine", aDraft(), other("7-theirs")); err != nil || m.ID != 8 {
		t.Fatalf("%+v, %v", m, err)
	}
	_, err := written(t, d, "Ours", aDraft(), other("9-ours"))
	refused(t, err, clade.FaultUsage, `"Ours" names 9-ours`)
}

// E41: what fails on the way leaves nothing, and what died is swept.
func TestNewLeavesNothingE41(t *testing.T) {
	t.Parallel()
	t.Run("a step fails", func(t *testing.T) {
		t.Parallel()
		d := repository(t, map[string]string{"ignore": ""})
		before := tree(t, d.here)
		_, err := written(t, d, "t", aDraft(), func() func() { // after everything was looked at
			lay(t, d.here, map[string]string{".gitignore": "-> ignore"})
			return func() {}
		})
		refused(t, err, clade.FaultConflict, "is a symbolic link")
		before[".gitignore"] = "-> ignore"
		same(t, d, before)
	})
	t.Run("beside others", func(t *testing.T) {
		t.Parallel()
		d := repository(t, map[string]string{"ignore": "", ".agents/evolutions/3-faster_tests/evolution.yaml": ready + "[]\n"})
		before := tree(t, d.here)
		_, err := written(t, d, "Small", aDraft(), func() func() {
			lay(t, d.here, map[string]string{".gitignore": "-> ignore"})
			return func() {}
		})
		refused(t, err, clade.FaultConflict)
		before[".gitignore"] = "-> ignore"
		same(t, d, before)
	})
	t.Run("read only", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() == 0 {
			t.Skip("root may write everywhere")
		}
		for _, closed := range []string{".", ".agents/evolutions"} {
			d := repository(t, map[string]string{".agents/evolutions/3-faster_tests/evolution.yaml": ready + "[]\n"})
			before, dir := tree(t, d.here), filepath.Join(d.here, closed)
			if err := os.Chmod(dir, 0o555); err != nil {
				t.Fatal(err)
			}
			_, err := written(t, d, "Small", aDraft(), nil)
			refused(t, err, clade.FaultEnvironment, "nothing of it was")
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			same(t, d, before)
		}
	})
	t.Run("the dead", func(t *testing.T) {
		t.Parallel()
		d := repository(t, map[string]string{".agents/evolutions/.clade-new/evolution.yaml": "half", ".agents/evolutions/.clade-lock": ""})
		if m, err := written(t, d, "t", aDraft(), nil); err != nil || m.ID != 1 {
			t.Fatalf("%+v, %v", m, err)
		}
		if got := tree(t, d.here); len(got) != 3+4 {
			t.Errorf("%d paths: %v", len(got), got)
		}
	})
}
