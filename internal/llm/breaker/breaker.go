// Package breaker is a client that stops asking a service of which every recent
// call failed. What it wraps is best a client that already asks again: then a
// failure is one that pauses did not mend.
//
// A refused key, or a model that does not exist, opens it at the first failure:
// asking again does not help. A key is refused for all models of the service;
// what is forbidden or unknown is so for one model.
package breaker

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/cladehq/clade/internal/llm"
)

// Options say when a breaker opens and closes. Zero fields are the defaults.
type Options struct {
	// After is how many calls in a row must fail to open it; 0: 5.
	After int
	// Pause is how long it stays open until one call may try; 0: 1 minute. If
	// that fails too it stays open as long again.
	Pause time.Duration
}

// breaker is what is known of one service.
type breaker struct {
	next llm.Client
	o    Options

	mu      sync.Mutex
	service circuit
	models  map[string]*circuit
}

// A circuit is open when its last error is set.
type circuit struct {
	failed int
	last   error
	until  time.Time // when the next call may try
}

// New wraps the client of one service. All who ask that service should ask this
// one client.
func New(next llm.Client, o Options) llm.Client {
	if o.After == 0 {
		o.After = 5
	}
	if o.Pause == 0 {
		o.Pause = time.Minute
	}
	return &breaker{next: next, o: o, models: map[string]*circuit{}}
}

func (b *breaker) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if err := b.admit(r.Model); err != nil {
		return llm.Reply{}, err
	}
	reply, err := b.next.Ask(ctx, r)
	b.note(r.Model, err)
	return reply, err
}

// admit refuses a call while a circuit is open. When its pause is over it lets
// one through and refuses the others for another pause.
func (b *breaker) admit(model string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	open := b.open(model)
	for _, c := range open {
		if now.Before(c.until) {
			return refused(c.last)
		}
	}
	for _, c := range open {
		c.until = now.Add(b.o.Pause)
	}
	return nil
}

// open lists the circuits that stand in the way of a model.
func (b *breaker) open(model string) (list []*circuit) {
	for _, c := range []*circuit{&b.service, b.model(model)} {
		if c.last != nil {
			list = append(list, c)
		}
	}
	return list
}

func (b *breaker) model(name string) *circuit {
	c := b.models[name]
	if c == nil {
		c = &circuit{}
		b.models[name] = c
	}
	return c
}

// refused wraps the error that opened the circuit.
func refused(last error) error {
	why := last.Error()
	if said := (*llm.Error)(nil); errors.Is(last, context.DeadlineExceeded) && !errors.As(last, &said) {
		why = "the service did not answer in time"
	}
	return &llm.Error{Kind: llm.KindAllFailed, Usage: llm.Usage{Reported: true}, Text: "not asked, because every recent call failed: " + why, Err: last}
}

// note takes in how a call ended.
func (b *breaker) note(model string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var e *llm.Error
	kind, status := llm.KindNetwork, 0 // of the context's error: no answer in time
	if errors.As(err, &e) {
		kind, status = e.Kind, e.Status
	}
	switch {
	case err == nil:
		b.service, *b.model(model) = circuit{}, circuit{}
	case errors.Is(err, context.Canceled), kind == llm.KindBudget, kind == llm.KindAllFailed:
		// Not sent, or not waited for: whoever was let through did not find out.
		for _, c := range b.open(model) {
			c.until = time.Time{}
		}
	case kind == llm.KindAccess && (status == http.StatusForbidden || status == http.StatusNotFound):
		b.service = circuit{} // it answers
		b.model(model).fail(err, 1, b.o.Pause)
	case kind == llm.KindAccess:
		b.service.fail(err, 1, b.o.Pause)
	default:
		b.service.fail(err, b.o.After, b.o.Pause)
	}
}

func (c *circuit) fail(err error, after int, pause time.Duration) {
	c.failed++
	if c.last != nil || c.failed >= after {
		c.last, c.until = err, time.Now().Add(pause)
	}
}
