package evolution

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/format/evolution"
)

// search is a run with a variant of every kind.
const search = `
base R1=184
plan 2 v1 gen=1 lazy loading
begin 2
made 2 t2
end 2 G1=1 G2=1 R1=142
judge 2 accepted improved better
plan 3 v2 gen=1 inline the version
begin 3
made 3 t3
end 3 G1="2 failed"
judge 3 rejected gate gate G1 failed
plan 4 v3 gen=1 hangs
begin 4
end 4 class=operator late=1 detail="it hung"
judge 4 rejected operator operator failure
plan 5 v4 gen=1 goes on
begin 5
plan 6 v5 gen=1 by hand
begin 6 hand=me
made 6 t6
begin 6
end 6 G1=1 G2=1 R1=98.6
judge 6 accepted improved better
final 7 of=6
winner 6 proven: R1 98.6 against 184 of the base, exact
stop candidates
`

// mirrored is a run as its mirror sees it, whose trees are a file each.
func mirrored(t *testing.T, f folder, lines string) scripted {
	t.Helper()
	doc, err := f.read()
	if err != nil {
		t.Fatal(err)
	}
	return scripted{runOf(t, doc.Evolution, lines), func(commit, dir string) error {
		if _, err := os.Lstat(dir); err == nil {
			return &clade.Problem{Fault: clade.FaultConflict, Text: dir + " is there already"}
		}
		lay(t, dir, map[string]string{"a.txt": commit})
		return nil
	}}
}

// E64: what is there stays.
func TestMirror(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, map[string]string{
		"variants/v5/workspace/a.txt": "a person's", "variants/v5/result.json": `{"status": "evaluated"}`,
		"variants/v4/result.json": "a worker's, half wri",
	})
	r := mirrored(t, f, search)
	doc, err := f.mirror(t.Context(), r, then)
	if err != nil || doc.Evolution.Winner == nil || doc.Evolution.Winner.Variant != "v5" {
		t.Fatalf("%v\n%s", err, f.text(t, "evolution.yaml"))
	}
	if string(doc.Data) != f.text(t, "evolution.yaml") {
		t.Error("what is returned is not what was written")
	}
	got := tree(t, filepath.Join(f.dir, "variants"))
	for name, want := range map[string]string{
		"v1/workspace/a.txt": "commit-t2", "v2/workspace/a.txt": "commit-t3",
		"v5/workspace/a.txt": "a person's", "v5/result.json": `{"status": "evaluated"}`, "v4/result.json": "a worker's, half wri",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	for _, name := range []string{"v3/workspace/", "v4/workspace/"} {
		if _, ok := got[name]; ok {
			t.Errorf("%s: there is no tree of it", name)
		}
	}
	for name, want := range map[string]*evolution.Result{
		"v1": {Status: evolution.Evaluated, Gates: []evolution.GateResult{{ID: "G1", Passes: true}, {ID: "G2", Passes: true}},
			Rubric: []evolution.Value{{ID: "R1", Value: 142}}, Notes: "measured by clade: better"},
		"v2": {Status: evolution.Evaluated, Gates: []evolution.GateResult{{ID: "G1", Output: "exit status 1: 2 failed"}, {ID: "G2", Output: "not run"}},
			Notes: "measured by clade: gate G1 failed: exit status 1: 2 failed"},
		"v3": {Status: evolution.Killed, Notes: "measured by clade: operator failure: took too long: it hung"},
	} {
		r, err := evolution.ParseResult(name, []byte(got[name+"/result.json"]), doc.Evolution)
		if err != nil || !reflect.DeepEqual(r, want) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	before := tree(t, f.dir)
	if _, err := f.mirror(t.Context(), r, then.AddDate(1, 0, 0)); err != nil || !maps.Equal(before, tree(t, f.dir)) {
		t.Errorf("once more it writes something: %v", err)
	}
	page := f.text(t, "EVOLUTION.md")
	if !strings.Contains(page, "| — | v2 | 1 | — | — | — | G1 ✗; exit status 1: 2 failed |") || !strings.Contains(page, "- **Winner**: v5, score 1.00") {
		t.Error(page)
	}
}

// E61: killed at every write and every tree in turn, and called again, it leaves what
// it leaves undisturbed.
func TestMirrorKilledAnywhere(t *testing.T) {
	t.Parallel()
	whole := startupFolder(t, nil)
	if _, err := whole.mirror(t.Context(), mirrored(t, whole, search), then); err != nil {
		t.Fatal(err)
	}
	want, killed := tree(t, whole.dir), errors.New("killed")
	for n := 1; ; n++ {
		f, at := startupFolder(t, nil), 0
		step := func(do func() error) error {
			if at++; at == n {
				return killed
			}
			return do()
		}
		r := mirrored(t, f, search)
		export := r.export
		r.export = func(commit, dir string) error { return step(func() error { return export(commit, dir) }) }
		_, err := f.reflect(t.Context(), r, then, false, func(name string, data []byte, perm fs.FileMode) error {
			return step(func() error { return atomicfile.Write(name, data, perm) })
		})
		if err == nil {
			if n < 8 { // two files, three trees, three results and more
				t.Fatalf("only %d steps", n)
			}
			return
		}
		if !errors.Is(err, killed) {
			t.Fatal(n, err)
		}
		r.export = export
		if _, err := f.mirror(t.Context(), r, then); err != nil {
			t.Fatal(n, err)
		}
		if got := tree(t, f.dir); !maps.Equal(got, want) {
			t.Fatalf("killed at %d: %v, want %v", n, got, want)
		}
	}
}

// E63: a result that clade wrote is not taken for the work of whoever takes the
// variant up again; a worker's stays.
func TestMirrorRetracts(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, map[string]string{"variants/v2/result.json": "{}"})
	const first = `
base R1=184
plan 2 v1 gen=1 one
begin 2
end 2 class=operator detail="exit status 1"
judge 2 rejected operator operator failure
plan 3 v2 gen=1 two
begin 3
end 3 class=operator detail="exit status 1"
judge 3 rejected operator operator failure
`
	if _, err := f.mirror(t.Context(), mirrored(t, f, first), then); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(tree(t, f.dir)["variants/v1/result.json"], ownNotes) {
		t.Fatal(tree(t, f.dir))
	}
	const anew = "plan 1 v1 gen=1 one\nbegin 1 hand=me\nplan 2 v2 gen=1 two\nbegin 2 hand=me"
	if _, err := f.mirror(t.Context(), mirrored(t, f, anew), then); err != nil {
		t.Fatal(err)
	}
	got := tree(t, f.dir)
	if _, ok := got["variants/v1/result.json"]; ok || got["variants/v2/result.json"] != "{}" {
		t.Error(got)
	}
}

// Gates and axes that came after a variant was measured are in no result of it.
func TestMirrorOlderMeasures(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, nil)
	r := mirrored(t, f, search)
	lay(t, f.dir, map[string]string{"evolution.yaml": strings.Replace(startup, "\nvariants:",
		"\n  - {id: R2, description: features, direction: maximize, cmd: ./count}\nvariants:", 1)})
	doc, err := f.mirror(t.Context(), r, then)
	if err != nil {
		t.Fatal(err)
	}
	row, _ := evolution.RowOf(evolution.Score(doc.Evolution), "v1")
	if _, ok := tree(t, f.dir)["variants/v1/result.json"]; ok || row.Why != "R2 ?" || doc.Evolution.Winner != nil {
		t.Errorf("%+v\n%s", row, doc.Data)
	}
}

// E65: nothing is written behind a link.
func TestMirrorRefusesLinks(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, map[string]string{"other/x": "", "variants/v1": "-> ../other"})
	_, err := f.mirror(t.Context(), mirrored(t, f, search), then)
	refused(t, err, clade.FaultSpec, "is not a folder")
	if got := tree(t, filepath.Join(f.dir, "other")); len(got) != 1 {
		t.Error(got)
	}
	f = startupFolder(t, map[string]string{"mine": "mine", "variants/v1/result.json": "-> ../../mine", "variants/v2/result.json": "-> ../nowhere"})
	if _, err = f.mirror(t.Context(), mirrored(t, f, search), then); err != nil {
		t.Fatal(err)
	}
	got := tree(t, f.dir)
	if got["mine"] != "mine" || got["variants/v1/result.json"] != "-> ../../mine" || got["variants/v2/result.json"] != "-> ../nowhere" {
		t.Error(got)
	}
}

// E62: what a worker claims is shown beside what was measured, and never ranked.
func TestForgedResultNeverRanks(t *testing.T) {
	t.Parallel()
	d := repository(t, map[string]string{
		".agents/evolutions/1-startup/evolution.yaml": startup,
		".agents/evolutions/1-startup/variants/v1/result.json": `{"status": "evaluated",
			"gates": [{"id": "G1", "passes": true}, {"id": "G2", "passes": true}], "rubric": [{"id": "R1", "value": 0.001}, {"id": "R9", "value": 1}]}`,
		".agents/evolutions/1-startup/variants/v2/result.json": `{"status": "evaluated",
			"gates": [{"id": "G1", "passes": true}, {"id": "G2", "passes": true}], "rubric": [{"id": "R1", "value": 0.002}]}`,
		".agents/evolutions/1-startup/variants/v3/result.json": `{"status": "evaluated", "rubric": [{"id": "R1", "value": "0"}]}`,
		".agents/evolutions/1-startup/variants/v4/result.json": `{"rubric": [{"id": "R1", "value": 0.003}], "extra": true}`,
		".agents/evolutions/1-startup/variants/v5/result.json": `{"rubric": [{"id": "R1", "value": 98.6}]}`,
	})
	f, _, err := d.find("1")
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, f.variants())
	for _, write := range []func() error{
		func() error { _, err := f.sweep(t.Context(), mirrored(t, f, search), then); return err },
		func() error { _, err := f.mirror(t.Context(), mirrored(t, f, search), then); return err },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
		r, err := d.Show("1")
		if err != nil {
			t.Fatal(err)
		}
		type seen struct {
			rank   int
			why    string
			r1     float64
			claim  map[string]float64
			remark string
		}
		got := map[string]seen{}
		for _, row := range r.Rows {
			s := seen{rank: row.Rank, why: row.Why, claim: row.Claim, remark: row.Remark}
			if x := row.Values["R1"]; x != nil {
				s.r1 = *x
			}
			got[row.Variant] = s
		}
		want := map[string]seen{
			"v1": {rank: 2, r1: 142, claim: map[string]float64{"R1": 0.001}},
			"v2": {why: "G1 ✗", claim: map[string]float64{"R1": 0.002}},
			"v3": {why: "killed", remark: "result.json cannot be read"},
			"v4": {why: "running", claim: map[string]float64{"R1": 0.003}},
			"v5": {rank: 1, r1: 98.6},
		}
		if !reflect.DeepEqual(got, want) || r.Leader != "v5" {
			t.Errorf("%+v, leader %s", got, r.Leader)
		}
	}
	for name, text := range tree(t, f.variants()) {
		if was, ok := before[name]; ok && was != text {
			t.Errorf("%s was %q, is %q", name, was, text)
		}
	}
}

func FuzzClaim(f *testing.F) {
	for _, seed := range []string{`{"rubric": [{"id": "R1", "value": 1}]}`, `{"rubric": [{"id": "R1"}]}`, `{"notes": "measured by clade: x"}`, `[]`, ``} {
		f.Add([]byte(seed))
	}
	dir := folder{f.TempDir()}
	if err := dir.makeVariants("v1"); err != nil {
		f.Fatal(err)
	}
	e, err := evolution.Parse("evolution.yaml", []byte(startup))
	if err != nil {
		f.Fatal(err)
	}
	axes := []string{"R1"}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(dir.result("v1"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		claim, remark := dir.claim(e, &e.Variants[0])
		for id, x := range claim {
			if !slices.Contains(axes, id) || x != x || remark != "" {
				t.Errorf("%v, %q", claim, remark)
			}
		}
	})
}

// Another process may write the same tree at the same time.
func TestMirrorBesideAnother(t *testing.T) {
	t.Parallel()
	f := startupFolder(t, nil)
	r := mirrored(t, f, search)
	export := r.export
	r.export = func(commit, dir string) error {
		if err := export(commit, dir); err != nil { // the other one
			return err
		}
		return export(commit, dir)
	}
	if _, err := f.mirror(t.Context(), r, then); err != nil {
		t.Error(err)
	}
	r.export = func(string, string) error {
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the disk is full"}
	}
	other := startupFolder(t, nil)
	_, err := other.mirror(t.Context(), r, then)
	if clade.FaultOf(err) != clade.FaultEnvironment || !strings.Contains(err.Error(), "the workspace of v1: the disk is full") {
		t.Error(err)
	}
}
