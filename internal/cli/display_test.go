package cli

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// told is a run of which events are told one by one to a plain display.
type told struct {
	t     *testing.T
	state clade.State
	seq   int64
	out   strings.Builder
	lines lines
}

func newTold(t *testing.T) *told {
	w := &told{t: t}
	w.lines.w = &w.out
	w.apply(clade.Opened{Run: "r", Spec: clade.Spec{
		Measures: []clade.Measure{{ID: "s", Goal: clade.Maximize, Weight: 1}}, Budget: clade.Budget{Candidates: 300}}})
	w.plan(clade.Attempt{ID: 1, Makes: clade.MakesNumbers, After: []clade.Stage{{Subjects: []clade.ID{clade.Base}}}})
	for id := clade.ID(2); id <= 6; id++ {
		w.plan(clade.Attempt{ID: id, Makes: clade.MakesTree})
	}
	w.ends(1, 1, clade.Base, 0)
	return w
}

func (w *told) apply(e clade.Event) {
	w.t.Helper()
	w.seq++
	if err := w.state.Apply(clade.Record{Seq: w.seq, Event: e}); err != nil {
		w.t.Fatal(err)
	}
	if w.state.Life(clade.Base) != nil {
		w.lines.progress(&w.state)
	}
}

func (w *told) plan(a clade.Attempt) { w.t.Helper(); w.apply(clade.Planned{Attempt: a}) }

func (w *told) ends(id clade.ID, try int, of clade.ID, score float64) {
	w.t.Helper()
	w.apply(clade.TryBegun{ID: id, Try: try})
	w.apply(clade.Proposed{ID: id, Try: try, Commit: "c", Tree: "t", Summary: "an edit"})
	w.apply(clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Commit: "c",
		Evaluations: []clade.Evaluation{{Subject: of, Samples: []clade.Sample{{Check: "s", Value: score}}}}}})
}

func (w *told) judge(all ...clade.Verdict) { w.t.Helper(); w.apply(clade.Judged{Verdicts: all}) }

// news is what was printed of the baseline and the best.
func (w *told) news() (out []string) {
	for line := range strings.Lines(w.out.String()) {
		if line = strings.TrimSpace(line); !strings.Contains(line, "usable") {
			out = append(out, line)
		}
	}
	return out
}

func (w *told) want(lines ...string) {
	w.t.Helper()
	if got, want := strings.Join(w.news(), "\n"), strings.Join(lines, "\n"); got != want {
		w.t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// P19: what comes back late and is as good does not look like an improvement.
func TestP19TiesAreSaid(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.ends(3, 1, 3, 6)
	w.ends(4, 1, 4, 6) // as good and younger: no news
	w.ends(2, 1, 2, 6)
	w.ends(5, 1, 5, 7)
	w.want("baseline s 0",
		"1/300  best s 6 by 3: an edit",
		"3/300  best s 6 by 2, as good as 3 and older: an edit",
		"4/300  best s 7 by 5: an edit")
}

// P19: candidates that wait for a barrier have come back.
func TestP19LockstepCounts(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.ends(2, 1, 2, .6)
	w.ends(3, 1, 3, .7)
	w.judge(clade.Verdict{ID: 2, Status: clade.StatusAccepted, Why: "y"}, clade.Verdict{ID: 3, Status: clade.StatusAccepted, Why: "y"})
	w.ends(4, 1, 4, .8)
	w.want("baseline s 0", "1/300  best s 0.6 by 2: an edit", "2/300  best s 0.7 by 3: an edit", "3/300  best s 0.8 by 4: an edit")
}

// P19: the best may turn out to be worse than it looked.
func TestP19BestMeasuredAgain(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.ends(2, 1, 2, 6)
	w.ends(3, 1, 3, 8)
	w.ends(3, 2, 3, 7)
	w.ends(3, 3, 3, 5)
	w.want("baseline s 0", "1/300  best s 6 by 2: an edit", "2/300  best s 8 by 3: an edit",
		"2/300  best s 7 by 3, measured again: an edit",
		"2/300  best s 6 by 2, since 3 was worse when it was measured again: an edit")
}

// P19: a baseline that is measured anew begins anew.
func TestP19NewEpoch(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.ends(2, 1, 2, 6)
	w.apply(clade.Amended{Spec: w.state.Head().Spec, Epoch: w.state.Head().Epoch + 1})
	w.plan(clade.Attempt{ID: 7, Makes: clade.MakesNumbers, After: []clade.Stage{{Subjects: []clade.ID{clade.Base}}}})
	w.ends(7, 1, clade.Base, 1)
	w.ends(3, 1, 3, 4)
	w.want("baseline s 0", "1/300  best s 6 by 2: an edit", "baseline s 1", "2/300  best s 4 by 3: an edit")
}

// P19: a winner below a better number has its reason beside it.
func TestP19BestIsNotTheWinner(t *testing.T) {
	t.Parallel()
	row := func(id clade.ID, verdict string) *run.Row {
		return &run.Row{ID: id, Values: map[string]float64{"s": 6}, Summary: "an edit", Verdict: verdict}
	}
	of := func(best *run.Row, winner *run.Row) string {
		var b strings.Builder
		printBest(&b, &run.Status{Measures: []clade.Measure{{ID: "s"}}, Best: best, Winner: winner})
		return b.String()
	}
	for name, c := range map[string]struct {
		best, winner *run.Row
		want         string
	}{
		"nothing":       {nil, nil, ""},
		"no winner":     {row(5, "tie"), nil, "best      s 6 by 5: an edit\n"},
		"it won":        {row(5, "proven"), row(5, "proven"), "best      s 6 by 5: an edit\n"},
		"another won":   {row(5, "no gain"), row(6, "proven"), "best      s 6 by 5 in the search: an edit\n          not the winner: no gain\n"},
		"never judged":  {row(5, ""), row(6, "proven"), "best      s 6 by 5 in the search: an edit\n          not the winner: it was not judged\n"},
		"hostile words": {row(5, "\x1b[1m"), row(6, "proven"), "best      s 6 by 5 in the search: an edit\n          not the winner: �[1m\n"},
	} {
		if got := of(c.best, c.winner); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
