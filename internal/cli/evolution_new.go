package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/evolution"
)

func (e *env) evolutionNewCmd() *cobra.Command {
	var how newFlags
	c := &cobra.Command{
		Use: "new TITLE", Short: "Write a new evolution", Args: cobra.MinimumNArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: `Writes .agents/evolutions/ID-TITLE/ with evolution.yaml and EVOLUTION.md, once you
agree to them. What no flag says is asked for on a terminal: the objective, gates
(commands that must exit with 0; those of a Makefile, package.json, go.mod, Cargo.toml
or pytest are offered), the rubric (commands that yield a number), scope and budget.
Nothing is written before you agree: answering no ends with exit code 0, an end of the
input with 2, Ctrl-C with 130, and none leaves a trace.

A gate is a command, or JSON with description and cmd. An axis is one of

  minimize: COMMAND                      what it prints is the number
  maximize: COMMAND
  minimize wall_clock_seconds: COMMAND   how long it runs is
  {"direction": "minimize", "cmd": "./bench", "extract": "mean: ([0-9.]+) ms",
   "weight": 2, "description": "mean of ten starts"}

and extract a regular expression whose one group is the number, in its last match.
--from reads all of it from JSON: objective, gates, rubric, scope (kind, include,
exclude), budget (max_variants, parallel, max_minutes, plateau_generations),
held_fixed, may_change, out_of_scope. A flag replaces what the file says of the same.

A title that names an evolution which is there, by its id or a part of its name, is
refused. .gitignore gets the line .agents/evolutions/*/variants/ if git does not ignore
that yet.`,
		Example: `  clade evolution new "Optimize CLI startup"
  clade evolution new "Optimize CLI startup" --objective "Shorten the cold start of mycli for scripts" \
    --gate "go test ./..." --axis "minimize wall_clock_seconds: ./mycli --version" --max-variants 20 --yes
  clade evolution new "Smaller bundle" --from draft.json --exclude tests/ --dry-run`,
	}
	how.add(c)
	complete(c, "gate", e.gatesFound)
	c.RunE = func(c *cobra.Command, args []string) error {
		return e.evolutionNew(c.Context(), c.Flags(), &how, strings.Join(args, " "))
	}
	return c
}

// newFlags are the flags of evolution new.
type newFlags struct {
	from        string
	draft       evolution.Draft
	gates, axes []string
	yes, dryRun bool
}

func (n *newFlags) add(c *cobra.Command) {
	f, d := c.Flags(), &n.draft
	f.StringVar(&n.from, "from", "", "read the draft from this `file` of JSON; - is standard input")
	f.StringVar(&d.Objective, "objective", "", "one sentence: optimise X for Y")
	f.StringArrayVar(&n.gates, "gate", nil, "a `command` that must exit with 0, or JSON; may be repeated")
	f.StringArrayVar(&n.axes, "axis", nil, "an `axis`: a direction, a colon and a command that yields a number, or JSON; may be repeated")
	f.StringVar(&d.Scope.Kind, "scope", "", "the `kind` of a variant's workspace: worktree, the whole tree (the default), or files, a copy of what is included")
	f.StringArrayVar(&d.Scope.Include, "include", nil, "a `path` that apply may land; may be repeated (default all)")
	f.StringArrayVar(&d.Scope.Exclude, "exclude", nil, "a `path` that must never be touched; may be repeated")
	f.IntVar(&d.Budget.MaxVariants, "max-variants", 0, "how many variants in all")
	f.IntVar(&d.Budget.Parallel, "parallel", 0, "how many variants a generation has (default a fifth of all)")
	f.IntVar(&d.Budget.MaxMinutes, "max-minutes", 0, "end after so many minutes (default never)")
	f.IntVar(&d.Budget.PlateauGenerations, "plateau", 0, "end after so many generations without a better one (default never)")
	f.StringArrayVar(&d.HeldFixed, "held-fixed", nil, "`what` stays as it is, for workers to know; may be repeated")
	f.StringArrayVar(&d.MayChange, "may-change", nil, "`what` variants may change; may be repeated")
	f.StringArrayVar(&d.OutOfScope, "out-of-scope", nil, "`what` is no matter of this evolution; may be repeated")
	f.BoolVarP(&n.yes, "yes", "y", false, "write at once: show nothing, ask nothing")
	f.BoolVar(&n.dryRun, "dry-run", false, "show what would be written, and write nothing")
	words(c, "scope", "worktree\ta whole tree per variant", "files\ta copy of what is included")
	complete(c, "axis", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"minimize:", "maximize:", "minimize wall_clock_seconds:"}, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	if err := c.MarkFlagFilename("from", "json"); err != nil {
		panic(err) // the flag was added just before
	}
}

// gatesFound completes commands that the repository is checked by.
func (e *env) gatesFound(c *cobra.Command, _ []string, _ string) (all []string, _ cobra.ShellCompDirective) {
	d, err := e.evolutions()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, _ := d.Gates(c.Context()) // where there are none, none is offered
	for _, g := range found {
		all = append(all, g.Cmd+"\t"+g.Description)
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

func (e *env) evolutionNew(ctx context.Context, f *pflag.FlagSet, how *newFlags, title string) error {
	if e.json && !how.yes && !how.dryRun {
		return &clade.Problem{Fault: clade.FaultUsage, Text: "--json cannot ask", Hint: "add --yes or --dry-run"}
	}
	d, err := e.evolutions()
	if err != nil {
		return err
	}
	seed, err := d.Seed(ctx, title)
	if err != nil {
		return err
	}
	draft, err := e.draft(f, how)
	if err != nil {
		return err
	}
	ask := newAsker(e.Stdin, e.Stdout)
	if err := e.fill(ask, seed, &draft, f, how); err != nil {
		return err
	}
	m, err := seed.Preview(ctx, draft)
	if err != nil {
		return err
	}
	if how.dryRun {
		return e.print(e.dry(m), func(w io.Writer) { e.printDraft(w, m); fmt.Fprintln(w, "nothing was written") })
	}
	if !how.yes {
		e.printDraft(e.Stdout, m)
		if yes, err := ask.yes("write this?"); err != nil {
			return err
		} else if !yes {
			fmt.Fprintln(e.Stdout, "nothing was written")
			return nil
		}
	}
	shown := m.ID
	if m, err = seed.Write(ctx, draft, writing); err != nil {
		return err
	}
	return e.print(m, func(w io.Writer) { e.printMade(w, m, shown) })
}

// dry marks what was not written.
func (e *env) dry(m *evolution.Made) *evolution.Made {
	out := *m
	out.DryRun = true
	return &out
}

// draft is what the file and the flags say.
func (e *env) draft(f *pflag.FlagSet, how *newFlags) (d evolution.Draft, err error) {
	if how.from != "" {
		if d, err = e.readDraft(how.from); err != nil {
			return d, err
		}
	}
	var faults []error
	for i, text := range how.gates {
		g, err := evolution.ReadGate(text)
		if i == 0 {
			d.Gates = nil
		}
		d.Gates, faults = append(d.Gates, g), append(faults, err)
	}
	for i, text := range how.axes {
		a, err := evolution.ReadAxis(text)
		if i == 0 {
			d.Rubric = nil
		}
		d.Rubric, faults = append(d.Rubric, a), append(faults, err)
	}
	for name, take := range map[string]func(from *evolution.Draft){
		"objective":    func(from *evolution.Draft) { d.Objective = from.Objective },
		"scope":        func(from *evolution.Draft) { d.Scope.Kind = from.Scope.Kind },
		"include":      func(from *evolution.Draft) { d.Scope.Include = from.Scope.Include },
		"exclude":      func(from *evolution.Draft) { d.Scope.Exclude = from.Scope.Exclude },
		"max-variants": func(from *evolution.Draft) { d.Budget.MaxVariants = from.Budget.MaxVariants },
		"parallel":     func(from *evolution.Draft) { d.Budget.Parallel = from.Budget.Parallel },
		"max-minutes":  func(from *evolution.Draft) { d.Budget.MaxMinutes = from.Budget.MaxMinutes },
		"plateau":      func(from *evolution.Draft) { d.Budget.PlateauGenerations = from.Budget.PlateauGenerations },
		"held-fixed":   func(from *evolution.Draft) { d.HeldFixed = from.HeldFixed },
		"may-change":   func(from *evolution.Draft) { d.MayChange = from.MayChange },
		"out-of-scope": func(from *evolution.Draft) { d.OutOfScope = from.OutOfScope },
	} {
		if f.Changed(name) {
			take(&how.draft)
		}
	}
	return d, errors.Join(faults...)
}

// maxDraft bounds a draft, bytes.
const maxDraft = 1 << 20

func (e *env) readDraft(name string) (d evolution.Draft, err error) {
	in := e.Stdin
	if name != "-" {
		file, err := os.Open(e.path([]string{name}))
		if err != nil {
			return d, &clade.Problem{Fault: clade.FaultNotFound, Text: "the draft cannot be opened", Err: err}
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxDraft+1))
	if err == nil && len(data) > maxDraft {
		err = fmt.Errorf("it is larger than %v", clade.Bytes(maxDraft))
	}
	if err == nil {
		d, err = evolution.ReadDraft(data)
	}
	if err != nil {
		return d, &clade.Problem{Fault: clade.FaultSpec, Where: name, Text: "this is no draft of an evolution", Err: err,
			Hint: "clade evolution new --help lists its keys"}
	}
	return d, nil
}

// fill asks for what the draft lacks, or refuses all of it at once where
// nobody can be asked.
func (e *env) fill(ask *asker, seed *evolution.Seed, d *evolution.Draft, f *pflag.FlagSet, how *newFlags) error {
	lacks := d.Lacks()
	if len(lacks) == 0 {
		return nil
	}
	if e.json || how.yes || how.dryRun || how.from == "-" || !isTerminal(e.Stdin) || !isTerminal(e.Stdout) {
		return unsaid(lacks, seed)
	}
	scope := how.from == "" && !f.Changed("scope") && !f.Changed("include") && !f.Changed("exclude")
	return ask.draft(seed, d, scope)
}

// unsaid names every flag that is missing.
func unsaid(lacks []evolution.Part, seed *evolution.Seed) error {
	flags := map[evolution.Part]string{evolution.PartObjective: "--objective", evolution.PartGates: "--gate", evolution.PartRubric: "--axis", evolution.PartBudget: "--max-variants"}
	var names, hints []string
	lack := map[evolution.Part]bool{}
	for _, p := range lacks {
		lack[p] = true
		names = append(names, flags[p])
	}
	if lack[evolution.PartGates] && lack[evolution.PartRubric] {
		hints = append(hints, writeACheck)
	}
	if lack[evolution.PartGates] && len(seed.Found) > 0 {
		var found []string
		for _, g := range seed.Found {
			found = append(found, "--gate "+quoted(g.Cmd))
		}
		hints = append(hints, "this repository may have "+strings.Join(found, " "))
	}
	return &clade.Problem{Fault: clade.FaultUsage, Text: "the draft lacks " + strings.Join(names, ", "),
		Hint: strings.Join(append(hints, "on a terminal they are asked for, without --yes"), "; ")}
}

// writeACheck is said where nothing tells a good variant from a bad one.
const writeACheck = "where no command tells good from bad yet, write that check first: it exits with 0, or prints one number"

// quoted is a text as a shell reads it back.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (e *env) printDraft(w io.Writer, m *evolution.Made) {
	for i, text := range []string{m.YAML, m.Page} {
		fmt.Fprintf(w, "--- %s\n%s\n", e.near(m.Files[i]), printable(text))
	}
	if m.Ignore != "" {
		fmt.Fprintf(w, "--- %s gets the line\n%s\n\n", e.near(m.Files[2]), m.Ignore)
	}
	fmt.Fprintln(w, printable(m.Lands))
}

func (e *env) printMade(w io.Writer, m *evolution.Made, shown int) {
	if m.ID != shown {
		fmt.Fprintf(w, "%d was given to another evolution meanwhile; this one is %d\n", shown, m.ID)
	}
	for _, name := range m.Files[:2] {
		fmt.Fprintf(w, "wrote %s\n", e.near(name))
	}
	if m.Ignore != "" {
		fmt.Fprintf(w, "added %s to %s; commit that too\n", m.Ignore, e.near(m.Files[2]))
	}
	fmt.Fprintf(w, "next: clade evolution run %d runs generation 1\n", m.ID)
}

// near is a path as seen from the folder the person works in.
func (e *env) near(name string) string {
	here, err := e.here()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(here, name); err == nil {
		return rel
	}
	return name
}
