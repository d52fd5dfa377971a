package evolution

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// What a run says where an evolution stands, by what stopped it. max_minutes is
// the wall: nobody waits for minutes in a test.
func TestVerdict(t *testing.T) {
	t.Parallel()
	e := &evolution.Evolution{ID: 3, Gates: []evolution.Gate{{ID: "G1"}}, Variants: []evolution.Variant{
		{ID: "v1", Status: evolution.Evaluated, Gates: []evolution.GateResult{{ID: "G1"}}}}}
	s := &session{doc: &evolution.Document{Evolution: e}}
	for name, c := range map[string]struct {
		state  evolution.State
		proven bool
		stop   clade.Stop
		fault  clade.Fault
		says   string
	}{
		"a proven winner":             {evolution.StateEvaluated, true, clade.StopCandidates, "", ""},
		"a proven winner in time":     {evolution.StateEvaluated, true, clade.StopWall, "", ""},
		"not beaten":                  {evolution.StateEvaluated, false, clade.StopPlateau, clade.FaultNoWinner, "v1 leads but did not beat the measured baseline"},
		"the time is over":            {evolution.StateRunning, false, clade.StopWall, clade.FaultNoWinner, "no winner: G1 fails 1 of 1; the reason"},
		"nothing passes":              {evolution.StateRunning, false, clade.StopAllFailed, clade.FaultNoWinner, "no winner: G1 fails 1 of 1"},
		"the base cannot be measured": {evolution.StateRunning, false, clade.StopBaseline, clade.FaultBaseline, "nothing can be measured by: the reason"},
		"numbers cannot be trusted":   {evolution.StateRunning, false, clade.StopEvaluator, clade.FaultBaseline, "the reason"},
		"the machine fails":           {evolution.StateRunning, false, clade.StopInfra, clade.FaultEnvironment, "no winner yet: the reason"},
		"the model fails":             {evolution.StateRunning, false, clade.StopModel, clade.FaultEnvironment, "no winner yet: the reason"},
		"cancelled":                   {evolution.StateRunning, false, clade.StopCancelled, clade.FaultInterrupted, "not over"},
		"not stopped":                 {evolution.StateRunning, false, clade.StopNone, clade.FaultInterrupted, "not over"},
	} {
		r := &Ran{Report: &Report{Summary: Summary{State: string(c.state), Leader: "v1"}}, Proven: c.proven, Stop: c.stop, Reason: "the reason"}
		err := s.verdict(r)
		if c.fault == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if got := clade.FaultOf(err); got != c.fault || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %s %v, want %s: %s", name, got, err, c.fault, c.says)
		}
	}
}

// How an evolution was begun is how it goes on.
func TestSettingsOver(t *testing.T) {
	t.Parallel()
	one, two := uint64(1), uint64(2)
	begun := Settings{Agent: "claude", Model: "anthropic/x", Setup: "make", Carry: []string{"deps"}, Timeout: 5, Inherit: true, Slots: 3,
		Seed: &one, Sandbox: "none", Noise: map[string]clade.Noise{"R1": clade.NoiseTiming, "R2": clade.NoiseTiming}}
	if got := (Settings{}).over(&begun); !reflect.DeepEqual(got, begun) {
		t.Errorf("nothing said: %+v", got)
	}
	if got := begun.over(nil); !reflect.DeepEqual(got, begun) {
		t.Errorf("the first time: %+v", got)
	}
	said := Settings{Agent: "codex", Setup: "make deps", Carry: []string{"x"}, Timeout: 6, Slots: 1, Seed: &two, Sandbox: "auto",
		Noise: map[string]clade.Noise{"R1": clade.NoiseNone}}
	want := said
	want.Inherit, want.Noise = true, map[string]clade.Noise{"R1": clade.NoiseNone, "R2": clade.NoiseTiming}
	if got := said.over(&begun); !reflect.DeepEqual(got, want) {
		t.Errorf("something said: %+v", got)
	}
	if begun.Noise["R1"] != clade.NoiseTiming {
		t.Error("what was before is changed")
	}
	if got := (Settings{Noise: map[string]clade.Noise{}}).kept(); got != nil {
		t.Errorf("nothing to keep: %+v", got)
	}
	if got := said.kept(); got == nil || !reflect.DeepEqual(*got, said) {
		t.Errorf("kept %+v", got)
	}
}
