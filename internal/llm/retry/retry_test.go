package retry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cladehq/clade/internal/llm"
)

// scripted answers with one error after the other, then well, and notes when it
// was asked.
type scripted struct {
	errs  []error
	began time.Time
	asked []time.Duration
}

func (s *scripted) Ask(context.Context, llm.Request) (llm.Reply, error) {
	s.asked = append(s.asked, time.Since(s.began))
	if len(s.errs) > 0 {
		err := s.errs[0]
		s.errs = s.errs[1:]
		return llm.Reply{}, err
	}
	return llm.Reply{Text: "a", Calls: 1, Usage: llm.Usage{Input: 10, Output: 1, Reported: true}}, nil
}

func failed(k llm.Kind, after time.Duration) error {
	return &llm.Error{Kind: k, RetryAfter: after, Calls: 1, Usage: llm.Usage{Input: 3, Reported: true}, Text: string(k)}
}

func half() float64 { return 0 } // of jitter: half the pause

// F47: a storm of refusals is met with pauses that grow.
func TestAsksAgain(t *testing.T) {
	t.Parallel()
	const s = time.Second
	server := failed(llm.KindServer, 0)
	for name, c := range map[string]struct {
		errs  []error
		o     Options
		asked []time.Duration
		kind  llm.Kind // "" for a reply
	}{
		"well":                {nil, Options{}, []time.Duration{0}, ""},
		"doubles":             {[]error{server, server, server}, Options{}, []time.Duration{0, s, 3 * s, 7 * s}, ""},
		"jitter":              {[]error{server, server}, Options{Draw: half}, []time.Duration{0, s / 2, 3 * s / 2}, ""},
		"at most":             {[]error{server, server, server, server}, Options{Most: 3 * s}, []time.Duration{0, s, 3 * s, 6 * s, 9 * s}, ""},
		"gives up":            {[]error{server, server, server, server, server, server}, Options{Tries: 3}, []time.Duration{0, s, 3 * s}, llm.KindServer},
		"once is all":         {[]error{server}, Options{Tries: 1}, []time.Duration{0}, llm.KindServer},
		"network":             {[]error{failed(llm.KindNetwork, 0)}, Options{}, []time.Duration{0, s}, ""},
		"when it was told to": {[]error{failed(llm.KindRate, 30*s)}, Options{}, []time.Duration{0, 31 * s}, ""},
		"not later than that": {[]error{failed(llm.KindRate, 3*time.Minute)}, Options{}, []time.Duration{0}, llm.KindRate},
		"access":              {[]error{failed(llm.KindAccess, 0)}, Options{}, []time.Duration{0}, llm.KindAccess},
		"request":             {[]error{failed(llm.KindRequest, 0)}, Options{}, []time.Duration{0}, llm.KindRequest},
		"reply":               {[]error{failed(llm.KindReply, 0)}, Options{}, []time.Duration{0}, llm.KindReply},
		"budget":              {[]error{failed(llm.KindBudget, 0)}, Options{}, []time.Duration{0}, llm.KindBudget},
		"all failing":         {[]error{failed(llm.KindAllFailed, 0)}, Options{}, []time.Duration{0}, llm.KindAllFailed},
		"then of no use":      {[]error{server, failed(llm.KindAccess, 0)}, Options{}, []time.Duration{0, s}, llm.KindAccess},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				next := &scripted{errs: c.errs, began: time.Now()}
				reply, err := New(next, c.o).Ask(t.Context(), llm.Request{})
				if !slices.Equal(next.asked, c.asked) {
					t.Errorf("asked at %v, want %v", next.asked, c.asked)
				}
				n := int64(len(c.asked))
				if c.kind == "" {
					if err != nil || reply.Calls != n || reply.Usage != (llm.Usage{Input: 10 + 3*(n-1), Output: 1, Reported: true}) {
						t.Errorf("%+v, %v", reply, err)
					}
					return
				}
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != c.kind || e.Calls != n || e.Usage != (llm.Usage{Input: 3 * n, Reported: true}) {
					t.Errorf("%+v", err)
				}
			})
		})
	}
}

func TestUnknownUsageStaysUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cut := &llm.Error{Kind: llm.KindNetwork, Calls: 1}
		reply, err := New(&scripted{errs: []error{cut}}, Options{}).Ask(t.Context(), llm.Request{})
		if err != nil || reply.Usage.Reported || reply.Calls != 2 {
			t.Errorf("%+v, %v", reply, err)
		}
	})
}

// I3c: what several tries can cost together is bounded by who asks, and so is how
// often the service is asked.
func TestTriesAreBorne(t *testing.T) {
	t.Parallel()
	cut := &llm.Error{Kind: llm.KindNetwork, Calls: 1, Usage: llm.Usage{Input: 9, Output: 9}}
	refused := &llm.Error{Kind: llm.KindRate, Status: 429, Calls: 1, Usage: llm.Usage{Reported: true}}
	for name, c := range map[string]struct {
		errs   []error
		ask    llm.Request
		tries  int
		silent int64
	}{
		"no bound":               {[]error{cut, cut, cut, cut, cut}, llm.Request{}, 5, 5},
		"one":                    {[]error{cut, cut}, llm.Request{Bears: 1}, 1, 1},
		"two":                    {[]error{cut, cut, cut}, llm.Request{Bears: 2}, 2, 2},
		"refusals do not count":  {[]error{refused, cut, refused, cut, cut}, llm.Request{Bears: 2}, 4, 2},
		"as many as may be made": {[]error{refused, refused, refused, refused}, llm.Request{Calls: 3}, 3, 0},
		"the first is made":      {[]error{refused, refused}, llm.Request{Calls: 1, Bears: 1}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				next := &scripted{errs: c.errs}
				_, err := New(next, Options{}).Ask(t.Context(), c.ask)
				var e *llm.Error
				if !errors.As(err, &e) || len(next.asked) != c.tries || e.Calls != int64(c.tries) || e.Usage.Silent() != c.silent || e.Usage.Tokens() != 0 {
					t.Errorf("%d tries, %+v", len(next.asked), err)
				}
			})
		})
	}
}

// What was spent before the end of the context is not forgotten.
func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		next := &scripted{errs: []error{failed(llm.KindServer, 0), failed(llm.KindServer, 0), failed(llm.KindServer, 0)}, began: time.Now()}
		_, err := New(next, Options{}).Ask(ctx, llm.Request{})
		var e *llm.Error
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &e) || e.Calls != 2 || time.Since(next.began) != 2*time.Second {
			t.Errorf("after %v: %+v", time.Since(next.began), err)
		}
		next = &scripted{errs: []error{failed(llm.KindServer, 0), context.Canceled}}
		if _, err = New(next, Options{}).Ask(t.Context(), llm.Request{}); !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.Calls != 2 || e.Usage.Silent() != 1 ||
			!strings.Contains(e.Text, "the try before failed: server") {
			t.Errorf("%+v", err)
		}
		next = &scripted{errs: []error{context.Canceled}}
		if _, err = New(next, Options{}).Ask(t.Context(), llm.Request{}); err != context.Canceled {
			t.Errorf("%+v", err)
		}
	})
}
