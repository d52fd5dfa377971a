package bench

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/bench/crash"
)

// crashCommand is `clade bench crash`: not what clade costs, but whether it
// survives.
func (p Program) crashCommand() *cobra.Command {
	var o crash.Options
	c := &cobra.Command{
		Use: "crash", Short: "Kill searches at every step and check what a resume makes of them", Args: cobra.NoArgs,
		Long: "Kills whole searches, applies and undos at every step that they make durable, lets them\n" +
			"resume, and compares what came out with runs that nobody interrupted.",
		Example: "  clade bench crash\n  clade bench crash --draws 400 --parallel 2",
	}
	f := c.Flags()
	f.IntVar(&o.Draws, "draws", 100, "searches to kill")
	f.IntVar(&o.Land, "land", 1, "passes of each step at which applies and undos are killed")
	f.Uint64Var(&o.Seed, "seed", 0, "which draws; 0: others each time")
	f.IntVar(&o.Parallel, "parallel", 1, "draws at once")
	f.StringSliceVar(&o.Variants, "only", nil, "kinds of runs")
	f.BoolVar(&o.Keep, "keep", false, "leave what went wrong to be looked at")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if o.Program, err = os.Executable(); err != nil {
			return err
		}
		if o.Seed == 0 {
			o.Seed = uint64(time.Now().UnixNano())
		}
		fmt.Fprintf(p.Stderr, "bench: seed %d\n", o.Seed)
		err = crash.Run(c.Context(), o, p.Stdout)
		if errors.Is(err, crash.ErrWrong) {
			return &clade.Problem{Fault: clade.FaultCorrupt, Text: "not every crash came out right", Err: err}
		}
		return err
	}
	return c
}
