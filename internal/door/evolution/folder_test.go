package evolution

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/format/evolution"
)

const startup = `evolution_id: 1
slug: startup
created_at: 2026-05-08T14:30:00Z
updated_at: 2026-05-08T14:30:00Z
objective: Shorten the cold start
budget: {max_variants: 9, parallel: 3}   # a person's
gates:
  - {id: G1, description: builds, cmd: make}
  - {id: G2, description: tests pass, cmd: make test}
rubric:
  - {id: R1, description: start in ms, direction: minimize, cmd: ./bench}
variants:
  - {id: v1, generation: 1, hypothesis: lazy loading, status: pending}
`

// startupFolder is a directory with the files of an evolution.
func startupFolder(t *testing.T, files map[string]string) folder {
	t.Helper()
	f := folder{filepath.Join(t.TempDir(), "1-startup")}
	lay(t, f.dir, map[string]string{"evolution.yaml": startup})
	lay(t, f.dir, files)
	return f
}

// begun has v1 running.
func begun(d *evolution.Document) (*evolution.Evolution, evolution.Page, error) {
	want := d.Evolution.Clone()
	want.Variants[0].Status = evolution.Running
	return want, evolution.Page{}, nil
}

// over has v1 killed, which the page tells too.
func over(d *evolution.Document) (*evolution.Evolution, evolution.Page, error) {
	want := d.Evolution.Clone()
	want.Variants[0].Status = evolution.Killed
	return want, evolution.Page{Notes: map[string]string{"v1": "took too long"}}, nil
}

func unchangedFile(d *evolution.Document) (*evolution.Evolution, evolution.Page, error) {
	return d.Evolution, evolution.Page{}, nil
}

func (f folder) text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(f.file(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, map[string]string{"EVOLUTION.md": "# Mine\n\nA remark.\n"})
	if err := os.Chmod(f.file("evolution.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := f.update(t.Context(), then, unchangedFile)
	if err != nil || string(doc.Data) != startup || f.text(t, "evolution.yaml") != startup {
		t.Fatalf("nothing differs: %v\n%s", err, f.text(t, "evolution.yaml"))
	}
	page := f.text(t, "EVOLUTION.md")
	if !strings.Contains(page, "A remark.") || !strings.Contains(page, "- v1 (gen 1, parents —) — lazy loading") {
		t.Errorf("the page is refreshed whenever it is not as it should be:\n%s", page)
	}
	if _, err := f.update(t.Context(), then, begun); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("updated_at: 2026-05-08T14:30", "updated_at: 2026-05-08T19:42", "pending", "running").Replace(startup)
	if got := f.text(t, "evolution.yaml"); got != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := f.update(t.Context(), then.Add(time.Hour), begun); err != nil || f.text(t, "evolution.yaml") != want {
		t.Errorf("what says nothing new was not updated: %v\n%s", err, f.text(t, "evolution.yaml"))
	}
	if info, err := os.Stat(f.file("evolution.yaml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions are %v, %v", info.Mode(), err)
	}
	refusal := errors.New("no")
	if _, err := f.update(t.Context(), then, func(*evolution.Document) (*evolution.Evolution, evolution.Page, error) {
		return nil, evolution.Page{}, refusal
	}); !errors.Is(err, refusal) {
		t.Error(err)
	}
}

func TestUpdateMakesThePage(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, nil)
	if _, err := f.update(t.Context(), then, unchangedFile); err != nil {
		t.Fatal(err)
	}
	brief, err := evolution.Brief("EVOLUTION.md", []byte(f.text(t, "EVOLUTION.md")))
	if err != nil || !strings.Contains(brief, "Shorten the cold start") || !strings.Contains(brief, "`make test`") {
		t.Errorf("%v\n%s", err, brief)
	}
}

// E61: a process that is killed between the two files leaves a page of before.
func TestUpdateKilledBetween(t *testing.T) {
	t.Parallel()
	whole, torn := startupFolder(t, nil), startupFolder(t, nil)
	for _, f := range []folder{whole, torn} {
		if _, err := f.update(t.Context(), then, unchangedFile); err != nil {
			t.Fatal(err)
		}
	}
	killed := errors.New("killed")
	writes := 0
	_, err := torn.rewrite(t.Context(), then, over, func(name string, data []byte, perm fs.FileMode) error {
		if writes++; writes == 2 {
			return killed
		}
		return atomicfile.Write(name, data, perm)
	})
	if !errors.Is(err, killed) || torn.text(t, "evolution.yaml") == startup {
		t.Fatal(err, writes)
	}
	for _, f := range []folder{whole, torn} {
		if _, err := f.update(t.Context(), then, over); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"evolution.yaml", "EVOLUTION.md"} {
		if a, b := whole.text(t, name), torn.text(t, name); a != b {
			t.Errorf("%s: whole\n%s\ntorn\n%s", name, a, b)
		}
	}
}

// E60: somebody edits while clade does.
func TestUpdateKeepsEdits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"evolution.yaml", "EVOLUTION.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startupFolder(t, map[string]string{"EVOLUTION.md": "# Mine\n"})
			edit := func() {
				lay(t, f.dir, map[string]string{name: f.text(t, name) + "# from a person\n"})
			}
			asked := 0
			_, err := f.update(t.Context(), then, func(d *evolution.Document) (*evolution.Evolution, evolution.Page, error) {
				if asked++; asked == 1 {
					edit()
				}
				return begun(d)
			})
			if err != nil || asked != 2 || !strings.Contains(f.text(t, name), "# from a person") || !strings.Contains(f.text(t, "evolution.yaml"), "running") {
				t.Errorf("asked %d times, %v\n%s", asked, err, f.text(t, name))
			}
			_, err = f.update(t.Context(), then, func(d *evolution.Document) (*evolution.Evolution, evolution.Page, error) {
				edit()
				return over(d)
			})
			refused(t, err, clade.FaultBusy, "change all the time")
		})
	}
}

// E65: what leads elsewhere is refused, like what is no evolution.
func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		fault clade.Fault
		says  string
	}{
		"a linked file":            {map[string]string{"elsewhere.yaml": startup, "evolution.yaml": "-> elsewhere.yaml"}, clade.FaultSpec, "symbolic link"},
		"a linked page":            {map[string]string{"page": "# Mine\n", "EVOLUTION.md": "-> page"}, clade.FaultSpec, "symbolic link"},
		"a page linked to nothing": {map[string]string{"EVOLUTION.md": "-> ../nothing"}, clade.FaultSpec, "symbolic link"},
		"variants elsewhere":       {map[string]string{"other/x": "", "variants": "-> other"}, clade.FaultSpec, "is not a folder"},
		"variants a file":          {map[string]string{"variants": ""}, clade.FaultSpec, "is not a folder"},
		"a page that is a folder":  {map[string]string{"EVOLUTION.md/x": ""}, clade.FaultSpec, "not a regular file"},
		"no file":                  {nil, clade.FaultNotFound, "no such file"},
		"a broken file":            {map[string]string{"evolution.yaml": "slug: 1\n"}, clade.FaultSpec, "budget is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder{filepath.Join(t.TempDir(), "1-startup")}
			if err := os.Mkdir(f.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if _, own := c.files["evolution.yaml"]; !own && c.files != nil {
				lay(t, f.dir, map[string]string{"evolution.yaml": startup})
			}
			lay(t, f.dir, c.files)
			_, err := f.update(t.Context(), then, begun)
			refused(t, err, c.fault, c.says)
		})
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, nil)
	unlock, err := f.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.lockWithin(t.Context(), 0)
	refused(t, err, clade.FaultBusy, "another process writes")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.lock(ended); !errors.Is(err, context.Canceled) || clade.FaultOf(err) != "" {
		t.Error(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if unlock, err = f.lockWithin(t.Context(), 0); err != nil || unlock() != nil {
		t.Error(err)
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, nil)
	if _, ok, err := f.link(); ok || err != nil {
		t.Error(ok, err)
	}
	if err := f.setLink(link{Base: "0123"}); err != nil { // an export's, which no run is behind yet
		t.Fatal(err)
	}
	if got, ok, err := f.link(); got != (link{Base: "0123"}) || ok || err != nil {
		t.Error(got, ok, err)
	}
	want := link{Run: "brave-fox", Base: "0123"}
	if err := f.setLink(want); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := f.link(); got != want || !ok || err != nil {
		t.Error(got, ok, err)
	}
	for name, text := range map[string]string{
		"no JSON": "run: x", "cut off": `{"run": "x`, "no run": `{"run": "", "base": ""}`, "a key too many": `{"run": "x", "base": "", "also": 1}`,
	} {
		lay(t, f.dir, map[string]string{"variants/clade.json": text})
		_, ok, err := f.link()
		if ok {
			t.Errorf("%s: is read", name)
		}
		refused(t, err, clade.FaultSpec, "clade.json", "delete it")
	}
}

func FuzzLink(f *testing.F) {
	for _, seed := range []string{`{"run": "brave-fox", "base": ""}`, `{"run": "", "base": "x"}`, `[]`, `{"run": 1}`, ``} {
		f.Add([]byte(seed))
	}
	dir := folder{f.TempDir()}
	if err := dir.makeVariants(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(dir.variants(fileLink), data, 0o644); err != nil {
			t.Fatal(err)
		}
		l, ok, err := dir.link()
		if ok != (l.Run != "") || err != nil && l != (link{}) || err == nil && l == (link{}) {
			t.Errorf("%+v, %v, %v", l, ok, err)
		}
	})
}
