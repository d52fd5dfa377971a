//go:build unix

package command

import (
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/custom"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/llm"
)

// rolling is a bench whose cases a shell script answers as an agent. It gets the
// case on standard input.
func rolling(t *testing.T, script string) *bench {
	t.Helper()
	b := newBench(t)
	b.eval.Agent = &agent.Runner{Driver: custom.New([]string{"sh", "-c", script}), Box: b.eval.Sandbox,
		Lookup: b.eval.Lookup, Scratch: t.TempDir(), Command: clade.Command{Timeout: clade.Duration(20 * time.Second)}}
	return b
}

func rollSpec(r clade.Rollout, edit ...func(*clade.Spec)) *clade.Spec {
	s := caseSpec("unused", edit...)
	r.Agent = "custom"
	s.Dataset.Rollout = &r
	return s
}

// The candidate lies where the host looks for it, and the fixtures beside it.
func TestRolloutLaysTheCandidateOut(t *testing.T) {
	t.Parallel()
	skill := "---\ndescription: sums\nname: adder\n---\nAdd.\n"
	files := map[string]string{"s/SKILL.md": skill, "s/more.txt": "more", "s/fx/shared.txt": "shared", "s/fx/s1/own.txt": "own", "s/AGENTS.md": "do so"}
	for name, c := range map[string]struct {
		rollout clade.Rollout
		edit    func(*clade.Spec)
		script  string
		case1   string
	}{
		"a skill":            {clade.Rollout{}, nil, "cat .claude/skills/adder/more.txt .agents/skills/adder/more.txt; basename $PWD", "moremoreworkdir"},
		"own fixtures":       {clade.Rollout{As: "skill", Fixtures: "fx"}, nil, "cat own.txt; ls | tr '\\n' ' '", "ownown.txt"},
		"instructions":       {clade.Rollout{As: "instructions"}, nil, "cat AGENTS.md CLAUDE.md GEMINI.md", "do sodo sodo so"},
		"named instructions": {clade.Rollout{As: "instructions"}, func(s *clade.Spec) { s.Allow = []string{"*.md", "more.txt"} }, "cat AGENTS.md", "more"},
		"a file, found":      {clade.Rollout{}, func(s *clade.Spec) { s.Target.Kind, s.Allow = clade.TargetFile, []string{"more.txt"} }, "cat AGENTS.md; basename $PWD", "moreworkdir"},
		"the target itself":  {clade.Rollout{As: "workspace", Fixtures: "fx"}, nil, "cat more.txt own.txt", "moreown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rolling(t, c.script).tree("c1", files)
			spec := rollSpec(c.rollout)
			spec.Target.Prefix = "s"
			if c.edit != nil {
				c.edit(spec)
			}
			j := b.job(spec, 1)
			j.Cases = []evaluate.Case{{ID: "s1", Split: clade.SplitSelect, Input: []byte("1+1"), Expected: c.case1}}
			got := b.evaluate(j)[0].Samples
			wantSamples(t, name, got, "acc/s1=1")
		})
	}
}

// A candidate is blamed for what the agent says and for one that hangs, nobody
// for a service that fails; money is counted either way.
func TestRolloutEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   string
		class  clade.Class
	}{
		"right":       {`read q; echo "{\"text\":\"$q\",\"spent\":{\"usd\":0.5,\"tokens\":10,\"calls\":1}}"`, "acc/s1=1", clade.OK},
		"wrong":       {`echo '{"text":"no","spent":{"usd":0.5,"tokens":10,"calls":1}}'`, "acc/s1=0", clade.OK},
		"rate limit":  {`echo '{"end":"rate-limited","spent":{"usd":0.5,"tokens":10,"calls":1}}'; exit 1`, "acc/s1!model", clade.ClassModel},
		"signed out":  {`echo '{"end":"signed-out","spent":{"usd":0.5,"tokens":10,"calls":1}}'; exit 1`, "acc/s1!access", clade.ClassAccess},
		"service":     {`echo '{"end":"service","spent":{"usd":0.5,"tokens":10,"calls":1}}'; exit 1`, "acc/s1!model", clade.ClassModel},
		"refused":     {`echo '{"text":"I will not","end":"refused","spent":{"usd":0.5,"tokens":10,"calls":1}}'; exit 1`, "acc/s1=0", clade.OK},
		"crashed":     {`echo '{"spent":{"usd":0.5,"tokens":10,"calls":1}}'; exit 3`, "acc/s1!evaluator", clade.ClassEvaluator},
		"limit, said": {`echo '{"text":"2","end":"limit","spent":{"usd":0.5,"tokens":10,"calls":1}}'`, "acc/s1=1", clade.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rolling(t, c.script)
			j := b.job(rollSpec(clade.Rollout{As: "workspace"}), 1)
			j.Stage.Cases, j.Cases = []string{"s1"}, someCases()
			var spent clade.Amount
			j.Spend = func(a clade.Amount) { spent = spent.Plus(a) }
			j.Cap = func() llm.Cap { return llm.Cap{Microdollars: 700_000} }
			got := b.evaluate(j)[0].Samples
			wantSamples(t, name, got, c.want)
			if want := (clade.Amount{Microdollars: 500_000, Tokens: 10, Calls: 1}); spent != want {
				t.Errorf("spent %+v", spent)
			}
		})
	}
}

// An agent that does not end is ended, and the case is the candidate's failure.
func TestRolloutHangs(t *testing.T) {
	t.Parallel()
	b := rolling(t, "sleep 600")
	b.eval.Agent.Idle = 50 * time.Millisecond
	j := b.job(rollSpec(clade.Rollout{As: "workspace"}), 1)
	j.Stage.Cases, j.Cases = []string{"s1"}, someCases()
	got := b.evaluate(j)[0].Samples
	wantSamples(t, "hung", got, "acc/s1!candidate")
	if !strings.Contains(got[0].Detail, "printed nothing for 50ms") {
		t.Errorf("%q", got[0].Detail)
	}
}

// What cannot be laid out is said, and is no score.
func TestRolloutCannotBeLaidOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rollout clade.Rollout
		files   map[string]string
		want    string
	}{
		"no instructions": {clade.Rollout{As: "instructions"}, map[string]string{"x": "y"}, "no file of instructions"},
		"the name taken":  {clade.Rollout{As: "skill"}, map[string]string{"SKILL.md": "x", "workdir/a": "y"}, "has a workdir of its own"},
		"no fixtures":     {clade.Rollout{As: "workspace", Fixtures: "fx"}, map[string]string{"x": "y"}, "cannot be laid out"},
	} {
		b := rolling(t, "cat").tree("c1", c.files)
		j := b.job(rollSpec(c.rollout), 1)
		j.Stage.Cases, j.Cases = []string{"s1"}, someCases()
		got := b.evaluate(j)[0].Samples
		if len(got) != 1 || got[0].Class != clade.ClassEvaluator || !strings.Contains(got[0].Detail, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What an agent said to a train case is kept for those who may learn from it, and
// serves the next attempt, which then pays no agent. Of cases that decide only the
// score is kept.
func TestRolloutsAreRemembered(t *testing.T) {
	t.Parallel()
	b, mem := rolling(t, `echo '{"text":"1","spent":{"usd":0.5,"tokens":10,"calls":1}}'`), newMemory()
	j := b.job(rollSpec(clade.Rollout{As: "workspace"}), 1)
	j.Stage.Cases, j.Cases, j.Memory = []string{"t1", "s1"}, someCases(), mem
	var spent clade.Amount
	j.Spend = func(a clade.Amount) { spent = spent.Plus(a) }
	for attempt := range clade.ID(2) {
		j.Attempt = &clade.Attempt{ID: attempt + 1}
		got := b.evaluate(j)[0].Samples
		wantSamples(t, "asked", got, "acc/t1=1", "acc/s1=0")
		if got[0].Detail != "1" || got[1].Detail != "" || got[0].PaidBy != attempt || got[1].PaidBy != attempt {
			t.Errorf("attempt %d: %+v", attempt+1, got)
		}
	}
	if want := (clade.Amount{Microdollars: 1_000_000, Tokens: 20, Calls: 2}); spent != want {
		t.Errorf("spent %+v, want that of two cases", spent)
	}
}

// A case that the rest of a try's hold does not bear is not the candidate's
// failure.
func TestRolloutBeyondTheHold(t *testing.T) {
	t.Parallel()
	b := rolling(t, `echo '{"end":"limit","spent":{"usd":0.5,"tokens":10,"calls":1}}'; exit 1`)
	j := b.job(rollSpec(clade.Rollout{As: "workspace"}), 1)
	j.Stage.Cases, j.Cases = []string{"s1"}, someCases()
	left := clade.Microdollars(500_000)
	j.Cap = func() llm.Cap { return llm.Cap{Microdollars: left} }
	j.Spend = func(a clade.Amount) { left = max(1, left-a.Microdollars) }
	wantSamples(t, "beyond", b.evaluate(j)[0].Samples, "acc/s1!budget")
}

// A target that is the whole repository is laid out beside itself.
func TestRolloutOfAWholeRepository(t *testing.T) {
	t.Parallel()
	skill := "---\ndescription: sums\nname: adder\n---\nAdd.\n"
	b := rolling(t, "cd .agents/skills/adder && find . -type f | LC_ALL=C sort | tr '\\n' ' '").tree("c1", map[string]string{
		"SKILL.md": skill, "-x y.txt": "more", "d/a.txt": "a", ".hidden": "h"})
	spec := rollSpec(clade.Rollout{As: "skill"})
	j := b.job(spec, 1)
	j.Stage.Cases, j.Cases = []string{"t1"}, someCases()
	got := b.evaluate(j)[0].Samples
	if want := "./-x y.txt ./.hidden ./SKILL.md ./d/a.txt"; len(got) != 1 || got[0].Detail != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}

// What a service failed is asked again by the next try, not remembered.
func TestRolloutAsksAFailedServiceAgain(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"service", "rate-limited", "signed-out"} {
		b, mem := rolling(t, `echo '{"end":"`+end+`","spent":{"usd":0.5,"tokens":10,"calls":1}}'; exit 1`), newMemory()
		j := b.job(rollSpec(clade.Rollout{As: "workspace"}), 1)
		j.Stage.Cases, j.Cases, j.Memory = []string{"s1"}, someCases(), mem
		var spent clade.Amount
		j.Spend = func(a clade.Amount) { spent = spent.Plus(a) }
		for range 2 {
			if s := b.evaluate(j)[0].Samples; !s[0].Class.Lost() {
				t.Errorf("%s: %+v", end, s[0])
			}
		}
		if spent.Calls != 2 {
			t.Errorf("%s: asked %d times", end, spent.Calls)
		}
	}
}
