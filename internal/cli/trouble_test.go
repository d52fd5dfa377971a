package cli

import (
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/progress"
	"github.com/charmbracelet/x/ansi"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// A machine that fails one attempt after the other is spoken of by every
// display.
func TestTroubleIsSaid(t *testing.T) {
	t.Parallel()
	var s clade.State
	for i, e := range []clade.Event{
		clade.Opened{Run: "r"}, clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesTree}}, clade.Planned{Attempt: clade.Attempt{ID: 2, Makes: clade.MakesTree}},
		clade.TryBegun{ID: 1, Try: 1}, clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Failure: clade.ClassInfra, Detail: "no space"}},
		clade.TryBegun{ID: 2, Try: 1}, clade.TryEnded{Outcome: clade.Outcome{ID: 2, Try: 1, Failure: clade.ClassInfra, Detail: "no \x1bspace"}},
	} {
		if err := s.Apply(clade.Record{Seq: int64(i + 1), Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	const want = "2 attempts failed for reasons of this machine: no �space"
	var status, plain strings.Builder
	summary := run.Summarise(&s, 3)
	printStatus(&status, summary)
	(&lines{w: &plain}).progress(&s)
	live := &screen{bar: progress.New(), start: time.Now(), s: summary}
	for name, got := range map[string]string{"status": status.String(), "plain": plain.String(), "live": ansi.Strip(strings.Join(live.lines(), "\n"))} {
		if !strings.Contains(got, want) {
			t.Errorf("%s says %q", name, got)
		}
	}
}

// A search that broke before its first candidate, as one whose setup failed, was
// interrupted by nobody.
func TestBrokenIsNotInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		judged int
		broke  bool
		want   string
	}{{0, true, ""}, {2, true, "broken off after 2 candidates"}, {0, false, "interrupted after 0 candidates"}} {
		var out strings.Builder
		e := &env{Program: Program{Stdout: &out}}
		if err := e.ended(&run.Status{State: run.StateInterrupted, Judged: c.judged}, false, c.broke); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
