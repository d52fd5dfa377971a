package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

func (e *env) statusCmd() *cobra.Command {
	var all, rows bool
	var top int
	c := &cobra.Command{
		Use: "status [RUN]", Short: "Where a run stands", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long:    "Shows where a run stands: the newest one of this folder, or the one named (the\nbeginning of a name is enough). A folder or file in the place of a name, here and in\nevery other command, means the newest run of the target that it lies in or holds.",
		Example: "  clade status\n  clade status --all\n  clade status ../other\n  clade status packing --rows --json",
	}
	c.Flags().BoolVar(&all, "all", false, "list every run of yours")
	c.Flags().BoolVar(&rows, "rows", false, "list every attempt")
	c.Flags().IntVar(&top, "top", 10, "how many candidates to show")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		switch {
		case all:
			runs, err := d.Runs(ctx)
			if err != nil {
				return err
			}
			return e.print(runs, func(w io.Writer) { printRuns(w, runs) })
		case rows:
			s, err := d.Status(ctx, first(args), 0)
			if err != nil {
				return err
			}
			list, err := d.Rows(ctx, s.Run)
			if err != nil {
				return err
			}
			return e.print(list, func(w io.Writer) { printRows(w, s.Measures, list) })
		}
		s, err := d.Status(ctx, first(args), top)
		if err != nil {
			return err
		}
		return e.print(s, func(w io.Writer) { printStatus(w, s) })
	})
	return c
}

func (e *env) watchCmd() *cobra.Command {
	return &cobra.Command{
		Example: "  clade watch\n  clade watch packing-k3f9x --json",
		Use:     "watch [RUN]", Short: "Follow a run that another process searches", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long: "Shows the run's decisions as they are made, until it stops or you press Ctrl-C, which\nends the watching only. With --json one object a line.",
		RunE: e.verb(func(ctx context.Context, d *run.Door, args []string) error {
			s, err := d.Status(ctx, first(args), 3)
			if err != nil {
				return err
			}
			if !e.json {
				printStatus(e.Stdout, s)
			}
			if s.Stop == clade.StopNone {
				err = e.follow(ctx, d, s.Run, s.Records)
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		}),
	}
}

func (e *env) follow(ctx context.Context, d *run.Door, name string, after int64) error {
	_, soft, release := interruptible(ctx, func(int) {})
	defer release()
	return d.Log(soft, name, after, true, e.entry)
}

// entry prints one line of a log.
func (e *env) entry(en run.Entry) error {
	if e.json {
		return e.line(en)
	}
	id := ""
	if en.ID != 0 {
		id = strconv.Itoa(int(en.ID))
	}
	_, err := fmt.Fprintf(e.Stdout, "%s %6s  %s\n", en.At.Local().Format("15:04:05"), id, printable(en.Text))
	return err
}

func (e *env) logCmd() *cobra.Command {
	var follow bool
	var id int
	c := &cobra.Command{
		Use: "log [RUN]", Short: "Why each decision was taken", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long:    "Prints the run's log in words: what was planned and why, what came of it, how it was\njudged and why.",
		Example: "  clade log\n  clade log --candidate 12\n  clade log --follow --json",
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run stops")
	c.Flags().IntVar(&id, "candidate", 0, "only what concerns this candidate")
	complete(c, "candidate", e.candidates)
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		return d.Log(ctx, first(args), 0, follow, func(en run.Entry) error {
			if id != 0 && int(en.ID) != id {
				return nil
			}
			return e.entry(en)
		})
	})
	return c
}

func (e *env) treeCmd() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "tree [RUN]", Short: "The lineage of the candidates", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Example: "  clade tree\n  clade tree packing-k3f9x --all",
		Long:    "Draws who descends from whom. Without --all only candidates that may be parents, or\nlead to one, are drawn.",
	}
	c.Flags().BoolVar(&all, "all", false, "draw rejected attempts too")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		s, err := d.Status(ctx, first(args), 0)
		if err != nil {
			return err
		}
		root, err := d.Tree(ctx, s.Run, all)
		if err != nil {
			return err
		}
		return e.print(root, func(w io.Writer) { printTree(w, s.Measures, root) })
	})
	return c
}

// candidate parses "ID" or "RUN ID"; no arguments mean the winner or the best.
func (e *env) candidate(ctx context.Context, d *run.Door, args []string) (string, clade.ID, error) {
	name, text := "", ""
	switch len(args) {
	case 2:
		name, text = args[0], args[1]
	case 1:
		text = args[0]
	}
	if text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			if len(args) == 1 {
				return e.leader(ctx, d, text)
			}
			return "", 0, &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("%q is no candidate's number", text)}
		}
		return name, clade.ID(n), nil
	}
	return e.leader(ctx, d, name)
}

// leader is the winner of a run, or else its best candidate.
func (e *env) leader(ctx context.Context, d *run.Door, name string) (string, clade.ID, error) {
	s, err := d.Status(ctx, name, 0)
	switch {
	case err != nil:
		return "", 0, err
	case s.Winner != nil:
		return s.Run, s.Winner.ID, nil
	case s.Best != nil:
		return s.Run, s.Best.ID, nil
	}
	return s.Run, clade.Base, nil
}

func (e *env) showCmd() *cobra.Command {
	return &cobra.Command{
		Use: "show [RUN] [ID]", Short: "All that is known of one candidate", Args: cobra.MaximumNArgs(2), ValidArgsFunction: e.runs,
		Long:    "Shows one attempt: its plan, what came of it, every number, the verdict and its reason.\nWithout a number: the winner, or else the best.",
		Example: "  clade show\n  clade show 12\n  clade show packing-k3f9x 12 --json",
		RunE: e.verb(func(ctx context.Context, d *run.Door, args []string) error {
			name, id, err := e.candidate(ctx, d, args)
			if err != nil {
				return err
			}
			got, err := d.Show(ctx, name, id)
			if err != nil {
				return err
			}
			return e.print(got, func(w io.Writer) { printDetail(w, got) })
		}),
	}
}

func (e *env) diffCmd() *cobra.Command {
	var parent bool
	c := &cobra.Command{
		Use: "diff [RUN] [ID]", Short: "What a candidate changed", Args: cobra.MaximumNArgs(2), ValidArgsFunction: e.runs,
		Long:    "Prints the unified diff of a candidate against the base, or with --parent against what\nit was made from. Without a number: the winner, or else the best.",
		Example: "  clade diff\n  clade diff 12 --parent | less",
	}
	c.Flags().BoolVar(&parent, "parent", false, "against its first parent instead of the base")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		name, id, err := e.candidate(ctx, d, args)
		if err != nil {
			return err
		}
		patch, err := d.Diff(ctx, name, id, parent)
		if err != nil {
			return err
		}
		if e.json {
			return e.encode(e.Stdout, map[string]any{"id": id, "patch": string(patch)})
		}
		if isTerminal(e.Stdout) { // elsewhere it is a patch to be applied, byte for byte
			patch = []byte(printable(string(patch)))
		}
		_, err = e.Stdout.Write(patch)
		return err
	})
	return c
}

// printable makes text from candidates safe for a terminal: control characters
// are shown, not obeyed.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0:
			return '�'
		}
		return r
	}, s)
}

func ago(t time.Time) string {
	d := max(0, time.Since(t)).Round(time.Second) // the clock may have been put back
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return t.Local().Format("2006-01-02")
}
