package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// A Program is what is measured.
type Program struct {
	// Parts are the program's own, with all state below dir: exactly those
	// that it would choose in the environment that Environ gives.
	Parts func(dir string) control.Parts
	// Environ are the variables that make a process of the program keep its
	// state below dir.
	Environ func(dir string) []string
	// Cache is the folder where workspaces usually lie: measured is below it.
	Cache  func() (string, error)
	Stdout io.Writer
	Stderr io.Writer
}

// sizes are how much is measured.
type sizes struct {
	quick      bool
	syncs      int
	files      []int // of the repositories that workspaces are made of
	cycles     int   // lives of a workspace
	worktrees  int
	target     int // files of the repository that is searched
	candidates int // of the long search
	every      int // attempts in a window
	commands   int // candidates of searches that run commands
	runs       int // of one command, or of the program
	perSlot    int // attempts of each slot
	delay      int // milliseconds of an evaluation
}

func full() sizes {
	return sizes{syncs: 100, files: []int{2_000, 50_000}, cycles: 100, worktrees: 3, target: 2_000,
		candidates: 10_000, every: 1_000, commands: 400, runs: 20, perSlot: 100, delay: 40}
}

func quick() sizes {
	return sizes{quick: true, syncs: 5, files: []int{40}, cycles: 3, worktrees: 1, target: 40,
		candidates: 40, every: 10, commands: 8, runs: 2, perSlot: 3, delay: 1}
}

// bench is one use of the command.
type bench struct {
	Program
	parts control.Parts
	dir   string
	sizes sizes
	step  func(string)
}

// A measurement gives some rows of the table.
type measurement struct {
	name, what string
	rows       func(*bench, context.Context) ([]Row, error)
}

// measurements come in this order: the files that the last one writes and deletes
// keep the disk busy for a while.
func measurements() []measurement {
	return []measurement{
		{"grades", "a command that does nothing in every isolation that works here", (*bench).grades},
		{"sandbox", "what isolation adds to a command, and clade to an attempt", (*bench).overhead},
		{"search", "a long search without operator and evaluator: rate, decisions, memory, status, resume", (*bench).search},
		{"commands", "the same with sandboxed commands as gate and measure", (*bench).commands},
		{"busy", "how busy slots are when one attempt in ten takes ten times as long", (*bench).busy},
		{"models", "what clade adds to a model's own time", (*bench).models},
		{"start", "the program, cold", (*bench).start},
		{"workspace", "a workspace made, edited, committed and removed, beside git worktree add", (*bench).workspaces},
	}
}

// Command is `clade bench`.
func Command(p Program) *cobra.Command {
	var only []string
	var short bool
	var list strings.Builder
	for _, m := range measurements() {
		fmt.Fprintf(&list, "  %-10s %s\n", m.name, m.what)
	}
	c := &cobra.Command{
		Use: "bench", Short: "Measure what clade costs on this machine", Args: cobra.NoArgs, GroupID: "keep",
		Long: "Measures what clade costs on this machine, in some minutes, and says which targets are\n" +
			"met. It works below the cache folder and removes what it made. Measurements:\n\n" + list.String(),
		Example: "  clade bench\n  clade bench --only workspace --json",
	}
	c.Flags().StringSliceVar(&only, "only", nil, "measure only these")
	c.Flags().BoolVar(&short, "quick", false, "small sizes, to see that everything works")
	c.RunE = func(c *cobra.Command, _ []string) error {
		s := full()
		if short {
			s = quick()
		}
		report, err := p.measure(c.Context(), s, only)
		if err != nil {
			return err
		}
		if asJSON, _ := c.Flags().GetBool("json"); asJSON {
			enc := json.NewEncoder(p.Stdout)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(report)
		}
		report.print(p.Stdout)
		return nil
	}
	c.AddCommand(p.searchCommand(), p.crashCommand())
	return c
}

// chosen are the measurements with these names, all without names.
func chosen(only []string) (out []measurement, err error) {
	var known []string
	for _, m := range measurements() {
		known = append(known, m.name)
		if len(only) == 0 || slices.Contains(only, m.name) {
			out = append(out, m)
		}
	}
	for _, name := range only {
		if !slices.Contains(known, name) {
			return nil, &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("nothing to measure is called %q", name),
				Hint: "there are " + strings.Join(known, ", ")}
		}
	}
	return out, nil
}

func (p Program) measure(ctx context.Context, s sizes, only []string) (report *Report, err error) {
	list, err := chosen(only)
	if err != nil {
		return nil, err
	}
	cache, err := p.Cache()
	if err != nil {
		return nil, err
	}
	own := control.Scratch(cache)
	if _, err := own.Sweep(false); err != nil { // of a bench that was killed
		return nil, err
	}
	dir, err := own.Next()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := own.Close(); err != nil { // the figures are none the worse for it
			fmt.Fprintf(p.Stderr, "bench: left behind: %v\n", err)
		}
	}()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	b := &bench{Program: p, parts: p.Parts(dir), dir: dir, sizes: s, step: func(text string) { fmt.Fprintf(p.Stderr, "bench: %s\n", text) }}
	report = &Report{}
	if report.Conditions, err = b.conditions(ctx); err != nil {
		return nil, err
	}
	for _, m := range list {
		b.step(m.what)
		rows, err := m.rows(b, ctx)
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", m.name, err)
		}
		report.Rows = append(report.Rows, rows...)
	}
	return report, nil
}
