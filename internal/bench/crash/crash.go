package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/crash"
	"github.com/cladehq/clade/internal/store"
)

// Options say how much is done, and where.
type Options struct {
	Program  string // the clade to be killed
	Dir      string // an empty folder for the worlds; "": a temporary one
	Draws    int
	Seed     uint64
	Parallel int      // draws at once; 0: 1
	Variants []string // names of the kinds of runs; none: all that work here
	Keep     bool     // leave the worlds of failed draws
	First    bool     // end at the first draw that came out wrong
	Land     int      // also kill apply and undo, at up to so many passes of each of their steps
}

// ErrWrong reports that a draw did not come out as it must.
var ErrWrong = errors.New("a crash left something wrong")

// Run performs the draws and reports each that came out wrong, then a summary.
// With at least as many draws as there are steps none is left uncovered, or that
// is an error too.
func Run(ctx context.Context, o Options, report io.Writer) (err error) {
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "clade-crash-"); err != nil {
			return err
		}
		if !o.Keep {
			defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
		}
	}
	if o.Dir, err = filepath.EvalSymlinks(o.Dir); err != nil {
		return err
	}
	began := time.Now()
	refs, err := references(ctx, &o)
	if err != nil {
		return err
	}
	c := &campaign{o: &o, report: report, hit: map[cellName]int{}}
	return c.run(ctx, refs, began)
}

// references are the uninterrupted runs.
func references(ctx context.Context, o *Options) (map[string]*reference, error) {
	out := map[string]*reference{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Parallel))
	for name, v := range variants() {
		if o.Draws == 0 || len(o.Variants) > 0 && !slices.Contains(o.Variants, name) {
			continue
		}
		group.Go(func() error {
			r, err := newReference(ctx, o, v)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			out[name] = r
			return nil
		})
	}
	return out, group.Wait()
}

// cellName is a step of a verb, whichever the variant.
type cellName struct {
	verb string
	step
}

// A campaign is all draws of one Run.
type campaign struct {
	o      *Options
	mu     sync.Mutex
	report io.Writer
	hit    map[cellName]int // kills that took place
	missed int              // kills whose step did not come
	done   int              // draws
	failed int              // of these
}

func (c *campaign) run(ctx context.Context, refs map[string]*reference, began time.Time) error {
	all := draws(refs, c.o.Draws, c.o.Seed)
	if err := c.perform(ctx, all); err != nil {
		return err
	}
	if c.o.Land > 0 {
		if err := errors.Join(c.landings(ctx), c.heads(ctx)); err != nil {
			return err
		}
	}
	var uncovered []string
	for _, cell := range cells(refs) {
		if name := (cellName{verbs[cell.verb][0], cell.step}); c.hit[name] == 0 {
			uncovered = append(uncovered, name.verb+" "+name.step.String())
		}
	}
	slices.Sort(uncovered)
	uncovered = slices.Compact(uncovered)
	fmt.Fprintf(c.report, "%d draws, %d kills at %d different steps, %d steps that did not come, %s\n",
		c.done, sum(c.hit), len(c.hit), c.missed, time.Since(began).Round(time.Millisecond))
	switch {
	case c.failed > 0:
		return fmt.Errorf("%w: %d of %d draws", ErrWrong, c.failed, c.done)
	case len(uncovered) > 0 && len(all) >= len(cells(refs)):
		return fmt.Errorf("%w: no kill at %s", ErrWrong, strings.Join(uncovered, ", "))
	}
	return nil
}

func sum(m map[cellName]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

func (c *campaign) perform(ctx context.Context, all []*draw) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, c.o.Parallel))
	for i, d := range all {
		group.Go(func() error {
			wrong, err := c.one(ctx, filepath.Join(c.o.Dir, fmt.Sprintf("%04d", i)), d)
			if err != nil {
				return fmt.Errorf("draw %d (%v): %w", i, d, err)
			}
			c.tell(fmt.Sprintf("draw %d: %v", i, d), wrong)
			if len(wrong) > 0 && c.o.First {
				return ErrWrong
			}
			return nil
		})
	}
	return group.Wait()
}

// tell reports what came out wrong.
func (c *campaign) tell(what string, wrong []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if len(wrong) == 0 {
		return
	}
	c.failed++
	fmt.Fprintln(c.report, what)
	for _, w := range wrong {
		fmt.Fprintf(c.report, "    %s\n", strings.ReplaceAll(w, "\n", "\n    "))
	}
}

// one performs a draw in a world of its own.
func (c *campaign) one(ctx context.Context, dir string, d *draw) (wrong []string, err error) {
	w, err := newWorld(ctx, c.o.Program, dir, d.variant)
	if err != nil {
		return nil, err
	}
	before, err := w.files()
	if err != nil {
		return nil, err
	}
	shots, err := c.kill(ctx, w, d)
	if err != nil {
		return nil, err
	}
	if err := w.finish(ctx, d.timed); err != nil {
		wrong = []string{err.Error()}
	}
	wrong = append(wrong, d.verify(ctx, w, before, shots)...)
	if len(wrong) == 0 || !c.o.Keep {
		err = os.RemoveAll(dir)
	}
	return wrong, err
}

// kill runs the program and kills it as often as drawn.
func (c *campaign) kill(ctx context.Context, w *world, d *draw) (shots []shot, err error) {
	for i, k := range d.kills {
		var more []string
		if d.linger && i == 0 {
			more = []string{"ACTOR_LINGER=" + fmt.Sprint(lingering)}
		}
		got, err := w.clade(ctx, k.at(), more, k.verb...)
		if err != nil {
			return nil, err
		}
		c.count(k, got.killed)
		if got.killed {
			s, err := w.shoot(ctx)
			if err != nil {
				return nil, err
			}
			shots = append(shots, s)
		}
	}
	if d.stale {
		return shots, w.deliverStale(ctx)
	}
	return shots, nil
}

func (c *campaign) count(k kill, killed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if killed {
		c.hit[cellName{k.verb[0], k.step}]++
	} else {
		c.missed++
	}
}

// noWinner is the exit code of a search that ended without one.
const noWinner = 5

// finish lets the run come to its end, as a person would. One that depends on
// time may end without a winner.
func (w *world) finish(ctx context.Context, timed bool) error {
	run, err := w.run(ctx)
	if err != nil {
		return err
	}
	if run == "" { // killed before there was one
		return w.search(ctx, timed, "run")
	}
	records, err := w.records(ctx)
	if err != nil {
		return err
	}
	if _, stopped := records[len(records)-1].Event.(clade.Stopped); stopped {
		return w.must(ctx, "", "gc") // nothing to resume: what is left is swept here
	}
	return w.search(ctx, timed, "resume")
}

func (w *world) search(ctx context.Context, timed bool, verb string) error {
	got, err := w.clade(ctx, "", nil, verbs[verb]...)
	if err == nil && got.exit != 0 && !(timed && got.exit == noWinner) {
		err = fmt.Errorf("clade %s: exit status %d\n%s", verb, got.exit, got.err)
	}
	return err
}

// lingering is the attempt whose operator lives on; it is of the second
// generation.
const lingering = 8

// staleSpent is what an outcome that comes too late says it cost.
var staleSpent = clade.Amount{Tokens: 1000003, Calls: 1}

// deliverStale appends the outcome of a try that a later one has fenced, with a
// number that would win: what a worker does that was frozen and thawed.
func (w *world) deliverStale(ctx context.Context) error {
	return w.log(ctx, func(_ store.Store, _ string, l store.Log) error {
		return l.Update(ctx, func(tx store.Tx) error {
			v := tx.View()
			var late *clade.Life
			for _, id := range v.Open() {
				if life := v.Life(id); life.Running && life.Try > 1 && (late == nil || late.Commit == "") {
					late = life
				}
			}
			if late == nil {
				return errors.New("nothing runs whose first try is fenced")
			}
			return tx.Append(clade.TryEnded{Outcome: staleOutcome(late)})
		})
	})
}

func staleOutcome(l *clade.Life) clade.Outcome {
	return clade.Outcome{ID: l.ID, Try: l.Try - 1, Commit: l.Commit, Tree: l.Tree, Spent: staleSpent,
		Evaluations: []clade.Evaluation{{Subject: l.ID, Samples: []clade.Sample{
			{Check: "gate", Gate: true, Value: 1, Replicate: 1, Split: clade.SplitSelect},
			{Check: "score", Value: 999999, Replicate: 1, Split: clade.SplitSelect},
		}}}}
}

// fixed are the draws that need a certain kill.
func fixed(r *reference) []*draw {
	half := r.passes[step{"proposed", crash.After}] / 2
	first := kill{verb: verbs["run"], step: step{"proposed", crash.After}, count: half}
	return []*draw{
		{reference: r, stale: true, kills: []kill{first, {verb: verbs["resume"], step: step{"try-begun", crash.After}, count: 1}}},
		{reference: r, linger: true, kills: []kill{{verb: verbs["run"], step: step{"try-ended", crash.After}, count: 10}}},
	}
}
