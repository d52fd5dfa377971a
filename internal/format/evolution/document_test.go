package evolution

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// TestUpdateLeavesWhatPeopleWrite: a want that differs elsewhere is a mistake of
// the program, and refused.
func TestUpdateLeavesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Evolution){
		"objective":           func(e *Evolution) { e.Objective = "other" },
		"budget":              func(e *Evolution) { e.Budget.MaxVariants++ },
		"a gate":              func(e *Evolution) { e.Gates[0].Cmd = "true" },
		"an axis":             func(e *Evolution) { e.Rubric[0].Weight = 9 },
		"scope":               func(e *Evolution) { e.Scope.Exclude = nil },
		"created_at":          func(e *Evolution) { e.CreatedAt = e.CreatedAt.AddDate(1, 0, 0) },
		"a hypothesis":        func(e *Evolution) { e.Variants[0].Hypothesis = "other" },
		"parents":             func(e *Evolution) { e.Variants[3].Parents = nil },
		"a variant taken out": func(e *Evolution) { e.Variants = e.Variants[1:] },
		"an order":            func(e *Evolution) { e.Variants[0], e.Variants[1] = e.Variants[1], e.Variants[0] },
	} {
		d := example(t)
		want := d.Evolution.Clone()
		spoil(want)
		if out, err := d.Update(want); out != nil || err == nil {
			t.Errorf("%s is changed", name)
		}
	}
}

// TestUpdateRefusesWhatIsInvalid: what Parse would refuse is never written.
func TestUpdateRefusesWhatIsInvalid(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Evolution){
		"a status":       func(e *Evolution) { e.Variants[0].Status = "done" },
		"an id twice":    func(e *Evolution) { e.Variants = append(e.Variants, e.Variants[0]) },
		"a gate unknown": func(e *Evolution) { e.Variants[0].Gates[0].ID = "G9" },
		"rubric on fail": func(e *Evolution) { e.Variants[2].Rubric = []Value{{"R1", 5}} },
		"a winner":       func(e *Evolution) { e.Winner.Variant = "v99" },
		"outside":        func(e *Evolution) { e.Variants[0].Workspace = "/etc" },
	} {
		d := example(t)
		want := d.Evolution.Clone()
		spoil(want)
		out, err := d.Update(want)
		var p *clade.Problem
		if out != nil || !errors.As(err, &p) || p.Where == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCloneSharesNothing changes everything of a clone.
func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	e := example(t).Evolution
	c := e.Clone()
	c.Scope.Include[0], c.Scope.Exclude[0], c.Gates[0].ID, c.Rubric[0].ID = "x", "x", "x", "x"
	c.Variants[0].Gates[0].ID, c.Variants[0].Rubric[0].ID, c.Variants[3].Parents[0] = "x", "x", "x"
	c.Winner.Variant, c.Applied.FilesChanged[0] = "x", "x"
	if !equal(e, example(t).Evolution) {
		t.Errorf("%+v", e)
	}
}

// TestLargeFiles: a thousand variants are read and changed, and what is larger
// than any evolution is refused at once.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(strings.Replace(head, "max_variants: 8", "max_variants: 2000", 1) + "variants:\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "  - id: v%d\n    generation: 1\n    parents: []\n    hypothesis: größe %d\n    approach: |\n%s    status: evaluated\n    gates:\n      - {id: G1, passes: true}\n      - {id: G2, passes: true}\n    rubric:\n      - {id: R1, value: %d}\n",
			i+1, i, strings.Repeat("      a line of an approach that says what is done\n", 15), i)
	}
	d, err := Open("evolution.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	want := d.Evolution.Clone()
	want.Variants[999].Status = Errored
	if _, err := d.Update(want); err != nil {
		t.Fatal(err)
	}
	_, err = Parse("evolution.yaml", []byte(b.String()+"# "+strings.Repeat("x", 2<<20)))
	if err == nil || !strings.Contains(err.Error(), "is larger than 2048 KiB") {
		t.Error(err)
	}
}

// TestWarnings are what a person should know that stops nothing.
func TestWarnings(t *testing.T) {
	t.Parallel()
	d, err := Open("evolution.yaml", []byte(strings.Replace(head, "updated_at: 2026", "updated_at: 2025", 1)+"variants: []\n"))
	if err != nil || len(d.Warnings) != 1 || d.Warnings[0].Where != "evolution.yaml:4:13" {
		t.Errorf("%v, %v", d, err)
	}
}
