package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
)

// busy measures how busy slots are, in order of arrival and in lockstep, while
// evaluations are of uneven length; and in order of arrival while agents are.
func (b *bench) busy(ctx context.Context) ([]Row, error) {
	n := busySlots * b.sizes.perSlot
	arrival, err := b.busyWith(ctx, "arrival", run{})
	if err != nil {
		return nil, err
	}
	lockstep, err := b.busyWith(ctx, "lockstep", run{batch: busySlots})
	if err != nil {
		return nil, err
	}
	agents, err := b.busyWith(ctx, "agents", run{agent: b.uneven()})
	if err != nil {
		return nil, err
	}
	return []Row{
		Row{Name: "slots busy with a 10× tail, in order of arrival", Value: arrival, N: n,
			Note: "lower bound ÷ time taken; 4 slots, one attempt in ten takes ten times as long"}.atLeast(0.95),
		{Name: "slots busy with a 10× tail, in lockstep", Value: lockstep, N: n},
		Row{Name: "slots busy with agents of uneven length, in order of arrival", Value: agents, N: n,
			Note: "the same with sandboxed programs as agents, one in ten of which sleeps ten times as long"}.atLeast(0.95),
	}, nil
}

const busySlots = 4

// uneven is an agent that thinks for a while, now and then for long.
func (b *bench) uneven() string {
	short := float64(b.sizes.delay) / 1000
	return fmt.Sprintf("n=$(($(od -An -N4 -tu4 /dev/urandom))); if [ $((n %% 10)) = 0 ]; then sleep %g; else sleep %g; fi; echo $n > %s; echo done",
		10*short, short, edited)
}

// busyWith is the share of time that slots are busy in a run like r. Without an
// agent its evaluations are of uneven length.
func (b *bench) busyWith(ctx context.Context, name string, r run) (share float64, err error) {
	r.candidates, r.slots = busySlots*b.sizes.perSlot, busySlots
	dir, err := b.prepare(ctx, name, r)
	if err != nil {
		return 0, err
	}
	w := &watch{}
	if r.agent == "" {
		w.delay = tail(time.Duration(b.sizes.delay) * time.Millisecond)
	}
	l := &ledgerOfTime{}
	parts, inner := b.parts, b.parts.Dispatch
	parts.Dispatch = func(ctx context.Context, slots int, perform dispatch.Perform) dispatch.Dispatcher {
		return inner(ctx, slots, l.around(perform))
	}
	if err := r.do(ctx, parts, dir, w); err != nil {
		return 0, err
	}
	return l.busy(busySlots), nil
}

// tail is ten times as long for one attempt in ten.
func tail(short time.Duration) func(clade.ID) time.Duration {
	return func(id clade.ID) time.Duration {
		if clade.Draw(1, "tail", id)%10 == 0 {
			return 10 * short
		}
		return short
	}
}

// A ledgerOfTime notes when tries that propose ran.
type ledgerOfTime struct {
	mu           sync.Mutex
	begun, ended time.Time
	sum, longest time.Duration
}

func (l *ledgerOfTime) around(perform dispatch.Perform) dispatch.Perform {
	return func(ctx context.Context, t dispatch.Task) clade.Outcome {
		start := time.Now()
		o := perform(ctx, t)
		if t.Life.Proposes() {
			l.note(start, time.Now())
		}
		return o
	}
}

func (l *ledgerOfTime) note(start, end time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun.IsZero() || start.Before(l.begun) {
		l.begun = start
	}
	if end.After(l.ended) {
		l.ended = end
	}
	took := end.Sub(start)
	l.sum, l.longest = l.sum+took, max(l.longest, took)
}

// busy is the least time that slots could have taken, over what they took.
func (l *ledgerOfTime) busy(slots int) float64 {
	least := max(l.longest, l.sum/time.Duration(slots))
	return least.Seconds() / l.ended.Sub(l.begun).Seconds()
}
