package evolution

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/syntax"
)

// A Draft is what a person agrees to before an evolution is written. Its JSON is
// what an agent may hand in.
type Draft struct {
	Objective string           `json:"objective"`
	Gates     []evolution.Gate `json:"gates"`  // id "": given by the place in the list
	Rubric    []evolution.Axis `json:"rubric"` // likewise
	Scope     DraftScope       `json:"scope"`
	Budget    evolution.Budget `json:"budget"` // parallel 0: a fifth of max_variants, rounded up
	// For workers, beside what evolution.yaml says.
	HeldFixed  []string `json:"held_fixed"`
	MayChange  []string `json:"may_change"`
	OutOfScope []string `json:"out_of_scope"`
}

// A DraftScope says what variants work on, and what is never touched.
type DraftScope struct {
	Kind    string   `json:"kind"` // worktree or files; "": worktree
	Include []string `json:"include"`
	Exclude []string `json:"exclude"`
}

// A Part is something that an evolution cannot be without.
type Part string

const (
	PartObjective Part = "objective"
	PartGates     Part = "gates"
	PartRubric    Part = "rubric"
	PartBudget    Part = "budget"
)

// Lacks lists what the draft does not say yet, in the order in which it is asked
// for. A scope is never missing: without one it is the work tree.
func (d *Draft) Lacks() (all []Part) {
	for _, p := range []struct {
		part Part
		is   bool
	}{
		{PartObjective, strings.TrimSpace(d.Objective) == ""}, {PartGates, len(d.Gates) == 0},
		{PartRubric, len(d.Rubric) == 0}, {PartBudget, d.Budget.MaxVariants == 0},
	} {
		if p.is {
			all = append(all, p.part)
		}
	}
	return all
}

// ReadDraft reads a draft that a program wrote, as one JSON object. Keys that a
// draft does not have are refused.
func ReadDraft(data []byte) (d Draft, err error) {
	return d, syntax.Decode(data, &d)
}

// object reports whether text is JSON where a command may stand: it begins with
// a brace and a quote.
func object(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	rest = strings.TrimSpace(rest)
	return ok && (strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "}"))
}

// ReadGate reads a gate from one text: a command, or an object with description
// and cmd. What begins like an object is one, or wrong.
func ReadGate(text string) (g evolution.Gate, err error) {
	if object(text) {
		err = syntax.Decode([]byte(text), &g)
	} else {
		g.Cmd = text
	}
	if err != nil {
		return g, &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("the gate %s cannot be read", syntax.Quote(text)), Err: err,
			Hint: `a gate is a command, or {"description": "the tests pass", "cmd": "make test"}`}
	}
	return g, trial(Draft{Gates: []evolution.Gate{g}})
}

// ReadAxis reads an axis from one text: "minimize: COMMAND" or "maximize: COMMAND"
// for a command that prints one number, "minimize wall_clock_seconds: COMMAND" for
// one that is timed, or an object with the keys of evolution.yaml.
func ReadAxis(text string) (a evolution.Axis, err error) {
	if object(text) {
		err = syntax.Decode([]byte(text), &a)
	} else {
		a, err = plainAxis(text)
	}
	if err != nil {
		return a, &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("the axis %s cannot be read", syntax.Quote(text)), Err: err,
			Hint: `an axis is "minimize: COMMAND", "maximize: COMMAND", "minimize wall_clock_seconds: COMMAND", or ` +
				`{"direction": "minimize", "cmd": "./bench", "extract": "mean: ([0-9.]+) ms", "weight": 2}`}
	}
	return a, trial(Draft{Rubric: []evolution.Axis{a}})
}

// plainAxis reads DIRECTION [wall_clock_seconds] : COMMAND.
func plainAxis(text string) (a evolution.Axis, err error) {
	head, cmd, ok := strings.Cut(text, ":")
	words := strings.Fields(head)
	if !ok || len(words) == 0 || words[0] != evolution.Minimize && words[0] != evolution.Maximize {
		return a, errors.New("it begins with no direction")
	}
	switch {
	case len(words) == 1:
	case len(words) == 2 && words[1] == evolution.WallClock:
		a.Extract = evolution.WallClock
	default:
		return a, fmt.Errorf("before the colon only %s may follow the direction", evolution.WallClock)
	}
	a.Direction, a.Cmd = words[0], cmd
	return a, nil
}

// CheckScope refuses a scope that no evolution may have.
func CheckScope(s DraftScope) error { return trial(Draft{Scope: s}) }

// trial finds what is wrong with a part of a draft: the rest is made up.
func trial(d Draft) error {
	d.Objective = "x"
	d.Budget.MaxVariants = 1
	if len(d.Gates) == 0 {
		d.Gates = []evolution.Gate{{Cmd: "x"}}
	}
	if len(d.Rubric) == 0 {
		d.Rubric = []evolution.Axis{{Direction: evolution.Minimize, Cmd: "x"}}
	}
	_, _, err := evolution.Seed(d.of(Seed{ID: 1, Slug: "x"}))
	return unplaced(err)
}

// of is the draft as it is written for a seed.
func (d Draft) of(s Seed) evolution.Draft {
	out := evolution.Draft{ID: s.ID, Slug: s.Slug, CreatedAt: s.at, Objective: line(d.Objective), Budget: d.Budget,
		Scope: evolution.Scope{Kind: evolution.ScopeKind(d.Scope.Kind), Include: d.Scope.Include, Exclude: d.Scope.Exclude},
		Gates: slices.Clone(d.Gates), Rubric: slices.Clone(d.Rubric), HeldFixed: d.HeldFixed, MayChange: d.MayChange, OutOfScope: d.OutOfScope}
	for i := range out.Gates {
		g := &out.Gates[i]
		g.Cmd = strings.TrimSpace(g.Cmd)
		g.ID, g.Description = either(g.ID, fmt.Sprintf("G%d", i+1)), either(line(g.Description), line(g.Cmd))
	}
	for i := range out.Rubric {
		a := &out.Rubric[i]
		a.Cmd = strings.TrimSpace(a.Cmd)
		about := line(a.Cmd)
		if a.Extract == evolution.WallClock {
			about = "seconds of " + about
		}
		a.ID, a.Description = either(a.ID, fmt.Sprintf("R%d", i+1)), either(line(a.Description), about)
	}
	return out
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// unplaced takes the places out of what is wrong with a file that nobody has
// seen yet.
func unplaced(err error) error {
	var all []error
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		all = many.Unwrap()
	} else if err != nil {
		all = []error{err}
	}
	for i, one := range all {
		var p *clade.Problem
		if errors.As(one, &p) {
			q := *p
			q.Where = ""
			all[i] = &q
		}
	}
	return errors.Join(all...)
}

// hollow are words that an objective may hold and that say nothing of what is to
// be better.
const hollow = `a all an and any as at be best better by can code everything fix for get good great how in improve improved improvement
	improvements is it its just make more much my nice nicer of on optimal optimise optimised optimize optimized or our please possible project
	repo repository so some something stuff that the them thing things this to up us very way well with your`

// CheckObjective refuses an objective that is no sentence, or that would be true
// of any change that somebody likes.
func CheckObjective(text string) error {
	known, words, says := strings.Fields(hollow), 0, 0
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '\'' && r != '-' && r != '_'
	}) {
		n := spoken(w)
		words += n
		if !slices.Contains(known, strings.ToLower(w)) {
			says += n
		}
	}
	if words >= 3 && says > 0 {
		return nil
	}
	text = line(text)
	return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("the objective %s does not say what is to be better", syntax.Quote(text)),
		Hint: `one sentence, "optimise X for Y", with a Y that the rubric measures: "Shorten the cold start of mycli for people who call it in scripts"`}
}

// spoken counts the words of what stands between spaces: scripts that have none
// count by their signs.
func spoken(word string) int {
	n := 0
	for _, r := range word {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			n++
		}
	}
	return max(n, 1)
}
