package evolution

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// An exporting is a run on its way into an evolution of its own.
type exporting struct {
	name string
	spec clade.Spec
	from string // commit of the user's repository, "" where there is none
	// own is the evolution that the run was opened for, nil if it was not.
	own *evolution.Evolution
	// rel is the target's folder in the one that holds .agents, place that one in
	// the tree of the run; "" for the same.
	rel, place string
	only       []string // of the target's folder; none: all of it
	// The ids of gates and measures as the evolution has them.
	gates, axes map[string]string
	notes       []string // what is not as it was in the run
}

func (x *exporting) note(format string, args ...any) {
	x.notes = append(x.notes, fmt.Sprintf(format, args...))
}

// unsayable refuses a run whose numbers come from where no axis can read them.
func (x *exporting) unsayable() error {
	var all []string
	for _, m := range x.spec.Measures {
		if why := unread(m); why != "" {
			all = append(all, m.ID+" "+why)
		}
	}
	if len(all) == 0 && len(x.spec.Measures) > 0 {
		return nil
	}
	if x.spec.Benchmark != nil {
		all = append(all, "the run has a benchmark")
	}
	if x.spec.Dataset != nil {
		all = append(all, "the run has the dataset "+x.spec.Dataset.File)
	}
	return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("%s cannot say how run %s is measured: %s", evolution.FileEvolution, x.name, strings.Join(all, "; ")),
		Hint: "an axis is a command that prints its number or is timed; a run whose measures are such commands can be exported"}
}

// unread says why no axis can read a measure, "" where one can.
func unread(m clade.Measure) string {
	switch {
	case m.From != "":
		return fmt.Sprintf("reads the run of gate %s, and an axis has a command of its own", m.From)
	case m.Read.File != "":
		return fmt.Sprintf("reads the file %s, and an axis reads what its command prints", m.Read.File)
	}
	switch m.Read.Kind {
	case clade.ReadWhole, clade.ReadRegex, clade.ReadClock:
		return ""
	case clade.ReadPointer:
		return fmt.Sprintf("reads the JSON pointer %q", m.Read.Pointer)
	case clade.ReadMemory:
		return "reads peak memory"
	case clade.ReadResult:
		return "reads the result of a benchmark"
	case clade.ReadCases:
		return "reads the scores of cases"
	}
	return fmt.Sprintf("reads %s", m.Read.Kind)
}

var (
	gateForm = regexp.MustCompile(`^G[1-9][0-9]*$`)
	axisForm = regexp.MustCompile(`^R[1-9][0-9]*$`)
)

// number gives every gate and axis its id: its own where all have the form of
// an evolution's, else one by its place.
func (x *exporting) number() {
	x.gates, x.axes = map[string]string{}, map[string]string{}
	var gates, axes []string
	for _, g := range x.spec.Gates {
		gates = append(gates, g.ID)
	}
	for _, m := range x.spec.Measures {
		axes = append(axes, m.ID)
	}
	renumber(x.gates, gates, gateForm, "G%d")
	renumber(x.axes, axes, axisForm, "R%d")
}

func renumber(to map[string]string, ids []string, form *regexp.Regexp, pattern string) {
	kept := !slices.ContainsFunc(ids, func(id string) bool { return !form.MatchString(id) })
	for i, id := range ids {
		if to[id] = id; !kept {
			to[id] = fmt.Sprintf(pattern, i+1)
		}
	}
}

// draft is the evolution without its variants.
func (x *exporting) draft(s *Seed) evolution.Draft {
	spec := &x.spec
	d := evolution.Draft{ID: s.ID, Slug: s.Slug, CreatedAt: s.at, Brief: spec.Brief, Budget: budgetOf(spec), Scope: x.scope(),
		Objective: either(line(spec.Objective), "Do better than the base of run "+x.name+".")}
	for _, g := range spec.Gates {
		cmd := x.line(g.Command)
		d.Gates = append(d.Gates, evolution.Gate{ID: x.gates[g.ID], Cmd: cmd, Description: x.about(g.ID, x.gates[g.ID], cmd, "")})
	}
	if len(d.Gates) == 0 { // an evolution has at least one
		d.Gates = []evolution.Gate{{ID: "G1", Description: "always passes: run " + x.name + " has no gates", Cmd: "true"}}
	}
	for _, m := range spec.Measures {
		a := evolution.Axis{ID: x.axes[m.ID], Direction: string(m.Goal), Cmd: x.line(m.Command)}
		if a.Description = x.about(m.ID, a.ID, a.Cmd, m.Unit); m.Weight != 1 {
			a.Weight = m.Weight
		}
		switch m.Read.Kind {
		case clade.ReadClock:
			a.Extract = evolution.WallClock
		case clade.ReadRegex:
			if a.Extract = m.Read.Regex; m.Read.Match != "last" {
				x.note("%s takes the last match of its expression; in the run a second match made it no number", a.ID)
			}
		}
		d.Rubric = append(d.Rubric, a)
	}
	if len(d.Brief) == 0 && len(spec.Allow) > 0 {
		d.MayChange = spec.Allow
	}
	return d
}

// about describes a gate or an axis: as the run's own evolution does, or by what
// it was called and its command.
func (x *exporting) about(was, id, cmd, unit string) string {
	if x.own != nil {
		for _, g := range x.own.Gates {
			if g.ID == id && g.Cmd == cmd {
				return g.Description
			}
		}
		for _, a := range x.own.Rubric {
			if a.ID == id && a.Cmd == cmd {
				return a.Description
			}
		}
	}
	text := line(cmd)
	if was != id {
		text = fmt.Sprintf("%s in run %s: %s", was, x.name, text)
	}
	if unit != "" {
		text += ", in " + unit
	}
	return text
}

// budgetOf says in generations what bounds a spec.
func budgetOf(s *clade.Spec) evolution.Budget {
	b := evolution.Budget{MaxVariants: max(1, s.Budget.Candidates), Parallel: max(1, cmp.Or(s.Search.Batch, s.Slots))}
	b.MaxMinutes = int((time.Duration(s.Budget.Wall) + time.Minute - 1) / time.Minute)
	if b.PlateauGenerations = s.Budget.Plateau; s.Search.Strategy != strategyGenerations {
		b.PlateauGenerations = (s.Budget.Plateau + b.Parallel - 1) / b.Parallel
	}
	return b
}

const strategyGenerations = "generational"

// line is a command as a line for the shell, run from the folder that holds
// .agents.
func (x *exporting) line(c clade.Command) string {
	cmd, simple := strings.TrimSpace(c.Run), plainLine.MatchString(c.Run)
	if len(c.Argv) > 0 {
		words := make([]string, len(c.Argv))
		for i, arg := range c.Argv {
			words[i] = quoteWord(arg)
		}
		cmd, simple = strings.Join(words, " "), true
	}
	dir := path.Join(x.rel, c.Dir)
	if dir == "." {
		dir = ""
	}
	if len(c.Argv) == 0 && (len(c.Env) > 0 || dir != "" && !simple) {
		cmd = "sh -c " + quoteWord(cmd)
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(c.Env))) {
		cmd = quoteWord(name+"="+c.Env[name]) + " " + cmd
	}
	if len(c.Env) > 0 {
		cmd = "env " + cmd
	}
	if strings.HasPrefix(dir, "-") {
		dir = "./" + dir
	}
	if dir != "" {
		cmd = "cd " + quoteWord(dir) + " && " + cmd
	}
	return cmd
}

var (
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)
	plainLine = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+, -]+$`) // one command, whatever stands before it
)

// quoteWord is a text as one word of the shell.
func quoteWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// scope is what variants work on, and what is never touched.
func (x *exporting) scope() evolution.Scope {
	if x.own != nil && x.own.Scope != nil {
		return *x.own.Scope
	}
	s := evolution.Scope{Kind: evolution.ScopeWorktree}
	s.Exclude = x.entries(x.outward(x.spec.Frozen), "frozen")
	if x.spec.Target.Kind != clade.TargetGit {
		s.Kind = evolution.ScopeFiles
		if s.Include = x.entries(x.outward(x.only), "target.only"); len(s.Include) == 0 {
			s.Include = []string{either(x.rel, ".")}
		}
		if len(x.spec.Allow) > 0 {
			x.note("variants could change %s alone; a scope of files does not say so", strings.Join(x.spec.Allow, ", "))
		}
		return s
	}
	if !slices.Contains(x.spec.Allow, "**") {
		s.Include = x.entries(x.outward(x.spec.Allow), "allow")
	}
	if len(s.Include) < len(x.spec.Allow) { // rather all of the target than a part of what may be landed
		s.Include = nil
	}
	if len(s.Include) == 0 && x.rel != "" {
		s.Include = []string{x.rel + "/"}
	}
	return s
}

// outward are patterns below the target as patterns below the folder that holds
// .agents.
func (x *exporting) outward(patterns []string) []string {
	out := make([]string, len(patterns))
	for i, p := range patterns {
		if out[i] = strings.TrimPrefix(p, "./"); x.rel != "" {
			out[i] = noGlob.Replace(x.rel) + "/" + out[i]
		}
	}
	return out
}

// noGlob writes signs of patterns so that they mean themselves.
var noGlob = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", "{", "[{]", "}", "[}]")

// entries are patterns as entries of a scope. What none can say is left out and
// noted; what of the evolutions themselves is in it needs no saying.
func (x *exporting) entries(patterns []string, what string) (out []string) {
	for _, p := range patterns {
		if below(p, evolution.Root) {
			continue
		}
		if strings.Contains(p, `\`) {
			x.note("the scope does not say %q of %s", p, what)
			continue
		}
		if e := entryOf(p); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// entryOf is a pattern as an entry of a scope, which is one only where it has one
// of *, ? and [.
func entryOf(p string) string {
	if dir, all := strings.CutSuffix(p, "/**"); all && !strings.ContainsAny(dir, "*?[{") {
		return dir + "/"
	}
	if strings.ContainsAny(p, "*?[") || !strings.Contains(p, "{") {
		return p
	}
	at := strings.IndexFunc(p, func(r rune) bool { return r < 128 && r != '{' && r != '}' && r != ',' && r != '/' })
	if at < 0 {
		return p
	}
	return p[:at] + "[" + p[at:at+1] + "]" + p[at+1:]
}
