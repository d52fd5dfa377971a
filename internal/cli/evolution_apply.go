package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/evolution"
)

func (e *env) evolutionApplyCmd() *cobra.Command {
	var o evolution.ApplyOptions
	var yes, whole bool
	c := &cobra.Command{
		Use: "apply ID|FRAGMENT", Short: "Land the winner in your files", Args: cobra.ExactArgs(1), ValidArgsFunction: e.evolutionIDs,
		Long: `Shows what the winner changes, runs every gate on the tree that would result, and
asks; then writes the winner into your files, all of it or nothing, and says so in
evolution.yaml and EVOLUTION.md. Where the repository has moved on since the
evolution began, the change is merged first.

Only what scope.include covers is landed; what is left out is named. Refused where
the winner changes something that scope.exclude covers, where the work tree has
changes in what is included (the evolutions themselves may have some), and where
the winner did not beat the measured base, unless --anyway says so.

A long diff is summed up; --diff shows all of it. Nothing is staged and nothing is
committed, unless you ask with --commit. clade evolution undo puts back the bytes
that were there before.`,
		Example: "  clade evolution apply 1 --dry-run --diff\n  clade evolution apply startup --yes\n  clade evolution apply 1 --commit -m 'Start faster'",
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "do everything but write: diff, checks, gates")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.BoolVar(&whole, "diff", false, "show the whole diff, however long it is")
	f.BoolVar(&o.Anyway, "anyway", false, "allow a winner that did not beat the measured base")
	f.BoolVar(&o.Commit, "commit", false, "commit the change to the branch that is checked out")
	f.StringVarP(&o.Message, "message", "m", "", "message of the commit")
	c.RunE = e.evolutionVerb(func(ctx context.Context, d *evolution.Door, args []string) error {
		s := &shown{e: e, whole: whole, ask: newAsker(e.Stdin, e.Stdout)}
		o.Hooks = e.hooks()
		if !e.json {
			o.Show = s.show
		}
		if !yes && !o.DryRun {
			o.Agree = s.agree
		}
		got, err := d.Apply(ctx, args[0], o)
		if err != nil {
			return err
		}
		return e.print(got, func(w io.Writer) { printEvolved(w, got) })
	})
	return c
}

func (e *env) evolutionUndoCmd() *cobra.Command {
	return &cobra.Command{
		Use: "undo ID|FRAGMENT", Short: "Take back what apply wrote", Args: cobra.ExactArgs(1), ValidArgsFunction: e.evolutionIDs,
		Long: `Puts back the bytes, modes and links that the last apply of the evolution replaced,
and takes applied out of evolution.yaml, so that it can be applied or run again.
Refused when one of the files has changed since. It changes files only: a commit
that apply made stays, and undoing it is a change for you to commit.`,
		Example: "  clade evolution undo 1",
		RunE: e.evolutionVerb(func(ctx context.Context, d *evolution.Door, args []string) error {
			got, err := d.Undo(ctx, args[0], e.hooks())
			if err != nil {
				return err
			}
			return e.print(got, func(w io.Writer) { printTakenBack(w, got) })
		}),
	}
}

// evolutionVerb is a command's work with the door to evolutions.
func (e *env) evolutionVerb(do func(ctx context.Context, d *evolution.Door, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		d, err := e.evolutions()
		if err != nil {
			return err
		}
		return do(c.Context(), d, args)
	}
}

func (e *env) hooks() evolution.Hooks {
	return evolution.Hooks{Tell: e.step, Step: e.step, Writing: writing}
}

// mostLines is the longest diff that is shown unasked.
const mostLines = 400

// A shown diff is what a person is asked about.
type shown struct {
	e     *env
	ask   *asker
	whole bool // however long it is
	held  bool // the bodies were not shown
}

// show prints what would change: the paths with their counts, and the bodies
// unless they are long.
func (s *shown) show(p *control.Preview) {
	w := s.e.Stdout
	printStat(w, p.Patch)
	lines := strings.Count(string(p.Patch), "\n")
	if s.held = lines > mostLines && !s.whole; s.held {
		fmt.Fprintf(w, "the diff has %s; --diff, or d as the answer, shows them\n", clade.Counted(lines, "line"))
	} else {
		_, _ = io.WriteString(w, "\n"+printable(string(p.Patch)))
	}
	if p.Moved {
		fmt.Fprintln(w, "your files have moved on since the evolution began; this is the merged change")
	}
	if len(p.Left) > 0 {
		fmt.Fprintf(w, "left out, since scope.include does not cover it:\n")
		printPaths(w, p.Left)
	}
}

// agree asks until the answer is no request for the rest of the diff.
func (s *shown) agree(p *control.Preview) (bool, error) {
	if s.e.json {
		return false, &clade.Problem{Fault: clade.FaultUsage, Text: "--json cannot ask", Hint: "add --yes or --dry-run"}
	}
	question := fmt.Sprintf("write %s? [y/N]", clade.Counted(len(p.Paths), "file"))
	switch {
	case p.Done:
		question = "your files have it already; note it as applied? [y/N]"
	case s.held:
		question = fmt.Sprintf("write %s? [y/N, d shows the diff]", clade.Counted(len(p.Paths), "file"))
	}
	for {
		answer, err := s.ask.line(question)
		if err != nil {
			return false, &clade.Problem{Fault: clade.FaultUsage, Text: "nobody answered", Hint: "nothing was changed; add --yes to write without asking"}
		}
		answer = strings.Trim(strings.ToLower(answer), " .!")
		if answer != "d" && answer != "diff" || p.Done {
			return slices.Contains([]string{"y", "yes", "looks good", "apply", "go"}, answer), nil
		}
		_, _ = io.WriteString(s.e.Stdout, printable(string(p.Patch)))
	}
}

func printEvolved(w io.Writer, a *evolution.Applied) {
	if a.Recovered {
		fmt.Fprintln(w, "an interrupted apply or undo was completed first")
	}
	switch {
	case a.Declined:
		fmt.Fprintln(w, "nothing was changed")
	case a.Completed:
		fmt.Fprintf(w, "%s had been applied; evolution.yaml says so now\n", a.Variant)
	case a.Already && a.DryRun:
		fmt.Fprintf(w, "%s is in your files already; nothing was changed\n", a.Variant)
	case a.Already:
		fmt.Fprintf(w, "%s is in your files already; evolution.yaml says so now\n", a.Variant)
	case a.DryRun:
		fmt.Fprintf(w, "would write %s; nothing was changed\n", clade.Counted(len(a.Paths), "file"))
	default:
		fmt.Fprintf(w, "applied %s of evolution %s:\n", a.Variant, a.Evolution)
		printPaths(w, a.Paths)
		if a.Commit != "" {
			fmt.Fprintf(w, "committed as %.12s\n", a.Commit)
		}
		id, _, _ := strings.Cut(a.Evolution, "-")
		fmt.Fprintf(w, "every gate passed on the tree as it is now; clade evolution undo %s puts back what was there\n", id)
	}
}

func printTakenBack(w io.Writer, a *evolution.Applied) {
	if a.Completed {
		fmt.Fprintf(w, "%s had been taken back; evolution.yaml says so now\n", a.Variant)
		return
	}
	printUndone(w, &a.Applied)
}
