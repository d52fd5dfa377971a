//go:build unix

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

// A watched memory tells of every look-up.
type watched struct {
	*memory
	looked chan struct{}
}

func (w watched) Recall(ctx context.Context, k evaluate.Key, share bool) (clade.Sample, bool, error) {
	s, ok, err := w.memory.Recall(ctx, k, share)
	w.looked <- struct{}{}
	return s, ok, err
}

// pipe makes a named pipe, open at this end for as long as the test runs.
func pipe(t *testing.T) (string, *os.File) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return name, f
}

// A crowd is attempts that ask the same case of one tree at the same time. The
// command tells on began that it runs, and goes on when gate has a line.
type crowd struct {
	*bench
	mem         *memory
	looked      chan struct{}
	began, gate *os.File
	job         evaluate.Job
	results     []chan result
}

type result struct {
	samples []clade.Sample
	err     error
}

func newCrowd(t *testing.T, n int, line string, split string) *crowd {
	t.Helper()
	c := &crowd{bench: newBench(t), mem: newMemory(), looked: make(chan struct{}, 1000)}
	began, gate := "", ""
	began, c.began = pipe(t)
	gate, c.gate = pipe(t)
	c.job = c.bench.job(caseSpec(fmt.Sprintf("echo c >> $LOG; echo b > %s; read go < %s; %s", began, gate, line)), 1)
	c.job.Cases = []evaluate.Case{{ID: "x", Split: split, Input: []byte("2"), Expected: "2"}}
	c.job.Stage.Split = split
	for range n {
		c.results = append(c.results, make(chan result, 1))
	}
	return c
}

// start starts attempt n+1.
func (c *crowd) start(ctx context.Context, n int) {
	j := c.job
	j.Attempt, j.Memory = &clade.Attempt{ID: clade.ID(n + 1)}, watched{c.mem, c.looked}
	go func() {
		evs, err := c.eval.Evaluate(ctx, j)
		r := result{err: err}
		if err == nil {
			r.samples = evs[0].Samples
		}
		c.results[n] <- r
	}()
}

// awaitRun returns when another run of the command has begun.
func (c *crowd) awaitRun() {
	c.t.Helper()
	if _, err := c.began.Read(make([]byte, 2)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) awaitLooks(n int) {
	for range n {
		<-c.looked
	}
}

// open lets n runs of the command go on.
func (c *crowd) open(n int) {
	c.t.Helper()
	if _, err := c.gate.WriteString(strings.Repeat("\n", n)); err != nil {
		c.t.Fatal(err)
	}
}

// F53: one case asked by many at the same time is paid once, of every split that
// the search asks.
func TestF53OneCaseIsPaidOnce(t *testing.T) {
	t.Parallel()
	const n = 6
	for _, split := range []string{clade.SplitTrain, clade.SplitSelect} {
		t.Run(split, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, n, "cat", split)
			c.start(t.Context(), 0)
			c.awaitRun()
			c.awaitLooks(2)
			for i := 1; i < n; i++ {
				c.start(t.Context(), i)
			}
			c.awaitLooks(n - 1)
			c.open(n)
			for i, r := range c.results {
				got := <-r
				if got.err != nil {
					t.Fatal(got.err)
				}
				wantSamples(t, "one of many", got.samples, "acc/x=1")
				if paid := got.samples[0].PaidBy; (i == 0) != (paid == 0) || i > 0 && paid != 1 {
					t.Errorf("attempt %d was paid by %d", i+1, paid)
				}
			}
			if ran := len(c.logged()); ran != 1 {
				t.Errorf("the case ran %d times", ran)
			}
		})
	}
}

// Where the one that answers is stopped, one of those that wait takes over.
func TestF53AWaiterTakesOver(t *testing.T) {
	t.Parallel()
	const n = 4
	c := newCrowd(t, n, "cat", clade.SplitSelect)
	ctx, stop := context.WithCancelCause(t.Context())
	c.start(ctx, 0)
	c.awaitRun()
	c.awaitLooks(2)
	for i := 1; i < n; i++ {
		c.start(t.Context(), i)
	}
	c.awaitLooks(n - 1)
	gone := errors.New("stopped by a test")
	stop(gone)
	if r := <-c.results[0]; !errors.Is(r.err, gone) {
		t.Errorf("%v", r.err)
	}
	c.awaitRun()
	c.open(n)
	own := 0
	for _, r := range c.results[1:] {
		got := <-r
		if got.err != nil {
			t.Fatal(got.err)
		}
		wantSamples(t, "taken over", got.samples, "acc/x=1")
		if got.samples[0].PaidBy == 0 {
			own++
		}
	}
	if ran := len(c.logged()); ran != 2 || own != 1 {
		t.Errorf("%d runs, %d paid for; want the one that was stopped and one more", ran, own)
	}
}

// Whoever waits stops waiting when its own time is over.
func TestF53WaitingEnds(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 2, "cat", clade.SplitSelect)
	c.start(t.Context(), 0)
	c.awaitRun()
	c.awaitLooks(2)
	ctx, stop := context.WithCancel(t.Context())
	c.start(ctx, 1)
	c.awaitLooks(1)
	stop()
	if r := <-c.results[1]; !errors.Is(r.err, context.Canceled) {
		t.Errorf("%v", r.err)
	}
	c.open(1)
	if r := <-c.results[0]; r.err != nil {
		t.Error(r.err)
	}
}

// A failure is each candidate's own: it is never served, and nobody waits a turn
// to fail for himself.
func TestF53FailuresAreNotServed(t *testing.T) {
	t.Parallel()
	const n = 3
	c := newCrowd(t, n, "exit 3", clade.SplitSelect)
	c.start(t.Context(), 0)
	c.awaitRun()
	c.awaitLooks(2)
	for i := 1; i < n; i++ {
		c.start(t.Context(), i)
	}
	c.awaitLooks(n - 1)
	c.open(1)
	for range n - 1 { // at the same time: none of them goes on before all have begun
		c.awaitRun()
	}
	c.open(n)
	for _, r := range c.results {
		got := <-r
		if got.err != nil {
			t.Fatal(got.err)
		}
		wantSamples(t, "failed", got.samples, "acc/x!candidate")
		if got.samples[0].PaidBy != 0 {
			t.Errorf("paid by %d", got.samples[0].PaidBy)
		}
	}
}

// Property: whoever asks what, in whatever order, the runs of a search are as
// many as the different keys that were asked.
func TestF53RunsAreDistinctKeys(t *testing.T) {
	t.Parallel()
	const attempts, trees = 12, 3
	for seed := range uint64(4) {
		b, mem := newBench(t), newMemory()
		cases := []evaluate.Case{{ID: "a", Split: clade.SplitTrain}, {ID: "b", Split: clade.SplitSelect}, {ID: "c", Split: clade.SplitSelect}}
		for i := range cases {
			cases[i].Input, cases[i].Expected = []byte(cases[i].ID), cases[i].ID
		}
		spec := caseSpec("echo c >> $LOG; cat")
		base := b.job(spec, 1)
		base.Cases, base.Memory = cases, mem
		keys, paid, mu := map[string]bool{}, 0, sync.Mutex{}
		var all sync.WaitGroup
		for i := range clade.ID(attempts) {
			j := base
			j.Attempt = &clade.Attempt{ID: i + 1}
			tree := fmt.Sprint("tree-", clade.Draw(seed, "tree", i)%trees)
			j.Subjects = []evaluate.Subject{{ID: i + 1, Commit: "c1", Tree: tree}}
			for _, c := range cases {
				if clade.Draw(seed, c.ID, i)%3 > 0 {
					j.Stage.Cases = append(j.Stage.Cases, c.ID)
					keys[tree+c.ID] = true
				}
			}
			if len(j.Stage.Cases) == 0 {
				continue
			}
			all.Go(func() {
				evs, err := b.eval.Evaluate(t.Context(), j)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				for _, s := range evs[0].Samples {
					if s.PaidBy == 0 {
						paid++
					}
					if s.Value != 1 {
						t.Errorf("%+v", s)
					}
				}
			})
		}
		all.Wait()
		if ran := len(b.logged()); ran != len(keys) || paid != len(keys) {
			t.Errorf("seed %d: %d runs, %d paid for, %d keys", seed, ran, paid, len(keys))
		}
	}
}
