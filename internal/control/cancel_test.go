package control

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

func TestStopIdle(t *testing.T) {
	t.Parallel()
	cancel := clade.Directed{What: clade.DirectCancel, Text: "enough"}
	for name, c := range map[string]struct {
		events []clade.Event
		want   clade.Stop
	}{
		"not cancelled":      {nil, clade.StopNone},
		"cancelled":          {[]clade.Event{cancel}, clade.StopCancelled},
		"has stopped itself": {[]clade.Event{cancel, clade.Stopped{Cause: clade.StopDone, Reason: "done"}}, clade.StopDone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHouse(t).run("disc-aaaaa", "one", 1)
			r.add(t, c.events...)
			if err := r.StopIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := r.View(t.Context(), func(v clade.View) error {
				if h := v.Head(); h.Stop != c.want {
					t.Errorf("stopped by %q (%s), want %q", h.Stop, h.Reason, c.want)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			if err := r.holding(t).Release(); err != nil { // it holds nothing any more
				t.Error(err)
			}
		})
	}
}

// While somebody holds the run it waits; whoever asked may give up.
func TestStopIdleWaits(t *testing.T) {
	t.Parallel()
	r := newHouse(t).run("disc-aaaaa", "one", 1)
	r.add(t, clade.Directed{What: clade.DirectCancel, Text: "enough"})
	lease := r.holding(t)
	gone := errors.New("gone")
	ctx, giveUp := context.WithCancelCause(t.Context())
	giveUp(gone)
	if err := r.StopIdle(ctx); !errors.Is(err, gone) {
		t.Errorf("given up: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- r.StopIdle(t.Context()) }()
	if err := errors.Join(lease.Release(), <-done); err != nil {
		t.Error(err)
	}
}

// A holder of another machine or boot cannot be killed from here, and is not.
func TestKillHolderElsewhere(t *testing.T) {
	t.Parallel()
	if err := killHolder(Holder{PID: 1, Host: "elsewhere"}); err == nil {
		t.Error("it was killed")
	}
	if err := killHolder(Holder{PID: os.Getpid(), Start: "1", Boot: "another"}); err == nil {
		t.Error("a process of another boot was killed")
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	r := newHouse(t).run("disc-aaaaa", "one", 1)
	lease := r.holding(t)
	_, err := r.lease(t.Context())
	if clade.FaultOf(err) != clade.FaultBusy {
		t.Errorf("held: %v", err)
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	var again store.Lease
	if again, err = r.lease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}
