package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/evolution"
)

// settingsFlags adds the flags that say how variants are made and measured, and
// returns what reads them.
func settingsFlags(c *cobra.Command) func() (evolution.Settings, error) {
	f := c.Flags()
	var set evolution.Settings
	var seed uint64
	var noise map[string]string
	f.StringVar(&set.Agent, "agent", "", "coding agent that makes variants: "+strings.Join(clade.HostNames(), ", "))
	f.StringVar(&set.Model, "model", "", "PROVIDER/MODEL that the agent asks through clade; default its own, over the network")
	f.StringVar(&set.Setup, "setup", "", "command run once in a fresh tree, before anything is measured (pnpm install)")
	f.StringSliceVar(&set.Carry, "carry", nil, "untracked files copied into a fresh tree, as patterns (node_modules)")
	f.DurationVar((*time.Duration)(&set.Timeout), "timeout", 0, "how long one variant's worker may take (20m for agents unless .clade.yaml says)")
	f.StringToStringVar(&noise, "noise", nil, "how an axis varies: R1=none or R1=timing; default found out")
	f.BoolVar(&set.Inherit, "inherit", false, "start a mutation from its parent's tree, not from the base")
	f.IntVar(&set.Slots, "slots", 0, "variants at once, instead of budget.parallel")
	f.Uint64Var(&seed, "seed", 0, "seed of the search")
	f.StringVar(&set.Sandbox, "sandbox", "", "auto, container, bwrap, namespaces, landlock or none")
	words(c, "agent", clade.HostNames()...)
	words(c, "sandbox", append([]string{"auto"}, control.Grades()...)...)
	return func() (evolution.Settings, error) {
		if f.Changed("timeout") && set.Timeout <= 0 || f.Changed("slots") && set.Slots < 1 {
			return set, &clade.Problem{Fault: clade.FaultUsage, Text: "--timeout and --slots must be more than nothing"}
		}
		if set.Model != "" && set.Agent == "" {
			return set, &clade.Problem{Fault: clade.FaultUsage, Text: "--model is for --agent", Hint: "models of other operators are named in .clade.yaml"}
		}
		if f.Changed("seed") {
			set.Seed = &seed
		}
		set.Noise = map[string]clade.Noise{}
		for id, kind := range noise {
			set.Noise[id] = clade.Noise(kind)
		}
		return set, nil
	}
}

func (e *env) evolutionRunCmd() *cobra.Command {
	c := &cobra.Command{
		Use: "run ID|FRAGMENT", Short: "Run an evolution until it has its winner", Args: cobra.ExactArgs(1), ValidArgsFunction: e.evolutionIDs,
		Long: `Runs generations of an evolution: plans variants, has an operator make each in a
workspace of its own, runs the gates and measures the axes again in a clean copy,
and keeps evolution.yaml, EVOLUTION.md and variants/ up to date. It ends by
max_variants, max_minutes or plateau_generations with the winner, or where nothing
passes the gates. Your own files are only read; clade evolution apply lands the
winner.

Who makes variants is named by --agent, or by operators in .clade.yaml beside the
evolutions, which takes any key of clade.yaml that the files here do not say.
Interrupted or killed, it goes on where it was. After a change of gates or axes the
stored variants are measured again first.`,
		Example: "  clade evolution run 1 --agent claude\n  clade evolution run startup --agent codex --model openai/gpt-5 --setup 'pnpm install' --timeout 20m",
	}
	settings := settingsFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		set, err := settings()
		if err != nil {
			return err
		}
		return e.evolve(c.Context(), args[0], set, func(ctx context.Context, d *evolution.Door, o evolution.Launch) (*evolution.Ran, error) {
			return d.Run(ctx, args[0], o)
		})
	}
	return c
}

func (e *env) evolutionImportCmd() *cobra.Command {
	c := &cobra.Command{
		Use: "import ID|FRAGMENT", Short: "Measure the variants of an evolution that others ran", Args: cobra.ExactArgs(1), ValidArgsFunction: e.evolutionIDs,
		Long: `Opens a run of clade for an evolution that has its winner already: takes the trees of its
variants from their workspaces, runs gates and axes on each in a clean copy, and
names the winner by these numbers. Nothing new is tried. A variant whose workspace
is gone cannot be measured and is not ranked.`,
		Example: "  clade evolution import 1",
	}
	settings := settingsFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		set, err := settings()
		if err != nil {
			return err
		}
		return e.evolve(c.Context(), args[0], set, func(ctx context.Context, d *evolution.Door, o evolution.Launch) (*evolution.Ran, error) {
			return d.Import(ctx, args[0], o)
		})
	}
	return c
}

// evolve searches with a display and prints where the evolution then stands.
func (e *env) evolve(ctx context.Context, name string, set evolution.Settings,
	do func(context.Context, *evolution.Door, evolution.Launch) (*evolution.Ran, error)) error {
	d, err := e.evolutions()
	if err != nil {
		return err
	}
	ran, err := e.attended(ctx, name, func(ctx context.Context, o evolution.Launch) (*evolution.Ran, error) {
		o.Settings = set
		return do(ctx, d, o)
	})
	if ran != nil && ran.Report != nil {
		if perr := e.evolved(ran); err == nil {
			err = perr
		}
	}
	return handed(ran, err)
}

// evolved prints where an evolution stands after a search.
func (e *env) evolved(ran *evolution.Ran) error {
	if e.json {
		return e.event("evolution", ran)
	}
	return e.print(ran, func(w io.Writer) {
		printEvolution(w, ran.Report)
		if ran.Reason != "" {
			fmt.Fprintf(w, "\nstopped: %s\n", printable(ran.Reason))
		}
		if ran.Proven {
			fmt.Fprintf(w, "next: clade evolution apply %d\n", ran.ID)
		}
	})
}

// handed says what is awaited from others.
func handed(ran *evolution.Ran, err error) error {
	if !errors.Is(err, control.ErrHands) || ran == nil {
		return err
	}
	var who []string
	for _, h := range ran.Hands {
		one := h.Variant
		if h.Who != "" && h.Until != nil {
			one += fmt.Sprintf(" (%s until %s)", h.Who, h.Until.Local().Format("15:04"))
		}
		who = append(who, one)
	}
	return &clade.Problem{Fault: clade.FaultBusy, Text: "what is left is in other hands: " + strings.Join(who, ", "),
		Hint: fmt.Sprintf("clade evolution ingest %d takes what is done, clade evolution next %d hands out the rest", ran.ID, ran.ID)}
}

// tellers are the steps of a search as lines of JSON: what becomes of variants is
// in the evolution's files.
type tellers struct{ *env }

func (t tellers) step(text string)    { t.told(text) }
func (t tellers) progress(clade.View) {}
func (t tellers) close()              {}

// attended runs a search with the display, until Ctrl-C twice.
func (e *env) attended(ctx context.Context, name string, do func(context.Context, evolution.Launch) (*evolution.Ran, error)) (*evolution.Ran, error) {
	var show display = tellers{e}
	if !e.json {
		show = e.display(name, 0)
	}
	hard, soft, release := interruptible(ctx, func(times int) {
		switch times {
		case 1:
			show.step("letting the running variants end; Ctrl-C once more stops at once")
		case 2:
			show.step("stopping")
		}
	})
	defer release()
	var told []string
	ran, err := do(hard, evolution.Launch{Soft: soft, Step: show.step, Progress: show.progress, Tell: func(text string) {
		told = append(told, text)
		show.step(text)
	}})
	show.close()
	if _, wiped := show.(*live); wiped {
		for _, t := range told {
			fmt.Fprintf(e.Stderr, "note: %s\n", printable(t))
		}
	}
	if soft.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, control.ErrDrained)) {
		return ran, &clade.Problem{Fault: clade.FaultInterrupted, Text: "interrupted", Hint: "clade evolution run goes on"}
	}
	return ran, err
}

func (e *env) evolutionNextCmd() *cobra.Command {
	var o evolution.Handing
	c := &cobra.Command{
		Use: "next ID|FRAGMENT", Short: "Hand out variants to whoever makes them", Args: cobra.ExactArgs(1), ValidArgsFunction: e.evolutionIDs,
		Long: `Hands out the variants of a generation that wait for a worker, planning the next one
where none does: for each a workspace and a prompt that says all there is to know.
They are the taker's until the lease is over; then they wait again. clade evolution
ingest takes what was done.`,
		Example: "  clade evolution next 1 --json\n  clade evolution next 1 --most 2 --who reviewer --lease 1h",
	}
	settings := settingsFlags(c)
	c.Flags().StringVar(&o.Who, "who", "", "who takes them, for others to see; default the user")
	c.Flags().IntVar(&o.Most, "most", 0, "how many at most; default a whole generation")
	c.Flags().DurationVar(&o.Lease, "lease", 0, "how long they are the taker's; default --timeout, or 30m")
	c.RunE = func(c *cobra.Command, args []string) error {
		set, err := settings()
		if err != nil {
			return err
		}
		if c.Flags().Changed("most") && o.Most < 1 || c.Flags().Changed("lease") && o.Lease < time.Second {
			return &clade.Problem{Fault: clade.FaultUsage, Text: "--most must be at least 1, and --lease at least 1s"}
		}
		if o.Who == "" {
			o.Who = taker()
		}
		d, err := e.evolutions()
		if err != nil {
			return err
		}
		var b *evolution.Batch
		if _, err = e.quietly(c.Context(), func(ctx context.Context, l evolution.Launch) (*evolution.Ran, error) {
			o.Launch, o.Settings = l, set
			var err error
			b, err = d.Next(ctx, args[0], o)
			return nil, err
		}); err != nil {
			return err
		}
		return e.print(b, func(w io.Writer) { printBatch(w, b) })
	}
	return c
}

// taker is who takes variants where nobody says.
func taker() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return "somebody"
}

// quietly does something that may search, telling only what takes time: what it
// prints at the end is for a program.
func (e *env) quietly(ctx context.Context, do func(context.Context, evolution.Launch) (*evolution.Ran, error)) (*evolution.Ran, error) {
	hard, soft, release := interruptible(ctx, func(int) {})
	defer release()
	ran, err := do(hard, evolution.Launch{Soft: soft, Step: e.step, Tell: e.step})
	if soft.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, control.ErrDrained)) {
		return ran, &clade.Problem{Fault: clade.FaultInterrupted, Text: "interrupted"}
	}
	return ran, err
}

func printBatch(w io.Writer, b *evolution.Batch) {
	for i, t := range b.Tasks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "===== %s, until %s =====\n\n%s", t.Variant, b.Until.Local().Format("2006-01-02 15:04:05"), t.Prompt)
	}
}

func (e *env) evolutionIngestCmd() *cobra.Command {
	c := &cobra.Command{
		Use: "ingest ID|FRAGMENT [VARIANT...]", Short: "Take what was made of handed-out variants", Args: cobra.MinimumNArgs(1), ValidArgsFunction: e.evolutionIDs,
		Long: `Takes the variants that were handed out and have a result.json now: commits what their
workspaces hold, runs gates and axes again in a clean copy, and plans the next
generation when this one is complete. What a result.json says is shown and never
ranked. One that is missing or malformed is asked for once more.`,
		Example: "  clade evolution ingest 1\n  clade evolution ingest 1 v4 v5 --json",
	}
	settings := settingsFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		set, err := settings()
		if err != nil {
			return err
		}
		d, err := e.evolutions()
		if err != nil {
			return err
		}
		var in *evolution.Ingestion
		_, err = e.quietly(c.Context(), func(ctx context.Context, l evolution.Launch) (*evolution.Ran, error) {
			l.Settings = set
			var err error
			in, err = d.Ingest(ctx, args[0], args[1:], l)
			return nil, err
		})
		if in == nil {
			return err
		}
		if perr := e.print(in, func(w io.Writer) { printIngestion(w, in) }); err == nil {
			err = perr
		}
		return err
	}
	return c
}

func printIngestion(w io.Writer, in *evolution.Ingestion) {
	for _, t := range in.Taken {
		fmt.Fprintf(w, "%s  %s", t.Variant, t.As)
		if t.Why != "" {
			fmt.Fprintf(w, ": %s", clip(printable(oneLine(t.Why)), 120))
		}
		fmt.Fprintln(w)
	}
	if len(in.Taken) == 0 {
		fmt.Fprintln(w, "nothing was handed out")
	}
	if in.Ran != nil && in.Report != nil {
		fmt.Fprintln(w)
		printEvolution(w, in.Report)
	}
}
