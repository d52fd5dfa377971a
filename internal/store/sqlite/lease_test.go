package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// F20: the second taker is told who holds the run, and kill -9 of the holder
// frees it at once although its file stays.
func TestLeaseEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	create(t, s, "r")
	h := startHelper(t, "hold", s, 0)
	if got, want := h.line(t), fmt.Sprint("holding ", h.cmd.Process.Pid); got != want {
		t.Fatalf("the helper said %q, want %q", got, want)
	}
	_, holder, err := s.Lease(t.Context(), "r")
	if !errors.Is(err, store.ErrHeld) || clade.FaultOf(err) != clade.FaultBusy {
		t.Errorf("second taker: %v", err)
	}
	host, _ := os.Hostname()
	if holder.PID != h.cmd.Process.Pid || holder.Host != host || holder.Start == "" || holder.Started.IsZero() || holder.Since.IsZero() {
		t.Errorf("holder %+v", holder)
	}
	if asked, ok, err := s.Holder(t.Context(), "r"); !ok || err != nil || asked != holder {
		t.Errorf("asked: %+v, %v, %v; want %+v", asked, ok, err, holder)
	}
	h.kill(t)
	if _, err := os.Stat(filepath.Join(s.Dir("r"), "lease")); err != nil {
		t.Errorf("the dead holder's file: %v", err)
	}
	if stale, ok, err := s.Holder(t.Context(), "r"); ok || err != nil {
		t.Errorf("a file without a lock is no holder: %+v, %v", stale, err)
	}
	lease, mine, err := s.Lease(t.Context(), "r")
	if err != nil || mine.PID != os.Getpid() {
		t.Fatalf("after the kill: %+v, %v", mine, err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

func TestLeaseWithinOneProcess(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	create(t, s, "r")
	if _, ok, err := s.Holder(t.Context(), "r"); ok || err != nil {
		t.Errorf("a run nobody searched is held: %v", err)
	}
	for range 2 {
		lease, _, err := s.Lease(t.Context(), "r")
		if err != nil {
			t.Fatal(err)
		}
		if _, h, err := s.Lease(t.Context(), "r"); !errors.Is(err, store.ErrHeld) || h.PID != os.Getpid() {
			t.Errorf("second taker: %+v, %v", h, err)
		}
		if err := lease.Release(); err != nil {
			t.Error(err)
		}
		if _, ok, _ := s.Holder(t.Context(), "r"); ok {
			t.Error("held after the release")
		}
	}
	if _, _, err := s.Lease(t.Context(), "none"); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("lease of a run that is not there: %v", err)
	}
	if _, _, err := s.Holder(t.Context(), "none"); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("holder of a run that is not there: %v", err)
	}
}

// Whoever asks for the holder never makes a taker fail.
func TestAskingIsNotHolding(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	create(t, s, "r")
	stop := make(chan struct{})
	var askers sync.WaitGroup
	for range 3 {
		askers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if _, _, err := s.Holder(context.Background(), "r"); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 30 {
		lease, _, err := s.Lease(t.Context(), "r")
		if err != nil {
			t.Error(err)
			break
		}
		if err := lease.Release(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	askers.Wait()
}
