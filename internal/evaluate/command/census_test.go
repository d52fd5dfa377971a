//go:build unix

package command

import (
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// C9, H12: processes that a gate or measure leaves behind are counted, told and,
// where the spec says so, held against the candidate.
func TestCensus(t *testing.T) {
	t.Parallel()
	const leave, leaveTwo = "sleep 100 > /dev/null 2>&1 &", "sleep 100 > /dev/null 2>&1 & sleep 100 > /dev/null 2>&1 &"
	for name, tc := range map[string]struct {
		level         string
		gate, measure string // on a candidate
		base          string // gate on the base, measured before
		want          []string
		warned        string // of the candidate
	}{
		"nothing":                 {clade.ProtectWarn, "true", "echo 1", "true", []string{"g=1", "m=1"}, ""},
		"gate, warned":            {clade.ProtectWarn, leave, "echo 1", "true", []string{"g=1", "m=1"}, "g left processes running"},
		"measure, warned":         {clade.ProtectWarn, "true", leave + " echo 1", "true", []string{"g=1", "m=1"}, "m left processes running"},
		"as many as the base":     {clade.ProtectWarn, leave, "echo 1", leave, []string{"g=1", "m=1"}, ""},
		"more than the base":      {clade.ProtectWarn, leaveTwo, "echo 1", leave, []string{"g=1", "m=1"}, "ended: 2"},
		"gate, rejected":          {clade.ProtectReject, leave, "echo 1", "true", []string{"g!policy"}, ""},
		"measure, rejected":       {clade.ProtectReject, "true", leave + " echo 1", "true", []string{"g=1", "m!policy"}, ""},
		"off":                     {clade.ProtectOff, leave, "echo 1", "true", []string{"g=1", "m=1"}, ""},
		"a gate that fails, too":  {clade.ProtectReject, leave + " exit 1", "echo 1", "true", []string{"g!policy"}, ""},
		"rejected, not its fault": {clade.ProtectReject, "true", "echo 1", leave, []string{"g=1", "m=1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t).tree("base", map[string]string{"g.sh": tc.base, "m.sh": "echo 1"}).
				tree("c1", map[string]string{"g.sh": tc.gate, "m.sh": tc.measure})
			spec := &clade.Spec{
				Gates:    []clade.Gate{gate("g", ". ./g.sh")},
				Measures: []clade.Measure{measure("m", ". ./m.sh")},
				Protect:  clade.Protect{Census: tc.level},
			}
			warned := map[clade.ID]string{}
			ask := func(id clade.ID) []clade.Evaluation {
				j := b.job(spec, id)
				j.Warn = func(of clade.ID, text string) { warned[of] += text }
				return b.evaluate(j)
			}
			if base := ask(clade.Base); tc.level == clade.ProtectReject && tc.base != "true" {
				wantSamples(t, "base", base[0].Samples, "g!evaluator")
			}
			wantSamples(t, name, ask(1)[0].Samples, tc.want...)
			if !strings.Contains(warned[1], tc.warned) || tc.warned == "" && warned[1] != "" {
				t.Errorf("warned %q, want %q", warned[1], tc.warned)
			}
		})
	}
}

// C4: where the spec wants the nonce, a result without it is none.
func TestNonceIsWanted(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`echo '{"score": 1}' > $CLADE_RESULT`:                                    "m!evaluator",
		`echo '{"score": 1, "nonce": ""}' > $CLADE_RESULT`:                       "m!evaluator",
		`echo '{"score": 1, "nonce": 7}' > $CLADE_RESULT`:                        "m!evaluator",
		`printf '{"score": 1, "nonce": "%s"}' $CLADE_NONCE > $CLADE_RESULT`:      "m=1",
		`printf '{"score": 1, "nonce": "%s"}' "$CLADE_NONCE " > $CLADE_RESULT`:   "m!evaluator",
		`printf '{"score": 1, "Nonce": "%s"}' $CLADE_NONCE > $CLADE_RESULT`:      "m!evaluator",
		`printf '[{"score": 1, "nonce": "%s"}]' "$CLADE_NONCE" > $CLADE_RESULT`:  "m!evaluator",
		`printf '{"score": 1, "x": {"nonce":"%s"}}' $CLADE_NONCE >$CLADE_RESULT`: "m!evaluator",
	} {
		b := newBench(t)
		spec := &clade.Spec{
			Gates:     []clade.Gate{gate("g", "true")},
			Benchmark: &clade.Benchmark{Command: sh(line)},
			Measures:  []clade.Measure{measure("m", "", func(m *clade.Measure) { m.Read.Kind = clade.ReadResult })},
			Protect:   clade.Protect{Nonce: true},
		}
		wantSamples(t, line, b.evaluate(b.job(spec, 1))[0].Samples[1:], want)
	}
}

// H19: nothing tells a search from a final, the base from a candidate, or a
// tripwire from either: not the environment, the arguments, the folder nor what
// lies around it. Names made at random are replaced by what they name.
func TestH19NothingTellsThatItIsTheFinal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	show := `{ pwd; tr '\0' ' ' < /proc/self/cmdline; echo; env | grep -v ^CLADE_MARK= | sort; ls -a . "$HOME" "$TMPDIR"; } | sed "s,$(dirname "$PWD"),SCOPE,g; s,$CLADE_NONCE,NONCE,; s,$(dirname "${CLADE_RESULT:-/x/y}"),RESULT,g" >> $LOG; `
	spec := &clade.Spec{
		Gates:     []clade.Gate{gate("g", show)},
		Benchmark: &clade.Benchmark{Command: sh(show + `echo '{"score": 1}' > $CLADE_RESULT`)},
		Measures: []clade.Measure{
			measure("r", "", func(m *clade.Measure) { m.Read.Kind = clade.ReadResult }),
			measure("m", show+"echo 1"),
		},
	}
	seen := func(id clade.ID, stage clade.Stage, attempt clade.Attempt, index int) string {
		b.forget()
		j := b.job(spec, id)
		j.Stage, j.Attempt, j.Index = stage, &attempt, index
		b.evaluate(j)
		return strings.Join(b.logged(), "\n")
	}
	want := seen(1, clade.Stage{}, clade.Attempt{ID: 1}, 0)
	if !strings.Contains(want, "SCOPE") || !strings.Contains(want, "CLADE_RESULT=RESULT/result.json") {
		t.Fatalf("nothing to compare:\n%s", want)
	}
	for what, got := range map[string]string{
		"final":    seen(1, clade.Stage{Split: clade.SplitTest, Fresh: true}, clade.Attempt{ID: 7, Makes: clade.MakesNumbers}, 0),
		"the base": seen(clade.Base, clade.Stage{}, clade.Attempt{ID: 2, Makes: clade.MakesNumbers}, 0),
		"tripwire": seen(1, clade.Stage{Fresh: true}, clade.Attempt{ID: 3, Probe: "wire"}, 0),
		"later":    seen(2, clade.Stage{First: 4}, clade.Attempt{ID: 400}, 3),
	} {
		if got != want {
			t.Errorf("%s can be told:\n%s\nfrom:\n%s", what, got, want)
		}
	}
}

// C6, H5, H11: what a command keeps in HOME, in TMPDIR or in its tree is not there
// for the next, of the same subject or another.
func TestH11NothingIsKeptBetweenCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	keep := `for d in . "$HOME" "$TMPDIR"; do test -e $d/kept && exit 3; : > $d/kept; done; `
	spec := &clade.Spec{
		Gates:    []clade.Gate{gate("g", keep)},
		Measures: []clade.Measure{measure("m", keep+"echo 1"), measure("n", keep+"echo 1")},
	}
	j := b.job(spec, 1, 2)
	j.Stage.Replicates = 3
	for _, e := range b.evaluate(j) {
		for _, s := range e.Samples {
			if s.Class != clade.OK || s.Value != 1 {
				t.Errorf("%d %s: %s", e.Subject, s.Check, s.Detail)
			}
		}
	}
}
