package cli

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

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
		Long: `Shows the diff and asks; then writes the winner into your files, all or nothing.
Where your files have moved on since the run began the change is merged and the
gates are run on the merged tree. Refused when a touched file has changes of your
own. Nothing is staged or committed. clade undo takes it back.`,
		Example: "  clade apply --dry-run\n  clade apply --yes\n  clade apply --candidate 12 --unproven",
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would change and stop")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.StringVar(&id, "candidate", "", "land this candidate instead of the winner")
	f.BoolVar(&o.Unproven, "unproven", false, "allow a candidate that did not prove itself")
	c.RunE = func(c *cobra.Command, args []string) error {
		d, err := e.door()
		if err != nil {
			return err
		}
		if id != "" {
			n, err := strconv.Atoi(id)
			if err != nil || n < 1 {
				return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("%q is no candidate's number", id)}
			}
			o.ID = clade.ID(n)
		}
		o.Step = e.step
		if !yes && !o.DryRun {
			o.Agree = e.agree
		}
		got, err := d.Apply(c.Context(), first(args), o)
		if got != nil && got.Preview != nil && !e.json && (o.DryRun || yes) {
			_, _ = e.Stdout.Write(got.Preview.Patch)
		}
		if err != nil {
			return err
		}
		return e.print(got, func(w io.Writer) { printApplied(w, got) })
	}
	return c
}

// agree shows the patch and asks.
func (e *env) agree(p *control.Preview) (bool, error) {
	if e.json {
		return false, &clade.Problem{Fault: clade.FaultUsage, Text: "--json cannot ask", Hint: "add --yes or --dry-run"}
	}
	_, _ = e.Stdout.Write(p.Patch)
	if p.Moved {
		fmt.Fprintln(e.Stdout, "your files have moved on since the run began; this is the merged change")
	}
	fmt.Fprintf(e.Stdout, "write %d files? [y/N] ", len(p.Paths))
	answer, err := bufio.NewReader(e.Stdin).ReadString('\n')
	if err != nil && answer == "" {
		return false, &clade.Problem{Fault: clade.FaultUsage, Text: "nobody answered", Hint: "add --yes to write without asking"}
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
	case a.DryRun:
		fmt.Fprintf(w, "would write %d files; nothing was changed\n", len(a.Paths))
	case len(a.Paths) == 0:
		fmt.Fprintln(w, "your files have it already")
	default:
		fmt.Fprintf(w, "wrote %d files of candidate %d:\n", len(a.Paths), a.Winner)
		for _, p := range a.Paths {
			fmt.Fprintf(w, "  %s\n", printable(p))
		}
		fmt.Fprintf(w, "clade undo %s takes it back\n", a.Run)
	}
}

func (e *env) undoCmd() *cobra.Command {
	return &cobra.Command{
		Use: "undo [RUN]", Short: "Take back what apply wrote", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long: "Puts back the bytes, modes and links that the last apply of the run replaced. Refused when\none of them has changed since.",
		RunE: func(c *cobra.Command, args []string) error {
			d, err := e.door()
			if err != nil {
				return err
			}
			got, err := d.Undo(c.Context(), first(args))
			if err != nil {
				return err
			}
			return e.print(got, func(w io.Writer) {
				if got.Recovered {
					fmt.Fprintln(w, "an interrupted apply or undo was completed first")
				}
				fmt.Fprintf(w, "put back %d files\n", len(got.Paths))
			})
		},
	}
}
