package native

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// Starter looks at a folder and writes a first clade.yaml for it, with
// comments, and notes about what was found and what is left to do. It is read
// without faults. Nothing is executed, and the same folder gives the same
// bytes where the same coding agents are on PATH. The error is a
// *clade.Problem: the folder cannot be looked at.
func Starter(dir string) (data []byte, notes []string, err error) {
	return starter(dir, func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	})
}

// starter is Starter with another way to find out which programs are there.
func starter(dir string, there func(program string) bool) (data []byte, notes []string, err error) {
	f, err := lookAt(dir)
	if err != nil {
		return nil, nil, err
	}
	d := &draft{}
	for _, k := range starterKinds {
		if k.is(f) {
			d.kind = k.name
			k.fill(f, d)
			break
		}
	}
	for _, k := range starterKinds {
		if k.name != d.kind && k.whole && k.is(f) {
			d.note("this is %s as well; add what it needs", k.name)
		}
	}
	d.carry = append(f.present("node_modules", ".venv", "venv", ".env"), d.carry...)
	d.frozen = append(d.frozen, f.present("Makefile", ".env")...)
	d.frozen = append(d.frozen, "clade.yaml")
	d.agent(there)
	return d.render(), d.notes, nil
}

// A starterKind is a kind of folder. The first that fits is taken, so the most
// telling come first.
type starterKind struct {
	name  string
	whole bool // a project of its own, worth a note where another kind was taken
	is    func(*folder) bool
	fill  func(*folder, *draft)
}

var starterKinds = []starterKind{
	{"a skill", false, func(f *folder) bool { return f.has("SKILL.md") }, skill},
	{"a Go module", true, func(f *folder) bool { return f.has("go.mod") }, goModule},
	{"a Rust package", true, func(f *folder) bool { return f.has("Cargo.toml") }, rustPackage},
	{"a Node package", true, func(f *folder) bool { return f.has("package.json") }, nodePackage},
	{"a Python project", true, isPython, pythonProject},
	{"a prompt", false, func(f *folder) bool { return promptOf(f) != "" }, prompt},
	{"a folder", false, func(*folder) bool { return true }, plain},
}

// A draft is a starter spec before it is written down.
type draft struct {
	kind      string
	objective string
	allow     []string
	frozen    []string
	carry     []string
	setup     *step
	gates     []step
	measures  []step
	dataset   []string // lines of the mapping
	agents    []string // offered operators, as lines
	notes     []string
}

// agent offers the coding agents that are there.
func (d *draft) agent(there func(program string) bool) {
	for _, name := range clade.HostNames() {
		h, _ := clade.HostOf(name)
		if h.Program == "" || !there(h.Program) {
			continue
		}
		provider, _ := clade.ProviderOf(orDefault(h.Provider, clade.ProviderOpenAI))
		use := fmt.Sprintf("{use: agent, agent: %s, model: %s/MODEL}", h.Name, provider.Name)
		if len(d.agents) > 0 {
			use = fmt.Sprintf("{use: agent, name: %s, agent: %s, model: %s/MODEL}", h.Name, h.Name, provider.Name)
		}
		d.agents = append(d.agents, fmt.Sprintf("# - %s # the key is that in %s", use, provider.KeyEnv))
	}
	if len(d.agents) > 0 {
		d.note("a coding agent is installed: under operators there is a line for it, which takes the name of a model")
	}
}

// A step is a command with what is said of it.
type step struct {
	id      string
	comment string
	run     string
	from    string
	network bool
	timeout string
	lines   []string // further keys, as lines
}

func (d *draft) note(text string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(text, args...))
}

// timeOf measures how long a gate takes, where nothing better was found.
func (d *draft) timeOf(gate string) {
	d.objective = "Make it faster without changing what it does."
	d.measures = []step{{id: "speed", comment: "No benchmark was found, so this is how long the gate takes. Measure what you care about.",
		from: gate, lines: []string{"read: wall_clock", "goal: min", "unit: s",
			"# A program of yours that prints JSON: run: python3 score.py, read: {pointer: /score}, goal: max."}}}
	d.note("no benchmark was found: the measure is how long the gate %s takes; put what you care about in its place", gate)
}

// clocked measures how long a command takes.
func (d *draft) clocked(run, comment string) {
	d.objective = "Make the benchmark faster without changing what the code does."
	d.measures = []step{{id: "speed", comment: comment, run: run, timeout: "5m", lines: []string{"read: wall_clock", "goal: min", "unit: s"}}}
}

func (d *draft) render() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# What clade evolves, and what is better. Written for %s by clade init.\n", d.kind)
	b.WriteString("# Read it through, look at what it would do with clade plan, then start clade run.\n\nversion: 1\n\n")
	b.WriteString("# In a sentence, what should get better. Operators that understand prose are told it.\n")
	fmt.Fprintf(&b, "objective: %s\n", scalar(d.objective))
	writeList(&b, "allow", "An edit may touch these files only.", d.allow)
	writeList(&b, "frozen", "An edit may never touch these: what measures it, and what tools load by themselves.", d.frozen)
	if d.setup != nil {
		fmt.Fprintf(&b, "\n# Run once, in the template that every candidate starts from.\nsetup:\n")
		d.setup.write(&b, "  ", "  ")
	}
	writeList(&b, "carry", "Files git does not track that every candidate needs.", d.carry)
	writeSteps(&b, "gates", "Every candidate must pass these, in order.", d.gates)
	writeSteps(&b, "measures", "What is better.", d.measures)
	if len(d.dataset) > 0 {
		b.WriteString("\n# Cases: a command answers each, the scorer compares. The mean is the measure.\n")
		b.WriteString("# A program that prints a score itself takes the place of all this and needs no cases:\n")
		b.WriteString("# measures: [{id: score, run: sh score.sh, read: whole, goal: max}]\n")
		b.WriteString("dataset:\n")
		for _, line := range d.dataset {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	b.WriteString("\n# What makes edits. mutate works offline on any text; coding agents, models and commands of your own go beside it.\n")
	b.WriteString("operators:\n  - mutate\n")
	for _, line := range d.agents {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	b.WriteString("  # - {use: command, run: ./improve.sh, network: true}\n")
	b.WriteString("\n# The first bound reached ends the search.\nbudget:\n  candidates: 100\n  wall: 1h\n")
	return []byte(b.String())
}

func writeList(b *strings.Builder, key, comment string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n# %s\n%s:\n", comment, key)
	var seen []string
	for _, item := range items {
		if !slices.Contains(seen, item) {
			seen = append(seen, item)
			fmt.Fprintf(b, "  - %s\n", scalar(item))
		}
	}
}

func writeSteps(b *strings.Builder, key, comment string, steps []step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintf(b, "\n# %s\n%s:\n", comment, key)
	for _, s := range steps {
		if s.comment != "" {
			fmt.Fprintf(b, "  # %s\n", s.comment)
		}
		s.write(b, "  - ", "    ")
	}
}

// write writes the keys of a step, the first after one indent, the others after
// another.
func (s step) write(b *strings.Builder, first, next string) {
	var lines []string
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, key+": "+scalar(value))
		}
	}
	add("id", s.id)
	add("run", s.run)
	add("from", s.from)
	add("timeout", s.timeout)
	if s.network {
		lines = append(lines, "network: true")
	}
	for i, line := range append(lines, s.lines...) {
		if i > 0 {
			first = next
		}
		b.WriteString(first + line + "\n")
	}
}

var makeTarget = pattern(`(?m)^(test|check|bench|benchmark)[ \t]*:([^=]|$)`)

// plain is a folder nothing is known of but, maybe, a Makefile.
func plain(f *folder, d *draft) {
	targets := map[string]bool{}
	for _, m := range makeTarget().FindAllStringSubmatch(f.read("Makefile"), -1) {
		targets[m[1]] = true
	}
	for _, t := range []string{"test", "check"} {
		if targets[t] {
			d.gates = []step{{id: "tests", run: "make " + t, timeout: "5m"}}
			d.note("make %s is the gate", t)
			break
		}
	}
	for _, t := range []string{"bench", "benchmark"} {
		if targets[t] {
			d.clocked("make "+t, "How long the benchmark takes. If it prints a number, read that instead: read: {regex: …}.")
			d.note("make %s is the measure", t)
			return
		}
	}
	d.objective = "Say here what should get better."
	d.measures = []step{{id: "score", comment: "A command that prints a number, and which way is better.", run: "./measure.sh",
		lines: []string{"read: whole", "goal: max"}}}
	d.frozen = append(d.frozen, "measure.sh")
	d.note("write ./measure.sh: it prints one number, how good the files beside it are")
	d.note("say in allow which files may be edited")
}
