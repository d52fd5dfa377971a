package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/engine"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/worker"
)

// Launch options.
type Launch struct {
	// Soft, when cancelled, lets the running tries end and begins nothing new.
	Soft context.Context
	// Hands leaves it to somebody outside to make candidates; see engine.Engine.
	Hands bool
	// Step is told what is being prepared ("building the template").
	Step func(string)
	// Progress is told the state after every turn; it must be quick and must
	// not keep the view.
	Progress func(clade.View)
}

// ErrDrained is Launch's answer to a soft stop.
var ErrDrained = engine.ErrDrained

// Launch searches the run until it stops, in this process. It returns a Problem
// with FaultBusy when another process holds the run, ErrDrained after a soft
// stop, ErrHands when only somebody outside can bring the run on, and the cause
// after ctx was cancelled.
func (r *Run) Launch(ctx context.Context, o Launch) (err error) {
	if o.Soft == nil {
		o.Soft = context.Background()
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	lease, err := r.lease(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	log, err := r.store.Open(ctx, r.Name, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	led, err := r.Ledger(ctx)
	if err != nil {
		return err
	}
	b := &rig{c: r.c, run: r, log: log, led: led, o: o}
	defer func() { err = errors.Join(err, b.close()) }()
	if !o.Hands {
		if err = reassign(ctx, log); err != nil {
			return err
		}
	}
	if err = b.prepareUntil(ctx); err == nil {
		err = b.search(ctx)
	}
	b.tell(err)
	return err
}

// prepareUntil prepares until a soft stop, which ends it at once: nothing that
// could be let end runs yet.
func (b *rig) prepareUntil(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.o.Soft, cancel)()
	err := b.prepare(ctx)
	if err != nil && b.o.Soft.Err() != nil {
		return ErrDrained
	}
	return err
}

// BrokeOff begins the warning of a launch that failed.
const BrokeOff = "the search broke off: "

// tell keeps in the log why a launch failed, for whoever looks at the run later.
// Interruptions speak for themselves.
func (b *rig) tell(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrDrained) || errors.Is(err, ErrHands) {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), tellWithin)
	defer stop()
	note := clade.Noted{Note: clade.Note{Kind: clade.NoteWarning, Body: BrokeOff + err.Error()}}
	_ = b.log.Update(ctx, func(tx store.Tx) error { return tx.Append(note) }) // what broke it may break this too
}

// tellWithin bounds the wait for a log that may be what is broken.
const tellWithin = 5 * time.Second

// dyingWithin is how long a lease is waited for whose holder is dead: the disk
// that one of its threads waits for may be slow, and a program
// that it was just about to start keeps the lock until it has begun.
const dyingWithin = 15 * time.Second

func (r *Run) lease(ctx context.Context) (store.Lease, error) {
	for patience := dyingWithin; ; patience -= releasePoll {
		lease, holder, err := r.store.Lease(ctx, r.Name)
		if !errors.Is(err, store.ErrHeld) {
			return lease, err
		}
		if patience <= 0 || !dead(holder) {
			return nil, r.Busy(holder)
		}
		select {
		case <-time.After(releasePoll):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// dead reports whether a holder of this machine and boot is known to have ended.
func dead(h Holder) bool {
	return h.Start != "" && !proc.Identity{PID: h.PID, Boot: h.Boot, Start: h.Start}.Alive()
}

// Busy is the problem that holder searches the run.
func (r *Run) Busy(holder Holder) error {
	return &clade.Problem{Fault: clade.FaultBusy,
		Text: fmt.Sprintf("run %s is searched by process %d on %s since %s", r.Name, holder.PID, holder.Host, holder.Since.Local().Format("15:04:05")),
		Hint: fmt.Sprintf("clade watch %s shows it, clade cancel %s ends it", r.Name, r.Name)}
}

func (b *rig) search(ctx context.Context) error {
	search, err := b.c.Search(&b.spec)
	if err != nil {
		return err
	}
	start := time.Now()
	host, _ := os.Hostname()
	e := &engine.Engine{
		Log: b.log, Search: search, Ledger: b.led, Clock: func() time.Duration { return time.Since(start) },
		Worker: fmt.Sprintf("%s/%d", host, os.Getpid()), Backoff: backoff, Progress: b.o.Progress,
		Hands: b.o.Hands,
	}
	e.Prepare()
	ev, err := b.evaluator()
	if err != nil {
		return err
	}
	logs := &logs{dir: filepath.Join(b.run.Dir(), "logs"), most: int64(b.spec.Limits.Output)}
	w := &worker.Worker{
		Spec: &b.spec, Ledger: b.led, Workspaces: b.spaces, Template: b.template, Operators: b.operators,
		Evaluator: ev, Rules: b.c.Rules, Cases: b.cases, Hidden: b.hidden(), Secrets: secrets(&b.spec, os.LookupEnv),
		Spaces: b.surveys, Journal: e, Log: logs.write, Look: b.look,
	}
	b.o.Step("searching")
	before := b.lookOutside()
	defer b.tellOutside(ctx, before)
	return e.Run(ctx, b.o.Soft, b.c.Dispatch(ctx, b.spec.Slots, w.Perform))
}

// backoff is 10 s, 20 s, 40 s, … at most 6 min between tries that the
// infrastructure lost.
func backoff(lost int) time.Duration {
	const most = 6 * time.Minute
	return min(most, 10*time.Second<<min(max(0, lost-1), 6))
}
