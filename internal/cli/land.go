package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/run"
)

func (e *env) applyCmd() *cobra.Command {
	var o run.ApplyOptions
	var yes bool
	var id string
	c := &cobra.Command{
		Use: "apply [RUN]", Short: "Land the winner in your files", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long: `Shows the diff, runs the gates on the tree that would result, and asks; then
writes the winner into your files, all of it or nothing. Where they have moved on
since the run began, the change is merged first. Refused where a file it touches
has changes of yours, is not tracked by git, or lies behind a symbolic link.

Files get the line ends that git would give them. Nothing is staged and nothing
is committed, unless you ask with --commit: then HEAD moves by one commit of
yours, unsigned, without hooks, with just this change. clade undo puts back the
bytes that were there before, which the run keeps, in a plain folder too.`,
		Example: "  clade apply --dry-run\n  clade apply --yes\n  clade apply --commit -m 'Sort faster'\n  clade apply --candidate 12 --unproven",
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "do everything but write: diff, checks, gates")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.StringVar(&id, "candidate", "", "land this candidate instead of the winner")
	complete(c, "candidate", e.candidates)
	f.BoolVar(&o.Unproven, "unproven", false, "allow a candidate that did not prove itself")
	f.BoolVar(&o.Commit, "commit", false, "commit the change to the branch that is checked out")
	f.StringVarP(&o.Message, "message", "m", "", "message of the commit")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		if id != "" {
			n, err := strconv.Atoi(id)
			if err != nil || n < 1 {
				return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("%q is no candidate's number", id)}
			}
			o.ID = clade.ID(n)
		}
		o.Step, o.Show, o.Writing = e.step, e.showPatch, writing
		if !yes && !o.DryRun {
			o.Agree = e.agree
		}
		got, err := d.Apply(ctx, first(args), o)
		if err != nil {
			return err
		}
		return e.print(got, func(w io.Writer) { printApplied(w, got) })
	})
	return c
}

// writing lets no signal end the moment in which files are written.
func writing() (done func()) {
	held := make(chan os.Signal, 1)
	signal.Notify(held, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return func() { signal.Stop(held) }
}

func (e *env) showPatch(p *control.Preview) {
	if e.json {
		return
	}
	_, _ = io.WriteString(e.Stdout, printable(string(p.Patch)))
	if p.Moved {
		fmt.Fprintln(e.Stdout, "your files have moved on since the run began; this is the merged change")
	}
}

// agree asks.
func (e *env) agree(p *control.Preview) (bool, error) {
	if e.json {
		return false, &clade.Problem{Fault: clade.FaultUsage, Text: "--json cannot ask", Hint: "add --yes or --dry-run"}
	}
	fmt.Fprintf(e.Stdout, "write %s? [y/N] ", clade.Counted(len(p.Paths), "file"))
	answer, err := bufio.NewReader(e.Stdin).ReadString('\n')
	if err != nil && answer == "" {
		return false, &clade.Problem{Fault: clade.FaultUsage, Text: "nobody answered", Hint: "nothing was changed; add --yes to write without asking"}
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

func printApplied(w io.Writer, a *run.Applied) {
	if a.Recovered {
		fmt.Fprintln(w, "an interrupted apply or undo was completed first")
	}
	switch {
	case a.Declined:
		fmt.Fprintln(w, "nothing was changed")
	case a.Already:
		fmt.Fprintf(w, "candidate %d is in your files already; nothing was changed\n", a.Winner)
	case a.DryRun:
		fmt.Fprintf(w, "would write %s; nothing was changed\n", clade.Counted(len(a.Paths), "file"))
	default:
		fmt.Fprintf(w, "wrote %s of candidate %d:\n", clade.Counted(len(a.Paths), "file"), a.Winner)
		printPaths(w, a.Paths)
		if a.Commit != "" {
			fmt.Fprintf(w, "committed as %.12s\n", a.Commit)
		}
		fmt.Fprintf(w, "the bytes before are kept in %s\nclade undo %s puts them back\n", a.Kept, a.Run)
	}
}

// printPaths prints names on a line each, those that would not fit there quoted.
func printPaths(w io.Writer, paths []string) {
	for _, p := range paths {
		if q := strconv.Quote(p); q != `"`+p+`"` {
			p = q
		}
		fmt.Fprintf(w, "  %s\n", p)
	}
}

func (e *env) undoCmd() *cobra.Command {
	return &cobra.Command{
		Use: "undo [RUN]", Short: "Take back what apply wrote", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long: `Puts back the bytes, modes and links that the last apply of the run replaced.
Refused when one of them has changed since. It changes files only: a commit that
apply made stays, and undoing it is a change for you to commit.`,
		Example: "  clade undo\n  clade undo packing-k3f9x",
		RunE: e.verb(func(ctx context.Context, d *run.Door, args []string) error {
			got, err := d.Undo(ctx, first(args), writing)
			if err != nil {
				return err
			}
			return e.print(got, func(w io.Writer) { printUndone(w, got) })
		}),
	}
}

func printUndone(w io.Writer, a *run.Applied) {
	if a.Recovered {
		fmt.Fprintln(w, "an interrupted apply or undo was completed first")
	}
	fmt.Fprintf(w, "put back %s:\n", clade.Counted(len(a.Paths), "file"))
	printPaths(w, a.Paths)
	if a.Commit != "" {
		fmt.Fprintf(w, "commit %.12s stays; commit what is put back, or git revert it instead\n", a.Commit)
	}
}
