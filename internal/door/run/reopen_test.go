package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
)

func TestReopen(t *testing.T) {
	t.Parallel()
	used := clade.Stopped{Cause: clade.StopCandidates, Reason: "used"}
	seed := uint64(4)
	resume := clade.Directed{What: clade.DirectResume}
	for _, c := range []struct {
		name   string
		events []clade.Event
		ch     Changes
		fault  clade.Fault
		last   clade.Event // what it appends last, unless it amends only
		what   string      // of the amendment
		epoch  int
	}{
		{name: "interrupted", last: nil},
		{name: "paused", events: []clade.Event{clade.Directed{What: clade.DirectPause}}, last: resume},
		{name: "cancelled", events: []clade.Event{clade.Directed{What: clade.DirectCancel}, clade.Stopped{Cause: clade.StopCancelled, Reason: "c"}}, last: resume},
		{name: "the machine failed", events: []clade.Event{clade.Stopped{Cause: clade.StopInfra, Reason: "disk"}}, last: resume},
		{name: "used up", events: []clade.Event{used}, fault: clade.FaultUsage},
		{name: "more of it", events: []clade.Event{used}, ch: Changes{Candidates: 20}, last: resume, what: "candidates 20"},
		{name: "more time", events: []clade.Event{used}, ch: Changes{Wall: time.Minute}, last: resume, what: "wall 1m0s"},
		{name: "not stopped", ch: Changes{Seed: &seed, Slots: 3}, what: "slots 3, seed"},
		{name: "another isolation", ch: Changes{Sandbox: "none"}, what: "sandbox none", epoch: 1},
		{name: "no isolation", ch: Changes{Sandbox: "nonsense"}, fault: clade.FaultUsage},
		{name: "no strategy", ch: Changes{Strategy: "nonsense"}, fault: clade.FaultUsage},
		{name: "another strategy", ch: Changes{Strategy: "race"}, what: "strategy race"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.events...)
			before := w.head()
			got, err := w.Reopen(t.Context(), "disc", c.ch)
			after := w.head()
			if c.fault != "" {
				if clade.FaultOf(err) != c.fault || after.Seq != before.Seq {
					t.Fatalf("%v, and %d records became %d", err, before.Seq, after.Seq)
				}
				return
			}
			if err != nil || got.Run != theRun || got.Unpaused {
				t.Fatalf("%+v, %v", got, err)
			}
			if after.Stop != clade.StopNone || after.Paused || after.Cancelled != "" {
				t.Errorf("it does not go on: %+v", after)
			}
			if c.last != nil && w.last() != c.last {
				t.Errorf("last came %+v", w.last())
			}
			if what := amendments(t, w); what != c.what || after.Epoch != before.Epoch+c.epoch {
				t.Errorf("amended %q in epoch %d, want %q", what, after.Epoch, c.what)
			}
		})
	}
}

func amendments(t *testing.T, w *world) string {
	t.Helper()
	var out []string
	err := w.log.Read(t.Context(), 0, func(r clade.Record) error {
		if a, ok := r.Event.(clade.Amended); ok {
			out = append(out, a.What)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "; ")
}

// A run that is searched is not searched twice; its pause may be ended.
func TestReopenHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lease, _, err := w.store.Lease(t.Context(), theRun)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release() //nolint:errcheck // the test is over
	if _, err := w.Reopen(t.Context(), "", Changes{}); clade.FaultOf(err) != clade.FaultBusy {
		t.Errorf("held: %v", err)
	}
	w.add(clade.Directed{What: clade.DirectPause})
	if _, err := w.Reopen(t.Context(), "", Changes{Candidates: 20}); clade.FaultOf(err) != clade.FaultBusy {
		t.Errorf("held, paused and to be changed: %v", err)
	}
	got, err := w.Reopen(t.Context(), "", Changes{})
	if err != nil || !got.Unpaused || got.Holder == nil || w.head().Paused {
		t.Errorf("held and paused: %+v, %v", got, err)
	}
}

func TestDirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, family()...)
	if name, err := w.Direct(t.Context(), "disc-", clade.Base, clade.DirectSteer, "left"); err != nil || name != theRun {
		t.Errorf("steering %q: %v", name, err)
	}
	if got, want := w.last(), (clade.Directed{What: clade.DirectSteer, Text: "left"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := w.Direct(t.Context(), "", 5, clade.DirectCancel, ""); clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("to nobody: %v", err)
	}
	if name, err := w.Cancel(t.Context(), "", "enough"); err != nil || name != theRun {
		t.Errorf("cancelling %q: %v", name, err)
	}
	if got, want := w.last(), (clade.Stopped{Cause: clade.StopCancelled, Reason: "enough"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := w.Direct(t.Context(), "", clade.Base, clade.DirectPause, ""); clade.FaultOf(err) != clade.FaultUsage {
		t.Errorf("pausing what has stopped: %v", err)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, family()...)
	w.add(clade.Stopped{Cause: clade.StopDone, Reason: "done"})
	for _, follow := range []bool{false, true} { // nobody holds the run: there is nothing to wait for
		var kinds []string
		last := int64(14)
		err := w.Log(t.Context(), "", last, follow, func(e Entry) error {
			if e.Seq <= last {
				t.Errorf("record %d after %d", e.Seq, last)
			}
			last = e.Seq
			kinds = append(kinds, e.Kind)
			return nil
		})
		// 1 opens, 4 for each of four candidates; a first try goes without saying.
		want := []string{clade.TryEnded{}.Kind(), clade.Judged{}.Kind(), clade.Stopped{}.Kind()}
		if err != nil || !slices.Equal(kinds, want) {
			t.Errorf("follow %v: %q, %v", follow, kinds, err)
		}
	}
}
