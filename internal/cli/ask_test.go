package cli

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/evolution"
	format "github.com/cladehq/clade/internal/format/evolution"
)

func aSeed(gates ...string) *evolution.Seed {
	s := &evolution.Seed{ID: 4, Slug: "faster"}
	for _, g := range gates {
		s.Found = append(s.Found, format.Gate{Description: "found", Cmd: g})
	}
	return s
}

// A person is asked for what the draft lacks, again where an answer cannot be
// taken, and for nothing else.
func TestAsksForADraft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		draft   evolution.Draft
		found   []string
		answers string
		want    string // gates | axes | scope | budget
		said    []string
	}{
		"everything": {found: []string{"make build", "make test"},
			answers: "Make it better\nMake it faster\n\n\nminimize: ./b\n{\"direction\": \"maximize\", \"cmd\": \"x\"}\n\n\n\n\n",
			want:    "make build,make test | minimize ./b,maximize x | worktree [] [] | 10",
			said:    []string{"evolution 4-faster; nothing is written", "does not say what is to be better", "  2  make test\n", "numbers of these [1 2]", "another axis, or nothing:"}},
		"other answers": {found: []string{"make build", "make test"},
			answers: "Make it faster\n2\n./lint.sh\n\nms\nminimize wall_clock_seconds: ./b\n\nfiles\nfiles src/ x.go\n../y\nsrc/gen\n0\n7\n",
			want:    "make test,./lint.sh | minimize ./b | files [src/ x.go] [src/gen] | 7",
			said:    []string{"begins with no direction", "scope.include", "leaves the repository", "no number from 1"}},
		"nothing was found": {answers: "Make it faster\n\n{\"cmd\"\nmake\n\n\nminimize: ./b\n\nworktree\n\n3\n",
			want: "make | minimize ./b | worktree [] [] | 3",
			said: []string{"no evolution without a gate", writeACheck, "the gate", "no evolution without an axis"}},
		"only the rubric": {draft: evolution.Draft{Objective: "o", Gates: []format.Gate{{Cmd: "g"}}, Budget: format.Budget{MaxVariants: 2}, Scope: evolution.DraftScope{Kind: "worktree"}},
			answers: "minimize: ./b\n\n", want: "g | minimize ./b | worktree [] [] | 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			d := c.draft
			if err := newAsker(strings.NewReader(c.answers), &out).draft(aSeed(c.found...), &d, c.draft.Scope.Kind == ""); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			var gates, axes []string
			for _, g := range d.Gates {
				gates = append(gates, g.Cmd)
			}
			for _, a := range d.Rubric {
				axes = append(axes, a.Direction+" "+strings.TrimSpace(a.Cmd))
			}
			got := strings.Join([]string{strings.Join(gates, ","), strings.Join(axes, ","),
				d.Scope.Kind + " [" + strings.Join(d.Scope.Include, " ") + "] [" + strings.Join(d.Scope.Exclude, " ") + "]",
				strconv.Itoa(d.Budget.MaxVariants)}, " | ")
			if got != c.want {
				t.Errorf("%s\nwant %s\n%s", got, c.want, out.String())
			}
			for _, part := range c.said {
				if !strings.Contains(out.String(), part) {
					t.Errorf("%q was not said in\n%s", part, out.String())
				}
			}
		})
	}
}

// Wherever the input ends, nothing more is asked.
func TestAskingEnds(t *testing.T) {
	t.Parallel()
	const all = "Make it faster\nmake\n\nminimize: ./b\n\nworktree\n\n3\n"
	for at := range strings.Count(all, "\n") {
		lines := strings.SplitAfter(all, "\n")[:at]
		var out strings.Builder
		err := newAsker(strings.NewReader(strings.Join(lines, "")), &out).draft(aSeed(), &evolution.Draft{}, true)
		if clade.FaultOf(err) != clade.FaultUsage || !strings.Contains(err.Error(), "nobody answered") {
			t.Errorf("after %d lines: %v", at, err)
		}
	}
	for answer, want := range map[string]bool{"y\n": true, " YES \n": true, "n\n": false, "\n": false, "yep\n": false, "y": true} {
		var out strings.Builder
		if got, err := newAsker(strings.NewReader(answer), &out).yes("really?"); err != nil || got != want {
			t.Errorf("%q: %t, %v", answer, got, err)
		}
	}
}

// What nobody can be asked for is named all at once.
func TestUnsaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lacks []evolution.Part
		found []string
		text  string
		hints []string
		not   string
	}{
		"everything":  {(&evolution.Draft{}).Lacks(), []string{"make test", "x 'y'"}, "the draft lacks --objective, --gate, --axis, --max-variants", []string{writeACheck, `--gate 'make test' --gate 'x '\''y'\'''`}, ""},
		"one":         {[]evolution.Part{evolution.PartBudget}, []string{"make test"}, "the draft lacks --max-variants", []string{"on a terminal"}, "make test"},
		"no axis":     {[]evolution.Part{evolution.PartRubric}, nil, "the draft lacks --axis", nil, writeACheck},
		"none found":  {[]evolution.Part{evolution.PartGates}, nil, "the draft lacks --gate", nil, "this repository"},
		"in vain too": {[]evolution.Part{evolution.PartGates, evolution.PartRubric}, nil, "the draft lacks --gate, --axis", []string{writeACheck}, "this repository"},
	} {
		var p *clade.Problem
		if err := unsaid(c.lacks, aSeed(c.found...)); !errors.As(err, &p) || p.Fault != clade.FaultUsage || p.Text != c.text {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, h := range c.hints {
			if !strings.Contains(p.Hint, h) {
				t.Errorf("%s: %q is not in %q", name, h, p.Hint)
			}
		}
		if c.not != "" && strings.Contains(p.Hint, c.not) {
			t.Errorf("%s: %q is in %q", name, c.not, p.Hint)
		}
	}
}
