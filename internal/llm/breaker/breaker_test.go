package breaker

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cladehq/clade/internal/llm"
)

// service fails by what is set, and counts questions.
type service struct {
	mu    sync.Mutex
	err   error
	asked int
}

func (s *service) Ask(context.Context, llm.Request) (llm.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return llm.Reply{Calls: 1}, s.err
}

func failing(k llm.Kind, status int) error { return &llm.Error{Kind: k, Status: status, Calls: 1} }

// ask asks and says by what it failed, "" for a reply.
func ask(t *testing.T, c llm.Client, model string) llm.Kind {
	t.Helper()
	_, err := c.Ask(t.Context(), llm.Request{Model: model})
	var e *llm.Error
	if err == nil {
		return ""
	} else if !errors.As(err, &e) {
		return llm.Kind(err.Error())
	}
	return e.Kind
}

// F47: what every call fails by is asked for only so often.
func TestOpens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		after int // calls until it opens; 0: never
	}{
		"server":              {failing(llm.KindServer, 500), 3},
		"rate":                {failing(llm.KindRate, 429), 3},
		"network":             {failing(llm.KindNetwork, 0), 3},
		"reply":               {failing(llm.KindReply, 0), 3},
		"request":             {failing(llm.KindRequest, 400), 3},
		"no answer":           {context.DeadlineExceeded, 3},
		"signed out":          {failing(llm.KindAccess, 401), 1},
		"not paid":            {failing(llm.KindAccess, 429), 1},
		"forbidden":           {failing(llm.KindAccess, 403), 1},
		"no model":            {failing(llm.KindAccess, 404), 1},
		"budget":              {failing(llm.KindBudget, 0), 0},
		"cancelled":           {context.Canceled, 0},
		"ended between calls": {&llm.Error{Kind: llm.KindServer, Err: context.Canceled}, 0},
	} {
		s := &service{err: c.err}
		b := New(s, Options{After: 3})
		for range 9 {
			_, err := b.Ask(t.Context(), llm.Request{Model: "m"})
			if err == nil {
				t.Fatalf("%s: no error", name)
			}
		}
		want := c.after
		if want == 0 {
			want = 9
		}
		if s.asked != want {
			t.Errorf("%s: asked %d times, want %d", name, s.asked, want)
		}
		if c.after == 0 {
			continue
		}
		_, err := b.Ask(t.Context(), llm.Request{Model: "m"})
		var e *llm.Error
		if text := err.Error(); strings.Contains(text, "context") {
			t.Errorf("%s: %s: of no use to people", name, text)
		}
		if !errors.As(err, &e) || e.Kind != llm.KindAllFailed || !errors.Is(err, c.err) || e.Calls != 0 || !e.Usage.Reported {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

func TestOneSuccessCloses(t *testing.T) {
	t.Parallel()
	s := &service{}
	b := New(s, Options{After: 2})
	for range 5 {
		s.err = failing(llm.KindServer, 500)
		ask(t, b, "m")
		s.err = nil
		ask(t, b, "m")
	}
	if s.asked != 10 {
		t.Errorf("asked %d times", s.asked)
	}
}

// A refused key is refused for every model, an unknown model is unknown alone.
func TestModels(t *testing.T) {
	t.Parallel()
	s := &service{err: failing(llm.KindAccess, 404)}
	b := New(s, Options{})
	ask(t, b, "wrong")
	s.err = nil
	if got := ask(t, b, "wrong"); got != llm.KindAllFailed {
		t.Errorf("an unknown model: %q", got)
	}
	if got := ask(t, b, "right"); got != "" {
		t.Errorf("another model: %q", got)
	}
	s.err = failing(llm.KindAccess, 401)
	ask(t, b, "right")
	if got := ask(t, b, "other"); got != llm.KindAllFailed {
		t.Errorf("a refused key: %q", got)
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{err: failing(llm.KindServer, 500)}
		b := New(s, Options{After: 1, Pause: time.Minute})
		ask(t, b, "m")
		time.Sleep(59 * time.Second)
		if got := ask(t, b, "m"); got != llm.KindAllFailed {
			t.Errorf("before the pause is over: %q", got)
		}
		time.Sleep(time.Second)
		if got := ask(t, b, "m"); got != llm.KindServer || s.asked != 2 {
			t.Errorf("the probe: %q, asked %d times", got, s.asked)
		}
		if got := ask(t, b, "m"); got != llm.KindAllFailed {
			t.Errorf("after a failed probe: %q", got)
		}
		time.Sleep(time.Minute)
		s.err = context.Canceled
		ask(t, b, "m") // a probe that found out nothing leaves it to the next
		s.err = nil
		if got := ask(t, b, "m"); got != "" {
			t.Errorf("the next probe: %q", got)
		}
		if got := ask(t, b, "m"); got != "" {
			t.Errorf("closed: %q", got)
		}
	})
}

// waiting holds questions until it is told.
type waiting struct{ let chan error }

func (w waiting) Ask(context.Context, llm.Request) (llm.Reply, error) {
	return llm.Reply{}, <-w.let
}

func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := waiting{make(chan error)}
		b := New(w, Options{After: 1, Pause: time.Minute})
		go func() { w.let <- failing(llm.KindServer, 500) }()
		ask(t, b, "m")
		time.Sleep(time.Minute)
		probe := make(chan llm.Kind)
		go func() { probe <- ask(t, b, "m") }()
		synctest.Wait()
		if got := ask(t, b, "m"); got != llm.KindAllFailed {
			t.Errorf("beside a probe: %q", got)
		}
		w.let <- nil
		if got := <-probe; got != "" {
			t.Errorf("the probe: %q", got)
		}
	})
}
