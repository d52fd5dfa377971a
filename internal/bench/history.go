package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cladehq/clade/internal/workspace"
)

// search is one long search in a process of its own, killed when it has its
// candidates, looked at, and resumed.
func (b *bench) search(ctx context.Context) ([]Row, error) {
	n := b.sizes.candidates
	r := run{candidates: 2 * n, slots: 4}
	dir, err := b.prepare(ctx, "search", r)
	if err != nil {
		return nil, err
	}
	b.step(fmt.Sprintf("searching %d candidates", n))
	c, err := b.child(ctx, dir, r, b.sizes.every)
	if err != nil {
		return nil, err
	}
	marks, err := c.next(func(m mark) bool { return m.Closed >= n })
	memory := peakMemory(c.cmd.Process.Pid)
	c.kill()
	if err != nil {
		return nil, err
	}
	rows := b.rates(marks)
	rows = append(rows,
		Row{Name: "processor time of the engine per attempt, in process", Value: c.spent() / float64(n), Unit: "ms", N: n,
			Note: "does not depend on the load; 1000 ÷ it × processors bounds the rate"},
		Row{Name: fmt.Sprintf("memory of the engine at %d candidates", n), Value: float64(memory) / (1 << 20), Unit: "MiB", N: 1,
			Note: "largest resident set of the searching process, its git processes and supervisors not counted; 0 where it cannot be read"}.atMost(200),
		Row{Name: "state on disk per candidate", Value: float64(workspace.Size(filepath.Join(b.dir, "state"))) / float64(n) / 1000, Unit: "kB", N: n,
			Note: "log with its projections, samples and output, and the ledger, right after a crash"}.atMost(100))
	status, err := b.cold(ctx, dir, "status")
	if err != nil {
		return nil, err
	}
	rows = append(rows, Row{Name: fmt.Sprintf("clade status at %d candidates, cold process", n), Value: status.median(), Unit: "ms", N: len(status.ms)}.atMost(30))
	resumed, err := b.resume(ctx, dir, r)
	return append(rows, resumed...), err
}

// rates compares the first window of attempts, after what starting costs, with
// the last.
func (b *bench) rates(marks []mark) []Row {
	var windows []mark // without the word that a try has begun
	for _, m := range marks {
		if !m.Begun {
			windows = append(windows, m)
		}
	}
	rate := func(from, to mark) float64 {
		return float64(to.Closed-from.Closed) / (to.At - from.At).Seconds()
	}
	first, second := windows[0], windows[1]
	last, before := windows[len(windows)-1], windows[len(windows)-2]
	decisions := float64((last.Decided-before.Decided)/time.Microsecond) / 1000 / float64(max(1, last.Attempts-before.Attempts))
	name := func(which string) string {
		return fmt.Sprintf("attempts per second, in process, %s %d", which, b.sizes.every)
	}
	return []Row{
		Row{Name: name("first"), Value: rate(first, second), Unit: "1/s", N: second.Closed - first.Closed,
			Note: "4 slots; workspace, edit, commit, rebuild, sample and outcome durable"}.atLeast(250),
		Row{Name: name("last"), Value: rate(before, last), Unit: "1/s", N: last.Closed - before.Closed}.atLeast(250),
		Row{Name: "last ÷ first", Value: rate(before, last) / rate(first, second), Unit: "", N: 1}.atLeast(0.9),
		Row{Name: fmt.Sprintf("deciding per attempt at %d candidates", last.Closed), Value: decisions, Unit: "ms", N: int(last.Attempts - before.Attempts)}.atMost(0.2),
		{Name: "goroutines, last window − first", Value: float64(last.Goroutines - second.Goroutines), Unit: "", N: 1},
		{Name: "open files, last window − first", Value: float64(last.Files - second.Files), Unit: "", N: 1},
	}
}

// resume times from the start of a process to its first try, after a kill.
func (b *bench) resume(ctx context.Context, dir string, r run) ([]Row, error) {
	b.step("resuming after kill -9")
	t := timer{}
	for range min(3, b.sizes.runs) {
		c, err := b.child(ctx, dir, r, 1)
		if err != nil {
			return nil, err
		}
		_, err = c.next(func(m mark) bool { return m.Begun })
		took := time.Since(c.started)
		c.kill()
		if err != nil {
			return nil, err
		}
		t.ms = append(t.ms, milliseconds(took))
	}
	return []Row{Row{Name: fmt.Sprintf("resume after kill -9 at %d candidates", b.sizes.candidates), Value: t.median() / 1000, Unit: "s", N: len(t.ms),
		Note: "from the start of the process to the first thing that a try does"}.atMost(2)}, nil
}

// commands is a shorter search whose gate and measure are sandboxed commands.
func (b *bench) commands(ctx context.Context) ([]Row, error) {
	ms, err := b.perAttempt(ctx, "commands", run{slots: 4, evaluator: true})
	if err != nil {
		return nil, err
	}
	return []Row{{Name: "attempts per second, sandboxed true as gate and echo as measure", Value: 1000 / ms, Unit: "1/s", N: b.sizes.commands,
		Note: "4 slots; everything else as above"}}, nil
}

// perAttempt is how many milliseconds pass between the ends of two attempts.
func (b *bench) perAttempt(ctx context.Context, name string, r run) (float64, error) {
	n := b.sizes.commands
	r.candidates = 2 * n
	dir, err := b.prepare(ctx, name, r)
	if err != nil {
		return 0, err
	}
	c, err := b.child(ctx, dir, r, max(1, n/4))
	if err != nil {
		return 0, err
	}
	marks, err := c.next(func(m mark) bool { return m.Closed >= n })
	c.kill()
	if err != nil {
		return 0, err
	}
	var windows []float64
	for i := 1; i < len(marks); i++ {
		if from, to := marks[i-1], marks[i]; to.Closed > from.Closed && from.Closed > 0 {
			windows = append(windows, milliseconds(to.At-from.At)/float64(to.Closed-from.Closed))
		}
	}
	t := timer{windows}
	return t.median(), nil
}
