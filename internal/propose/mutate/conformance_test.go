package mutate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy/edit"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/propose/mutate"
	"github.com/cladehq/clade/internal/propose/proposetest"
)

// world has a bit of everything, below a prefix.
var world = map[string]string{
	"app/sort.go": "package sort\n\nimport \"time\"\n\n// Sort sorts.\nfunc Sort(a []int) {\n\tfor i := 0; i < len(a); i++ {\n" +
		"\t\ttime.Sleep(1)\n\t\tx := a[i]\n\t\ty := x*2 - 1\n\t\tif x > 0x1F && y != -3 {\n\t\t\ta[i] = x\n\t\t}\n\t}\n}\n",
	"app/conf.yaml":   "rate: 0.5 # clade:tune rate=0.1..10 log\r\nmode: fast # clade:tune mode choices=fast,small\r\nlast: 2026-11-30\r\nversion: v1.2.3",
	"app/data.txt":    "0.1 0.2 -3e-4\n0.4 1.5 7\n\n",
	"app/SKILL.md":    "# Skill\n\nSay hello.\nThen count to 5.\nNever give up, it's fine.\n",
	"app/bin.dat":     "a\x00b 1 2 3",
	"app/latin1.txt":  "caf\xe9 1\n",
	"app/big.txt":     strings.Repeat("1 2 3\n", 200_000),
	"app/empty.txt":   "",
	"app/secret.txt":  "1 2 3\n",
	"other/data.txt":  "1 2 3\n",
	"app/odd\n\xff.x": "1\n",
}

func spec() *clade.Spec {
	return &clade.Spec{Seed: 7, Target: clade.Target{Prefix: "app"}, Frozen: []string{"secret.txt"},
		Operators: []clade.Operator{{Use: "mutate", Name: "mutate"}}}
}

// subject makes requests with briefs of the briefer or, with plain, without any.
func subject(t *testing.T, plain bool) proposetest.Subject {
	m, op, sp := proposetest.NewMemory(), mutate.New(), spec()
	base := m.Commit(world)
	r := propose.Request{Spec: sp, Try: 1, Attempt: &clade.Attempt{}, Parents: []propose.Parent{{Commit: base}}, Read: m}
	found, err := op.Survey(context.Background(), r)
	if err != nil || found.Nothing || len(found.Warnings) > 0 {
		t.Fatalf("%v, nothing: %v, warnings %q", err, found.Nothing, found.Warnings)
	}
	space := found.Space
	return proposetest.Subject{Operator: op, Memory: m, Series: 300, Request: func(n int) propose.Request {
		r := r
		r.Draw, r.Space = clade.Draw(1, "test", clade.ID(n)), space
		r.Attempt = &clade.Attempt{ID: clade.ID(n + 1), Operator: "mutate", Makes: clade.MakesTree}
		if plain {
			r.Space = ""
		} else {
			r.Attempt.Brief = edit.Default(space, r.Draw).String()
		}
		return r
	}}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("briefed", func(t *testing.T) {
		proposetest.Run(t, func(t *testing.T) proposetest.Subject { return subject(t, false) })
	})
	t.Run("without brief or survey", func(t *testing.T) {
		proposetest.Run(t, func(t *testing.T) proposetest.Subject { return subject(t, true) })
	})
}

func TestNothingToEdit(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no files":       {},
		"only binary":    {"a.bin": "1\x002"},
		"one bracket":    {"a.txt": "{"},
		"blank":          {"a.txt": "\n\n \n"},
		"all frozen":     {"secret.txt": "1 2 3\n"},
		"not UTF-8":      {"a.txt": "\xff 1 2\n"},
		"only a symlink": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := proposetest.NewMemory()
			base := m.Commit(files)
			base = m.Change(base, []ledger.Change{{Path: "link", Mode: ledger.ModeSymlink, Data: []byte("1 2 3")}})
			sp := spec()
			sp.Target.Prefix = ""
			for n := range uint64(50) {
				p, err := mutate.New().Propose(context.Background(), propose.Request{Spec: sp, Draw: n, Read: m,
					Attempt: &clade.Attempt{ID: 1}, Parents: []propose.Parent{{Commit: base}}})
				if err != nil || p.Class != clade.OK || len(p.Changes) > 0 || p.Detail == "" {
					t.Fatalf("draw %d: %+v, %v", n, p, err)
				}
			}
		})
	}
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	s := subject(t, false)
	got, ok := edit.ParseSpace(s.Request(0).Space)
	if !ok {
		t.Fatalf("no survey: %s", s.Request(0).Space)
	}
	var paths []string
	for _, f := range got.Files {
		paths = append(paths, fmt.Sprintf("%s %d %v", f.Path, f.Numbers, f.Data))
	}
	// SKILL.md: 5. conf.yaml: both values are tuned, date and version are no
	// numbers. data.txt: six. sort.go: 0, 1, 2, 1, 0x1F, -3.
	want := "app/SKILL.md 1 false; app/conf.yaml 0 false; app/data.txt 6 true; app/sort.go 6 false"
	if g := strings.Join(paths, "; "); g != want {
		t.Errorf("files %s\nwant  %s", g, want)
	}
	if got.Skipped != 5 { // binary, Latin-1, too large, empty, a name that is not UTF-8
		t.Errorf("skipped %d, want 5", got.Skipped)
	}
	tunes, _ := json.Marshal(got.Tunes)
	wantTunes := `[{"name":"rate","path":"app/conf.yaml","line":1,"value":"0.5","low":0.1,"high":10,"log":true},` +
		`{"name":"mode","path":"app/conf.yaml","line":2,"value":"fast","choices":["fast","small"]}]`
	if string(tunes) != wantTunes {
		t.Errorf("tunes %s\nwant  %s", tunes, wantTunes)
	}
}

// What a person should know of a base is told, and whether there is nothing.
func TestSurveyTells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files   map[string]string
		allow   []string
		warn    string // all lines
		nothing bool
	}{
		"a range upside down":    {map[string]string{"app/a.yaml": "n: 5 # clade:tune bad=10..1\n"}, nil, "app/a.yaml:1: clade:tune: ", false},
		"a name twice":           {map[string]string{"app/a.yaml": "n: 5 # clade:tune x=1..9\n", "app/b.yaml": "n: 5 # clade:tune x=1..9\n"}, nil, "app/b.yaml:1: clade:tune: x is tuned twice, first in app/a.yaml", false},
		"a pattern of nothing":   {map[string]string{"app/a.txt": "some words\n"}, []string{"b.txt"}, "", true},
		"bytes that are no text": {map[string]string{"app/a.bin": "\x00\x01"}, nil, "", true},
		"words":                  {map[string]string{"app/a.txt": "some words\nand more\n"}, nil, "", false},
		"only a tuned value":     {map[string]string{"app/a.txt": "5 # clade:tune x=1..9"}, nil, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, sp := proposetest.NewMemory(), spec()
			sp.Allow = tt.allow
			r := propose.Request{Spec: sp, Attempt: &clade.Attempt{}, Parents: []propose.Parent{{Commit: m.Commit(tt.files)}}, Read: m}
			got, err := mutate.New().Survey(context.Background(), r)
			if err != nil || got.Nothing != tt.nothing {
				t.Fatalf("%v, nothing: %v", err, got.Nothing)
			}
			if warn := strings.Join(got.Warnings, "\n"); !strings.HasPrefix(warn, tt.warn) || (warn == "") != (tt.warn == "") {
				t.Errorf("warnings %q", warn)
			}
		})
	}
}

// do makes one proposal from a brief and returns the child's files.
func do(t *testing.T, files map[string]string, b edit.Brief, more ...map[string]string) (map[string]string, propose.Proposal) {
	t.Helper()
	m := proposetest.NewMemory()
	b.Version = edit.Version
	r := propose.Request{Spec: &clade.Spec{}, Attempt: &clade.Attempt{ID: 9}, Read: m}
	for i, f := range append([]map[string]string{files}, more...) {
		r.Parents = append(r.Parents, propose.Parent{ID: clade.ID(i + 1), Commit: m.Commit(f)})
	}
	if len(more) > 1 { // the last is the ancestor
		b.Ancestor = r.Parents[len(more)].Commit
		r.Parents = r.Parents[:2]
	}
	r.Attempt.Brief = b.String()
	p, err := mutate.New().Propose(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return m.Files(m.Change(r.Parents[0].Commit, p.Changes)), p
}

func TestNudge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file        string
		z, grow     float64
		want        string
		wantSummary string
	}{
		// The first step is a tenth of the value, rounded to a sixteenth of an
		// octave: 0.075/10 is kept as 2^(-113/16) = 0.00748, 1e-3/10 as 2^(-213/16)
		// = 0.0000983, 2/10*1.5 as 2^(-28/16) = 0.297. Two digits of the change show.
		"a float keeps sensible digits":  {"r 0.075\n", 1, 1, "r 0.0825\n", "0.075 → 0.0825 in line 1 of f"},
		"step grown":                     {"r 0.075\n", 1, 2, "r 0.09\n", "0.075 → 0.09 in line 1 of f"},
		"CRLF and no final newline":      {"a\r\nr 0.5", -1, 1, "a\r\nr 0.45", "0.5 → 0.45 in line 2 of f"},
		"an integer moves by one":        {"n = 3;\n", 0.1, 1, "n = 4;\n", "3 → 4 in line 1 of f"},
		"an integer stays at zero or up": {"n = 0;\n", -1, 1, "n = 1;\n", "0 → 1 in line 1 of f"},
		"hexadecimal":                    {"n = 0xF0;\n", 1, 1, "n = 0x108;\n", "0xF0 → 0x108 in line 1 of f"},
		"octal":                          {"mode 0644;\n", 0.01, 1, "mode 0645;\n", "0644 → 0645 in line 1 of f"},
		"an exponent":                    {"lr=1e-3\n", 1, 1, "lr=1.098e-3\n", "1e-3 → 1.098e-3 in line 1 of f"},
		"a negative number":              {"x = -2.0\n", 10, 1.5, "x = 1.0\n", "-2.0 → 1.0 in line 1 of f"},
		"a subtrahend stays positive":    {"x = y-2.0\n", -10, 1.5, "x = y-1.0\n", "2.0 → 1.0 in line 1 of f"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, p := do(t, map[string]string{"f": c.file}, edit.Brief{Kind: edit.Number, File: "f",
				Moves: []edit.Move{{At: 0, Z: []float64{c.z}, Grow: []float64{c.grow}}}})
			if got["f"] != c.want || p.Summary != c.wantSummary {
				t.Errorf("got %q (%s), want %q (%s)", got["f"], p.Summary, c.want, c.wantSummary)
			}
		})
	}
}

func TestNudgeLine(t *testing.T) {
	t.Parallel()
	b := edit.Brief{Kind: edit.NumberLine, File: "f", Moves: []edit.Move{{At: 0.99, Line: true,
		Z: []float64{10, -10, 10, 10}, Grow: []float64{1, 1, 1, 1}}}}
	got, p := do(t, map[string]string{"f": "10 20\n30 40\n"}, b)
	// A tenth of 30 and of 40, in sixteenths of an octave: 2^(25/16) = 2.954, 2^2 = 4.
	if got["f"] != "10 20\n60 0\n" {
		t.Errorf("got %q", got["f"])
	}
	if p.Feedback != `{"steps":{"f":"2:25 3:32"}}` {
		t.Errorf("feedback %s", p.Feedback)
	}
}

func TestTune(t *testing.T) {
	t.Parallel()
	file := "const block = 32 // clade:tune block=1..1024 log int\n// clade:tune rate=0..1\nrate(0.25)\nmode = \"fast\" # clade:tune mode choices=fast,small\n"
	got, p := do(t, map[string]string{"f": file, "g": "x"}, edit.Brief{Kind: edit.Tune,
		Values: map[string]string{"block": "64", "rate": "0.75", "mode": "small"}})
	want := strings.NewReplacer("32", "64", "0.25", "0.75", `"fast"`, `"small"`).Replace(file)
	if got["f"] != want {
		t.Errorf("got  %q\nwant %q", got["f"], want)
	}
	if w := "block: 32 → 64, rate: 0.25 → 0.75, mode: fast → small in f"; p.Summary != w {
		t.Errorf("summary %q, want %q", p.Summary, w)
	}
}

func TestCrossTakesHunksOfBoth(t *testing.T) {
	t.Parallel()
	base := "a\nb\nc\nd\ne\nf\n"
	ours, theirs := strings.Replace(base, "b\n", "b (ours)\n", 1), strings.Replace(base, "e\n", "e (theirs)\nmore\n", 1)
	seen := map[string]int{}
	for draw := range uint64(40) {
		got, p := do(t, map[string]string{"f": ours}, edit.Brief{Kind: edit.Cross, Draw: draw},
			map[string]string{"f": theirs}, map[string]string{"f": base})
		if len(p.Changes) > 0 {
			seen[got["f"]]++
		}
	}
	both := "a\nb (ours)\nc\nd\ne (theirs)\nmore\nf\n"
	if seen[both] == 0 || seen[ours] > 0 {
		t.Errorf("children: %v", seen)
	}
	for child := range seen {
		if child != both && child != base {
			continue
		}
		delete(seen, child)
	}
	for child := range seen {
		if child == theirs {
			t.Errorf("a child is the second parent: %q", child)
		}
	}
}

func TestCrossMixesNumbers(t *testing.T) {
	t.Parallel()
	a, b := "1.5 2.5\n3.5 4.5\n", "10.5 20.5\n30.5 40.5\n"
	for draw := range uint64(40) {
		got, p := do(t, map[string]string{"f": a}, edit.Brief{Kind: edit.Cross, Draw: draw}, map[string]string{"f": b}, map[string]string{"f": a})
		if len(p.Changes) == 0 || got["f"] == a || got["f"] == b || strings.Count(got["f"], "\n") != 2 || len(strings.Fields(got["f"])) != 4 {
			t.Errorf("draw %d: %q", draw, got["f"])
		}
	}
}

// A step follows its number when lines before it come and go.
func TestStepsFollowLineEdits(t *testing.T) {
	t.Parallel()
	m := proposetest.NewMemory()
	commit := m.Commit(map[string]string{"f": "x = 1\ny = 2\nz = 3\n"})
	for draw := range uint64(30) {
		p, err := mutate.New().Propose(context.Background(), propose.Request{Spec: &clade.Spec{}, Read: m,
			Attempt: &clade.Attempt{Brief: edit.Brief{Version: 1, Kind: edit.LineDelete, File: "f", Draw: draw}.String()},
			Parents: []propose.Parent{{Commit: commit, Feedback: `{"steps":{"f":"0:1 1:2 2:3"}}`}}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"y = 2\nz = 3\n": "0:2 1:3", "x = 1\nz = 3\n": "0:1 1:3", "x = 1\ny = 2\n": "0:1 1:2"}[string(p.Changes[0].Data)]
		if p.Feedback != fmt.Sprintf(`{"steps":{"f":%q}}`, want) {
			t.Errorf("after %q feedback is %s", p.Summary, p.Feedback)
		}
	}
}

func TestPackingClimbs(t *testing.T) {
	t.Parallel()
	c := newClimb(t, 1, seedPacking(t), packed)
	// The seed scores 1.895; growing each of 26 discs once is worth 0.2 alone.
	if got := c.run(600, 4); got < 2.1 {
		t.Errorf("600 attempts reach %.4f", got)
	}
}
