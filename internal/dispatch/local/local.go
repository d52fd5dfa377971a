// Package local performs tries in goroutines of this process, one per slot.
package local

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
)

// Pool is a dispatch.Dispatcher.
type Pool struct {
	perform dispatch.Perform
	slots   int
	out     chan clade.Outcome
	ctx     context.Context
	stop    context.CancelFunc
	wg      sync.WaitGroup

	mu      sync.Mutex
	running map[clade.ID]context.CancelFunc
}

// New returns a pool of the given number of slots, at least 1. Cancelling ctx
// cancels every task.
func New(ctx context.Context, slots int, perform dispatch.Perform) *Pool {
	ctx, stop := context.WithCancel(ctx)
	return &Pool{
		perform: perform, slots: max(1, slots), ctx: ctx, stop: stop,
		out: make(chan clade.Outcome, max(1, slots)), running: map[clade.ID]context.CancelFunc{},
	}
}

// Free implements dispatch.Dispatcher.
func (p *Pool) Free() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slots - len(p.running)
}

// Submit implements dispatch.Dispatcher.
func (p *Pool) Submit(_ context.Context, t dispatch.Task) {
	ctx, cancel := context.WithCancel(p.ctx)
	p.mu.Lock()
	p.running[t.Life.ID] = cancel
	p.mu.Unlock()
	p.wg.Go(func() {
		defer cancel()
		o := p.guarded(ctx, t)
		p.mu.Lock()
		delete(p.running, t.Life.ID)
		p.mu.Unlock()
		p.out <- o
	})
}

// guarded turns a panic of one task into its outcome: one bad candidate must not
// end the search of all others.
func (p *Pool) guarded(ctx context.Context, t dispatch.Task) (o clade.Outcome) {
	defer func() {
		if r := recover(); r != nil {
			o = clade.Outcome{ID: t.Life.ID, Try: t.Try, Failure: clade.ClassInfra,
				Detail: fmt.Sprintf("panic: %v\n%s", r, debug.Stack()), Spent: clade.Amount{Unknown: true}}
		}
	}()
	return p.perform(ctx, t)
}

// Outcomes implements dispatch.Dispatcher.
func (p *Pool) Outcomes() <-chan clade.Outcome { return p.out }

// Cancel implements dispatch.Dispatcher.
func (p *Pool) Cancel(id clade.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel, ok := p.running[id]; ok {
		cancel()
	}
}

// Close implements dispatch.Dispatcher.
func (p *Pool) Close() {
	p.stop()
	done := make(chan struct{})
	go func() { p.wg.Wait(); close(done) }()
	for {
		select {
		case <-p.out:
		case <-done:
			return
		}
	}
}
