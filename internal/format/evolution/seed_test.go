package evolution

import (
	"strings"
	"testing"
	"time"
)

func draft() Draft {
	return Draft{ID: 3, CreatedAt: time.Date(2026, 5, 8, 16, 30, 0, 5, time.FixedZone("", 7200)),
		Objective: "Shorten the start: fewer reads.",
		Scope:     Scope{Include: []string{"src/", "package.json"}, Exclude: []string{"tests/"}},
		Budget:    Budget{MaxVariants: 11, PlateauGenerations: 2},
		Gates:     []Gate{{"G1", "it builds", "make"}, {"G2", "tests: all", `go test ./... | grep -v "no test"`}},
		Rubric:    []Axis{{ID: "R1", Description: "time", Direction: Minimize, Cmd: "./bench", Extract: `mean: ([0-9.]+) ms`}, {ID: "R2", Description: "size", Direction: Minimize, Weight: 0.5, Cmd: "wc -c < out"}},
		HeldFixed: []string{"the flags"}, MayChange: []string{"everything in src"}, OutOfScope: []string{"the docs"},
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	yaml, page, err := Seed(draft())
	if err != nil {
		t.Fatal(err)
	}
	wantYAML := `evolution_id: 3
slug: shorten_the_start_fewer_reads
created_at: 2026-05-08T14:30:00Z
updated_at: 2026-05-08T14:30:00Z
objective: "Shorten the start: fewer reads."
scope:
  kind: worktree
  include:
    - src/
    - package.json
  exclude:
    - tests/
budget:
  max_variants: 11
  parallel: 3
  plateau_generations: 2
gates:
  - id: G1
    description: it builds
    cmd: make
  - id: G2
    description: "tests: all"
    cmd: go test ./... | grep -v "no test"
rubric:
  - id: R1
    description: time
    direction: minimize
    cmd: "./bench"
    extract: "mean: ([0-9.]+) ms"
  - id: R2
    description: size
    direction: minimize
    weight: 0.5
    cmd: wc -c < out
variants: []
`
	if string(yaml) != wantYAML {
		t.Errorf("got\n%s", yaml)
	}
	wantPage := "# Evolution — 3-shorten_the_start_fewer_reads\n\n## TL;DR\n\n" +
		"- **Objective**: Shorten the start: fewer reads.\n- **Budget**: 11 variants, 3 at a time, until 2 generations without a better one\n- **Next**: `clade evolution run 3`\n\n" +
		"## Brief\n\n### Objective\n\nShorten the start: fewer reads.\n\n### Held fixed\n\n- the flags\n\n### Variants may change\n\n- everything in src\n\n" +
		"### Scope\n\n- kind: worktree\n- in: `src/`, `package.json`\n- excluded: `tests/`\n\n" +
		"### Gates\n\n- G1: it builds | cmd: `make`\n- G2: tests: all | cmd: `go test ./... | grep -v \"no test\"`\n\n" +
		"### Rubric\n\n- R1: time | minimize | cmd: `./bench` | extract: `mean: ([0-9.]+) ms` (the one group; the last match counts)\n" +
		"- R2: size | minimize | cmd: `wc -c < out` | what it prints is the number | weight 0.5\n\n" +
		"### Budget\n\n11 variants, 3 at a time, until 2 generations without a better one\n\n### Out of scope\n\n- the docs\n\n## Variants\n"
	if string(page) != wantPage {
		t.Errorf("got\n%s", page)
	}
	if err := resolved(t, Schema()).Validate(instance(t, FileEvolution, yaml)); err != nil {
		t.Error(err)
	}
}

// TestSeedGrows: what was seeded can be changed and refreshed like any other.
func TestSeedGrows(t *testing.T) {
	t.Parallel()
	yaml, page, err := Seed(draft())
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(FileEvolution, yaml)
	if err != nil {
		t.Fatal(err)
	}
	want := d.Evolution.Clone()
	want.Variants = append(want.Variants, Variant{ID: "v1", Generation: 1, Hypothesis: "h", Approach: "a\nb", Status: Evaluated,
		Gates: []GateResult{{ID: "G1", Passes: true}, {ID: "G2", Passes: true}}, Rubric: []Value{{"R1", 5}, {"R2", 7}}})
	want.Winner = &Winner{"v1", "It is the only one."}
	if d, err = d.Update(want); err != nil {
		t.Fatal(err)
	}
	out := string(Page{Evolution: d.Evolution}.Refresh(page))
	for _, s := range []string{"- **Winner**: v1, score 1.00\n", "- **Next**: `clade evolution apply 3`\n", "- v1 (gen 1, parents —) — h\n", "## Results (after gen 1)\n\n| Rank", "| 1 | v1 | 1 | — | 1.00 | 5 | 7 |  |\n"} {
		if !strings.Contains(out, s) {
			t.Errorf("%q is not in\n%s", s, out)
		}
	}
}

func TestSeedRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Draft){
		"no gate":        func(d *Draft) { d.Gates = nil },
		"no axis":        func(d *Draft) { d.Rubric = nil },
		"no objective":   func(d *Draft) { d.Objective = " " },
		"files in vain":  func(d *Draft) { d.Scope = Scope{Kind: ScopeFiles} },
		"a path outside": func(d *Draft) { d.Scope.Include = []string{"../x"} },
		"two groups":     func(d *Draft) { d.Rubric[0].Extract = "(a)(b)" },
		"no budget":      func(d *Draft) { d.Budget = Budget{} },
	} {
		d := draft()
		spoil(&d)
		if _, _, err := Seed(d); len(faultsOf(err)) == 0 {
			t.Errorf("%s is taken", name)
		}
	}
}

// TestSeedWithBrief: whatever a brief says, workers are told it, and the
// sections behind it stay what they are.
func TestSeedWithBrief(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ brief, want string }{
		"text":                   {"\nMake it fast.\n\n- keep the flags\n\n", "Make it fast.\n\n- keep the flags"},
		"headings below":         {"### Held fixed\n\n- a\n\n#### More", "### Held fixed\n\n- a\n\n#### More"},
		"a heading that ends it": {"# Goal\n\nfast", "> # Goal\n> \n> fast"},
		"a section's name":       {"### Results\n\nnone", "> ### Results\n> \n> none"},
		"open code":              {"```\nx", "> ```\n> x"},
		"an open comment":        {"<!-- x", "> <!-- x"},
		"a heading in code":      {"```\n# x\n```", "```\n# x\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := draft()
			d.Brief = c.brief
			_, page, err := Seed(d)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Brief("EVOLUTION.md", page); got != c.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
			if all := sections(page); len(all) == 0 || all[len(all)-1].title != sectionVariants {
				t.Errorf("the page ends otherwise:\n%s", page)
			}
		})
	}
}
