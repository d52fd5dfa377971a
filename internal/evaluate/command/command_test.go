//go:build unix

package command

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

func itoa(n int) string     { return strconv.Itoa(n) }
func ftoa(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func ptr(v float64) *float64 { return &v }

// Every end of a gate or a measure, on the base and on a candidate, with a gate
// in the spec and without one. P1, P15: a boolean is no number, a whole one is, and
// only the spec says which direction is better.
func TestClasses(t *testing.T) {
	t.Parallel()
	regex := func(m *clade.Measure) { m.Read = clade.Read{Kind: clade.ReadRegex, Regex: `score: (\S+)`} }
	pointer := func(m *clade.Measure) { m.Read = clade.Read{Kind: clade.ReadPointer, Pointer: "/score"} }
	bounds := func(m *clade.Measure) { m.Min, m.Max = ptr(0), ptr(1) }
	minimize := func(m *clade.Measure) { m.Goal = clade.Minimize }
	file := func(m *clade.Measure) { m.Read.File = "out/score" }
	for name, tc := range map[string]struct {
		gate    string
		measure clade.Measure
		base    bool
		want    []string
		say     string
	}{
		"number":                       {"true", measure("m", "echo 0.5"), false, []string{"g=1", "m=0.5"}, ""},
		"gate fails":                   {"echo why; exit 3", measure("m", "echo 1"), false, []string{"g!candidate"}, "exit status 3\nwhy"},
		"gate fails on the base (F46)": {"exit 1", measure("m", "echo 1"), true, []string{"g!candidate"}, "exit status 1"},
		"gate dies by a signal":        {"kill -SEGV $$", measure("m", "echo 1"), false, []string{"g!candidate"}, "signal"},
		"gate prints bytes (B18)":      {`printf '\377\376\200\000'`, measure("m", "echo 1"), false, []string{"g=1", "m=1"}, ""},
		"gate's program is missing":    {"no-such-program-of-clade", measure("m", "echo 1"), false, []string{"g!candidate"}, "exit status 127"},
		"the same on the base":         {"no-such-program-of-clade", measure("m", "echo 1"), true, []string{"g!evaluator"}, "installed"},
		"measure fails":                {"true", measure("m", "echo 1; exit 1"), false, []string{"g=1", "m!evaluator"}, "exit status 1"},
		"measure fails, no gate":       {"", measure("m", "echo 1; exit 1"), false, []string{"m!candidate"}, "exit status 1"},
		"the same on the base, 2":      {"", measure("m", "echo 1; exit 1"), true, []string{"m!evaluator"}, "exit status 1"},
		"number, then a signal (B34)":  {"true", measure("m", "echo 1; kill -SEGV $$"), false, []string{"g=1", "m!evaluator"}, "signal"},
		"program missing on the base":  {"", measure("m", "no-such-program-of-clade"), true, []string{"m!evaluator"}, "installed"},
		"nothing printed (F42)":        {"true", measure("m", "true"), false, []string{"g=1", "m!evaluator"}, "nothing where"},
		"NaN (B21)":                    {"true", measure("m", "echo NaN"), false, []string{"g=1", "m!evaluator"}, "finite"},
		"NaN, minimised (B21)":         {"true", measure("m", "echo NaN", minimize), false, []string{"g=1", "m!evaluator"}, "finite"},
		"Inf (B22)":                    {"true", measure("m", "echo Inf"), false, []string{"g=1", "m!evaluator"}, "finite"},
		"-Inf (B22)":                   {"true", measure("m", "echo -Inf", minimize), false, []string{"g=1", "m!evaluator"}, "finite"},
		"1e999 (F40)":                  {"true", measure("m", "echo 1e999"), false, []string{"g=1", "m!evaluator"}, "too large"},
		"1e-400 (F40)":                 {"true", measure("m", "echo 1e-400"), false, []string{"g=1", "m!evaluator"}, "too small"},
		"-0 (F40)":                     {"true", measure("m", "echo -0"), false, []string{"g=1", "m=0"}, ""},
		"thousands (F41)":              {"true", measure("m", "echo 1,234.5"), false, []string{"g=1", "m!evaluator"}, `"1,234.5"`},
		"a unit (F41)":                 {"true", measure("m", "echo 12 ms"), false, []string{"g=1", "m!evaluator"}, `"12 ms"`},
		"two scores (F41)":             {"true", measure("m", "echo score: 1; echo score: 2", regex), false, []string{"g=1", "m!evaluator"}, "matches 2 times"},
		"direction printed (B6)":       {"true", measure("m", "echo higher is better; echo score: 1", regex, minimize), false, []string{"g=1", "m=1"}, ""},
		"a string (F40)":               {"true", measure("m", `echo '{"score": "1"}'`, pointer), false, []string{"g=1", "m!evaluator"}, "string"},
		"a boolean (P1)":               {"true", measure("m", `echo '{"score": true}'`, pointer), false, []string{"g=1", "m!evaluator"}, "boolean"},
		"a whole number (P15)":         {"true", measure("m", "echo 3"), false, []string{"g=1", "m=3"}, ""},
		"one in a document (P15)":      {"true", measure("m", `echo '{"score": 3}'`, pointer), false, []string{"g=1", "m=3"}, ""},
		"above its bounds":             {"true", measure("m", "echo 1.5", bounds), false, []string{"g=1", "m!evaluator"}, "outside the declared bounds"},
		"below its bounds":             {"true", measure("m", "echo -1", bounds), false, []string{"g=1", "m!evaluator"}, "outside the declared bounds"},
		"at its bounds":                {"true", measure("m", "echo 1", bounds), false, []string{"g=1", "m=1"}, ""},
		"a file":                       {"true", measure("m", "mkdir out; echo 4 > out/score", file), false, []string{"g=1", "m=4"}, ""},
		"no file":                      {"true", measure("m", "echo 4", file), false, []string{"g=1", "m!evaluator"}, "score"},
		"the file is a link":           {"true", measure("m", "mkdir out; echo 4 > four; ln -s ../four out/score", file), false, []string{"g=1", "m!evaluator"}, "regular"},
		"the file is old (F42)":        {"true", measure("m", "true", func(m *clade.Measure) { m.Read.File = "old" }), false, []string{"g=1", "m!evaluator"}, "before the command"},
		"wall clock":                   {"true", measure("m", "true", func(m *clade.Measure) { m.Read.Kind, m.Unit, m.Min = clade.ReadClock, "ns", ptr(1000) }), false, nil, ""},
		"runs in a folder":             {"true", measure("m", "", func(m *clade.Measure) { m.Command = clade.Command{Argv: []string{"cat", "n"}, Dir: "sub"} }), false, []string{"g=1", "m=3"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"old": "9\n", "sub/n": "3\n"}
			b := newBench(t).tree("base", files).tree("c1", files)
			spec := &clade.Spec{Measures: []clade.Measure{tc.measure}}
			if tc.gate != "" {
				spec.Gates = []clade.Gate{gate("g", tc.gate)}
			}
			id := clade.ID(1)
			if tc.base {
				id = clade.Base
			}
			got := b.evaluate(b.job(spec, id))[0].Samples
			if tc.want == nil {
				if last := got[len(got)-1]; last.Class != clade.OK || last.Value <= 0 {
					t.Errorf("%+v is no measurement", last)
				}
				return
			}
			wantSamples(t, name, got, tc.want...)
			if last := got[len(got)-1]; !strings.Contains(last.Detail, tc.say) {
				t.Errorf("detail %q does not say %q", last.Detail, tc.say)
			}
			if last := got[len(got)-1]; last.Class != clade.OK && last.Value != 0 {
				t.Errorf("no score has the value %v", last.Value)
			}
		})
	}
}

// B1, F7, P12: a busy loop ends by its limit, gives no score and leaves nothing.
func TestBusyLoop(t *testing.T) {
	t.Parallel()
	const loop = `sleep 600 & echo $! >> $LOG; echo 1; trap '' TERM; while :; do :; done`
	for name, tc := range map[string]struct {
		spec clade.Spec
		id   clade.ID
		want string
	}{
		"gate":                {clade.Spec{Gates: []clade.Gate{gate("x", loop)}}, 1, "x!candidate"},
		"measure":             {clade.Spec{Measures: []clade.Measure{measure("x", loop)}}, 1, "x!candidate"},
		"measure on the base": {clade.Spec{Measures: []clade.Measure{measure("x", loop)}}, 0, "x!evaluator"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			tc.spec.Limits.Wall = clade.Duration(200 * time.Millisecond)
			wantSamples(t, name, b.evaluate(b.job(&tc.spec, tc.id))[0].Samples, tc.want)
			for _, word := range b.logged() {
				pid, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				if alive(pid) {
					t.Errorf("process %d is alive", pid)
				}
			}
			if len(b.logged()) != 1 {
				t.Errorf("it ran %d times", len(b.logged()))
			}
		})
	}
}

func alive(pid int) bool {
	_, err := proc.Of(pid)
	return err == nil
}

// F11: a child that keeps standard output open ends with the command. F13: a
// command that closed its output is not taken for finished.
func TestOutputAndProcessEndApart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := &clade.Spec{Measures: []clade.Measure{
		measure("held", "sleep 600 & echo $! >> $LOG; echo 1"),
		measure("closed", "echo 2; exec >&- 2>&-; head -c 3000000 /dev/zero | wc -c >> $LOG"),
	}}
	wantSamples(t, "values", b.evaluate(b.job(spec, 1))[0].Samples, "held=1", "closed=2")
	words := b.logged()
	if pid, err := strconv.Atoi(words[0]); err != nil || alive(pid) {
		t.Errorf("child %s is alive, %v", words[0], err)
	}
	if len(words) != 2 || words[1] != "3000000" {
		t.Errorf("the command was not waited for: %v", words)
	}
}

// B3: the score depends on a file that only the candidate changed.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	main := ". ./b.sh; echo $((x * 2))"
	b := newBench(t).
		tree("base", map[string]string{"a.sh": main, "b.sh": "x=1"}).
		tree("c1", map[string]string{"a.sh": main, "b.sh": "x=21"})
	spec := &clade.Spec{Measures: []clade.Measure{measure("m", "sh a.sh")}}
	evs := b.evaluate(b.job(spec, 0, 1))
	wantSamples(t, "base", evs[0].Samples, "m=2")
	wantSamples(t, "candidate", evs[1].Samples, "m=42")
}

// H5: what one command wrote is not there for the next.
func TestScopesAreFresh(t *testing.T) {
	t.Parallel()
	count := "echo x >> n; echo x >> $HOME/n; cat n $HOME/n | wc -l | tr -d ' '"
	b := newBench(t)
	spec := &clade.Spec{
		Gates:    []clade.Gate{gate("g", count)},
		Measures: []clade.Measure{measure("a", count), measure("b", count, func(m *clade.Measure) { m.Repeats = 3 })},
	}
	wantSamples(t, "counts", b.evaluate(b.job(spec, 1))[0].Samples, "g=1", "a=2", "b=2")
}

func TestGatesInOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t).tree("c1", map[string]string{"bad": ""})
	say := func(id, line string) clade.Gate { return gate(id, "echo "+id+" >> $LOG; "+line) }
	spec := &clade.Spec{
		Gates:    []clade.Gate{say("g1", "true"), say("g2", "test ! -e bad"), say("g3", "true")},
		Measures: []clade.Measure{measure("m", "echo m >> $LOG; echo 1")},
	}
	evs := b.evaluate(b.job(spec, 1, 2))
	wantSamples(t, "bad", evs[0].Samples, "g1=1", "g2!candidate")
	wantSamples(t, "good", evs[1].Samples, "g1=1", "g2=1", "g3=1", "m=1")
	if got := strings.Join(b.logged(), " "); got != "g1 g1 g2 g2 g3 m" {
		t.Errorf("ran %s", got)
	}
}

func TestChecksChoose(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := &clade.Spec{
		Gates:    []clade.Gate{gate("g1", "true"), gate("g2", "false")},
		Measures: []clade.Measure{measure("m1", "echo 1"), measure("m2", "echo 2")},
	}
	j := b.job(spec, 1)
	j.Stage.Checks, j.Stage.First, j.Stage.Split = []string{"m2", "g1"}, 4, clade.SplitTest
	got := b.evaluate(j)[0].Samples
	wantSamples(t, "chosen", got, "g1#4=1", "m2#4=2")
	if got[0].Split != clade.SplitTest || !got[0].Gate || got[1].Gate {
		t.Errorf("%+v", got)
	}
	j.Stage.Checks = []string{"m3"}
	if _, err := b.eval.Evaluate(t.Context(), j); err == nil {
		t.Error("a check that there is not was not refused")
	}
}

// The order inside a pair is the keyed coin's, recomputed here by hand, and
// differs between replicates; it does not depend on what was recalled.
func TestOrderOfPairs(t *testing.T) {
	t.Parallel()
	b := newBench(t).tree("base", map[string]string{"who": "base"}).tree("c1", map[string]string{"who": "c1"})
	spec := &clade.Spec{Measures: []clade.Measure{measure("m", "cat who >> $LOG; echo >> $LOG; echo 1", timing)}}
	j := b.job(spec, 0, 1)
	j.Stage.Replicates, j.Stage.First = 8, 3
	evs := b.evaluate(j)
	var want []string
	for rep := 3; rep < 11; rep++ {
		stream := "order/1/" + strconv.Itoa(rep)
		if clade.Draw(7, stream, 0) < clade.Draw(7, stream, 1) {
			want = append(want, "base", "c1")
		} else {
			want = append(want, "c1", "base")
		}
	}
	if !slices.Equal(b.logged(), want) {
		t.Errorf("order %v, want %v", b.logged(), want)
	}
	if !slices.Contains(want[2:], "base") || strings.Count(strings.Join(want, " "), "base c1 base c1 base c1 base c1") > 1 {
		t.Errorf("the coin always falls the same: %v", want)
	}
	if len(evs[0].Samples) != 8 || evs[1].Samples[7].Replicate != 10 {
		t.Errorf("%+v", evs)
	}
}

func timing(m *clade.Measure) { m.Noise = clade.NoiseTiming }

func TestWarmUpIsDropped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := &clade.Spec{
		Gates:    []clade.Gate{gate("g", "echo g >> $LOG")},
		Measures: []clade.Measure{measure("t", "echo t >> $LOG; echo 1", timing), measure("n", "echo n >> $LOG; echo 1")},
	}
	j := b.job(spec, 0, 1)
	j.Stage.Replicates, j.Stage.Warmup = 2, 1
	evs := b.evaluate(j)
	// Timings make gates run once a stage; only timings are warmed up.
	wantSamples(t, "samples", evs[1].Samples, "g=1", "t=1", "n=1", "t#2=1", "n#2=1")
	if got := strings.Join(b.logged(), ""); got != "ggtttt"+"nn"+"tt"+"nn" {
		t.Errorf("ran %s", got)
	}
}

func TestTimingPairEndsWithItsPartner(t *testing.T) {
	t.Parallel()
	b := newBench(t).tree("c1", map[string]string{"bad": ""})
	spec := &clade.Spec{
		Gates:    []clade.Gate{gate("g", "true")},
		Measures: []clade.Measure{measure("t", "echo t >> $LOG; test ! -e bad && echo 1", timing)},
	}
	j := b.job(spec, 0, 1)
	j.Stage.Replicates = 5
	evs := b.evaluate(j)
	wantSamples(t, "candidate", evs[1].Samples, "g=1", "t!evaluator")
	if n := len(b.logged()); n != 2 {
		t.Errorf("ran %d times, want one pair", n)
	}
}

// A timing is exclusive, nothing else is; every command has a limit.
func TestWhatTheSandboxIsAsked(t *testing.T) {
	t.Parallel()
	var asked []sandbox.Command
	b := newBench(t, func(o *Options) { o.Sandbox = recorder{o.Sandbox, &asked} })
	spec := &clade.Spec{
		Limits:   clade.Limits{Memory: 1 << 30, Processes: 9, Output: 99},
		Gates:    []clade.Gate{gate("g", "true")},
		Measures: []clade.Measure{measure("t", "echo 1", timing), measure("n", "echo 1", func(m *clade.Measure) { m.Timeout, m.Network = clade.Duration(time.Minute), true })},
	}
	b.evaluate(b.job(spec, 1))
	for i, want := range []struct {
		exclusive, network bool
		wall               time.Duration
	}{{false, false, 10 * time.Minute}, {true, false, 10 * time.Minute}, {false, true, time.Minute}} {
		c := asked[i]
		if c.Exclusive != want.exclusive || c.Network != want.network || c.Limits != (sandbox.Limits{Wall: want.wall, Memory: 1 << 30, Processes: 9, Output: 99, Disk: c.Limits.Disk}) || c.Limits.Disk <= 0 {
			t.Errorf("command %d: exclusive %v, network %v, %+v", i, c.Exclusive, c.Network, c.Limits)
		}
	}
}

type recorder struct {
	sandbox.Sandbox
	asked *[]sandbox.Command
}

func (r recorder) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	*r.asked = append(*r.asked, c)
	return r.Sandbox.Run(ctx, c)
}

func TestMeasureFromGate(t *testing.T) {
	t.Parallel()
	from := func(m *clade.Measure) {
		m.From, m.Read = "g", clade.Read{Kind: clade.ReadRegex, Regex: `score: (\d+)`}
	}
	b := newBench(t).tree("c2", map[string]string{"bad": ""})
	spec := &clade.Spec{
		Gates:    []clade.Gate{gate("g", "echo g >> $LOG; echo score: 5; test ! -e bad")},
		Measures: []clade.Measure{measure("m", "", from)},
	}
	evs := b.evaluate(b.job(spec, 1, 2))
	wantSamples(t, "passed", evs[0].Samples, "g=1", "m=5")
	wantSamples(t, "failed", evs[1].Samples, "g!candidate")
	if n := len(b.logged()); n != 2 {
		t.Errorf("the gate ran %d times for two subjects", n)
	}
	spec.Measures[0].From = "none"
	if _, err := b.eval.Evaluate(t.Context(), b.job(spec, 1)); err == nil {
		t.Error("a gate that there is not was not refused")
	}
}

// F42, F43, B34, P8: what makes a benchmark's result and what does not.
func TestBenchmarkResult(t *testing.T) {
	t.Parallel()
	const good = `echo '{"score": 0.5, "tasks": {"a": 1, "b": 0}}' > $CLADE_RESULT`
	for name, tc := range map[string]struct {
		line string
		want []string // nil: no score, evaluator
		say  string
	}{
		"result":               {good, []string{"score=0.5", "tasks/a=1", "tasks/b=0"}, ""},
		"with the nonce":       {`printf '{"score": 1, "tasks": {"a": 1}, "nonce": "%s"}' $CLADE_NONCE > $CLADE_RESULT`, []string{"score=1", "tasks/a=1"}, ""},
		"score alone":          {`echo '{"score": 1}' > $CLADE_RESULT`, []string{"score=1", "tasks!evaluator"}, "tasks"},
		"tasks alone":          {`echo '{"tasks": {"a": 1}}' > $CLADE_RESULT`, []string{"score!evaluator", "tasks/a=1"}, ""},
		"another nonce":        {`echo '{"score": 1, "nonce": "x"}' > $CLADE_RESULT`, nil, "another run"},
		"none, exit 0":         {`echo '{"score": 1}'`, nil, "wrote no result"},
		"result, exit 1":       {good + `; exit 1`, nil, "exit status 1"},
		"result, then SIGSEGV": {good + `; kill -SEGV $$`, nil, "signal"},
		"there before":         {`test ! -e $CLADE_RESULT || exit 9`, nil, "wrote no result"},
		"a pipe":               {`mkfifo $CLADE_RESULT`, nil, "no regular file"},
		"a folder":             {`mkdir -p $CLADE_RESULT/x`, nil, "no regular file"},
		"a link":               {`echo '{"score": 1}' > r; ln -s $PWD/r $CLADE_RESULT`, nil, "no regular file"},
		"a dangling link":      {`ln -s nowhere $CLADE_RESULT`, nil, "no regular file"},
		"sparse, 1 GB":         {`truncate -s 1G $CLADE_RESULT`, nil, "larger than"},
		"empty":                {`: > $CLADE_RESULT`, nil, "nothing"},
		"cut":                  {`printf '{"score": 1' > $CLADE_RESULT`, nil, "JSON"},
		"keys twice":           {`echo '{"score": 1, "score": 2}' > $CLADE_RESULT`, nil, "twice"},
		"SCORE":                {`echo '{"SCORE": 1, "tasks": {}}' > $CLADE_RESULT`, nil, `no "`},
		"NaN":                  {`echo '{"score": NaN}' > $CLADE_RESULT`, nil, "JSON"},
		"folder made unusable": {good + `; chmod 0 $(dirname $CLADE_RESULT)`, []string{"score=0.5", "tasks/a=1", "tasks/b=0"}, ""},
		"folder full of links": {`mkdir $(dirname $CLADE_RESULT)/x; chmod 0 $(dirname $CLADE_RESULT)/x`, nil, "no result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "folder made unusable" && os.Getuid() != 0 {
				t.Skip("only root reads it all the same")
			}
			b := newBench(t)
			spec := &clade.Spec{
				Gates:     []clade.Gate{gate("g", "true")},
				Benchmark: &clade.Benchmark{Command: sh("echo b >> $LOG\n" + tc.line)},
				Measures: []clade.Measure{
					measure("score", "", func(m *clade.Measure) { m.Read.Kind = clade.ReadResult }),
					measure("tasks", "", func(m *clade.Measure) { m.Read.Kind, m.Noise = clade.ReadCases, clade.NoiseCases }),
				},
			}
			got := b.evaluate(b.job(spec, 1))[0].Samples[1:]
			if tc.want == nil {
				tc.want = []string{"score!evaluator", "tasks!evaluator"}
			}
			wantSamples(t, name, got, tc.want...)
			if last := got[len(got)-1]; !strings.Contains(last.Detail, tc.say) {
				t.Errorf("detail %q does not say %q", last.Detail, tc.say)
			}
			if n := len(b.logged()); n != 1 {
				t.Errorf("the benchmark ran %d times for two measures", n)
			}
		})
	}
}

// B20: a benchmark stopped before it wrote its result has no score, not 0.
func TestBenchmarkTimesOut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := &clade.Spec{
		Benchmark: &clade.Benchmark{Command: clade.Command{Run: "sleep 600", Timeout: clade.Duration(100 * time.Millisecond)}},
		Measures:  []clade.Measure{measure("tasks", "", func(m *clade.Measure) { m.Read.Kind, m.Noise = clade.ReadCases, clade.NoiseCases })},
	}
	evs := b.evaluate(b.job(spec, 1))
	wantSamples(t, "timed out", evs[0].Samples, "tasks!candidate")
	if values, _ := clade.Values(spec, evs, 1); len(values) != 0 {
		t.Errorf("values %v, want none", values)
	}
}

func TestRepeatsAreAveraged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := &clade.Spec{Measures: []clade.Measure{
		measure("m", `echo x >> $LOG; wc -l < $LOG | tr -d ' '`, func(m *clade.Measure) { m.Repeats = 3 }),
		measure("f", `echo x >> $LOG; test $(wc -l < $LOG) -lt 5 && echo 1`, func(m *clade.Measure) { m.Repeats = 3 }),
	}}
	// 1, 2, 3 is 2 on average; f's second run is the fifth line and fails.
	wantSamples(t, "averages", b.evaluate(b.job(spec, 1))[0].Samples, "m=2", "f!candidate")
	if n := len(b.logged()); n != 5 {
		t.Errorf("%d runs, want 5", n)
	}
}

// The environment is built here: nothing of the user's but what is named, and
// the same in a search and in a final (H19).
func TestEnvironment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["MODEL_KEY"], b.env["OTHER_KEY"] = "sk-very-secret", "sk-other"
	c := clade.Command{Run: "env | sort >> $LOG; echo $MODEL_KEY; exit 1", Env: map[string]string{"MODE": "x"}, Pass: []string{"MODEL_KEY", "UNSET"}}
	spec := &clade.Spec{Gates: []clade.Gate{{ID: "g", Command: c}}}
	var seen []string
	var said string
	for _, split := range []string{clade.SplitSelect, clade.SplitTest} {
		b.forget()
		j := b.job(spec, 1)
		j.Stage.Split, j.Stage.Fresh = split, split == clade.SplitTest
		j.Log = func(_, text string) { said += text }
		got := b.evaluate(j)[0].Samples[0]
		if strings.Contains(got.Detail+said, "sk-very") || !strings.Contains(got.Detail, "[MODEL_KEY]") {
			t.Errorf("the key is shown: %q, %q", got.Detail, said)
		}
		var names []string
		for _, line := range b.logged() {
			name, value, _ := strings.Cut(line, "=")
			if name == "HOME" || name == "TMPDIR" || name == "PWD" || name == "_" || name == "SHLVL" || name == "OLDPWD" || strings.HasPrefix(name, "CLADE") {
				value = ""
			}
			names = append(names, name+"="+value)
		}
		seen = append(seen, strings.Join(names, "\n"))
	}
	if seen[0] != seen[1] {
		t.Errorf("a search and a final differ:\n%s\n\n%s", seen[0], seen[1])
	}
	for _, want := range []string{"MODE=x", "MODEL_KEY=sk-very-secret", "LC_ALL=C.UTF-8", "TZ=UTC"} {
		if !strings.Contains(seen[0], want) {
			t.Errorf("no %s in\n%s", want, seen[0])
		}
	}
	if strings.Contains(seen[0], "OTHER_KEY") || strings.Contains(seen[0], "UNSET") {
		t.Errorf("too much in\n%s", seen[0])
	}
}

// A key is not shown either where an error quotes what should be a number.
func TestQuotedOutputHidesKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["MODEL_KEY"] = "sk-very-secret"
	spec := &clade.Spec{Measures: []clade.Measure{measure("m", "echo $MODEL_KEY", func(m *clade.Measure) { m.Pass = []string{"MODEL_KEY"} })}}
	if got := b.evaluate(b.job(spec, 1))[0].Samples[0].Detail; strings.Contains(got, "sk-very") || !strings.Contains(got, "[MODEL_KEY]") {
		t.Errorf("detail %q", got)
	}
}

// F12, F38: details are bounded, of the end, and fit for JSON and a terminal.
func TestDetailIsClean(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := &clade.Spec{
		Limits: clade.Limits{Output: 64 << 10},
		Gates:  []clade.Gate{gate("g", `head -c 300000 /dev/zero | tr '\0' 'x'; printf '\n10%%\r99%%\r\n\033[31mred\033[0m \377 \033]0;title\007 \007bell\n' ; exit 1`)},
	}
	got := b.evaluate(b.job(spec, 1))[0].Samples[0]
	if !strings.HasSuffix(got.Detail, "\n99%\nred \uFFFD  bell") {
		t.Errorf("detail ends %q", got.Detail[max(0, len(got.Detail)-60):])
	}
	text, err := json.Marshal(got)
	var back clade.Sample
	if err != nil || json.Unmarshal(text, &back) != nil || back != got {
		t.Errorf("%v: does not survive JSON", err)
	}
}

// F12: an output that was cut is no number; the last match in its end is.
func TestCutOutput(t *testing.T) {
	t.Parallel()
	noise := `head -c 300000 /dev/zero | tr '\0' 'x'; echo; echo score: 3`
	b := newBench(t)
	spec := &clade.Spec{
		Limits: clade.Limits{Output: 64 << 10},
		Gates:  []clade.Gate{gate("g", "true")},
		Measures: []clade.Measure{
			measure("only", noise, func(m *clade.Measure) { m.Read = clade.Read{Kind: clade.ReadRegex, Regex: `score: (\d)`} }),
			measure("last", noise, func(m *clade.Measure) {
				m.Read = clade.Read{Kind: clade.ReadRegex, Regex: `score: (\d)`, Match: "last"}
			}),
		},
	}
	wantSamples(t, "cut", b.evaluate(b.job(spec, 1))[0].Samples, "g=1", "only!evaluator", "last=3")
}

func TestInfrastructureIsAnError(t *testing.T) {
	t.Parallel()
	spec := &clade.Spec{Gates: []clade.Gate{gate("g", "true")}}
	broken := errors.New("no more processes")
	b := newBench(t, func(o *Options) { o.Sandbox = failing{o.Sandbox, broken} })
	if _, err := b.eval.Evaluate(t.Context(), b.job(spec, 1)); !errors.Is(err, broken) {
		t.Errorf("sandbox: %v", err)
	}
	b = newBench(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("cancelled by hand")
	cancel(why)
	if _, err := b.eval.Evaluate(ctx, b.job(spec, 1)); !errors.Is(err, why) {
		t.Errorf("cancel: %v", err)
	}
	b = newBench(t)
	j := b.job(spec, 1)
	j.Subjects[0].Commit = "gone"
	if _, err := b.eval.Evaluate(t.Context(), j); err == nil {
		t.Error("a commit that is gone is no error")
	}
	// Killed, but not by a limit: the machine's doing (RELIABILITY §1.4).
	b = newBench(t)
	killed := &clade.Spec{Gates: []clade.Gate{{ID: "g", Command: clade.Command{Argv: []string{"sh", "-c", "echo its last words; kill -KILL $$"}}}}}
	j, said := b.job(killed, 1), ""
	j.Log = func(_, text string) { said += text }
	if _, err := b.eval.Evaluate(t.Context(), j); err == nil || !strings.Contains(err.Error(), "outside its limits") || !strings.Contains(said, "its last words") {
		t.Errorf("SIGKILL: %v, log %q", err, said)
	}
}

func TestClockAndMemory(t *testing.T) {
	t.Parallel()
	result := sandbox.Result{Wall: 1500 * time.Millisecond, PeakMemory: 3 << 20}
	b := newBench(t, func(o *Options) { o.Sandbox = fixed{o.Sandbox, &result} })
	read := func(kind clade.ReadKind, unit string) clade.Measure {
		return measure(string(kind)+unit, "true", func(m *clade.Measure) { m.Read.Kind, m.Unit = kind, unit })
	}
	spec := &clade.Spec{Measures: []clade.Measure{
		read(clade.ReadClock, ""), read(clade.ReadClock, "s"), read(clade.ReadClock, "ms"), read(clade.ReadClock, "turns"),
		read(clade.ReadMemory, ""), read(clade.ReadMemory, "MiB"), read(clade.ReadMemory, "kB"),
	}}
	wantSamples(t, "units", b.evaluate(b.job(spec, 1))[0].Samples, "wall_clock=1.5", "wall_clocks=1.5", "wall_clockms=1500",
		"wall_clockturns=1.5", "peak_memory=3.145728e+06", "peak_memoryMiB=3", "peak_memorykB=3145.728")
	result = sandbox.Result{} // a clock that stood still, memory that nobody looked at
	spec.Measures = []clade.Measure{read(clade.ReadClock, ""), read(clade.ReadMemory, "")}
	wantSamples(t, "nothing measured", b.evaluate(b.job(spec, 1))[0].Samples, "wall_clock!evaluator", "peak_memory!evaluator")
	result.OutOfMemory = true
	spec.Measures = spec.Measures[:1]
	spec.Gates = []clade.Gate{gate("g", "")}
	wantSamples(t, "out of memory", b.evaluate(b.job(spec, 1))[0].Samples, "g!candidate")
}

// fixed is a sandbox that runs nothing.
type fixed struct {
	sandbox.Sandbox
	result *sandbox.Result
}

func (fixed) Grade() string { return sandbox.GradeNone }

func (fixed) Mounts() bool { return false }

func (f fixed) Run(context.Context, sandbox.Command) (sandbox.Result, error) { return *f.result, nil }

type failing struct {
	sandbox.Sandbox
	err error
}

func (f failing) Run(context.Context, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{}, f.err
}

func TestResultIsMounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) { o.Sandbox = mounting{o.Sandbox} })
	spec := &clade.Spec{
		Benchmark: &clade.Benchmark{Command: sh("unused")},
		Measures:  []clade.Measure{measure("m", "", func(m *clade.Measure) { m.Read.Kind = clade.ReadResult })},
	}
	wantSamples(t, "mounted", b.evaluate(b.job(spec, 1))[0].Samples, "m=0.25")
}

// mounting stands for a sandbox that shows folders elsewhere: the result goes
// to the mount's source when the command is told of its target.
type mounting struct{ sandbox.Sandbox }

func (mounting) Mounts() bool { return true }

func (mounting) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	last := c.Mounts[len(c.Mounts)-1]
	for _, e := range c.Env {
		if name, ok := strings.CutPrefix(e, "CLADE_RESULT="+last.Target+"/"); ok && last.Kind == sandbox.MountBind {
			return sandbox.Result{}, os.WriteFile(filepath.Join(last.Source, name), []byte(`{"score": 0.25}`), 0o600)
		}
	}
	return sandbox.Result{}, errors.New("CLADE_RESULT is not in the mount")
}

var _ evaluate.Evaluator = (*Evaluator)(nil)
