package evolution

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Draft is what is agreed on before an evolution is written.
type Draft struct {
	ID        int
	Slug      string // "": made of the objective
	CreatedAt time.Time
	Objective string
	Scope     Scope  // kind "": worktree
	Budget    Budget // parallel 0: a fifth of max_variants, rounded up
	Gates     []Gate
	Rubric    []Axis
	// Brief is the whole section of that name; "": it says what the file says.
	Brief string
	// For the section Brief, beside what the file says. Empty: left out.
	HeldFixed  []string
	MayChange  []string
	OutOfScope []string
}

// Seed returns the files of a new evolution: evolution.yaml and EVOLUTION.md. A
// draft that makes no valid file is refused with the faults that Parse finds.
func Seed(d Draft) (yaml, page []byte, err error) {
	if d.Slug == "" {
		d.Slug = Slug(d.Objective)
	}
	if d.Scope.Kind == "" {
		d.Scope.Kind = ScopeWorktree
	}
	if d.Budget.Parallel == 0 {
		d.Budget.Parallel = (d.Budget.MaxVariants + 4) / 5
	}
	d.CreatedAt = d.CreatedAt.UTC().Truncate(time.Second)
	yaml = d.yaml()
	e, err := Parse(FileEvolution, yaml)
	if err != nil {
		return nil, nil, err
	}
	if !equal(e, d.evolution()) {
		return nil, nil, errors.New("writing a new evolution: it is not read back as it was written")
	}
	page = Page{Evolution: e}.Refresh([]byte(d.page()))
	return yaml, page, nil
}

// Page is EVOLUTION.md for an evolution that has none, as Seed writes it, before
// it is refreshed.
func (e *Evolution) Page() []byte {
	d := Draft{ID: e.ID, Slug: e.Slug, Objective: e.Objective, Scope: Scope{Kind: ScopeWorktree}, Budget: e.Budget, Gates: e.Gates, Rubric: e.Rubric}
	if e.Scope != nil {
		d.Scope = *e.Scope
	}
	return []byte(d.page())
}

// evolution is what the file must say.
func (d Draft) evolution() *Evolution {
	e := &Evolution{ID: d.ID, Slug: d.Slug, CreatedAt: d.CreatedAt, UpdatedAt: d.CreatedAt, Objective: d.Objective,
		Scope: &d.Scope, Budget: d.Budget, Gates: d.Gates, Rubric: d.Rubric}
	e.Scope.Include, e.Scope.Exclude = some(e.Scope.Include), some(e.Scope.Exclude)
	return e
}

// yaml lays the file out with a key to a line.
func (d Draft) yaml() []byte {
	s := style{eol: "\n", step: 2, dash: 2, gap: 1, lists: map[string]bool{"gates": true, "rubric": true, "include": true, "exclude": true},
		lined: map[string]bool{"gates": true, "rubric": true}}
	b := mappingOf(entry{"max_variants", whole(d.Budget.MaxVariants)}, entry{"parallel", whole(d.Budget.Parallel)})
	if d.Budget.MaxMinutes != 0 {
		b.pairs = append(b.pairs, entry{"max_minutes", whole(d.Budget.MaxMinutes)})
	}
	if d.Budget.PlateauGenerations != 0 {
		b.pairs = append(b.pairs, entry{"plateau_generations", whole(d.Budget.PlateauGenerations)})
	}
	scope := mappingOf(entry{"kind", word(string(d.Scope.Kind))})
	for _, l := range []struct {
		key string
		all []string
	}{{"include", d.Scope.Include}, {"exclude", d.Scope.Exclude}} {
		if len(l.all) > 0 {
			scope.pairs = append(scope.pairs, entry{l.key, textsOf(l.all, text)})
		}
	}
	var out strings.Builder
	for _, p := range []entry{{"evolution_id", whole(d.ID)}, {"slug", text(d.Slug)}, {"created_at", moment(d.CreatedAt)},
		{"updated_at", moment(d.CreatedAt)}, {"objective", text(d.Objective)}, {"scope", scope}, {"budget", b},
		{"gates", d.gates()}, {"rubric", d.rubric()}, {"variants", value{kind: listValue}}} {
		out.WriteString(p.key + ":" + s.block(p.value, 0, p.key) + "\n")
	}
	return []byte(out.String())
}

func (d Draft) gates() value {
	v := value{kind: listValue}
	for _, g := range d.Gates {
		v.list = append(v.list, mappingOf(entry{"id", word(g.ID)}, entry{"description", text(g.Description)}, entry{"cmd", text(g.Cmd)}))
	}
	return v
}

func (d Draft) rubric() value {
	v := value{kind: listValue}
	for _, a := range d.Rubric {
		m := mappingOf(entry{"id", word(a.ID)}, entry{"description", text(a.Description)}, entry{"direction", word(a.Direction)})
		if a.Weight != 0 {
			m.pairs = append(m.pairs, entry{"weight", realNumber(a.Weight)})
		}
		m.pairs = append(m.pairs, entry{"cmd", text(a.Cmd)})
		if a.Extract != "" {
			m.pairs = append(m.pairs, entry{"extract", text(a.Extract)})
		}
		v.list = append(v.list, m)
	}
	return v
}

// page is EVOLUTION.md before it is refreshed: its title and its brief.
func (d Draft) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Evolution — %s\n\n## %s\n\n## %s\n\n", Dir(d.ID, d.Slug), sectionTLDR, sectionBrief)
	if brief := trimLines(d.Brief); brief != "" {
		fmt.Fprintf(&b, "%s\n\n## %s\n", within(brief), sectionVariants)
		return b.String()
	}
	point := func(name string, lines ...string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "### %s\n\n%s\n\n", name, strings.Join(lines, "\n"))
		}
	}
	point("Objective", d.Objective)
	point("Held fixed", bullets(d.HeldFixed)...)
	point("Variants may change", bullets(d.MayChange)...)
	point("Scope", d.Scope.lines()...)
	var gates, rubric []string
	for _, g := range d.Gates {
		gates = append(gates, "- "+g.line())
	}
	for _, a := range d.Rubric {
		rubric = append(rubric, "- "+a.line())
	}
	point("Gates", gates...)
	point("Rubric", rubric...)
	point("Budget", d.Budget.String())
	point("Out of scope", bullets(d.OutOfScope)...)
	fmt.Fprintf(&b, "## %s\n", sectionVariants)
	return b.String()
}

// within is text as the body of a section of the second level. What would end
// that, or hide what comes behind, is quoted.
func within(text string) string {
	all := sections([]byte(text + "\n\n## " + sectionVariants + "\n"))
	safe := len(all) > 0 && all[len(all)-1].title == sectionVariants
	for _, s := range all[:max(0, len(all)-1)] {
		for _, own := range []string{sectionTLDR, sectionBrief, sectionVariants, sectionResults} {
			_, is := find([]section{s}, own)
			safe = safe && !is && s.level > 2
		}
	}
	if safe {
		return text
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

func bullets(all []string) (out []string) {
	for _, s := range all {
		out = append(out, "- "+oneLine(s))
	}
	return out
}

func (s Scope) lines() []string {
	out := []string{"- kind: " + string(s.Kind)}
	if len(s.Include) > 0 {
		out = append(out, "- in: "+code(s.Include))
	}
	if len(s.Exclude) > 0 {
		out = append(out, "- excluded: "+code(s.Exclude))
	}
	return out
}

func code(all []string) string { return "`" + strings.Join(all, "`, `") + "`" }

// line is the gate as a worker is told of it.
func (g Gate) line() string {
	return strings.Join([]string{g.ID + ": " + oneLine(g.Description), "cmd: `" + g.Cmd + "`"}, " | ")
}

// line is the axis as a worker is told of it.
func (a Axis) line() string {
	extract := "what it prints is the number"
	switch a.Extract {
	case "":
	case WallClock:
		extract = "extract: " + WallClock + " (its running time; what it prints is not read)"
	default:
		extract = "extract: `" + a.Extract + "` (the one group; the last match counts)"
	}
	parts := []string{a.ID + ": " + oneLine(a.Description), a.Direction, "cmd: `" + a.Cmd + "`", extract}
	if a.Weight != 0 && a.Weight != 1 {
		parts = append(parts, "weight "+float(a.Weight))
	}
	return strings.Join(parts, " | ")
}
