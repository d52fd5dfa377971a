package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/run"
)

func (e *env) initCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "init [FOLDER]",
		Short:   "Write a starter spec for a folder",
		Long:    "Looks at a folder (Go, Python, Node, Rust, a SKILL.md, a prompt) and writes a commented\nclade.yaml that fits it. Nothing is executed and no file is replaced.",
		Example: "  clade init\n  clade init skills/invoice",
		Args:    cobra.MaximumNArgs(1),
		RunE: e.verb(func(ctx context.Context, d *run.Door, args []string) error {
			got, err := d.Init(ctx, e.path(args))
			if err != nil {
				return err
			}
			return e.print(got, func(w io.Writer) {
				fmt.Fprintf(w, "wrote %s\n", got.File)
				for _, n := range got.Notes {
					fmt.Fprintf(w, "  %s\n", n)
				}
				fmt.Fprintln(w, "next: read it, then clade plan")
			})
		}),
	}
}

// words completes a flag's value.
func words(c *cobra.Command, flag string, all ...string) {
	complete(c, flag, cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp))
}

func complete(c *cobra.Command, flag string, how cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, how); err != nil {
		panic(err) // the flag was added just before
	}
}

// changeFlags adds the flags that change a spec, and returns what reads them.
func changeFlags(c *cobra.Command) func() (run.Changes, error) {
	f := c.Flags()
	var ch run.Changes
	var seed uint64
	var target, usd string
	f.IntVar(&ch.Candidates, "candidates", 0, "how many candidates to try, instead of budget.candidates")
	f.DurationVar(&ch.Wall, "wall", 0, "how long to search (90s, 10m), instead of budget.wall")
	f.IntVar(&ch.Slots, "slots", 0, "attempts at once, instead of slots")
	f.Uint64Var(&seed, "seed", 0, "seed of the search, instead of seed")
	f.StringVar(&ch.Strategy, "strategy", "", "generational, hillclimb or race, instead of search.strategy")
	f.StringVar(&ch.Sandbox, "sandbox", "", "auto, container, bwrap, namespaces, landlock or none, instead of sandbox.use")
	words(c, "strategy", "generational", "hillclimb", "race")
	words(c, "sandbox", append([]string{"auto"}, control.Grades()...)...)
	f.StringVar(&usd, "usd", "", "the most to spend, in dollars (2.50), instead of budget.usd")
	f.Int64Var(&ch.Tokens, "tokens", 0, "the most tokens to use, instead of budget.tokens")
	f.Int64Var(&ch.Calls, "calls", 0, "the most requests to models, instead of budget.calls")
	f.StringVar(&target, "target", "", "stop when the weightiest measure reaches this, or none, instead of budget.target")
	return func() (run.Changes, error) {
		for name, low := range map[string]bool{"candidates": ch.Candidates < 1, "wall": ch.Wall <= 0, "slots": ch.Slots < 1,
			"tokens": ch.Tokens < 1, "calls": ch.Calls < 1} {
			if f.Changed(name) && low {
				return ch, &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("--%s %s: it must be more than nothing", name, f.Lookup(name).Value)}
			}
		}
		if f.Changed("usd") {
			if err := ch.USD.UnmarshalJSON([]byte(usd)); err != nil || ch.USD <= 0 {
				return ch, &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("--usd %s: it must be an amount of dollars above zero, like 2.50", usd)}
			}
		}
		if f.Changed("seed") {
			ch.Seed = &seed
		}
		if f.Changed("target") {
			return aim(ch, target)
		}
		return ch, nil
	}
}

func (e *env) planCmd() *cobra.Command {
	var measure bool
	c := &cobra.Command{
		Use:   "plan [SPEC]",
		Short: "Say what a run would do and the most it can cost",
		Long: `Resolves the spec (a file, or the folder that holds clade.yaml), checks that every
program and key it needs is there and says what a run would do and the most it can
cost. It asks no model.
With --measure the base is evaluated too, exactly as a run would; nothing is kept.`,
		Example: "  clade plan\n  clade plan examples/packing --measure",
		Args:    cobra.MaximumNArgs(1),
	}
	changes := changeFlags(c)
	c.Flags().BoolVar(&measure, "measure", false, "also evaluate the base")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		ch, err := changes()
		if err != nil {
			return err
		}
		p, err := d.Plan(ctx, e.path(args), ch, measure, e.step)
		if p == nil || p.Forecast == nil {
			return err
		}
		if perr := e.print(p, func(w io.Writer) { printPlan(w, p) }); err == nil {
			err = perr
		}
		if err == nil {
			err = p.Forecast.Problem()
		}
		if err == nil && p.Stop != "" {
			err = &clade.Problem{Fault: clade.FaultBaseline, Text: p.Stop}
		}
		return err
	})
	return c
}

func (e *env) runCmd() *cobra.Command {
	var detach bool
	c := &cobra.Command{
		Use:   "run [SPEC]",
		Short: "Search: propose, measure, select, prove a winner",
		Long: `Opens a run of the spec (a file, or the folder that holds clade.yaml) and searches
until the budget is spent, the goal is reached or nothing more can be gained.
Your files are only read; clade apply lands the winner.

Ctrl-C once lets running attempts end, twice stops at once; clade resume goes on
from either, and from a crash.`,
		Example: "  clade run\n  clade run examples/packing --candidates 500 --seed 7\n  clade run --detach && clade watch",
		Args:    cobra.MaximumNArgs(1),
	}
	changes := changeFlags(c)
	c.Flags().BoolVar(&detach, "detach", false, "search in the background and return at once")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		ch, err := changes()
		if err != nil {
			return err
		}
		s, err := d.Start(ctx, e.path(args), ch, e.told)
		if err != nil {
			return err
		}
		e.started(s)
		return e.launch(ctx, d, s.Run, detach)
	})
	return c
}

// started says what was opened and what is not part of it.
func (e *env) started(s *run.Started) {
	if e.json {
		_ = e.event("started", s)
		return
	}
	fmt.Fprintf(e.Stderr, "run %s of %s\n", s.Run, s.Where)
	if len(s.LeftOut) > 0 {
		fmt.Fprintf(e.Stderr, "not part of it, since not committed: %s\n", strings.Join(s.LeftOut, ", "))
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(e.Stderr, "note: %s\n", w)
	}
}

// drifted says that a resumed run's spec is not what its file says.
func (e *env) drifted(d *control.Drift) {
	switch {
	case d == nil:
	case e.json:
		_ = e.event("drift", d)
	default:
		fmt.Fprintf(e.Stderr, "note: %s\n", printable(d.String()))
	}
}

func (e *env) resumeCmd() *cobra.Command {
	var detach bool
	c := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Go on with a run that was interrupted, paused, cancelled or ended",
		Long: `Goes on with a run exactly where its log ends: what was measured is not measured
again. With more budget a run that has ended searches on. The spec is the run's own: what its
file says since then is told, and not used.`,
		Example:           "  clade resume\n  clade resume packing-k3f9x --candidates 1000",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: e.runs,
	}
	changes := changeFlags(c)
	c.Flags().BoolVar(&detach, "detach", false, "search in the background and return at once")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		ch, err := changes()
		if err != nil {
			return err
		}
		r, err := d.Reopen(ctx, first(args), ch)
		switch {
		case err != nil:
			return err
		case r.Unpaused:
			return e.print(r, func(w io.Writer) {
				fmt.Fprintf(w, "the pause is over; process %d goes on with %s\n", r.Holder.PID, r.Run)
				if r.Drift != nil {
					fmt.Fprintf(w, "note: %s\n", printable(r.Drift.String()))
				}
				fmt.Fprintf(w, "next: clade watch %s\n", r.Run)
			})
		}
		e.drifted(r.Drift)
		return e.launch(ctx, d, r.Run, detach)
	})
	return c
}

// launch searches the run in the background or here.
func (e *env) launch(ctx context.Context, d *run.Door, name string, detached bool) error {
	if detached {
		return e.detach(ctx, d, name)
	}
	return e.search(ctx, d, name, true)
}

// search runs the search in this process with a live display. With next it ends
// with what to do with a winner.
func (e *env) search(ctx context.Context, d *run.Door, name string, next bool) error {
	before, err := d.Status(ctx, name, 0)
	if err != nil {
		return err
	}
	show := e.display(name, before.Records)
	hard, soft, release := interruptible(ctx, func(times int) {
		switch times {
		case 1:
			show.step("letting the running attempts end; Ctrl-C once more stops at once")
		case 2:
			show.step("stopping")
		}
	})
	defer release()
	s, err := d.Search(hard, name, control.Launch{Soft: soft, Step: show.step, Progress: show.progress})
	show.close()
	if s != nil {
		if perr := e.ended(s, next, err != nil && soft.Err() == nil && hard.Err() == nil); err == nil && !errors.Is(perr, syscall.EPIPE) {
			err = perr
		}
	}
	if soft.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, control.ErrDrained)) {
		return &clade.Problem{Fault: clade.FaultInterrupted, Text: "interrupted", Hint: "clade resume " + name + " goes on"}
	}
	return err
}

// ended prints where a search ended. One that broke before its first candidate
// ended nowhere: the error says why.
func (e *env) ended(s *run.Status, next, broke bool) error {
	if e.json {
		return e.event("status", s)
	}
	if broke && s.State == run.StateInterrupted {
		if s.Judged == 0 {
			return nil
		}
		s.State = "broken off"
	}
	var b bytes.Buffer
	printEnd(&b, s)
	if next && s.Winner != nil {
		fmt.Fprintln(&b, nextStep)
	}
	_, err := e.Stdout.Write(b.Bytes())
	return err
}

// detach starts the search in a process of its own and returns once it holds
// the run.
func (e *env) detach(ctx context.Context, d *run.Door, name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s, err := d.Status(ctx, name, 0)
	if err != nil {
		return err
	}
	out, err := d.Output(ctx, name)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(self, "resume", name, "--plain")
	cmd.Stdout, cmd.Stderr, cmd.Dir = out, out, filepath.Dir(s.Where)
	cmd.SysProcAttr = alone()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start in the background: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		s, err := d.Status(ctx, name, 0)
		if err != nil {
			return err
		}
		if s.Holder != nil || s.Stop != clade.StopNone {
			break
		}
		select {
		case <-ended:
			return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the background search ended at once", Hint: "see " + out.Name()}
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return e.print(map[string]any{"run": name, "pid": cmd.Process.Pid, "output": out.Name()}, func(w io.Writer) {
		fmt.Fprintf(w, "%s is searched by process %d; clade watch %s shows it\n", name, cmd.Process.Pid, name)
	})
}

func (e *env) cancelCmd() *cobra.Command {
	var why string
	c := &cobra.Command{
		Use: "cancel [RUN]", Short: "End a run now; what it found stays",
		Long:    "Ends a run: running attempts are stopped within a moment, whoever searches it.\nclade resume goes on later.",
		Example: "  clade cancel\n  clade cancel packing-k3f9x --why 'wrong target'",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
	}
	c.Flags().StringVar(&why, "why", "cancelled", "reason kept in the log")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		name, err := d.Cancel(ctx, first(args), why)
		if err != nil {
			return err
		}
		return e.print(map[string]any{"run": name, "cancelled": true}, func(w io.Writer) { fmt.Fprintf(w, "%s is cancelled\n", name) })
	})
	return c
}

func (e *env) pauseCmd() *cobra.Command {
	return &cobra.Command{
		Example: "  clade pause && clade resume",
		Use:     "pause [RUN]", Short: "Begin no new attempts until resumed", Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.runs,
		Long: "Lets running attempts end and begins no new ones. clade resume ends the pause, also of a\nrun that another process searches.",
		RunE: e.verb(func(ctx context.Context, d *run.Door, args []string) error {
			name, err := d.Direct(ctx, first(args), clade.Base, clade.DirectPause, "")
			if err != nil {
				return err
			}
			return e.print(map[string]any{"run": name, "paused": true}, func(w io.Writer) { fmt.Fprintf(w, "%s is paused\n", name) })
		}),
	}
}

func (e *env) steerCmd() *cobra.Command {
	var of string
	c := &cobra.Command{
		Use: "steer TEXT", Short: "Tell later attempts of a run something", Args: cobra.ExactArgs(1),
		Long:    "Adds a note that the briefs of later attempts cite.",
		Example: "  clade steer 'leave the cache alone'",
	}
	c.Flags().StringVar(&of, "run", "", "which run; default the newest here")
	c.RunE = e.verb(func(ctx context.Context, d *run.Door, args []string) error {
		if strings.TrimSpace(args[0]) == "" {
			return &clade.Problem{Fault: clade.FaultUsage, Text: "there is nothing to tell", Hint: "clade steer 'leave the cache alone'"}
		}
		name, err := d.Direct(ctx, of, clade.Base, clade.DirectSteer, args[0])
		if err != nil {
			return err
		}
		return e.print(map[string]any{"run": name, "steered": true}, func(w io.Writer) { fmt.Fprintf(w, "noted for %s\n", name) })
	})
	return c
}
