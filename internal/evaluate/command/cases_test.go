//go:build unix

package command

import (
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

func caseSpec(line string, edit ...func(*clade.Spec)) *clade.Spec {
	s := &clade.Spec{
		Dataset:  &clade.Dataset{Command: sh(line), Expected: "a", Scorer: clade.Scorer{Kind: "exact"}},
		Measures: []clade.Measure{measure("acc", "", func(m *clade.Measure) { m.Read.Kind, m.Noise = clade.ReadCases, clade.NoiseCases })},
	}
	for _, f := range edit {
		f(s)
	}
	return s
}

func someCases() []evaluate.Case {
	return []evaluate.Case{
		{ID: "t1", Split: clade.SplitTrain, Input: []byte("1"), Expected: "1"},
		{ID: "s1", Split: clade.SplitSelect, Input: []byte("2"), Expected: "2"},
		{ID: "s2", Split: clade.SplitSelect, Input: []byte("3"), Expected: "three"},
		{ID: "f1", Split: clade.SplitTest, Input: []byte("4\x00\xff"), Expected: "4\x00\xff"},
	}
}

func TestCases(t *testing.T) {
	t.Parallel()
	scorer := func(line string) func(*clade.Spec) {
		return func(s *clade.Spec) {
			c := sh(line)
			s.Dataset.Scorer = clade.Scorer{Kind: "command", Command: &c}
		}
	}
	for name, tc := range map[string]struct {
		spec  *clade.Spec
		stage clade.Stage
		base  bool
		want  []string
		mean  float64 // of the case scores; < 0: none
	}{
		"split select":      {caseSpec("cat"), clade.Stage{}, false, []string{"acc/s1=1", "acc/s2=0"}, 0.5},
		"split test, bytes": {caseSpec("cat"), clade.Stage{Split: clade.SplitTest}, false, []string{"acc/f1=1"}, 1},
		"named, of train":   {caseSpec("cat"), clade.Stage{Cases: []string{"s2", "t1"}}, false, []string{"acc/s2=0", "acc/t1=1"}, 0.5},
		"crash is 0":        {caseSpec("read x; test $x = 2 && echo 2"), clade.Stage{}, false, []string{"acc/s1=1", "acc/s2!candidate"}, 0.5},
		"timeout is 0":      {caseSpec("sleep 600", func(s *clade.Spec) { s.Dataset.Timeout = clade.Duration(50 * time.Millisecond) }), clade.Stage{}, false, []string{"acc/s1!candidate", "acc/s2!candidate"}, 0},
		"oversized answer":  {caseSpec("head -c 300000 /dev/zero", func(s *clade.Spec) { s.Limits.Output = 64 << 10 }), clade.Stage{Cases: []string{"s1"}}, false, []string{"acc/s1!candidate"}, 0},
		"program missing":   {caseSpec("no-such-program-of-clade"), clade.Stage{}, true, []string{"acc/s1!evaluator"}, -1},
		"silent":            {caseSpec("true"), clade.Stage{}, false, []string{"acc/s1=0", "acc/s2=0"}, 0},
		"scorer":            {caseSpec("cat", scorer(`cat >> $PWD/q; grep -q '"input":"2"' q && echo 0.25 || echo 0.75`)), clade.Stage{}, false, []string{"acc/s1=0.25", "acc/s2=0.75"}, 0.5},
		"scorer fails":      {caseSpec("cat", scorer(`echo 1; exit 1`)), clade.Stage{}, false, []string{"acc/s1!evaluator"}, -1},
		"scorer says 2":     {caseSpec("cat", scorer(`echo 2`)), clade.Stage{}, false, []string{"acc/s1!evaluator"}, -1},
		"scorer says NaN":   {caseSpec("cat", scorer(`echo NaN`)), clade.Stage{}, false, []string{"acc/s1!evaluator"}, -1},
		"scorer says much":  {caseSpec("cat", scorer(`echo score 1`)), clade.Stage{}, false, []string{"acc/s1!evaluator"}, -1},
		"repeats":           {caseSpec("echo x >> $LOG; wc -l < $LOG | tr -d ' '", func(s *clade.Spec) { s.Measures[0].Repeats = 4 }), clade.Stage{Cases: []string{"s1"}}, false, []string{"acc/s1=0.25"}, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			id := clade.ID(1)
			if tc.base {
				id = clade.Base
			}
			j := b.job(tc.spec, id)
			j.Stage, j.Cases = tc.stage, someCases()
			got := b.evaluate(j)[0].Samples
			wantSamples(t, name, got, tc.want...)
			mean, ok := clade.CaseMean("acc", got)
			if ok != (tc.mean >= 0) || ok && mean != tc.mean {
				t.Errorf("mean %v, %v; want %v", mean, ok, tc.mean)
			}
		})
	}
}

func TestCasesKeepTheirSplit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	j := b.job(caseSpec("cat"), 1)
	j.Stage.Cases, j.Cases = []string{"t1", "s1"}, someCases()
	got := b.evaluate(j)[0].Samples
	if got[0].Split != clade.SplitTrain || got[1].Split != clade.SplitSelect {
		t.Errorf("%+v", got)
	}
	if got[0].Detail != "1" || got[1].Detail != "" {
		t.Errorf("answers are kept of cases that proposers may see, and of no others: %q, %q", got[0].Detail, got[1].Detail)
	}
	j.Stage.Cases = []string{"nope"}
	if _, err := b.eval.Evaluate(t.Context(), j); err == nil {
		t.Error("a case that there is not was not refused")
	}
}

// B29: two empty texts are not equal, by any scorer.
func TestEmptyAgainstEmpty(t *testing.T) {
	t.Parallel()
	one := sh("echo 1")
	for _, scorer := range []clade.Scorer{{Kind: "exact"}, {Kind: "contains"}, {Kind: "command", Command: &one}} {
		b := newBench(t)
		j := b.job(caseSpec("true", func(s *clade.Spec) { s.Dataset.Scorer = scorer }), 1)
		j.Cases = []evaluate.Case{{ID: "c", Split: clade.SplitSelect}}
		got := b.evaluate(j)[0].Samples
		wantSamples(t, scorer.Kind, got, "acc/c!evaluator")
		if !strings.Contains(got[0].Detail, "empty") {
			t.Errorf("%s: %s", scorer.Kind, got[0].Detail)
		}
	}
}

// The scorer's command runs in the base's tree: a candidate cannot change it.
func TestScorerIsTheBases(t *testing.T) {
	t.Parallel()
	b := newBench(t).tree("base", map[string]string{"score.sh": "echo 0"}).tree("c1", map[string]string{"score.sh": "echo 1"})
	j := b.job(caseSpec("cat", func(s *clade.Spec) {
		c := sh("sh score.sh")
		s.Dataset.Scorer = clade.Scorer{Kind: "command", Command: &c}
	}), 1)
	j.Cases = someCases()
	wantSamples(t, "candidate's scorer", b.evaluate(j)[0].Samples, "acc/s1=0", "acc/s2=0")
}

// Every case is kept as it ends, and a case that is known costs a look-up.
func TestCasesAreRemembered(t *testing.T) {
	t.Parallel()
	b, mem := newBench(t), newMemory()
	j := b.job(caseSpec(logging("c", "cat")), 1)
	j.Memory, j.Cases = mem, someCases()
	mem.stopAfter = 1
	if _, err := b.eval.Evaluate(t.Context(), j); err == nil {
		t.Fatal("no crash")
	}
	mem.stopAfter = 0
	wantSamples(t, "resumed", b.evaluate(j)[0].Samples, "acc/s1=1", "acc/s2=0")
	j.Attempt = &clade.Attempt{ID: 2}
	for _, s := range b.evaluate(j)[0].Samples {
		if s.PaidBy != 1 {
			t.Errorf("%s was paid by %d", s.Case, s.PaidBy)
		}
	}
	if n := len(b.logged()); n != 3 {
		t.Errorf("%d cases ran, want 3: two, and the one that ran when the crash came", n)
	}
}

// A batch asks what it draws of the split, in the dataset's order; what the
// parent answered for another attempt is served.
func TestBatchOfCases(t *testing.T) {
	t.Parallel()
	b, mem := newBench(t), newMemory()
	j := b.job(caseSpec(logging("c", "cat")), 1, 2)
	j.Memory = mem
	var names []string
	for i := range 6 {
		id := string(rune('a' + i))
		names = append(names, id)
		j.Cases = append(j.Cases, evaluate.Case{ID: id, Split: clade.SplitTrain, Input: []byte(id), Expected: id})
	}
	whole := j
	whole.Subjects, whole.Stage.Split, whole.Attempt = j.Subjects[:1], clade.SplitTrain, &clade.Attempt{ID: 9}
	b.evaluate(whole)
	b.forget()
	j.Stage.Split, j.Stage.Batch, j.Attempt = clade.SplitTrain, 2, &clade.Attempt{ID: 10}
	drawn := clade.Minibatch(7, 10, names, 2)
	for i, e := range b.evaluate(j) {
		wantSamples(t, "batch", e.Samples, "acc/"+drawn[0]+"=1", "acc/"+drawn[1]+"=1")
		for _, s := range e.Samples {
			if want := clade.ID(9 * (1 - i)); s.PaidBy != want || s.Split != clade.SplitTrain {
				t.Errorf("subject %d: %+v", i, s)
			}
		}
	}
	if n := len(b.logged()); n != 2 {
		t.Errorf("%d cases ran, want the child's 2", n)
	}
}
