package bench

import (
	"strings"
	"testing"
	"time"
)

func TestFigure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {0.0123, "0.0123"}, {0.25, "0.250"}, {1, "1.00"}, {9.999, "10.00"}, {12.34, "12.3"}, {1234.5, "1234"}, {-4, "-4.00"},
	} {
		if got := figure(c.x); got != c.want {
			t.Errorf("figure(%v) = %q, want %q", c.x, got, c.want)
		}
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	r := Report{Conditions: Conditions{Isolation: "none", Workspaces: "pool", Sync: "FULL"}, Rows: []Row{
		Row{Name: "slow", Value: 12, Unit: "ms", N: 3, Note: "why"}.atMost(10),
		Row{Name: "fast", Value: 300, Unit: "1/s", N: 4}.atLeast(250),
		{Name: "plain", Value: 1, N: 1},
	}}
	var b strings.Builder
	r.print(&b)
	for _, want := range []string{"isolation none", "slow (1)", "≤ 10", "NO", "≥ 250", "yes", "(1) why"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Two slots, tries of 3 s, 1 s and 2 s: at least 3 s are needed. They ran from
// 0 to 3, 0 to 1 and 2 to 4 s, so 4 s were taken.
func TestBusy(t *testing.T) {
	t.Parallel()
	zero := time.Unix(100, 0)
	at := func(s int) time.Time { return zero.Add(time.Duration(s) * time.Second) }
	l := &ledgerOfTime{}
	l.note(at(0), at(3))
	l.note(at(0), at(1))
	l.note(at(2), at(4))
	if got := l.busy(2); got != 0.75 {
		t.Errorf("busy %v, want 0.75", got)
	}
}

// Windows of 100 attempts: 2 s after the first mark, and 1 s for the last, in
// which 50 attempts cost 5 ms of decisions.
func TestRates(t *testing.T) {
	t.Parallel()
	b := &bench{sizes: sizes{every: 100}}
	rows := b.rates([]mark{
		{Closed: 0, At: time.Second},
		{Begun: true},
		{Closed: 100, At: 3 * time.Second, Goroutines: 9, Files: 20},
		{Closed: 200, At: 5 * time.Second, Decided: time.Millisecond, Attempts: 200},
		{Closed: 300, At: 6 * time.Second, Decided: 6 * time.Millisecond, Attempts: 250, Goroutines: 10, Files: 20},
	})
	want := []float64{50, 100, 2, 0.1, 1, 0}
	for i, w := range want {
		if rows[i].Value != w {
			t.Errorf("%s: %v, want %v", rows[i].Name, rows[i].Value, w)
		}
	}
}
