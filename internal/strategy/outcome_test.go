package strategy_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
)

func TestTriesLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		class          clade.Class
		ended, counted int
		tries          int // granted by the plan
		want           bool
	}{
		{"not begun", clade.OK, 0, 0, 0, false},
		{"went well", clade.OK, 1, 1, 0, false},
		{"infra once", clade.ClassInfra, 1, 0, 0, true},
		{"infra three times", clade.ClassInfra, 3, 0, 0, true},
		{"infra four times", clade.ClassInfra, 4, 0, 0, false},
		{"evaluator once", clade.ClassEvaluator, 1, 1, 0, true},
		{"evaluator twice", clade.ClassEvaluator, 2, 2, 0, false},
		{"evaluator after infra", clade.ClassEvaluator, 3, 1, 0, true},
		{"infra after evaluator", clade.ClassInfra, 2, 1, 0, true},
		{"candidate", clade.ClassCandidate, 1, 1, 0, false},
		{"candidate with tries granted", clade.ClassCandidate, 1, 1, 2, true},
		{"candidate with tries used", clade.ClassCandidate, 2, 2, 2, false},
		{"policy", clade.ClassPolicy, 1, 1, 1, false},
		{"operator", clade.ClassOperator, 1, 1, 0, false},
		{"poisoned", clade.ClassPoisoned, 1, 1, 5, false},
		{"budget", clade.ClassBudget, 1, 0, 5, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := &clade.Life{Open: true, Failure: c.class, Ended: c.ended, Counted: c.counted}
			l.Tries = c.tries
			if got := strategy.TriesLeft(l); got != c.want {
				t.Errorf("got %v", got)
			}
			if got := strategy.Settled(l); got != (!c.want && c.ended > 0) {
				t.Errorf("settled %v", got)
			}
			l.Running = true
			if strategy.TriesLeft(l) || strategy.Settled(l) {
				t.Error("a running try has ended")
			}
		})
	}
}

// An operator that failed and left nothing gets its retries; one that left
// something, or ran out of its time, does not, and neither does any other failure.
func TestRetries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		l       clade.Life
		retries int
		want    bool
	}{
		{"failed once", clade.Life{Failure: clade.ClassOperator, Ended: 1, Counted: 1}, 1, true},
		{"failed twice", clade.Life{Failure: clade.ClassOperator, Ended: 2, Counted: 2}, 1, false},
		{"none granted", clade.Life{Failure: clade.ClassOperator, Ended: 1, Counted: 1}, 0, false},
		{"out of time", clade.Life{Failure: clade.ClassOperator, Ended: 1, Counted: 1, TimedOut: true}, 1, false},
		{"left something", clade.Life{Failure: clade.ClassOperator, Ended: 1, Counted: 1, Commit: "c"}, 1, false},
		{"a gate failed", clade.Life{Failure: clade.ClassCandidate, Ended: 1, Counted: 1, Commit: "c"}, 1, false},
	} {
		l := c.l
		l.Open, l.Retries = true, c.retries
		if got := strategy.TriesLeft(&l); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
