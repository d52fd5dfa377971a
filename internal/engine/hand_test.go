package engine_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/engine"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/strategy"
)

// other is the log as another process has it open.
func (b *bench) other() store.Log {
	b.t.Helper()
	l, err := b.st.Open(b.t.Context(), "r", false)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = l.Close() })
	return l
}

// handIn has somebody outside take up and hand in all that waits for him, and
// says how much that was.
func handIn(t *testing.T, l store.Log) (n int) {
	t.Helper()
	err := l.Update(t.Context(), func(tx store.Tx) error {
		n = 0
		for _, id := range tx.View().Open() {
			a := tx.View().Life(id)
			if _, ok := strategy.Unclaimed(tx.View(), a); !ok && !a.ByHand() {
				continue
			}
			try := a.Try
			if !a.Running {
				try++
				if err := tx.Append(clade.TryBegun{ID: id, Try: try, Hand: "ada"}); err != nil {
					return err
				}
			}
			if err := tx.Append(clade.Proposed{ID: id, Try: try, Commit: fmt.Sprint("hand-", id), Tree: fmt.Sprint("tree-", id)}); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func see(t *testing.T, l store.Log, fn func(clade.View)) {
	t.Helper()
	if err := l.View(t.Context(), func(v clade.View) error { fn(v); return nil }); err != nil {
		t.Fatal(err)
	}
}

// A run that nobody in it makes candidates for says so when it waits for them
// only, measures at the next launch what was handed in, and ends as any other.
func TestOnlyHandsAreAwaited(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]int{"generational": 6, "hillclimb": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(name)
			s.Operators, s.Search.Batch, s.Budget.Candidates = nil, batch, 12
			b := newBench(t, s)
			w, l := newWorld(1), b.other()
			for launch := 1; ; launch++ {
				err := b.run(b.log(), w, context.Background())
				if err == nil {
					break
				}
				if !errors.Is(err, engine.ErrHands) || launch > 12 {
					t.Fatalf("launch %d: %v", launch, err)
				}
				want := max(batch, slots) // a whole generation, or what there are slots for
				if n := handIn(t, l); n != want && launch == 1 {
					t.Fatalf("launch %d: %d wait for somebody, want %d", launch, n, want)
				}
			}
			if len(w.tries) > 0 {
				t.Errorf("operators were asked: %v", w.tries)
			}
			see(t, l, func(v clade.View) {
				h := v.Head()
				if h.Stop != clade.StopCandidates || h.Winner == clade.Base || !v.Life(h.Winner).Handed || len(v.Open()) > 0 {
					t.Errorf("%s (%s), winner %d, open %v", h.Stop, h.Reason, h.Winner, v.Open())
				}
			})
		})
	}
}

// Launched for somebody outside, an engine begins nothing that an operator of the
// spec would make, and takes back from dead processes what he could take up.
func TestHandsLeaveCandidatesToOthers(t *testing.T) {
	t.Parallel()
	s := spec("generational")
	s.Operators[0].Use = "command"
	b := newBench(t, s)
	w := newWorld(1)
	hands := func() error {
		return b.runWith(&engine.Engine{Log: b.log(), Ledger: &keptLedger{}, Hands: true}, w, w.perform, context.Background())
	}
	if err := hands(); !errors.Is(err, engine.ErrHands) {
		t.Fatal(err)
	}
	l := b.other()
	var lost clade.ID
	see(t, l, func(v clade.View) { lost = v.Open()[0] })
	if err := l.Update(t.Context(), func(tx store.Tx) error {
		return tx.Append(clade.TryBegun{ID: lost, Try: 1, Worker: "of a dead process"})
	}); err != nil {
		t.Fatal(err)
	}
	if err := hands(); !errors.Is(err, engine.ErrHands) {
		t.Fatal(err)
	}
	see(t, l, func(v clade.View) {
		for _, id := range v.Open() {
			if _, ok := strategy.Unclaimed(v, v.Life(id)); !ok {
				t.Errorf("nobody can take up %+v", v.Life(id))
			}
		}
		if a := v.Life(lost); a.Failure != clade.ClassInfra || a.Counted != 0 || a.Paid.Unknown || len(v.Open()) != 6 {
			t.Errorf("%+v, open %v", a, v.Open())
		}
	})
	if len(w.tries) > 0 {
		t.Errorf("operators were asked: %v", w.tries)
	}
	if n := handIn(t, l); n != 6 {
		t.Errorf("%d were handed in", n)
	}
	if err := b.run(b.log(), w, context.Background()); err != nil { // and now the operator is asked for the rest
		t.Fatal(err)
	}
	if len(w.tries) == 0 {
		t.Error("no operator was asked")
	}
}

// What nobody outside could make is made all the same, or nobody would ever.
func TestHandsMakeNoEditsOfNumbers(t *testing.T) {
	t.Parallel()
	b := newBench(t, spec("generational")) // of the operator mutate
	w := newWorld(1)
	if err := b.runWith(&engine.Engine{Log: b.log(), Ledger: &keptLedger{}, Hands: true}, w, w.perform, context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(w.tries) != 24 {
		t.Errorf("%d operators were asked", len(w.tries))
	}
}

// Another process claims and hands in while an engine is at work: the engine
// measures it without being started anew. The tries that it runs end only then.
func TestHandInWhileAnEngineRuns(t *testing.T) {
	t.Parallel()
	s := spec("hillclimb")
	s.Search.Batch = 0
	b := newBench(t, s)
	l := b.other()
	if err := l.Update(t.Context(), func(tx store.Tx) error { // nobody but a person can be told
		return tx.Append(clade.Noted{Note: clade.Adopted{Name: "v1", Hypothesis: "think"}.Note()})
	}); err != nil {
		t.Fatal(err)
	}
	measured := make(chan struct{})
	w := newWorld(2)
	perform := func(ctx context.Context, task dispatch.Task) clade.Outcome {
		switch a := task.Life; {
		case a.Name == "v1":
			if !a.Handed || a.Commit != "hand-2" {
				t.Errorf("begun as %+v", a)
			}
			close(measured)
		case a.Makes == clade.MakesTree:
			select {
			case <-measured:
			case <-ctx.Done():
			}
		}
		return w.perform(ctx, task)
	}
	done := make(chan error, 1)
	go func() {
		done <- b.runWith(&engine.Engine{Log: b.log(), Ledger: &keptLedger{}}, w, perform, context.Background())
	}()
	for at, handed := int64(0), 0; handed == 0; {
		if err := l.Wait(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		see(t, l, func(v clade.View) { at = v.Head().Seq })
		handed = handIn(t, l)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	see(t, l, func(v clade.View) {
		if a := v.Life(2); a.Open || !a.Scored || a.Name != "v1" {
			t.Errorf("%+v", a)
		}
	})
}

// A run that is cancelled does not wait for those who hold something; when it is
// resumed, what they hand in counts.
func TestCancelledWhileClaimed(t *testing.T) {
	t.Parallel()
	s := spec("generational")
	s.Operators, s.Budget.Candidates = nil, 6
	b := newBench(t, s)
	l := b.other()
	if err := b.run(b.log(), newWorld(1), context.Background()); !errors.Is(err, engine.ErrHands) {
		t.Fatal(err)
	}
	appended := func(events ...clade.Event) {
		t.Helper()
		if err := l.Update(t.Context(), func(tx store.Tx) error { return tx.Append(events...) }); err != nil {
			t.Fatal(err)
		}
	}
	appended(clade.TryBegun{ID: 2, Try: 1, Hand: "ada"}, clade.Directed{What: clade.DirectCancel, Text: "enough"})
	if err := b.run(b.log(), newWorld(1), context.Background()); err != nil {
		t.Fatal(err)
	}
	see(t, l, func(v clade.View) {
		if h, a := v.Head(), v.Life(2); h.Stop != clade.StopCancelled || !a.Running || a.Hand != "ada" {
			t.Errorf("%s, %+v", h.Stop, a)
		}
	})
	appended(clade.Directed{What: clade.DirectResume})
	if err := b.run(b.log(), newWorld(1), context.Background()); !errors.Is(err, engine.ErrHands) {
		t.Fatal(err)
	}
	see(t, l, func(v clade.View) {
		if a := v.Life(2); !a.Running || a.Hand != "ada" || a.Try != 1 {
			t.Errorf("a launch took it from its holder: %+v", a)
		}
	})
	if n := handIn(t, l); n != 6 {
		t.Fatalf("%d were handed in", n)
	}
	if err := b.run(b.log(), newWorld(1), context.Background()); err != nil {
		t.Fatal(err)
	}
	see(t, l, func(v clade.View) {
		if h := v.Head(); h.Stop != clade.StopCandidates || h.Usable == 0 {
			t.Errorf("%s: %s", h.Stop, h.Reason)
		}
	})
}

// What was handed in was no death: it takes as many processes as for any other
// attempt until it is held to be what kills them.
func TestHandInIsNoDeath(t *testing.T) {
	t.Parallel()
	for died, poisoned := range map[int]bool{4: false, 5: true} {
		s := spec("generational")
		s.Operators, s.Budget.Candidates, s.Search.Batch = nil, 1, 1
		b := newBench(t, s)
		if err := b.run(b.log(), newWorld(1), context.Background()); !errors.Is(err, engine.ErrHands) {
			t.Fatal(err)
		}
		l := b.other()
		handIn(t, l)
		if err := l.Update(t.Context(), func(tx store.Tx) error {
			for try := range died {
				if err := tx.Append(clade.TryBegun{ID: 2, Try: try + 2, Worker: "of a dead process"}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := b.run(b.log(), newWorld(1), context.Background()); err != nil {
			t.Fatal(err)
		}
		see(t, l, func(v clade.View) {
			if a := v.Life(2); (a.Failure == clade.ClassPoisoned) != poisoned {
				t.Errorf("%d processes died: %+v", died, a)
			}
		})
	}
}

// E21: half by hand and half by clade, killed around any transaction: what is
// decided is the same.
func TestE21CrashesHalfByHand(t *testing.T) {
	t.Parallel()
	s := spec("generational")
	s.Search.Names, s.Search.Batch, s.Budget.Candidates = "v%d", 3, 9
	start := func() (*bench, store.Log) {
		b := newBench(t, s)
		l := b.other()
		if err := l.Update(t.Context(), func(tx store.Tx) error {
			for _, a := range []clade.Adopted{
				{Name: "v1", Given: &clade.Given{Commit: "g", Tree: "tg"}}, {Name: "v2", Parents: []string{"v1"}}, {Name: "v3"},
			} {
				if err := tx.Append(clade.Noted{Note: a.Note()}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return b, l
	}
	// finish launches until the run has ended, and hands in whatever waits between.
	finish := func(b *bench, l store.Log, first store.Log, seed uint64) (crashed bool) {
		for launch := uint64(0); ; launch++ {
			err := b.run(first, newWorld(seed+launch), context.Background())
			switch {
			case err == nil:
				return crashed
			case errors.Is(err, errCrash):
				crashed = true
			case !errors.Is(err, engine.ErrHands) || launch > 20:
				t.Fatal(err)
			}
			handIn(t, l)
			first = b.log()
		}
	}
	b, l := start()
	finish(b, l, b.log(), 1)
	want := decisions(t, l)
	for at := 1; ; at++ {
		for _, after := range []bool{false, true} {
			b, l := start()
			if !finish(b, l, &fragileLog{Log: b.log(), left: at, after: after}, uint64(at)) {
				if at < 4 {
					t.Errorf("nothing crashed at %d", at)
				}
				return
			}
			if got := decisions(t, l); !reflect.DeepEqual(got, want) {
				t.Fatalf("crash at %d (after %v): decisions differ\n got %q\nwant %q", at, after, first(got, want), first(want, got))
			}
		}
	}
}
