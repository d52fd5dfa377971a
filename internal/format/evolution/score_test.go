package evolution

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

func example(t *testing.T) *Document {
	t.Helper()
	data, err := os.ReadFile("testdata/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open("evolution.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestExample: the published example loads, is done, and shows its table.
func TestExample(t *testing.T) {
	t.Parallel()
	e := example(t).Evolution
	if e.State() != StateApplied {
		t.Errorf("it is %s", e.State())
	}
	want := `| Rank | Variant | Gen | Parents | Score | R1 | Notes |
|---|---|---|---|---|---|---|
| 1 | v7 | 2 | v2 | 1.00 | 98.6 |  |
| 2 | v2 | 1 | — | 0.50 | 142 |  |
| 3 | v1 | 1 | — | 0.00 | 184.2 |  |
| — | v4 | 1 | — | — | — | G2 ✗ |
`
	if got := Table(e, Score(e), nil); got != want {
		t.Errorf("got\n%s", got)
	}
}

// scored is an evolution with these axes and variants; each variant is written
// "v1 g1 p=v2 10 20", with x for a failed gate, or a status instead of values.
func scored(t *testing.T, axes []Axis, variants ...string) *Evolution {
	t.Helper()
	e := &Evolution{Budget: Budget{MaxVariants: 100, Parallel: 4}, Gates: []Gate{{ID: "G1"}, {ID: "G2"}}, Rubric: axes}
	for _, s := range variants {
		f := strings.Fields(s)
		v := Variant{ID: f[0], Status: Evaluated}
		if _, err := fmt.Sscanf(f[1], "g%d", &v.Generation); err != nil {
			t.Fatal(err)
		}
		pass := true
		k := 0
		for _, w := range f[2:] {
			switch {
			case strings.HasPrefix(w, "p="):
				v.Parents = strings.Split(w[2:], ",")
			case w == "x":
				pass = false
			case slices.Contains(statuses, w):
				v.Status = Status(w)
			default:
				var x float64
				if _, err := fmt.Sscan(w, &x); err != nil {
					t.Fatal(err)
				}
				v.Rubric = append(v.Rubric, Value{axes[k].ID, x})
				k++
			}
		}
		if v.Status == Evaluated {
			v.Gates = []GateResult{{ID: "G1", Passes: true}, {ID: "G2", Passes: pass}}
		}
		e.Variants = append(e.Variants, v)
	}
	return e
}

var (
	low  = []Axis{{ID: "R1", Direction: Minimize}}
	both = []Axis{{ID: "R1", Direction: Minimize, Weight: 3}, {ID: "R2", Direction: Maximize}}
)

// TestScore holds scores that were worked out by hand.
func TestScore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		axes     []Axis
		variants []string
		want     string // in the order of the table
	}{
		"none":                     {low, nil, ""},
		"one is 1":                 {low, []string{"v1 g1 7"}, "v1=1.00"},
		"ties share":               {low, []string{"v1 g1 5", "v2 g1 5", "v3 g1 9"}, "v1=0.75 v2=0.75 v3=0.00"}, // ranks 1.5 1.5 3 of 3
		"all tie":                  {low, []string{"v3 g1 5", "v2 g1 5"}, "v2=0.50 v3=0.50"},
		"two axes, weights 3 to 1": {both, []string{"v1 g1 1 1", "v2 g1 2 9"}, "v1=0.75 v2=0.25"},
		"ids by number":            {low, []string{"v10 g1 5", "v9 g1 5"}, "v9=0.50 v10=0.50"},
		"what is not eligible is below": {low, []string{"v1 g1 x", "v2 g1 killed", "v3 g1 8", "v4 g1 pending"},
			"v3=1.00 v1:G2 ✗ v2:killed v4:pending"},
		"a number is missing": {both, []string{"v1 g1 5", "v2 g1 5 6"}, "v2=1.00 v1:R2 ?"},
		"three axes cancel out": {[]Axis{{ID: "R1", Direction: Maximize}, {ID: "R2", Direction: Maximize}, {ID: "R3", Direction: Maximize}},
			[]string{"v3 g1 1 2 3", "v1 g1 2 3 1", "v2 g1 3 1 2"}, "v1=0.50 v2=0.50 v3=0.50"},
	} {
		e := scored(t, c.axes, c.variants...)
		var got []string
		for _, r := range Score(e) {
			if r.Eligible {
				got = append(got, fmt.Sprintf("%s=%.2f", r.Variant.ID, r.Score))
			} else {
				got = append(got, r.Variant.ID+":"+r.Why)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %s, want %s", name, s, c.want)
		}
	}
}

// TestEvaluatedMeansEveryGate: a gate that was declared later was not passed.
func TestEvaluatedMeansEveryGate(t *testing.T) {
	t.Parallel()
	e := scored(t, low, "v1 g1 5")
	e.Gates = append(e.Gates, Gate{ID: "G3"})
	if r := Score(e)[0]; r.Eligible || r.Why != "G3 ?" || !math.IsNaN(Score(scored(t, low, "v1 g1 x"))[0].Values[0]) {
		t.Errorf("%+v", r)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	e := &Evolution{}
	if e.State() != StateReady {
		t.Error(e.State())
	}
	e.Variants = []Variant{{ID: "v1", Status: Evaluated}}
	if e.State() != StateRunning {
		t.Error(e.State())
	}
	e.Winner = &Winner{Variant: "v1"}
	if e.State() != StateEvaluated {
		t.Error(e.State())
	}
	e.Applied = &Applied{}
	if e.State() != StateApplied {
		t.Error(e.State())
	}
}

// What comes after a gate that failed is not run, and not missed.
func TestFirstGateThatFailedTells(t *testing.T) {
	t.Parallel()
	e := &Evolution{Gates: []Gate{{ID: "G1"}, {ID: "G2"}, {ID: "G3"}}, Rubric: []Axis{{ID: "R1", Direction: Minimize}},
		Variants: []Variant{{ID: "v1", Status: Evaluated, Gates: []GateResult{{ID: "G1", Passes: true}, {ID: "G2"}}}}}
	if r := Score(e)[0]; r.Eligible || r.Why != "G2 ✗" {
		t.Errorf("%+v", r)
	}
}
