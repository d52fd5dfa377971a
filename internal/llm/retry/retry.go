// Package retry is a client that asks again where that can help: when a service
// is overloaded, limits the rate, or cannot be reached.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/cladehq/clade/internal/llm"
)

// Options say how often and when. Zero fields are the defaults.
type Options struct {
	// Tries is the most that one question is asked; 0: 5.
	Tries int
	// First is the pause after the first failure, which doubles with each
	// further one up to Most; 0: 1 s and 1 minute. Between half and all of it is
	// waited.
	First, Most time.Duration
	// Patience is the longest pause that is granted to a service that asks for
	// one. Whoever asks for more is not asked again; 0: 2 minutes.
	Patience time.Duration
	// Draw gives numbers in [0, 1) and may be called by several goroutines at
	// once; nil: always 1, so that pauses are whole.
	Draw func() float64
}

type client struct {
	next llm.Client
	o    Options
}

// New wraps a client. What it answers, errors too, has the calls and the usage
// of all tries.
func New(next llm.Client, o Options) llm.Client {
	if o.Tries == 0 {
		o.Tries = 5
	}
	o.First = orElse(o.First, time.Second)
	o.Most = orElse(o.Most, time.Minute)
	o.Patience = orElse(o.Patience, 2*time.Minute)
	if o.Draw == nil {
		o.Draw = func() float64 { return 1 }
	}
	return &client{next, o}
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// tally is what failed tries used.
type tally struct {
	usage llm.Usage
	calls int64
	last  *llm.Error
}

func (t *tally) add(e *llm.Error) {
	t.usage, t.calls, t.last = t.usage.Plus(e.Usage), t.calls+e.Calls, e
}

// borne reports whether who asks can pay for one more try: for each that failed
// without a word of what it used, and for this one.
func (t *tally) borne(r llm.Request) bool {
	return (r.Calls == 0 || t.calls < r.Calls) && (r.Bears == 0 || t.usage.Silent() < r.Bears)
}

func (c *client) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	t := tally{usage: llm.Usage{Reported: true}}
	for try := 1; ; try++ {
		once := r
		if once.Calls > 0 {
			once.Calls = max(1, r.Calls-t.calls)
		}
		reply, err := c.next.Ask(ctx, once)
		if err == nil {
			reply.Calls += t.calls
			reply.Usage = reply.Usage.Plus(t.usage)
			return reply, nil
		}
		var e *llm.Error
		if !errors.As(err, &e) {
			return llm.Reply{}, t.ended(err)
		}
		t.add(e)
		pause, again := c.pause(e, try)
		if !again || !t.borne(r) {
			return llm.Reply{}, t.total(*e)
		}
		if err := wait(ctx, pause); err != nil {
			last := *e
			last.Err = err
			return llm.Reply{}, t.total(last)
		}
	}
}

// total is the last error, for all tries.
func (t *tally) total(last llm.Error) *llm.Error {
	last.Usage, last.Calls = t.usage, t.calls
	return &last
}

// ended is the context's error within one try, after others had failed. What
// the interrupted one used is unknown.
func (t *tally) ended(err error) error {
	if t.last == nil {
		return err
	}
	return &llm.Error{Kind: llm.KindNetwork, Usage: t.usage.Plus(llm.Usage{}), Calls: t.calls + 1,
		Text: "interrupted; the try before failed: " + t.last.Error(), Err: err}
}

// pause is how long to wait after a failure, if asking again can help.
func (c *client) pause(e *llm.Error, try int) (time.Duration, bool) {
	switch e.Kind {
	case llm.KindRate, llm.KindServer, llm.KindNetwork:
	default:
		return 0, false
	}
	if try >= c.o.Tries || e.RetryAfter > c.o.Patience {
		return 0, false
	}
	d := min(c.o.First, c.o.Most)
	for range try - 1 {
		d = min(2*d, c.o.Most)
	}
	d = time.Duration(float64(d) * (1 + c.o.Draw()) / 2)
	// Never before the service wants it, and not all at once then.
	if e.RetryAfter > 0 {
		return e.RetryAfter + min(d, c.o.First), true
	}
	return d, true
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
