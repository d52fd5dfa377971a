package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/run"
)

func (e *env) gcCmd() *cobra.Command {
	var o control.Collection
	c := &cobra.Command{
		Use: "gc", Short: "Free what nothing needs", Args: cobra.NoArgs,
		Long: `Removes what dead processes left in the cache and forgets runs that are gone. With
--templates it removes prepared base trees too, which the next run makes anew;
with --remove RUN it deletes a run with its log and the commits that no other run
needs. What is in use is left alone.`,
		Example: "  clade gc\n  clade gc --templates --dry-run\n  clade gc --remove packing-k3f9x",
	}
	c.Flags().BoolVar(&o.Templates, "templates", false, "remove prepared base trees that nothing uses")
	c.Flags().StringArrayVar(&o.Remove, "remove", nil, "delete this run (may be repeated)")
	c.Flags().BoolVar(&o.Dry, "dry-run", false, "only say what would go")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, _ []string) error {
		got, err := d.GC(ctx, o)
		if got == nil {
			return err
		}
		return errors.Join(err, e.print(got, func(w io.Writer) { printSwept(w, got) }))
	})
	return c
}

func printSwept(w io.Writer, s *control.Swept) {
	freed, deleted, forgot := "freed", "deleted", "forgot"
	if s.Dry {
		freed, deleted, forgot = "would free about", "would delete", "would forget"
	}
	fmt.Fprintf(w, "%s %s", freed, run.Size(s.Bytes))
	if s.Ledgers > 0 {
		fmt.Fprintf(w, ", %s of it commits", run.Size(s.Ledgers))
	}
	fmt.Fprintln(w)
	for _, r := range s.Removed {
		fmt.Fprintf(w, "%s run %s\n", deleted, r)
	}
	for _, r := range s.Forgotten {
		fmt.Fprintf(w, "%s run %s, which is gone\n", forgot, r)
	}
	for _, l := range s.Busy {
		fmt.Fprintf(w, "%s is in use; a later gc takes out of it what no run needs\n", l)
	}
}

func (e *env) doctorCmd() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "What this machine can do for clade, and what it cannot", Args: cobra.NoArgs,
		Long:    "Looks at git, isolation, workspaces and the folders that clade keeps things in. What\nis bad stops runs; a note costs time or isolation.",
		Example: "  clade doctor\n  clade doctor --json",
		RunE: func(c *cobra.Command, _ []string) error {
			checks := e.Doctor(c.Context())
			if here, err := e.here(); err == nil {
				if found, ok := control.CheckLFS(c.Context(), here); ok {
					checks = append(checks, found)
				}
			}
			if err := e.print(checks, func(w io.Writer) {
				table(w, func(tw io.Writer) {
					for _, k := range checks {
						fmt.Fprintf(tw, "%s\t%s\t%s\n", k.State, k.Name, k.Text)
						if k.Hint != "" {
							fmt.Fprintf(tw, "\t\t→ %s\n", k.Hint)
						}
					}
				})
			}); err != nil {
				return err
			}
			for _, k := range checks {
				if k.State == "bad" {
					return &clade.Problem{Fault: clade.FaultEnvironment, Text: k.Name + ": " + k.Text, Hint: k.Hint}
				}
			}
			return nil
		},
	}
}

func (e *env) storeCmd() *cobra.Command {
	c := &cobra.Command{Use: "store", Short: "Check or rebuild a run's stored state", Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	verb := func(use, short, long string, rebuild bool) *cobra.Command {
		return &cobra.Command{Use: use + " [RUN]", Short: short, Long: long,
			Example: "  clade store " + use + "\n  clade store " + use + " packing-k3f9x --json", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
			RunE: e.verb(func(ctx context.Context, d *run.Door, args []string) error {
				got, err := d.Check(ctx, first(args), rebuild)
				if got == nil {
					return err
				}
				if perr := e.print(got, func(w io.Writer) {
					if len(got.Wrong) == 0 {
						fmt.Fprintf(w, "%s is sound\n", got.Run)
					}
					for _, x := range got.Wrong {
						fmt.Fprintf(w, "wrong: %s\n", x)
					}
				}); err == nil {
					err = perr
				}
				return err
			})}
	}
	c.AddCommand(verb("check", "Verify a run's log, projections and commits",
		"Reads all that is stored of a run and says what is wrong with it. It changes nothing.", false),
		verb("rebuild", "Make everything but the log anew from the log",
			"Makes what is derived from the log anew, then checks it. The log itself is never\nchanged, and nothing is deleted.", true))
	return c
}

func (e *env) exitCodesCmd() *cobra.Command {
	return &cobra.Command{
		Use: "exit-codes", Short: "What the exit codes mean", Args: cobra.NoArgs,
		Example: "  clade exit-codes\n  clade exit-codes --json",
		RunE: func(*cobra.Command, []string) error {
			return e.print(Codes, func(w io.Writer) {
				table(w, func(tw io.Writer) {
					for _, c := range Codes {
						fmt.Fprintf(tw, "%d\t%s\t%s\n", c.Code, c.Fault, c.Text)
					}
				})
			})
		},
	}
}
