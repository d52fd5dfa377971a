package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/evolution"
)

func (e *env) evolutionExportCmd() *cobra.Command {
	var o evolution.ExportOptions
	c := &cobra.Command{
		Use: "export [RUN]", Short: "Write a run as an evolution", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long: `Writes any run of clade as an evolution of its own, where clade evolution new would
make one for the run's target: gates and measures as gates and axes, the candidates
as variants with what was measured of each and its tree as plain files, the winner
and why it won. The run stays as it is. clade evolution import measures the variants
anew; of a run that has no winner, clade evolution run does and goes on from there.

A measure that is no command which prints its number or is timed is refused by name.
What else evolution.yaml cannot say is written to .clade.yaml beside it.`,
		Example: "  clade evolution export\n  clade evolution export packing-k3f9x --title 'Pack more circles' --top 20",
	}
	c.Flags().StringVar(&o.Title, "title", "", "what the directory is named by; default the run's name")
	c.Flags().IntVar(&o.Top, "top", 0, "most candidates, the best by composite; their ancestors are written as well; default 100")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("top") && o.Top < 1 {
			return &clade.Problem{Fault: clade.FaultUsage, Text: "--top must be at least 1"}
		}
		d, err := e.evolutions()
		if err != nil {
			return err
		}
		_, ctx, release := interruptible(c.Context(), func(int) {})
		defer release()
		o.Step = e.step
		x, err := d.Export(ctx, first(args), o)
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return &clade.Problem{Fault: clade.FaultInterrupted, Text: "interrupted", Hint: "nothing was written"}
		}
		if err != nil {
			return err
		}
		return e.print(x, func(w io.Writer) { e.printExported(w, x) })
	}
	return c
}

func (e *env) printExported(w io.Writer, x *evolution.Exported) {
	fmt.Fprintf(w, "wrote %s of run %s to %s%c\n", clade.Counted(x.Variants, "variant"), x.Run, e.near(x.Dir), filepath.Separator)
	if x.LeftOut > 0 {
		fmt.Fprintf(w, "left out: %s; --top says how many are written\n", clade.Counted(x.LeftOut, "candidate"))
	}
	for _, n := range x.Notes {
		fmt.Fprintf(w, "note: %s\n", printable(n))
	}
	if x.Ignore != "" {
		fmt.Fprintf(w, "added %s to %s; commit that too\n", x.Ignore, e.near(x.Files[2]))
	}
	fmt.Fprintf(w, "next: clade evolution %s\n", nextOf(x))
}

// nextOf is what an exported evolution is good for.
func nextOf(x *evolution.Exported) string {
	switch {
	case x.Applied:
		return fmt.Sprintf("show %d", x.ID)
	case x.Winner != "":
		return fmt.Sprintf("import %d measures it again", x.ID)
	}
	return fmt.Sprintf("run %d goes on with it", x.ID)
}
