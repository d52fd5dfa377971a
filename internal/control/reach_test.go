package control

import (
	"reflect"
	"testing"

	"github.com/cladehq/clade"
)

// environment looks variables up in a map.
func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func TestMeans(t *testing.T) {
	t.Parallel()
	spec := &clade.Spec{
		Dataset: &clade.Dataset{Rollout: &clade.Rollout{Agent: "claude", Model: "opus"}},
		Operators: []clade.Operator{
			{Use: "mutate", Name: "mutate"},
			{Use: "reflect", Name: "r", Model: "local"},
			{Use: "agent", Name: "a", Agent: "claude", Model: "opus", Command: clade.Command{Pass: []string{"LANG", "NONE"}}},
		},
		Models: []clade.Model{
			{Name: "local", Provider: "openai", Model: "l", BaseURL: "http://localhost:8000", KeyEnv: "LOCAL_KEY"},
			{Name: "opus", Provider: "anthropic", Model: "o", BaseURLEnv: "AT", KeyEnv: "KEY"},
			{Name: "unused", Provider: "google", Model: "u"},
		},
	}
	local := Reach{Name: "local", Provider: "openai", Model: "l", BaseURL: "http://localhost:8000/v1", For: []string{"operator r"}}
	opus := Reach{Name: "opus", Provider: "anthropic", Model: "o", BaseURL: "https://models.example", For: []string{"the dataset", "operator a"}}
	passed := []Variable{{Name: "LANG", Set: true, For: "operator a"}, {Name: "NONE", For: "operator a"}}
	for name, c := range map[string]struct {
		env    map[string]string
		models []Reach
		vars   []Variable
		want   string // of the problem
	}{
		"all set": {
			map[string]string{"LOCAL_KEY": "k", "KEY": "k", "AT": "https://models.example/v1", "LANG": "C"},
			[]Reach{local, opus},
			append([]Variable{{Name: "LOCAL_KEY", Set: true, For: "model local"}, {Name: "KEY", Set: true, For: "model opus"}}, passed...), "",
		},
		"no keys, of which this machine's own service needs none": {
			map[string]string{"AT": "https://models.example", "LANG": "C"},
			[]Reach{local, opus},
			append([]Variable{{Name: "LOCAL_KEY", For: "model local"}, {Name: "KEY", For: "model opus", Missing: true}}, passed...),
			"model opus needs the variable KEY, which is not set",
		},
		"an address that holds a password": {
			map[string]string{"KEY": "k", "AT": "https://me:hunter2@models.example", "LANG": "C"},
			[]Reach{local, {Name: "opus", Provider: "anthropic", Model: "o", For: []string{"the dataset", "operator a"},
				Fault: "model opus: the address in AT is no address of a service; write it like https://host/v1"}},
			append([]Variable{{Name: "LOCAL_KEY", For: "model local"}, {Name: "KEY", Set: true, For: "model opus"}}, passed...),
			"model opus: the address in AT is no address of a service; write it like https://host/v1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &Forecast{}
			f.Models, f.Variables = means(spec, environment(c.env))
			if !reflect.DeepEqual(f.Models, c.models) {
				t.Errorf("models are %+v", f.Models)
			}
			if !reflect.DeepEqual(f.Variables, c.vars) {
				t.Errorf("variables are %+v", f.Variables)
			}
			got := ""
			if err := f.Problem(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("the problem is %q", got)
			}
		})
	}
}

func TestMostMoney(t *testing.T) {
	t.Parallel()
	money := func(v clade.Microdollars) *clade.Microdollars { return &v }
	model := []clade.Operator{{Use: "reflect"}}
	for name, c := range map[string]struct {
		spec clade.Spec
		want *clade.Microdollars
	}{
		"a cap":                  {clade.Spec{Operators: model, Budget: clade.Budget{Candidates: 3, USD: money(5e6), PerTry: money(1e6)}}, money(5e6)},
		"a hold of each try":     {clade.Spec{Operators: model, Budget: clade.Budget{Candidates: 3, PerTry: money(2e6)}}, money(6e6)},
		"neither":                {clade.Spec{Operators: model, Budget: clade.Budget{Candidates: 3}}, nil},
		"nothing is paid":        {clade.Spec{Operators: []clade.Operator{{Use: "mutate"}}, Budget: clade.Budget{Candidates: 3, PerTry: money(2e6)}}, nil},
		"rollouts without a cap": {clade.Spec{Dataset: &clade.Dataset{Rollout: &clade.Rollout{}}, Operators: model, Budget: clade.Budget{Candidates: 3, PerTry: money(2e6)}}, nil},
	} {
		if got := mostMoney(&c.spec); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The programs of agents are looked for by what their CLIs are called.
func TestProgramsOfAgents(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	all, err := programs(t.Context(), &Resolved{Spec: clade.Spec{
		Dataset: &clade.Dataset{Rollout: &clade.Rollout{Agent: "gemini"}},
		Operators: []clade.Operator{
			{Use: "reflect", Name: "r"},
			{Use: "agent", Name: "a", Agent: "opencode"},
			{Use: "agent", Name: "own", Agent: "custom", Command: clade.Command{Argv: []string{"no-such-agent"}}},
		},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		got[p.For] = p.Name
	}
	want := map[string]string{"the dataset": "gemini", "operator a": "opencode", "operator own": "no-such-agent"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}
