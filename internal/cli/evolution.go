package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/evolution"
	"github.com/cladehq/clade/internal/door/run"
)

func (e *env) evolutionCmd() *cobra.Command {
	c := &cobra.Command{
		Use: "evolution", Short: "Directories of agent-evolutions", Args: noCommand,
		Long:    "Reads the directories of agent-evolutions below .agents/evolutions of the repository:\nwhich there are, and how each stands. Scores are computed on read.",
		Example: "  clade evolution list\n  clade evolution show 1",
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(e.evolutionNewCmd(), e.evolutionRunCmd(), e.evolutionNextCmd(), e.evolutionIngestCmd(), e.evolutionImportCmd(), e.evolutionExportCmd(), e.evolutionApplyCmd(), e.evolutionUndoCmd(), e.evolutionListCmd(), e.evolutionShowCmd())
	return c
}

func (e *env) evolutionListCmd() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the evolutions of this repository", Args: cobra.NoArgs,
		Long:    "Lists the evolutions of the repository, by id. One whose file cannot be read is listed\nwith what is wrong with it, and the exit code is that of a wrong spec.",
		Example: "  clade evolution list\n  clade evolution list --json",
		RunE: func(*cobra.Command, []string) error {
			d, err := e.evolutions()
			if err != nil {
				return err
			}
			list, fault := d.List()
			if list == nil {
				return fault
			}
			if err := e.print(list, func(w io.Writer) { printEvolutions(w, list) }); err != nil {
				return err
			}
			return fault
		},
	}
}

func (e *env) evolutionShowCmd() *cobra.Command {
	return &cobra.Command{
		Use: "show ID|FRAGMENT", Short: "One evolution and its results", Args: cobra.ExactArgs(1), ValidArgsFunction: e.evolutionIDs,
		Long:    "Shows an evolution, named by its id or a fragment of its slug: objective, gates, axes,\nand every variant with its rank and composite score. Of several the one with the\nlowest id is shown.",
		Example: "  clade evolution show 1\n  clade evolution show startup --json",
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := e.evolutions()
			if err != nil {
				return err
			}
			r, err := d.Show(args[0])
			if err != nil {
				return err
			}
			if len(r.Others) > 0 {
				e.step(fmt.Sprintf("%q also names %s", args[0], strings.Join(r.Others, ", ")))
			}
			return e.print(r, func(w io.Writer) { printEvolution(w, r) })
		},
	}
}

func (e *env) evolutions() (*evolution.Door, error) {
	here, err := e.here()
	if err != nil {
		return nil, err
	}
	return e.Evolution(here)
}

func (e *env) evolutionIDs(_ *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	d, err := e.evolutions()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, _ := d.List() // what cannot be read can be named all the same
	for _, s := range list {
		out = append(out, fmt.Sprintf("%d\t%s", s.ID, s.Slug))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func printEvolutions(w io.Writer, list []evolution.Summary) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no evolutions yet")
		return
	}
	table(w, func(tw io.Writer) {
		fmt.Fprintln(tw, "ID\tSLUG\tSTATE\tVARIANTS\tGENERATIONS\tLEADER\tOBJECTIVE")
		for _, s := range list {
			if s.Problem != "" {
				fmt.Fprintf(tw, "%d\t%s\tunreadable\t\t\t\t\n", s.ID, printable(s.Slug))
				continue
			}
			fmt.Fprintf(tw, "%d\t%s\t%s\t%d/%d\t%d\t%s\t%s\n", s.ID, printable(s.Slug), s.State, s.Variants, s.MaxVariants, s.Generations,
				s.Leader, clip(printable(s.Objective), 60))
		}
	})
}

func printEvolution(w io.Writer, r *evolution.Report) {
	fmt.Fprintf(w, "evolution %d-%s, %s\n%s\n\n", r.ID, printable(r.Slug), r.State, printable(r.Objective))
	table(w, func(tw io.Writer) {
		for _, g := range r.Gates {
			fmt.Fprintf(tw, "%s\tgate\t%s\t%s\n", g.ID, clip(printable(g.Description), 60), clip(printable(g.Cmd), 60))
		}
		for _, a := range r.Axes {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", a.ID, a.Direction, clip(printable(a.Description), 60), clip(printable(a.Cmd), 60))
		}
	})
	fmt.Fprintf(w, "\n%d of %s, %s\n", r.Variants, clade.Counted(r.MaxVariants, "variant"), clade.Counted(r.Generations, "generation"))
	if len(r.Rows) > 0 {
		fmt.Fprintln(w)
		table(w, func(tw io.Writer) { printResults(tw, r) })
	}
	if r.Rationale != "" {
		fmt.Fprintf(w, "\nwinner %s: %s\n", r.Leader, printable(r.Rationale))
	}
	if r.AppliedAt != nil {
		fmt.Fprintf(w, "applied %s: %s\n", r.AppliedAt.Format("2006-01-02 15:04"), printable(strings.Join(r.Files, ", ")))
	}
}

func printResults(w io.Writer, r *evolution.Report) {
	fmt.Fprint(w, "RANK\tVARIANT\tGEN\tPARENTS\tSCORE")
	for _, a := range r.Axes {
		fmt.Fprint(w, "\t"+a.ID)
	}
	fmt.Fprintln(w, "\tNOTES\tHYPOTHESIS")
	for _, row := range r.Rows {
		rank, score, parents := "—", "—", "—"
		if row.Score != nil {
			rank, score = fmt.Sprint(row.Rank), fmt.Sprintf("%.2f", *row.Score)
		}
		if len(row.Parents) > 0 {
			parents = strings.Join(row.Parents, ",")
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s", rank, row.Variant, row.Generation, parents, score)
		for _, a := range r.Axes {
			value := "—"
			if x := row.Values[a.ID]; x != nil {
				value = run.Number(*x)
			}
			fmt.Fprint(w, "\t"+value)
		}
		fmt.Fprintf(w, "\t%s\t%s\n", evolutionNotes(r, row), clip(printable(row.Hypothesis), 60))
	}
}

// evolutionNotes says what keeps a variant from being ranked, and what its worker
// claims that clade has not measured.
func evolutionNotes(r *evolution.Report, row evolution.Row) string {
	var notes, claims []string
	for _, a := range r.Axes {
		if x, ok := row.Claim[a.ID]; ok {
			claims = append(claims, a.ID+" "+run.Number(x))
		}
	}
	if len(claims) > 0 {
		notes = append(notes, "claims "+strings.Join(claims, ", "))
	}
	if row.Remark != "" {
		notes = append(notes, clip(printable(row.Remark), 60))
	}
	return strings.TrimPrefix(strings.Join(append([]string{row.Why}, notes...), "; "), "; ")
}
