package bench

import (
	"context"
	"sync"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
)

// busy measures how busy slots are, in order of arrival and in lockstep.
func (b *bench) busy(ctx context.Context) ([]Row, error) {
	arrival, n, err := b.busyWith(ctx, "arrival", 0)
	if err != nil {
		return nil, err
	}
	lockstep, _, err := b.busyWith(ctx, "lockstep", busySlots)
	if err != nil {
		return nil, err
	}
	return []Row{
		Row{Name: "slots busy with a 10× tail, in order of arrival", Value: arrival, N: n,
			Note: "lower bound ÷ time taken; 4 slots, one attempt in ten takes ten times as long"}.atLeast(0.95),
		{Name: "slots busy with a 10× tail, in lockstep", Value: lockstep, N: n},
	}, nil
}

const busySlots = 4

func (b *bench) busyWith(ctx context.Context, name string, batch int) (share float64, n int, err error) {
	n = busySlots * b.sizes.perSlot
	r := run{candidates: n, slots: busySlots, batch: batch}
	dir, err := b.prepare(ctx, name, r)
	if err != nil {
		return 0, 0, err
	}
	short := time.Duration(b.sizes.delay) * time.Millisecond
	w := &watch{delay: func(id clade.ID) time.Duration {
		if clade.Draw(1, "tail", id)%10 == 0 {
			return 10 * short
		}
		return short
	}}
	l := &ledgerOfTime{}
	parts, inner := b.parts, b.parts.Dispatch
	parts.Dispatch = func(ctx context.Context, slots int, perform dispatch.Perform) dispatch.Dispatcher {
		return inner(ctx, slots, l.around(perform))
	}
	if err := r.do(ctx, parts, dir, w); err != nil {
		return 0, 0, err
	}
	return l.busy(busySlots), n, nil
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
