//go:build unix

package command

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// By a double sum over a grid, independent of the code under test; see
// TestFailsMoreAgainstTheDoubleIntegral. The deciding cases of RELIABILITY §3.6:
// one failure in three against none, two against none, one against one.
func TestFailsMoreDecides(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		failed, baseFailed int
		more               bool
	}{{1, 0, false}, {2, 0, true}, {2, 1, false}, {1, 1, false}, {2, 3, false}, {1, 3, false}} {
		p := failsMore(tc.failed, 3-tc.failed, tc.baseFailed, 3-tc.baseFailed)
		if (p >= flakyCertainty) != tc.more {
			t.Errorf("%d of 3 against %d of 3: %.3f, want ≥ %v: %v", tc.failed, tc.baseFailed, p, flakyCertainty, tc.more)
		}
	}
}

// The probability as the double integral of both densities, by midpoints in
// θ with p = sin²θ, where Jeffreys' densities have no poles.
func TestFailsMoreAgainstTheDoubleIntegral(t *testing.T) {
	t.Parallel()
	for _, tc := range [][4]int{{1, 2, 0, 3}, {2, 1, 0, 3}, {2, 1, 1, 2}, {3, 0, 0, 3}, {0, 5, 5, 0}} {
		const parts = 1500
		density := func(theta float64, failed, passed int) float64 {
			return math.Pow(math.Sin(theta), float64(2*failed)) * math.Pow(math.Cos(theta), float64(2*passed))
		}
		above, all := 0.0, 0.0
		for i := range parts {
			x := (float64(i) + 0.5) / parts * math.Pi / 2
			for k := range parts {
				y := (float64(k) + 0.5) / parts * math.Pi / 2
				w := density(x, tc[0], tc[1]) * density(y, tc[2], tc[3])
				all += w
				if math.Pow(math.Sin(x), 2) > math.Pow(math.Sin(y), 2)+flakyMargin {
					above += w
				}
			}
		}
		if got, want := failsMore(tc[0], tc[1], tc[2], tc[3]), above/all; math.Abs(got-want) > 0.002 {
			t.Errorf("%v: %.4f, by the integral %.4f", tc, got, want)
		}
	}
}

// F29: every gate's verdict after reruns, with every run kept and a bounded
// number of them. A gate fails on the runs listed, numbered over all trees.
func TestFlakyGate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fails string // numbers of the runs that fail
		want  []string
		runs  int
	}{
		"passes": {"0", []string{"g=1", "m=1"}, 1},
		"bad candidate: 3 of 3": {"1 2 3", []string{
			"g!candidate", "g (run again)=0", "g (run again)#2=0"}, 3},
		"flaky: 1 of 3 against 1 of 3": {"1 4", []string{
			"g=1", "g (run again)=1", "g (run again)#2=1", "g (run again on the base)=0", "g (run again on the base)#2=1", "g (run again on the base)#3=1", "m=1"}, 6},
		"worse than the base: 2 of 3 against 0 of 3": {"1 2", []string{
			"g!candidate", "g (run again)=0", "g (run again)#2=1", "g (run again on the base)=1", "g (run again on the base)#2=1", "g (run again on the base)#3=1"}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, mem := newBench(t, func(o *Options) { o.RerunGates = -1 }), newMemory()
			spec := &clade.Spec{
				Gates:    []clade.Gate{gate("g", `echo x >> $LOG; n=$(wc -l < $LOG); for f in `+tc.fails+`; do test $n -ne $f 2>/dev/null || exit 1; done; true`)},
				Measures: []clade.Measure{measure("m", "echo 1")},
			}
			j := b.job(spec, 1)
			j.Memory = mem
			first := b.evaluate(j)
			wantSamples(t, name, first[0].Samples, tc.want...)
			if n := len(b.logged()); n != tc.runs {
				t.Errorf("the gate ran %d times, want %d", n, tc.runs)
			}
			gate := first[0].Samples[0]
			if tc.runs == 6 && !strings.Contains(gate.Detail, "flaky") {
				t.Errorf("detail %q", gate.Detail)
			}
			if _, passed := clade.Values(spec, first, 1); passed != (gate.Value == 1) {
				t.Errorf("passed %v, but the gate says %v", passed, gate.Value)
			}
			again := b.evaluate(j)
			wantSamples(t, "recalled", again[0].Samples, tc.want...)
			if n := len(b.logged()); n != tc.runs {
				t.Errorf("recalled, the gate ran %d times, want %d", n, tc.runs)
			}
			j.Attempt = &clade.Attempt{ID: 2}
			b.evaluate(j)
			if n := len(b.logged()); n == tc.runs && tc.runs > 1 {
				t.Error("a verdict after reruns served another attempt")
			}
		})
	}
}

// F29: a gate that fails every time on a few trees is taken at its word, until it
// is seen to pass and to fail on one tree; the base is never given another chance.
func TestGateIsRerunUntilItIsTrusted(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) { o.RerunGates = FlakyTrees })
	spec := &clade.Spec{Gates: []clade.Gate{gate("g", `echo x >> $LOG; test -e good || test $(wc -l < $LOG) -ge 5`)}}
	runs := func(id clade.ID, tree string, rep int) int {
		b.forget()
		j := b.job(spec, id)
		j.Subjects[0].Tree, j.Stage.First = tree, rep
		b.evaluate(j)
		return len(b.logged())
	}
	if n := runs(0, "base", 1); n != 1 {
		t.Errorf("on the base it ran %d times", n)
	}
	for i, want := range []int{3, 3, 3, 1, 1} {
		if n := runs(1, itoa(i), 1); n != want {
			t.Errorf("on tree %d, failing every time, it ran %d times, want %d", i, n, want)
		}
	}
	spec.Gates[0].Run = `echo x >> $LOG; test ! -e "$LOG.red"`
	spec.Gates[0].Command = clade.Command{Run: spec.Gates[0].Run}
	red := func() {
		if err := os.WriteFile(b.log+".red", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	red()
	for i := range 3 {
		runs(1, "red"+itoa(i), 1)
	}
	if n := runs(1, "flaky", 1); n != 1 {
		t.Errorf("trusted, it ran %d times", n)
	}
	_ = os.Remove(b.log + ".red")
	runs(1, "flaky", 2) // passes now: this tree has seen both
	red()
	if n := runs(1, "other", 1); n != 3 {
		t.Errorf("known to flake, it ran %d times, want 3", n)
	}
}

// The base has no second opinion, not even where candidates have: a base that
// fails its gate stops the run.
func TestGateIsNotRerunOnTheBase(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) { o.RerunGates = -1 })
	spec := &clade.Spec{Gates: []clade.Gate{gate("g", logging("g", "false"))}}
	wantSamples(t, "base", b.evaluate(b.job(spec, 0))[0].Samples, "g!candidate")
	if n := len(b.logged()); n != 1 {
		t.Errorf("the gate ran %d times on the base", n)
	}
}
