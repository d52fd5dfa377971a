package evo

import (
	"math"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		metric        string
		score, parent float64
		floor         float64
		want          Standing
	}{
		"better":                    {"max", .6, .5, 0, Ahead},
		"better, down":              {"min", .4, .5, 0, Ahead},
		"worse":                     {"max", .4, .5, 0, Worse},
		"worse, down":               {"min", .6, .5, 0, Worse},
		"the same is not better":    {"max", .5, .5, 0, Tied},
		"a gain within the noise":   {"max", .52, .5, .05, Tied},
		"a loss within the noise":   {"min", .52, .5, .05, Tied},
		"a gain beyond the noise":   {"max", .6, .5, .05, Ahead},
		"a gain as large as it is ": {"max", 2, 1, 1, Tied},
	} {
		if got := Compare(c.metric, c.score, &c.parent, c.floor); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if Compare("max", -5, nil, 1) != Ahead {
		t.Error("a child of the root was compared")
	}
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, metric string
		samples      []float64
		want         float64
	}{
		"mean":        {Mean, "max", []float64{1, 2, 6}, 3},
		"median":      {Median, "max", []float64{9, 1, 2}, 2},
		"even median": {Median, "max", []float64{4, 1, 2, 9}, 3},
		"worst":       {Worst, "max", []float64{3, 1, 2}, 1},
		"worst, down": {Worst, "min", []float64{3, 1, 2}, 3},
		"one":         {Median, "max", []float64{7}, 7},
	} {
		if got, err := Aggregate(c.kind, c.metric, c.samples); err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v %v, want %v", name, got, err, c.want)
		}
	}
	if _, err := Aggregate("best", "max", []float64{1}); err == nil {
		t.Error("the best of several is an aggregate")
	}
	if _, err := Aggregate(Mean, "max", nil); err == nil {
		t.Error("nothing has a mean")
	}
}

// §8: failures were repeated for ever.
func TestBreaker(t *testing.T) {
	t.Parallel()
	for history, want := range map[string]bool{"": false, "aa": false, "aaa": true, "aab": false, "baaa": true, "aaae": false, "aea": false, "eaaa": true} {
		var all []*Outcome
		for _, c := range history {
			o := &Outcome{Outcome: OutcomeFailed, Error: ptr(string(c))}
			if c == 'e' {
				o = &Outcome{Outcome: OutcomeEvaluated}
			}
			all = append(all, o)
		}
		if failure, got := Breaker(all); got != want || got && failure != "a" {
			t.Errorf("%q: %v %q", history, got, failure)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	c := config(t, r, 2)
	if got := Indented(ConfigDoc(c)) + "\n"; got != r["config-show/stdout"] {
		t.Errorf("%s", firstDifference(got, r["config-show/stdout"]))
	}
	if p := c.Set("frontier-strategy", `{"kind": "softmax", "params": {"temperature": 1}}`); p != nil {
		t.Fatal(p)
	}
	for label, name := range map[string]string{"config-get-frontier": "frontier-strategy", "config-get-max-attempts": "max-attempts", "config-get-task-skills": "task-skills"} {
		if v, ok := c.Get(name); !ok || Shown(v)+"\n" != r[label+"/stdout"] {
			t.Errorf("%s: %s, want %s", label, Shown(v), r[label+"/stdout"])
		}
	}
	for name, values := range map[string][2]string{"metric": {"min", "min"}, "gate": {" true ", "true"}, "task-skills": {"a, b,", "[\n  \"a\",\n  \"b\"\n]"},
		"default-autonomous": {"Yes", "True"}, "per-exp-timeout": {"90", "90"}, "project-name": {"p", "p"}, "commit-strategy": {"tracked-only", "tracked-only"},
		"target": {"t", "t"}, "benchmark": {"b", "b"}, "max-attempts": {"9", "9"}, "default-subagents-only": {"off", "False"}, "default-orchestrator": {"Workflow", "workflow"},
		"frontier-strategy": {"argmax", "{\n  \"kind\": \"argmax\",\n  \"params\": {}\n}"}} {
		p := c.Set(name, values[0])
		if v, ok := c.Get(name); p != nil || !ok || Shown(v) != values[1] {
			t.Errorf("%s: %v %s, want %s", name, p, Shown(v), values[1])
		}
	}
	if p := c.Set("gate", ""); p != nil || c.Gate != nil {
		t.Error("the gate stays")
	}
	was := string(c.Marshal())
	for name, value := range map[string]string{"metric": "best", "max-attempts": "0", "per-exp-timeout": "1.5", "default-autonomous": "maybe",
		"frontier-strategy": "best", "commit-strategy": "", "default-orchestrator": "x", "nothing": "1"} {
		if p := c.Set(name, value); p == nil {
			t.Errorf("%s took %q", name, value)
		}
	}
	if got := string(c.Marshal()); got != was {
		t.Errorf("a refused value changed something: %s", firstDifference(got, was))
	}
	if _, ok := c.Get("nothing"); ok {
		t.Error("nothing is a field")
	}
	if len(Fields()) != 13 {
		t.Errorf("%d fields", len(Fields()))
	}
}

func TestRedacted(t *testing.T) {
	t.Parallel()
	got := compact(Redacted(mustParse(t, `{"a": [{"API_KEY": "x", "n": 1}], "token": null, "key": "", "secret": {"b": 1}}`)))
	if want := `{"a":[{"API_KEY":"<redacted>","n":1}],"token":null,"key":"","secret":"<redacted>"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
