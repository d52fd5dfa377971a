package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/dispatch/local"
	"github.com/cladehq/clade/internal/engine"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/generational"
	"github.com/cladehq/clade/internal/strategy/hillclimb"
)

const slots = 4

var errCrash = errors.New("crash")

// keptLedger knows which commits it was given, durable or not.
type keptLedger struct {
	ledger.Ledger
	mu       sync.Mutex
	restored []string
}

func (l *keptLedger) Restore(_ context.Context, m ledger.Made) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.restored = append(l.restored, m.Commit)
	return nil
}

func (l *keptLedger) Sync(context.Context) error { return nil }

// fragileLog fails its n-th update: before it commits, or after.
type fragileLog struct {
	store.Log
	left  int
	after bool
}

func (l *fragileLog) Update(ctx context.Context, decide func(store.Tx) error) error {
	l.left--
	if l.left != 0 {
		return l.Log.Update(ctx, decide)
	}
	if l.after {
		if err := l.Log.Update(ctx, decide); err != nil {
			return err
		}
		return errCrash
	}
	return l.Log.Update(ctx, func(tx store.Tx) error {
		if err := decide(tx); err != nil {
			return err
		}
		return errCrash
	})
}

// world performs tries: a climbing score with some failures, the end of each
// try held back until a drawn number of others has ended.
type world struct {
	journal *engine.Engine
	mu      sync.Mutex
	rng     *rand.Rand
	waiting []chan struct{}
	running int
	tries   map[clade.ID]int // operator calls
	evals   map[clade.ID]int
}

func newWorld(seed uint64) *world {
	return &world{rng: rand.New(rand.NewPCG(seed, 1)), tries: map[clade.ID]int{}, evals: map[clade.ID]int{}}
}

// turnstile lets one waiting try go, drawn at random, once every slot waits or
// nobody else runs: the order of arrival is scrambled without a clock.
func (w *world) turnstile(ctx context.Context) {
	me := make(chan struct{})
	w.mu.Lock()
	w.waiting = append(w.waiting, me)
	if len(w.waiting) >= w.running || len(w.waiting) >= slots {
		i := w.rng.IntN(len(w.waiting))
		close(w.waiting[i])
		w.waiting = slices.Delete(w.waiting, i, i+1)
	}
	w.mu.Unlock()
	select {
	case <-me:
	case <-ctx.Done():
	}
}

func (w *world) enter() {
	w.mu.Lock()
	w.running++
	w.mu.Unlock()
}

func (w *world) leave() {
	w.mu.Lock()
	w.running--
	if len(w.waiting) > 0 && len(w.waiting) >= w.running {
		i := w.rng.IntN(len(w.waiting))
		close(w.waiting[i])
		w.waiting = slices.Delete(w.waiting, i, i+1)
	}
	w.mu.Unlock()
}

func (w *world) perform(ctx context.Context, t dispatch.Task) clade.Outcome {
	w.enter()
	defer w.leave()
	o := clade.Outcome{ID: t.Life.ID, Try: t.Try, Commit: t.Life.Commit, Tree: t.Life.Tree}
	if t.Life.Makes == clade.MakesTree && o.Commit == "" {
		w.mu.Lock()
		w.tries[o.ID]++
		w.mu.Unlock()
		o.Commit, o.Tree = fmt.Sprintf("commit-%d", o.ID), fmt.Sprintf("tree-%d", o.ID)
		m := ledger.Made{Commit: o.Commit, Tree: o.Tree, Stream: []byte("bytes")}
		if _, _, err := w.journal.Proposed(ctx, clade.Proposed{ID: o.ID, Try: o.Try, Commit: o.Commit, Tree: o.Tree, Summary: "edit"}, m); err != nil {
			return failed(o, err)
		}
	}
	w.turnstile(ctx)
	if ctx.Err() != nil {
		return failed(o, ctx.Err())
	}
	w.mu.Lock()
	w.evals[o.ID]++
	w.mu.Unlock()
	for i, stage := range t.Life.After {
		subjects := stage.Subjects
		if len(subjects) == 0 {
			subjects = []clade.ID{o.ID}
		}
		for place, s := range subjects {
			e, err := w.measure(ctx, o.ID, s, i, place, stage)
			if err != nil {
				return failed(o, err)
			}
			o.Evaluations = append(o.Evaluations, e)
			if e.Samples[0].Value == 0 {
				o.Failure, o.Detail = clade.ClassCandidate, "gate g failed"
				return o
			}
		}
	}
	return o
}

func (w *world) measure(ctx context.Context, attempt, s clade.ID, stage, place int, st clade.Stage) (clade.Evaluation, error) {
	split := st.Split
	if split == "" {
		split = clade.SplitSelect
	}
	e := clade.Evaluation{Subject: s, Stage: stage}
	gate := 1.0
	if s%5 == 3 {
		gate = 0
	}
	e.Samples = append(e.Samples, clade.Sample{Check: "g", Gate: true, Value: gate, Split: split, Replicate: 1})
	if gate == 0 {
		return e, nil
	}
	for rep := 1; rep <= max(1, st.Replicates); rep++ {
		k := evaluate.Key{Attempt: attempt, Stage: stage, Place: place, Subject: s, Tree: fmt.Sprint("tree-", s), Check: "m", Split: split, Replicate: rep}
		sample, ok, err := w.journal.Recall(ctx, k, false)
		if err != nil {
			return e, err
		}
		if !ok {
			sample = clade.Sample{Check: "m", Value: float64(int(s)*7%50) + float64(s)/4, Split: split, Replicate: rep}
			if err := w.journal.Keep(ctx, k, sample, false); err != nil {
				return e, err
			}
		}
		e.Samples = append(e.Samples, sample)
	}
	return e, nil
}

func failed(o clade.Outcome, err error) clade.Outcome {
	o.Failure, o.Detail = clade.ClassInfra, err.Error()
	return o
}

func spec(strategyName string) clade.Spec {
	return clade.Spec{
		Version: 1, Objective: "climb", Seed: 11,
		Gates:     []clade.Gate{{ID: "g"}},
		Measures:  []clade.Measure{{ID: "m", Goal: clade.Maximize, Noise: clade.NoiseNone, Weight: 1}},
		Operators: []clade.Operator{{Use: "mutate", Name: "mutate", Share: 1}},
		Search:    clade.Search{Strategy: strategyName, Batch: 6, Explore: .2, Cross: .2, Parents: 4},
		Budget:    clade.Budget{Candidates: 24}, Slots: slots,
		Final: clade.FinalRule{Finalists: 1, Alpha: .05, Looks: []int{6, 10, 15, 20}, LookAlpha: .0182},
	}
}

// bench is a run's store with one log.
type bench struct {
	t    *testing.T
	st   *sqlite.Store
	spec clade.Spec
}

func newBench(t *testing.T, s clade.Spec) *bench {
	t.Helper()
	st, err := sqlite.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := st.Create(t.Context(), clade.Opened{Run: "r", Spec: s, Base: "base", Tree: "tree-0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return &bench{t, st, s}
}

func (b *bench) log() store.Log {
	b.t.Helper()
	l, err := b.st.Open(b.t.Context(), "r", true)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = l.Close() })
	return l
}

func (b *bench) search() strategy.Search {
	if b.spec.Search.Strategy == "hillclimb" {
		return strategy.NewCampaign(hillclimb.New(&b.spec, policy.Briefers{}))
	}
	return strategy.NewCampaign(generational.New(&b.spec, policy.Briefers{}))
}

// run runs the search on l in a process of its own, as it were.
func (b *bench) run(l store.Log, w *world, soft context.Context) error {
	return b.runOver(&keptLedger{}, l, w, soft)
}

func (b *bench) runOver(led ledger.Ledger, l store.Log, w *world, soft context.Context) error {
	return b.runWith(&engine.Engine{Log: l, Ledger: led}, w, w.perform, soft)
}

func (b *bench) runWith(e *engine.Engine, w *world, perform func(context.Context, dispatch.Task) clade.Outcome, soft context.Context) error {
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	start := time.Now()
	e.Search, e.Worker, e.Clock = b.search(), "test", func() time.Duration { return time.Since(start) }
	e.Prepare()
	w.journal = e
	return e.Run(ctx, soft, local.New(ctx, slots, perform))
}

// decisions are the planned, judged and stopped events, in order.
func decisions(t *testing.T, l store.Log) (out []string) {
	t.Helper()
	err := l.Read(t.Context(), 0, func(r clade.Record) error {
		switch r.Event.(type) {
		case clade.Planned, clade.Judged, clade.Stopped:
			b, err := json.Marshal(r.Event)
			if err != nil {
				return err
			}
			out = append(out, r.Event.Kind()+" "+string(b))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func updates(t *testing.T, b *bench) int {
	t.Helper()
	l := &fragileLog{Log: b.log(), left: 1 << 30}
	if err := b.run(l, newWorld(1), context.Background()); err != nil {
		t.Fatal(err)
	}
	return 1<<30 - l.left
}

// A lockstep run that crashes around any of its transactions, with four slots,
// climbing scores and scrambled arrivals, makes the same decisions when it is
// resumed as one that was never interrupted, and pays no operator twice whose
// proposal was recorded.
func TestCrashAroundEveryTransactionThenResume(t *testing.T) {
	t.Parallel()
	whole := newBench(t, spec("generational"))
	n := updates(t, whole)
	want := decisions(t, whole.log())
	if len(want) < 30 {
		t.Fatalf("only %d decisions", len(want))
	}
	step := max(1, n/12)
	if os.Getenv("CLADE_LONG") != "" {
		step = 1
	}
	for at := 1; at < n; at += step { // n is the last update of a whole run
		for _, after := range []bool{false, true} {
			b := newBench(t, spec("generational"))
			w := newWorld(uint64(at))
			err := b.run(&fragileLog{Log: b.log(), left: at, after: after}, w, context.Background())
			if err != nil && !errors.Is(err, errCrash) {
				t.Fatalf("crash at %d: %v", at, err)
			}
			again := newWorld(uint64(at) + 1000)
			if err := b.run(b.log(), again, context.Background()); err != nil {
				t.Fatalf("resume after %d: %v", at, err)
			}
			if got := decisions(t, b.log()); !reflect.DeepEqual(got, want) {
				t.Fatalf("crash at %d (after %v): decisions differ\n got %q\nwant %q", at, after, first(got, want), first(want, got))
			}
			redone := 0
			for id, n := range again.tries {
				if n > 1 {
					t.Errorf("crash at %d: operator asked %d times for %d after the resume", at, n, id)
				}
				if w.tries[id] > 0 {
					redone++
				}
			}
			if redone > slots {
				t.Errorf("crash at %d: %d operators paid twice, more than the slots", at, redone)
			}
		}
	}
}

// first is the first of a that differs from b.
func first(a, b []string) string {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("#%d %s", i, a[i])
		}
	}
	return "(a prefix)"
}

func TestArrivalOrderRunEnds(t *testing.T) {
	t.Parallel()
	s := spec("hillclimb")
	s.Search.Batch = 0
	b := newBench(t, s)
	if err := b.run(b.log(), newWorld(3), context.Background()); err != nil {
		t.Fatal(err)
	}
	err := b.log().View(t.Context(), func(v clade.View) error {
		h := v.Head()
		if h.Stop != clade.StopCandidates || h.Proposing != 24 || len(v.Open()) != 0 {
			t.Errorf("stop %q, %d proposing, %d open", h.Stop, h.Proposing, len(v.Open()))
		}
		if h.Winner == clade.Base {
			t.Errorf("no winner: %s", h.Reason)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A soft stop lets what runs end and begins nothing new; the run goes on later.
func TestSoftStopDrains(t *testing.T) {
	t.Parallel()
	b := newBench(t, spec("generational"))
	soft, stop := context.WithCancel(t.Context())
	w := newWorld(5)
	l := b.log()
	count := 0
	err := b.run(&watched{l, func() {
		if count++; count == 8 {
			stop()
		}
	}}, w, soft)
	if !errors.Is(err, engine.ErrDrained) {
		t.Fatalf("got %v", err)
	}
	err = l.View(t.Context(), func(v clade.View) error {
		for _, id := range v.Open() {
			if v.Life(id).Running {
				t.Errorf("attempt %d still runs", id)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.run(b.log(), newWorld(6), context.Background()); err != nil {
		t.Fatal(err)
	}
}

type watched struct {
	store.Log
	saw func()
}

func (l *watched) Update(ctx context.Context, decide func(store.Tx) error) error {
	l.saw()
	return l.Log.Update(ctx, decide)
}

// Another process cancels: running tries are stopped, the stop is recorded, and
// a resume finishes the run.
func TestCancelFromElsewhere(t *testing.T) {
	t.Parallel()
	b := newBench(t, spec("generational"))
	other, err := b.st.Open(t.Context(), "r", false)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	count := 0
	l := &watched{b.log(), func() {
		if count++; count == 6 {
			err := other.Update(context.Background(), func(tx store.Tx) error {
				return tx.Append(clade.Directed{What: clade.DirectCancel, Text: "enough"})
			})
			if err != nil {
				t.Error(err)
			}
		}
	}}
	if err := b.run(l, newWorld(7), context.Background()); err != nil {
		t.Fatal(err)
	}
	check := func(want clade.Stop) {
		t.Helper()
		err := other.View(t.Context(), func(v clade.View) error {
			if got := v.Head().Stop; got != want {
				t.Errorf("stop %q, want %q", got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check(clade.StopCancelled)
	err = other.Update(t.Context(), func(tx store.Tx) error { return tx.Append(clade.Directed{What: clade.DirectResume}) })
	if err != nil {
		t.Fatal(err)
	}
	if err := b.run(b.log(), newWorld(8), context.Background()); err != nil {
		t.Fatal(err)
	}
	check(clade.StopCandidates)
}

// faultyLedger fails the n-th sync, once, and counts what was asked of it.
type faultyLedger struct {
	keptLedger
	left int
}

var errIO = errors.New("input/output error")

func (l *faultyLedger) Sync(context.Context) error {
	if l.left--; l.left == 0 {
		return errIO
	}
	return nil
}

// F16: an fsync that failed is not repeated as if nothing had been. The run
// ends, the bytes of every commit that may not be on disk stay in the log, and a
// resume writes them anew and decides as if nothing had happened.
func TestF16FailedSyncEndsTheProcess(t *testing.T) {
	t.Parallel()
	whole := newBench(t, spec("generational"))
	if err := whole.run(whole.log(), newWorld(1), context.Background()); err != nil {
		t.Fatal(err)
	}
	want := decisions(t, whole.log())
	for at := 1; at < 4; at++ {
		b, l := newBench(t, spec("generational")), &faultyLedger{left: at}
		err := b.runOver(l, b.log(), newWorld(uint64(at)), context.Background())
		if at > 1 && l.left > 0 {
			break // there are no more
		}
		if !errors.Is(err, errIO) || l.left != 0 {
			t.Fatalf("sync %d: %v, %d further ones", at, err, -l.left)
		}
		kept, err := b.log().Pending(t.Context())
		if err != nil || len(kept) == 0 {
			t.Fatalf("sync %d: %d commits kept, %v", at, len(kept), err)
		}
		again := &faultyLedger{}
		if err := b.runOver(again, b.log(), newWorld(2), context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, m := range kept {
			if !slices.Contains(again.restored, m.Commit) {
				t.Errorf("sync %d: %s was not written anew", at, m.Commit)
			}
		}
		if got := decisions(t, b.log()); !slices.Equal(got, want) {
			t.Errorf("sync %d: other decisions: %q, want %q", at, first(got, want), first(want, got))
		}
	}
}

// F33: attempts that wait for infrastructure keep their slots: an outage does
// not have the rest of the budget planned into it.
func TestF33OutageHoldsTheBudget(t *testing.T) {
	t.Parallel()
	s := spec("hillclimb")
	s.Budget.Candidates, s.Search.Batch = 40, 0
	b, w := newBench(t, s), newWorld(1)
	outage := func(ctx context.Context, task dispatch.Task) clade.Outcome {
		if task.Life.Proposes() {
			return clade.Outcome{ID: task.Life.ID, Try: task.Try, Failure: clade.ClassInfra, Detail: "the machine is down"}
		}
		return w.perform(ctx, task)
	}
	l := b.log()
	e := &engine.Engine{Log: l, Ledger: &keptLedger{}, Backoff: func(int) time.Duration { return 10 * time.Millisecond }}
	if err := b.runWith(e, w, outage, context.Background()); err != nil {
		t.Fatal(err)
	}
	var state clade.State
	most := 0
	if err := l.Read(t.Context(), 0, func(r clade.Record) error {
		err := state.Apply(r)
		most = max(most, len(state.Open()))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if most > 2*slots { // a slot is free before its outcome is taken in
		t.Errorf("%d attempts were open at once", most)
	}
	if h := state.Head(); h.Stop != clade.StopInfra || h.Proposing != 40 {
		t.Errorf("stop %s after %d: %s", h.Stop, h.Proposing, h.Reason)
	}
}
