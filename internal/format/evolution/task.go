package evolution

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cladehq/clade"
)

// A Task is what the worker of one variant is given. Its JSON is the same for a
// program.
type Task struct {
	Evolution  string         `json:"evolution"` // its directory's name
	Variant    string         `json:"variant"`
	Generation int            `json:"generation"`
	Parents    []string       `json:"parents,omitempty"`
	Workspace  string         `json:"workspace"` // absolute; where the worker works
	Result     string         `json:"result"`    // absolute; the file it writes
	Brief      string         `json:"brief"`     // the section of EVOLUTION.md, as it is
	Hypothesis string         `json:"hypothesis"`
	Approach   string         `json:"approach,omitempty"`
	Diffs      []ParentDiff   `json:"diffs,omitempty"`   // what the parents changed
	Timeout    clade.Duration `json:"timeout,omitempty"` // 0: none is told
	Gates      []Gate         `json:"gates"`
	Rubric     []Axis         `json:"rubric"`
}

// A ParentDiff is what a parent changed of the base, as a patch.
type ParentDiff struct {
	Variant string `json:"variant"`
	Patch   string `json:"patch"`
	// Applied says that the workspace begins with this patch in it.
	Applied bool `json:"applied,omitempty"`
}

// NewTask is the task of a variant. Workspace and result are absolute paths.
func (e *Evolution) NewTask(v *Variant, brief, workspace, result string, timeout time.Duration) Task {
	return Task{Evolution: Dir(e.ID, e.Slug), Variant: v.ID, Generation: v.Generation, Parents: v.Parents,
		Workspace: workspace, Result: result, Brief: brief, Hypothesis: v.Hypothesis, Approach: v.Approach,
		Timeout: clade.Duration(timeout), Gates: e.Gates, Rubric: e.Rubric}
}

// Prompt is the task in words: all that a worker needs, and nothing that it
// would have to look up.
func (t Task) Prompt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "You implement one variant, %s, of the evolution %s. Others implement other variants at the same time; you see none of their work.\n\n", t.Variant, t.Evolution)
	fmt.Fprintf(&b, "Your workspace, and your current directory, is\n%s\n\n", t.Workspace)
	part := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", title, body)
		}
	}
	part("Brief", t.Brief)
	part("Hypothesis", t.Hypothesis)
	part("Approach", t.Approach)
	for _, d := range t.Diffs {
		said := "Its changes are not in your workspace; take from them what serves the approach."
		if d.Applied {
			said = "Your workspace begins with these changes in it."
		}
		part("What the parent "+d.Variant+" changed", said+"\n\n"+fenced("diff", d.Patch))
	}
	var gates, rubric []string
	for _, g := range t.Gates {
		gates = append(gates, g.line())
	}
	for _, a := range t.Rubric {
		rubric = append(rubric, a.line())
	}
	part("Gates", strings.Join(gates, "\n"))
	part("Rubric", strings.Join(rubric, "\n"))
	part("What to do", t.rules())
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// rules are the worker's rules and the contract of its result.
func (t Task) rules() string {
	rules := []string{
		"Implement the approach in the workspace. Change nothing outside of it but the result file. Do not commit and do not push.",
		"Run the gates from the root of the workspace, in the order above. A gate passes when its command ends with status 0.",
		"When a gate fails, stop there: the status is \"evaluated\", that gate has passes false, and there is no rubric. A failed gate is an honest result; do not change the gate or what it checks to make it pass.",
		"When every gate passes, run the command of each axis and read its number as its extract says.",
		"Write the result to\n   " + t.Result + "\n   first under another name beside it, then renamed, so that nobody reads half of it.",
		"What you say in the chat is read by nobody: the file is the result. clade runs gates and measures again by itself, in a clean copy, and ranks by those numbers only.",
	}
	if t.Timeout > 0 {
		rules = append(rules, "You have "+t.Timeout.String()+". After that the variant counts as killed.")
	}
	var b strings.Builder
	for i, r := range rules {
		fmt.Fprintf(&b, "%d. %s\n", i+1, r)
	}
	b.WriteString("\nThe result is one JSON object with these keys and no others:\n\n" + fenced("json", t.example()))
	b.WriteString("\n\n- status: \"evaluated\" when the gates ran, \"errored\" when something kept you from running them, \"killed\" when you ran out of time\n" +
		"- gates: one entry for each gate, in the order above; empty only when the status is not \"evaluated\"; output is one line, and may be left out\n" +
		"- rubric: one entry for each axis, value a plain number; left out altogether when a gate failed\n" +
		"- notes: may be left out; one paragraph that helps whoever plans the next generation")
	return b.String()
}

// example is a result of this evolution's gates and axes.
func (t Task) example() string {
	r := Result{Status: Evaluated, Notes: "what was learnt"}
	for _, g := range t.Gates {
		r.Gates = append(r.Gates, GateResult{ID: g.ID, Passes: true, Output: "ok"})
	}
	for _, a := range t.Rubric {
		r.Rubric = append(r.Rubric, Value{ID: a.ID, Value: 12.5})
	}
	out, _ := json.MarshalIndent(r, "", "  ") // finite numbers and text can always be written
	return string(out)
}

// fenced puts text into a code block that nothing in it closes.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
