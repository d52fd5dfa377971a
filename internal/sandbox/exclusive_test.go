package sandbox_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

// gate is a sandbox whose commands end when they are let.
type gate struct {
	sandbox.Sandbox
	began chan string
	end   chan struct{}
}

func (g *gate) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	g.began <- c.Args[0]
	<-g.end
	return sandbox.Result{}, nil
}

func TestExclusive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "machine")
	g := &gate{began: make(chan string), end: make(chan struct{})}
	s := sandbox.Exclusive(g, path)
	var wg sync.WaitGroup
	run := func(name string, alone bool) {
		wg.Go(func() {
			if _, err := s.Run(context.Background(), sandbox.Command{Args: []string{name}, Exclusive: alone}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	run("a", false)
	run("b", false)
	<-g.began // both run beside each other
	<-g.began
	run("alone", true)
	turnstile(t, path) // it queues
	run("late", false)
	g.end <- struct{}{}
	g.end <- struct{}{}
	if got := <-g.began; got != "alone" {
		t.Errorf("%s ran before the one that waited", got)
	}
	if l, err := proc.TryLock(path, true); l != nil || err != nil {
		t.Errorf("the machine is not its own: %v, %v", l, err)
	}
	g.end <- struct{}{}
	if got := <-g.began; got != "late" {
		t.Errorf("got %s", got)
	}
	g.end <- struct{}{}
	wg.Wait()
}

// turnstile waits until someone holds the turnstile.
func turnstile(t *testing.T, path string) {
	t.Helper()
	for {
		l, err := proc.TryLock(path+".turn", false)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			return
		}
		_ = l.Unlock()
	}
}

func TestExclusiveGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "machine")
	held, err := proc.TryLock(path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Unlock() }()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s := sandbox.Exclusive(&gate{}, path)
	if _, err := s.Run(ctx, sandbox.Command{Args: []string{"x"}, Exclusive: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want cancelled", err)
	}
	if l, err := proc.TryLock(path+".turn", false); l == nil {
		t.Errorf("the turnstile is still held: %v", err)
	} else {
		_ = l.Unlock()
	}
}

// Any mixture keeps exclusive commands alone.
func TestExclusiveIsAlone(t *testing.T) {
	t.Parallel()
	var running, alone atomic.Int32
	s := sandbox.Exclusive(observed{func(c sandbox.Command) {
		n := running.Add(1)
		if c.Exclusive {
			alone.Add(1)
		}
		if (c.Exclusive && n != 1) || (!c.Exclusive && alone.Load() != 0) {
			t.Errorf("exclusive %v: %d run", c.Exclusive, n)
		}
		if c.Exclusive {
			alone.Add(-1)
		}
		running.Add(-1)
	}}, filepath.Join(t.TempDir(), "machine"))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				_, _ = s.Run(context.Background(), sandbox.Command{Exclusive: (i+j)%4 == 0})
			}
		})
	}
	wg.Wait()
}

type observed struct{ look func(sandbox.Command) }

func (observed) Grade() string { return sandbox.GradeNone }
func (observed) Mounts() bool  { return false }
func (observed) Home() string  { return "" }
func (observed) Work() string  { return "" }
func (observed) Close() error  { return nil }
func (o observed) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	o.look(c)
	return sandbox.Result{}, nil
}
